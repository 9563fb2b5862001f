"""A run in words."""

from __future__ import annotations

import numpy as np

from hpo_explain.base.errors import NothingToExplain, Option, Text
from hpo_explain.base.facts import Fact, Origin, by_reason
from hpo_explain.base.phrases import counted, join_words, printable, spans
from hpo_explain.run import Run
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.numbers import plus_minus


def summary(run: Run) -> str:
    """Return a run in a line: its trials, hyperparameters, objective and optimizer."""
    return printable(
        f"{counted(len(run), 'trial')} of {counted(len(run.space), 'hyperparameter')}, "
        f"{run.objective_name} ({run.direction}), by {run.optimizer}"
    )


def describe(run: Run) -> str:
    """Return a run in a few lines: what was read, what was left out and why, what was assumed."""
    lines = [summary(run)]
    if np.asarray(run.feasible).any():
        best = run.objective[run.row(run.incumbent_trial)]
        shared = tied(len(run.tied), run.objective_name)
        told = f" ({shared})" if shared else ""
        lines.append(f"best: trial {run.incumbent_trial}, {best:.6g}{told}")
        lines += [str(known) for known in luck(run)]
    lines.append(f"proposals: {proposals(run)}")
    for reason, numbers in by_reason(run.excluded).items():
        lines.append(f"left out: {len(numbers)} ({spans(numbers)}): {reason}")
    return "\n".join([*lines, *(f"note: {note}" for note in run.notes)])


def proposals(run: Run) -> str:
    """Say how many trials a model chose."""
    if run.proposes:
        return f"{len(run.proposals or ())} (after the initial design)"
    if who_is_unknown(run):
        return "none known, as it is not recorded who chose the trials"
    return "none, as no model chose a trial"


def who_is_unknown(run: Run) -> bool:
    """Say whether nothing is recorded about who chose the trials."""
    numbers = np.asarray(run.trials).tolist()
    return not run.proposes and all(run.origin(t) is Origin.UNKNOWN for t in numbers)


def tied(count: int, objective: str) -> str:
    """Say how many trials share the best objective; empty where one is alone."""
    return f"{count} trials share the best {objective}; this is the first" if count > 1 else ""


def luck(run: Run) -> tuple[Fact, ...]:
    """Return the best predicted trial where noise may have chosen the incumbent; else nothing."""
    try:
        found = run.best_predicted()
    except NothingToExplain:
        return ()
    return (found.fact,) if found.notable else ()


def _best_predicted(fact: Fact) -> str:
    trial, incumbent = fact.trials
    observed, best = (plus_minus(fact[name], None) for name in ("observed", "incumbent_observed"))
    return (
        f"best predicted: trial {trial}, {plus_minus(*fact['predicted'])} (observed {observed}). "
        f"Trial {incumbent}, the best observed, is predicted at "
        f"{plus_minus(*fact['incumbent_predicted'])} (observed {best}): the noise is "
        f"{fact['noise']:.0%} of the objective's standard deviation, and the best of many noisy "
        "observations is better than its average"
    )


def _diverged(fact: Fact) -> str:
    they = "it does" if len(fact.trials) == 1 else "they do"
    return (
        f"diverged: for fitting, the {fact['objective']} of {_trials(fact)} counts as "
        f"{fact['bound']:.6g}, so that {they} not decide what a surrogate learns"
    )


def _overflow_clipped(fact: Fact) -> str:
    return (
        f"clipped: for fitting, the {fact['objective']} of {_trials(fact)} counts as "
        f"{fact['bound']:g}, to avoid overflow"
    )


def _instances_averaged(fact: Fact) -> str:
    missing = fact["missing"]
    return (
        f"instances: the {fact['objective']} of each configuration is its mean over "
        f"{fact['instances']} instances as a forest on configuration and instance predicts it; "
        f"{missing} of {fact['evaluations']} evaluations {'is' if missing == 1 else 'are'} missing"
    )


