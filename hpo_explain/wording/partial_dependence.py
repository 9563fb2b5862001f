"""Partial dependence in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain._words import counted, join_words, listed
from hpo_explain.diagnostics import FEW
from hpo_explain.explanations import AccumulatedLocalEffects, PartialDependence, Subject
from hpo_explain.explanations.claims import Claim
from hpo_explain.facts import Fact
from hpo_explain.space import CategoricalParameter
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.conditions import among
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_level, format_value, plus_minus
from hpo_explain.wording.subject import better

_MOST_GAPS = 3  # that are named
_MOST_VALUES = 5

Average = PartialDependence | AccumulatedLocalEffects
"""Results that say which values are best."""


@sentence_of(PartialDependence)
def sentence(result: PartialDependence) -> str:
    """Say which values are best on average and attainable, and what that rests on."""
    parts = finding(result), attainable(result), caution(result), basis(result)
    return " ".join(filter(None, parts))


def finding(result: PartialDependence) -> str:
    """Say which values are best on average, without what it rests on."""
    return said_of(result.claims[0], f"On average the {result.subject.objective_name} is", result)


def attainable(result: PartialDependence) -> str:
    """Say which values are best with all others at their best; empty where it was not asked."""
    claims = result.attainable_claims
    if not claims:
        return ""
    what = f"With all others at their best the {result.subject.objective_name} is"
    return said_of(claims[0], what, result)


def said_of(claim: Claim, what: str, result: Average) -> str:
    """Say which values are best, or that there is no effect."""
    level = format_level(claim.estimate, result.spread)
    if claim.kind == "flat":
        level = _flat(claim, level)
        every = "every value" if len(result.names) == 1 else "all values"
        return f"{what} {level} for {every} of {join_words(result.names)}."
    if claim.half:
        level = plus_minus(claim.estimate, claim.half)
    if any(reason.kind == "no_value_ruled_out" for reason in claim.because):
        if len(result.names) == 2:
            none = f"neither {' nor '.join(result.names)} can be narrowed"
        else:
            none = f"no value of {result.names[0]} is ruled out"
        return f"{what} {level} at best; {none}."
    where = join_words(
        [_values(result, n, v) for n, v in zip(claim.hyperparameters, claim.values, strict=True)]
    )
    return f"{what} best {where}, where it is {level}."


def flat_level(result: PartialDependence) -> str:
    """Return the level of an effect that makes no difference, with what differences may be."""
    claim = result.claims[0]
    return _flat(claim, format_level(claim.estimate, result.spread))


def _flat(claim: Claim, level: str) -> str:
    within = next((f["bound"] for f in claim.because if f.kind == "flat_within"), None)
    return level if within is None else plus_minus(claim.estimate, within)


def _values(result: Average, name: str, values: Sequence[Any]) -> str:
    if isinstance(result.subject.space[name], CategoricalParameter):
        return f"at {among(name, values)}"
    ranges = values if isinstance(values[0], tuple) else (values,)
    said = [
        f"= {format_value(low)}"
        if low == high
        else f"between {format_value(low)} and {format_value(high)}"
        for low, high in _tried_part(result, ranges)
    ]
    return f"for {name} {' or '.join(said)}"


def _tried_part(result: Average, ranges: Sequence[Any]) -> Sequence[Any]:
    """Return the tried values of ranges of an effect: what was not tried is said by itself."""
    if len(result.names) > 1:
        return ranges
    parts = []
    for low, high in ranges:
        inside = [
            (value, known)
            for value, known in zip(result.grid, result.supported, strict=True)
            if low <= value <= high
        ]
        tried = [value for value, known in inside if known]
        if tried or not inside:
            first, last = (not inside or inside[end][1] for end in (0, -1))
            parts.append((low if first else min(tried), high if last else max(tried)))
    return parts or ranges


def caution(result: Average) -> str:
    """Say why the claim is not certain, in a sentence; empty where it is."""
    (claim, *_) = result.claims
    doubts = [reason for reason in claim.because if reason.kind not in (*_FOUND, *_BASIS)]
    return reservation([replace(claim, because=tuple(doubts))]).strip()


def basis(result: Average) -> str:
    """Say what the claim rests on, in sentences; or nothing."""
    told = [str(reason) for reason in result.claims[0].because if reason.kind in _BASIS]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in told)


# ---------------------------------------------------------------------- facts

_FOUND = ("flat_within", "no_value_ruled_out")  # the finding says them
_BASIS = ("hardly_tried", "judged_in_branch", "probably_infeasible")  # no doubts


def _hardly_tried(fact: Fact) -> str:
    (name,) = fact.names
    gaps = [
        format_value(low) if low == high else f"{format_value(low)} to {format_value(high)}"
        for low, high in fact["gaps"]
    ]
    return f"hardly tried, so not ruled out: {name} = {listed(gaps, _MOST_GAPS)}"


def _in_branch(fact: Fact) -> str:
    r2 = f", held-out R² {fact['r2']:.2f}" if np.isfinite(fact["r2"]) else ""
    return (
        f"it is judged on the {counted(fact['n'], 'trial')} in which {join_words(fact.names)} "
        f"{'is' if len(fact.names) == 1 else 'are'} active{r2}"
    )


def _infeasible(fact: Fact) -> str:
    values = listed([format_value(value) for value in fact["values"]], _MOST_VALUES)
    return f"probably infeasible, so not called the best: {join_words(fact.names)} = {values}"


def _band(fact: Fact) -> str:
    if fact["variance"] == "average":
        return "is the uncertainty about single configurations, their variances averaged"
    if fact["exact"]:
        return "rests on the standard deviation of the average over the trees"
    return "is the uncertainty about the average itself"


add_facts(
    {
        "effect_band": lambda fact: f"the band {_band(fact)}",
        "branch_too_small": _in_branch,
        "flat_within": lambda fact: f"differences are below {format_value(fact['bound'])}",
        "hardly_tried": _hardly_tried,
        "judged_in_branch": _in_branch,
        "nothing_feasible": "no value is probably feasible",
        "probably_infeasible": _infeasible,
        "no_value_ruled_out": "no value can be told from the best one",
        "categories_left_out": lambda fact: (
            f"{fact['shown']} of the {fact['all']:,} values of {fact.names[0]} are looked at: "
            "those tried most often"
        ),
        "averaged_where_active": lambda fact: (
            f"{fact.names[0]} is {fact['when']}: only such configurations are averaged"
        ),
        "values_never_valid": "values without any valid configuration are left out (NaN)",
    }
)

# ---------------------------------------------------------------------- plots


def heading(labels: Sequence[str], objective: str) -> str:
    """Return the plot's heading, from names as they are written."""
    return f"Effect of {join_words(labels)} on the {objective}"


