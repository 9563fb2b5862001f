"""What the reader of scikit-optimize's results leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, spans
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names

# ---------------------------------------------------------------------- points and space


def _unnamed(fact: Fact) -> Text:
    have = "has none and is" if len(fact.names) == 1 else "have none and are"
    return (
        f"names: {counted(len(fact.names), 'dimension')} {have} called {names(fact)} by position; ",
        Option("names"),
        " sets them",
    )


add_facts(
    {
        "result_empty": "result has no trial. Tell the optimizer some first.",
        "wrong_length": lambda fact: (
            f"it has {counted(fact['count'], 'value')}, the space has "
            f"{counted(fact['dimensions'], 'dimension')}"
        ),
        "outside_space": lambda fact: ("it is outside the space: ", fact["why"]),
        "unnamed_dimensions": _unnamed,
        "space_constraint": lambda _: (
            "constraint: skopt kept to a space_constraint, which is not part of the search space "
            "here: averages also take in configurations that it rules out; explanations of "
            "proposals and predictions do not where ",
            Option("background"),
            " is an array without them, nor do effects where ",
            Option("sample"),
            " is",
        ),
    }
)


# ---------------------------------------------------------------------- proposals and models


def _assumed(fact: Fact) -> str:
    name = f" ({fact['criterion']})" if fact["criterion"] else ""
    return (
        "surrogates are fitted anew and an acquisition function is assumed for the one skopt "
        f"used{name}"
    )


def _of_another_result(fact: Fact) -> str:
    return (
        f"models: they were fitted on {spans(fact['counts'])} trials, which does not go with the "
        f"{counted(fact['read'], 'trial')} of this result"
    )


add_facts(
    {
        "random_search": lambda fact: (
            "proposals: the search was random, no acquisition function chose any of its trials; "
            f"those from {fact['known']} on are explained with an assumed one"
        ),
        "initial_not_recorded": lambda fact: (
            "proposals: the number of initial points is not recorded; trials before "
            f"{fact['first']}, whose models are not stored, do not count as proposals"
        ),
        "proposals_not_recorded": "proposals: neither models nor the number of initial points are "
        "recorded, so every trial counts as a proposal",
        "models_stored": lambda fact: (
            f"models: for the trials {spans(fact.trials)} the surrogate is the one that skopt "
            "fitted and stored"
        ),
        "models_not_stored": lambda fact: (
            f"models: those that chose the trials {spans(fact.trials)} are not stored "
            f"(model_queue_size); there, {_assumed(fact)}"
        ),
        "no_model_stored": lambda fact: f"models: no model is stored, so {_assumed(fact)}",
        "models_unreadable": lambda fact: (
            f"models: the stored ones ({names(fact)}) cannot be read, so {_assumed(fact)}"
        ),
        "models_not_placed": "models: they are stored, but not which trials they were fitted on",
        "models_of_another_result": _of_another_result,
    }
)


# ---------------------------------------------------------------------- acquisition function


def _hedge_inferred(fact: Fact) -> str:
    ranks = ", ".join(f"{name} {rank}" for name, rank in fact["ranks"])
    high = "; it ranks high under none: skopt rounds integers and categories after its search, "
    return (
        f"gp_hedge does not record which criterion it used; {names(fact)} is inferred, under which "
        f"the proposal ranks best among {fact['candidates']} candidates (ranks: {ranks})"
        + ("" if fact["high"] else f"{high}and moves away from points it has tried")
    )


def _lies_told(fact: Fact) -> str:
    others = "the result of the point" if fact["count"] == 1 else "the results of the points"
    return (
        f"{fact['strategy']}: in place of {others} before it in its batch skopt told its model "
        f"{fact['value']:.6g}; that model is fitted again"
    )


def _asked_together(fact: Fact) -> str:
    first, *_, last = fact.trials
    return (
        f"trials {first} to {last} were asked for or told together: this is the model of trial "
        f"{first}, to which skopt adds made-up objectives for those between"
    )


add_facts(
    {
        "criterion_assumed": lambda fact: ("acquisition: one is assumed, since ", fact["why"]),
        "criterion_not_recorded": "the result does not record its acquisition function",
        "criterion_per_second": lambda fact: f"{names(fact)} also weighs the time of an evaluation",
        "criterion_not_pointwise": lambda fact: (
            f"{names(fact)} is not a function of mean and std at one point"
        ),
        "criterion_of_std": lambda fact: f"with kappa = {fact['kappa']} LCB is the std alone",
        "hedge": "acquisition: gp_hedge draws LCB, EI or PI for every trial and does not record "
        "which; it is inferred from the proposal",
        "hedge_inferred": _hedge_inferred,
        "asked_together": _asked_together,
        "lies_told": _lies_told,
        "next_point": "skopt does not record what it was asked for: this is the point that it "
        "returns next, until it is told a result",
        "hedge_recorded": lambda fact: (
            f"gp_hedge drew {names(fact)} for this point: it is the one that this criterion chose"
        ),
    }
)