def _learned_from_some(fact: Fact) -> str:
    return (
        f"some trials: the model learns from {fact['taken']:,} of {fact['finished']:,} trials, "
        f"because all take too long: {_which(fact)}"
    )


def _which(fact: Fact) -> str:
    return (
        f"the best one and those nearest to it ({fact['best']:,}), the latest "
        f"({fact['latest']:,}), and some drawn evenly over the run ({fact['spread']:,}; seed "
        f"{fact['seed']})"
    )


_KINDS = {"gp": "a Gaussian process", "forest": "a forest"}


def _surrogate_kind(fact: Fact) -> str:
    own = "the optimizer's own model where it is stored, else " if fact["own"] else ""
    limit, share = fact["limit"], f"{fact['categorical']:.0%}"
    trials, dimensions = counted(fact["n"], "trial"), counted(fact["d"], "hyperparameter")
    reasons = {
        "n": f"because {trials} are more than {limit}",
        "d": f"because {dimensions} are more than {limit}",
        "categorical": f"because {share} of the hyperparameters are categorical",
        "choices": f"because {fact['choices']:,} values of a categorical hyperparameter are more "
        f"than {limit}",
        "failed": "whose trees predict the probability of failure",
        "": f"for {trials} and {dimensions}, {share} of them categorical",
    }
    return f"surrogate: {own}{_KINDS[fact['surrogate']]}, {reasons[fact['beyond']]}"


def _too_few_trials(fact: Fact) -> str:
    when, later = "", ""
    if fact["before"] is not None:
        when, later = f" before trial {fact['before']} was proposed", ", or choose a later one"
    return (
        f"run has {counted(len(fact.trials), 'finished trial')}{when}; a surrogate needs at least "
        f"2. Run more trials{later}."
    )


def _too_few_at_level(fact: Fact) -> Text:
    at = zip(fact["levels"], fact["counts"], strict=True)
    others = join_words([f"{n} at {level:g}" for level, n in at])
    return (
        f"run has {counted(len(fact.trials), 'finished trial')} at the highest {fact.names[0]}; a "
        f"surrogate needs at least 2. There are {others}: ",
        Option("level", fact["levels"][0]),
        f" reads the {fact['counts'][0]}.",
    )


def _trials(fact: Fact) -> str:
    return f"{counted(len(fact.trials), 'trial')} ({spans(fact.trials)})"


add_facts(
    {
        "best_predicted": _best_predicted,
        "diverged": _diverged,
        "model_misses_trials": lambda fact: (
            f"{fact.names[0]} misses the trials: its errors there are {fact['times']:.2g} times "
            "those of the median objective. Was it fitted on run.X, and on the objective in its "
            "own units, neither negated nor standardized?"
        ),
        "model_without_std": lambda fact: (
            f"{fact.names[0]} does not say how uncertain it is: its standard deviation counts as "
            "0, and no band or interval holds what the model does not know"
        ),
        "overflow_clipped": _overflow_clipped,
        "explained_some": lambda fact: (
            f"{fact['taken']:,} of {fact['finished']:,} trials are explained: {_which(fact)}"
        ),
        "learned_from_some": _learned_from_some,
        "instances_averaged": _instances_averaged,
        "range_of_later_trials": lambda fact: (
            f"range: that of {', '.join(fact.names)} was read from all trials; those known before "
            f"trial {fact.trials[0]} span less (give ",
            Option("space"),
            " if the optimizer knew it)",
        ),
        "surrogate_kind": _surrogate_kind,
        "too_few_trials": _too_few_trials,
        "too_few_at_level": _too_few_at_level,
        "no_feasible_trial": "run has no finished feasible trial, so there is no incumbent. Run "
        "more trials, or read infeasible ones as well.",
        "parallel": "parallel: trials ran at the same time; a proposal is explained with the "
        "trials that had finished when it started",
    }
)
