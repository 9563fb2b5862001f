"""Trust in a model, in words."""

from __future__ import annotations

import numpy as np

from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted
from hpo_explain.diagnostics._trust import SCOPES, Scope, Trust, Verdict
from hpo_explain.explanations.result import Result
from hpo_explain.wording._registry import add_facts


def _r2(fact: Fact) -> str:
    limits = (
        f"good from {fact['good_from']} and a limit of {fact['lower_good_from']}, poor below "
        f"{fact['poor_below']} or a limit of {fact['lower_poor_below']:g}"
    )
    weighted = ", each weighted by the share of the space around it," if fact["weighted"] else ""
    return (
        f"R² on held-out trials{weighted} is {_r(fact['value'])} with a lower 95% limit of "
        f"{_r(fact['lower'])} ({fact['method']}; {limits})."
    )


def _coverage(fact: Fact) -> str:
    weighted = ", so weighted," if fact["weighted"] else ""
    return (
        f"{fact['value']:.0%} of the held-out trials{weighted} lie within their 95% prediction "
        f"interval (good from {fact['good_from']:.0%}, poor below {fact['poor_below']:.0%})."
    )


def _reach(fact: Fact) -> str:
    along = f" along {fact.names[0]}" if fact.names else ""
    return (
        f"{fact['value']:.0%} of the space{along} lies as near to a trial as predictions were "
        f"checked (good from {fact['good_from']:.0%}, poor below {fact['poor_below']:.0%})."
    )


def _rank(fact: Fact) -> str:
    return (
        f"Among the {counted(fact['good'], 'good trial')}, the rank correlation of held-out "
        f"predictions and observations is {_r(fact['value'])} with a lower 95% limit of "
        f"{_r(fact['lower'])} ({fact['method']}; good from a limit of {fact['good_from']}, poor "
        f"below {fact['poor_below']})."
    )


def _densities(fact: Fact) -> str:
    return (
        "Densities of a part of the trials, drawn at random, rank the other trials: the rank "
        f"correlation with what came of them is {_r(fact['value'])} on average, with a lower 95% "
        f"limit of {_r(fact['lower'])} (good from a limit of {fact['good_from']}, poor below "
        f"{fact['poor_below']:g})."
    )


def _two_groups(fact: Fact) -> str:
    return (
        f"The skill comes from telling the {counted(fact['worse'], 'worst trial')} from the rest, "
        f"which explains {fact['value']:.0%} of the variance; among the rest there is none."
    )


def _r(value: float) -> str:
    """Return R² or a correlation; far below 0 its value says nothing more."""
    return f"{value:.2f}" if value > -10.0 else "below -10"


def _trials(fact: Fact) -> str:
    return (
        f"This was checked on {counted(fact['value'], 'trial')} of "
        f"{counted(fact['hyperparameters'], 'hyperparameter')} (good from "
        f"{fact['good_per_hyperparameter']} per hyperparameter, poor below {fact['poor_below']})."
    )


add_facts(
    {
        "trust_r2": _r2,
        "trust_coverage": _coverage,
        "trust_trials": _trials,
        "trust_reach": _reach,
        "trust_reach_unknown": (
            "Where the trials lie is not known, so extrapolation cannot be excluded."
        ),
        "trust_rank": _rank,
        "trust_two_groups": _two_groups,
        "trust_densities": _densities,
        "unchecked_densities": "Densities of trials do not predict the objective.",
        "unchecked_densities_trials": (
            "The trials of the densities are not known, so they were not checked."
        ),
        "unchecked_densities_few": "Too few trials to check the densities.",
        "trust_constant": "The objective is constant, so there is nothing to explain.",
        "unchecked_no_method": "The surrogate has no method held_out, so it was not checked.",
        "unchecked_error": lambda fact: f"The surrogate could not be checked: {fact['why']}",
        "unchecked_not_finite": lambda fact: (
            f"Held-out predictions are not finite ({fact['method']}), so the surrogate could not "
            "be checked."
        ),
        "unchecked_no_trial": lambda fact: f"No trial could be held out ({fact['method']}).",
    }
)

_ADVICE = {
    "good": "The explanations can be relied on.",
    "fair": "Take the explanations as hints, and rely only on the large contributions.",
    "poor": "Do not act on the explanations: they describe a model that predicts badly.",
    "unknown": "It is not known how far the explanations can be relied on.",
}
_WHERE: dict[Scope, str] = {
    "everywhere": "over the whole space",
    "good_region": "among the good trials",
    "proposals": "behind the proposals",
}
_NEEDED: dict[Scope, str] = {
    "everywhere": "importance, effects and interactions",
    "good_region": "what matters around the best, and what to do next",
    "proposals": "explanations of proposals",
}


def reasons(verdict: Verdict) -> str:
    """Return why the level is what it is, in sentences."""
    return " ".join(map(str, verdict.reasons))


def where(scope: Scope) -> str:
    """Return what a verdict is about, as in "trust over the whole space"."""
    return _WHERE[scope]


def needed(scope: Scope) -> str:
    """Return which explanations need the verdict of a scope."""
    return _NEEDED[scope]


def lines(trust: Trust) -> list[tuple[Scope, Verdict]]:
    """Return the verdicts that there are, with their scopes."""
    found = [(scope, trust.verdict(scope)) for scope in SCOPES]
    return [(scope, verdict) for scope, verdict in found if verdict is not None]


def verdict(trust: Trust) -> str:
    """Return the level, and a line for each scope with its level and reasons."""
    said = [f"{where(s)}: {found.level}. {reasons(found)}" for s, found in lines(trust)]
    return "\n".join([f"trust: {trust.level}", *said, *(f"note: {n}" for n in trust.notes)])


def advice(trust: Trust) -> str:
    """Return what the level means for the explanations of the model."""
    return _ADVICE[trust.level]


def caution(result: Result) -> str:
    """Return a caution for a result; empty unless the verdict of its scope is poor or unknown."""
    found = result.verdict
    if found is None or found.enough:
        return ""
    return f"Trust in the model {where(result.scope)} is {found.level}. {reasons(found)}"


def brief_caution(result: Result) -> str:
    """Return a caution without its reasons, which stand in a report's section on trust."""
    found = result.verdict
    if found is None or found.enough:
        return ""
    return f"Trust in the model {where(result.scope)} is {found.level}. {_ADVICE[found.level]}"


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
