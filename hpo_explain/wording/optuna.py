"""What the reader of Optuna's studies leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact, Origin
from hpo_explain.base.phrases import counted
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names, trials

# ---------------------------------------------------------------------- trials


def _pruned_counted(fact: Fact) -> Text:
    which = (f"pruned: {trials(fact)} {_each(fact, 'counts', 'count')} with ",)
    if fact["by_target"]:
        return *which, "what ", Option("target"), " returns"
    return *which, "the last value reported"


def _infeasible_counted(fact: Fact) -> str:
    return (
        f"infeasible: {trials(fact)} {_each(fact, 'violates', 'violate')} a constraint and "
        f"{_each(fact, 'counts', 'count')} as any other, but never as the incumbent"
    )


def _unconstrained(fact: Fact) -> str:
    return (
        f"constraints: {trials(fact)} {_each(fact, 'has', 'have')} none, unlike the others, and "
        f"{_each(fact, 'counts', 'count')} as feasible"
    )


def _untimed(fact: Fact) -> str:
    return (
        f"times: not recorded for {trials(fact)}; there, what was known before a trial is decided "
        "by trial numbers"
    )


def _each(fact: Fact, one: str, several: str) -> str:
    return one if len(fact.trials) == 1 else several


add_facts(
    {
        "study_empty": "study has no trials yet. Run study.optimize first, or choose another "
        "study.",
        "infeasible": lambda _: (
            "infeasible, as a constraint is above 0 (",
            Option("infeasible", "keep"),
            " reads it)",
        ),
        "pruned_without_value": "pruned before it reported a value",
        "target_returned_none": lambda _: (Option("target"), " returned None"),
        "pruned_counted": _pruned_counted,
        "infeasible_counted": _infeasible_counted,
        "unconstrained": _unconstrained,
        "untimed": _untimed,
    }
)


# ---------------------------------------------------------------------- objective


def _one_of_several(fact: Fact) -> str:
    called = [f" ({name!r})" for name in fact.names] or [""] * len(fact["directions"])
    objectives = ", ".join(
        f"{i}{name}: {way}"
        for i, (name, way) in enumerate(zip(called, fact["directions"], strict=True))
    )
    return (
        f"target: one of {len(fact['directions'])} objectives ({objectives}); the sampler weighed "
        "all of them"
    )


def _direction_of_objective(fact: Fact) -> Text:
    return (
        f"direction: {fact['direction']}, as ",
        Option("target"),
        f" returns the values of the study's objective {fact['index']}",
    )


add_facts(
    {
        "one_of_several_objectives": _one_of_several,
        "direction_of_objective": _direction_of_objective,
        "direction_assumed": lambda _: (
            "direction: minimize, assumed, as ",
            Option("target"),
            " is a function; give ",
            Option("direction", "maximize"),
            " if larger is better",
        ),
    }
)


# ---------------------------------------------------------------------- hyperparameters


def _taken_for_equal(fact: Fact) -> str:
    return (
        f"{names(fact)}: Optuna does not tell its choices {fact['first']!r} and "
        f"{fact['second']!r} apart and records the one listed first; trials with either are read "
        "as they are recorded"
    )


def _scale_changed(fact: Fact) -> str:
    scale = "logarithmic" if fact["log"] else "linear"
    return f"{names(fact)}: its scale changed during the study; read as {scale}"


def _range_changed(fact: Fact) -> str:
    return (
        f"{names(fact)}: its range changed during the study ({fact['count']} different ones); read "
        f"as the widest, [{fact['low']:g}, {fact['high']:g}]"
    )


add_facts(
    {
        "choice_listed_twice": lambda fact: (
            f"{names(fact)}: a choice is listed twice; it is read as one choice"
        ),
        "choices_changed": lambda fact: (
            f"{names(fact)}: its choices changed during the study; read as all of them together"
        ),
        "choices_taken_for_equal": _taken_for_equal,
        "whole_and_real": lambda fact: (
            f"{names(fact)}: real-valued in some trials, whole in others; read as real-valued"
        ),
        "grid_too_fine": lambda fact: (
            f"{names(fact)}: its grid is so fine that it is read as continuous"
        ),
        "scale_changed": _scale_changed,
        "range_changed": _range_changed,
    }
)


# ---------------------------------------------------------------------- sampler

_BY_HAND = {
    Origin.ENQUEUED: "enqueued, so not chosen by the sampler",
    Origin.RETRIED: "retried after a failure, so not chosen anew",
    Origin.ADDED: "added as finished trials, so not chosen by the sampler",
    Origin.PERSON: "changed by a person, so not as the sampler proposed",
}


def _sampler_marked(fact: Fact) -> str:
    counts = fact["counts"]
    by = ", ".join(f"{n} by {name}" for name, n in zip(fact.names, counts, strict=True))
    several = f" ({by})" if len(counts) > 1 else ""
    are = "is" if sum(counts) == 1 else "are"
    return f"as {counted(sum(counts), 'trial')} {are} marked{several}"


def _startup(fact: Fact) -> str:
    source = "assumed, Optuna's default" if fact["assumed"] else "n_startup_trials"
    return f"random until {counted(fact['finished'], 'trial')} are finished ({source})"


add_facts(
    {
        "sampler": lambda fact: (
            f"sampler: {names(fact)}, " if fact.names else "sampler: ",
            fact["how"],
            "; ",
            fact["phase"],
        ),
        "sampler_given": lambda _: ("as given with ", Option("sampler")),
        "sampler_marked": _sampler_marked,
        "sampler_of_study": lambda _: (
            "the one of the study object; give ",
            Option("sampler"),
            " if another one chose the trials",
        ),
        "sampler_not_recorded": lambda _: (
            "it is not recorded which sampler chose the trials, and none left marks on them (give ",
            Option("sampler"),
            " to explain them with its own acquisition function)",
        ),
        "explained_from": lambda fact: (
            f"trials with at least {fact['known']} finished trials before them can be explained"
        ),
        "startup": _startup,
        "marks_begin": lambda fact: (
            f"its marks begin after {counted(fact['finished'], 'finished trial')}; earlier trials "
            "were random"
        ),
        "unmarked_random": lambda fact: (
            f"trials without its mark count as random until {fact['finished']} trials are finished "
            "(assumed, Optuna's default)"
        ),
        "run_without_acquisition": lambda fact: (
            f"no acquisition function chose this run's trials ({names(fact)}); they are explained "
            "with an assumed GP and LCB"
        ),
        "set_by_hand": lambda fact: f"{_BY_HAND[fact['origin']]}: {trials(fact)}",
    }
)


# ---------------------------------------------------------------------- acquisition function

_NOBODY = "no acquisition function chose this: "


def _not_rebuilt(fact: Fact) -> Text:
    return (
        f"the {fact['what']} of {names(fact)} could not be rebuilt with Optuna {fact['version']} "
        f"(checked with {fact['checked']}): ",
        fact["why"],
    )


def _constrained(fact: Fact) -> str:
    sampler, acquisition = fact.names
    return (
        f"{sampler} chose this by {acquisition}, which also weighs what the constraints allow and "
        "is not rebuilt; its Gaussian process is"
    )


add_facts(
    {
        "not_by_sampler": lambda fact: (
            f"{_NOBODY}trial {fact.trials[0]} was {fact['origin'].value}"
        ),
        "without_acquisition": lambda fact: f"{_NOBODY}{names(fact)} has none",
        "too_few_for_a_model": f"{_NOBODY}too few trials were finished for a model",
        "settings_lost": lambda fact: (
            f"the settings of {names(fact)} are not known; give ",
            Option("sampler"),
        ),
        "several_objectives": lambda fact: (
            f"{names(fact)} weighed {fact['count']} objectives against each other, which is not "
            "rebuilt"
        ),
        "constrained_acquisition": _constrained,
        "torch_missing": lambda fact: (
            f"the Gaussian process of {names(fact)} needs torch: pip install torch"
        ),
        "not_rebuilt": _not_rebuilt,
        "densities_rebuilt": lambda fact: (
            "log l and log g say how common a value is among the good trials finished by then and "
            f"among the others; they are computed again by {names(fact)}, ",
            fact["how"],
        ),
        "process_refitted": lambda fact: (
            f"log EI: of the Gaussian process that {names(fact)} fitted, ",
            fact["how"],
            "; its fits are repeated one after the other, as in a single process",
        ),
        "running_trials_averaged": "it is averaged over the possible results of the trials then "
        "running, as the sampler does; the random numbers are others, as it does not record them",
    }
)


# ---------------------------------------------------------------------- rebuilding it

add_facts(
    {
        "unmarked_trial": lambda fact: (
            f"trial {fact.trials[0]} has no mark of joint sampling, so multivariate=False and "
            "constant_liar=False are assumed, as was the default before Optuna 5"
        ),
        "marked_as_joint": lambda fact: (
            f"trial {fact.trials[0]} is marked as sampled jointly, so multivariate=True and "
            "constant_liar=True are assumed"
        ),
        "group_assumed": "group=True is assumed, as its mark names more than all trials share",
        "taken_as_fixed": lambda fact: f"{names(fact)}: taken as fixed, as the mark leaves it out",
        "sampler_raised": lambda fact: f"{fact['error']}: {fact['text']}",
        "not_categorical": lambda fact: f"{names(fact)} is not categorical",
        "unknown_distribution": lambda fact: f"{names(fact)} has a distribution of an unknown kind",
        "scale_differs": lambda fact: f"the scale of {names(fact)} changed during the study",
        "no_finite_value": "no trial has a finite value",
        "no_acquisition_used": "it proposed without an acquisition function",
        "densities_are_zero": "its densities are 0 at a candidate, as on a grid too fine for "
        "numbers of its size",
        "not_the_ratio": "its acquisition function is not the difference of the log-densities that "
        "it builds",
        "not_its_log_ei": "its log EI is not that of the Gaussian process that it fits",
    }
)
