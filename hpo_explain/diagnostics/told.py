"""Trust in a model, in words: facts about what was checked, and what verdicts mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted
from hpo_explain.base.text import declared_fact

if TYPE_CHECKING:
    from hpo_explain.diagnostics._trust import Trust, Verdict


def _shown(name: str) -> Any:
    """Return how R² or a correlation is written; far below 0 its value says nothing more."""
    return lambda about: f"{about[name]:.2f}" if about[name] > -10.0 else "below -10"


def _if_weighted(text: str) -> Any:
    return lambda about: text if about["weighted"] else ""


def _counted(name: str, noun: str) -> Any:
    return lambda about: counted(about[name], noun)


def _along(about: Fact) -> str:
    return f" along {about.names[0]}" if about.names else ""


SKILL = declared_fact(
    "trust_r2",
    "R² on held-out trials{weighted} is {value} with a lower 95% limit of {lower} ({method}; good "
    "from {good_from} and a limit of {lower_good_from}, poor below {poor_below} or a limit of "
    "{lower_poor_below:.3g}).",
    weighted=_if_weighted(", each weighted by the share of the space around it,"),
    value=_shown("value"), lower=_shown("lower"),
)  # fmt: skip
COVERED = declared_fact(
    "trust_coverage",
    "{value:%} of the held-out trials{weighted} lie within their 95% prediction interval (good "
    "from {good_from:%}, poor below {poor_below:%}).",
    weighted=_if_weighted(", so weighted,"),
)
TRIALS = declared_fact(
    "trust_trials",
    "This was checked on {trials_held} of {of} (good from {good_per_hyperparameter} per "
    "hyperparameter, poor below {poor_below}).",
    trials_held=_counted("value", "trial"), of=_counted("hyperparameters", "hyperparameter"),
)  # fmt: skip
REACHED = declared_fact(
    "trust_reach",
    "{value:%} of the space{along} lies as near to a trial as predictions were checked (good from "
    "{good_from:%}, poor below {poor_below:%}).",
    along=_along,
)
REACH_UNKNOWN = declared_fact(
    "trust_reach_unknown", "Where the trials lie is not known, so extrapolation cannot be excluded."
)
RANKED = declared_fact(
    "trust_rank",
    "Among the {of_good}, the rank correlation of held-out predictions and observations is {value} "
    "with a lower 95% limit of {lower} ({method}; good from a limit of {good_from}, poor below "
    "{poor_below}).",
    of_good=_counted("good", "good trial"), value=_shown("value"), lower=_shown("lower"),
)  # fmt: skip
TWO_GROUPS = declared_fact(
    "trust_two_groups",
    "The skill comes from telling the {of_worst} from the rest, which explains {value:%} of the "
    "variance; among the rest there is none.",
    of_worst=_counted("worse", "worst trial"),
)
DENSITIES = declared_fact(
    "trust_densities",
    "Densities of a part of the trials, drawn at random, rank the other trials: the rank "
    "correlation with what came of them is {value} on average, with a lower 95% limit of {lower} "
    "(good from a limit of {good_from}, poor below {poor_below:.3g}).",
    value=_shown("value"), lower=_shown("lower"),
)  # fmt: skip
NO_MODEL = declared_fact("unchecked_densities", "Densities of trials do not predict the objective.")
DENSITIES_UNKNOWN = declared_fact(
    "unchecked_densities_trials",
    "The trials of the densities are not known, so they were not checked.",
)
DENSITIES_FEW = declared_fact("unchecked_densities_few", "Too few trials to check the densities.")
CONSTANT = declared_fact(
    "trust_constant", "The objective is constant, so there is nothing to explain."
)
NO_METHOD = declared_fact(
    "unchecked_no_method", "The surrogate has no method held_out, so it was not checked."
)
FAILED = declared_fact("unchecked_error", "The surrogate could not be checked: {why}")
NOT_FINITE = declared_fact(
    "unchecked_not_finite",
    "Held-out predictions are not finite ({method}), so the surrogate could not be checked.",
)
NO_TRIAL = declared_fact("unchecked_no_trial", "No trial could be held out ({method}).")

ADVICE = {
    "good": "The explanations can be relied on.",
    "fair": "Take the explanations as hints, and rely only on the large contributions.",
    "poor": "Do not act on the explanations: they describe a model that predicts badly.",
    "unknown": "It is not known how far the explanations can be relied on.",
}
"""What a level means for the explanations of the model."""
WHERE = {
    "everywhere": "over the whole space",
    "good_region": "among the good trials",
    "proposals": "behind the proposals",
}
"""What the verdict of a scope is about, as in "trust over the whole space"."""
NEEDED = {
    "everywhere": "importance, effects and interactions",
    "good_region": "what matters around the best, and what to do next",
    "proposals": "explanations of proposals",
}
"""Which explanations need the verdict of a scope."""


def reasons(verdict: Verdict) -> str:
    """Return why the level is what it is, in sentences."""
    return " ".join(map(str, verdict.reasons))


def caution(result: Any, *, brief: bool = False) -> str:
    """Return a caution for a result; empty unless the verdict of its scope is poor or unknown.

    A brief one has no reasons, which stand in a report's section on trust.
    """
    found = result.verdict
    if found is None or found.enough:
        return ""
    why = ADVICE[found.level] if brief else reasons(found)
    return f"Trust in the model {WHERE[result.scope]} is {found.level}. {why}"


def measures(trust: Trust) -> list[tuple[str, str, str]]:
    """Return name, value and meaning of each measure that is known."""
    rows = []
    if np.isfinite(trust.r2):
        meaning = "1 is a perfect prediction, 0 is no better than the average objective"
        rows.append(("R²", f"{trust.r2:.2f}", meaning))
    if np.isfinite(trust.coverage):
        meaning = "share of held-out trials within the interval that should hold 95% of them"
        rows.append(("coverage", f"{trust.coverage:.0%}", meaning))
    return rows