def subtitle(subject: Subject) -> str:
    """Return what the plot shows."""
    return (
        f"partial dependence: averaged over all other hyperparameters; {better(subject)} is better"
    )


def band_caption(result: PartialDependence) -> str:
    """Say what the band is of, and what it leaves out."""
    band = next(note for note in result.notes if note.kind == "effect_band")
    return f"The 95 % band {_band(band)}. It describes the function without observation noise."


def surface_caption(result: PartialDependence, lowest: str, highest: str) -> str:
    """Say what a surface's marks are, and between which numbers its ŝ lies."""
    text = f"{band_caption(result)} ŝ is between {lowest} and {highest}."
    if np.isnan(result.mean).any():
        text += " Empty: no valid configuration."
    return text


def dimmed_caption(result: Average, *, points: bool) -> str:
    """Say what is dimmed; empty where nothing is."""
    there = ~np.isnan(result.mean)
    untried = [UNTRIED] if (~result.supported & there).any() else []
    if (result.supported & ~result.shown & there).any():
        untried.append("probably infeasible")
    return f" {'Hollow' if points else 'Dimmed'}: {' or '.join(untried)}." if untried else ""


UNTRIED = f"fewer than {FEW} trials near"
MAY_BE_BEST = "may be the best"
ATTAINABLE = "attainable: the others at their best"
DIMMED = "not relied on"
COUNTED = "In brackets: number of trials."
WORSE = ("worse category", "worse categories")
