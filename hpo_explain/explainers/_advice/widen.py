"""Ranges at whose end the objective still gets better: a wider one may hold something better."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explainers._advice.improvement import Candidates
from hpo_explain.explanations.advice import Action, changed_to
from hpo_explain.methods.effects.effect_result import PartialDependence
from hpo_explain.space import (
    LARGEST_WHOLE,
    Array,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
)

_INSIDE = (0.1, 0.2)  # of the scale: how far inside the end the effect is compared
_STEEP = 0.2  # of the effect's average slope: less is a plateau
_NEAR = 0.2  # of the scale: how far from the end the best predicted configuration may lie
_MOST = 3  # effects that are asked
_FACTOR = 10.0  # of the end of a logarithmic range


@dataclass(frozen=True)
class Wider:
    """A hyperparameter with a wider range.

    Attributes
    ----------
    parameter : FloatParameter or IntParameter
        The hyperparameter with its new range.
    reason : Fact
        By how much its end is better than what lies inside.
    """

    parameter: FloatParameter | IntParameter
    reason: Fact


def widen(analyses: Analyses, candidates: Candidates) -> Action | None:
    """Return the ranges to widen; None where none is known to end too early.

    The gain is what the last tenth of the range brought: as much may lie in the next one. Asked are
    the effects of the few hyperparameters with which the best predicted configuration lies near an
    end, and gets worse most if it is moved inside.
    """
    effects = [analyses.effect(name) for name in _near_an_end(candidates)[:_MOST]]
    found = wider(effects, candidates.best)
    if not found:
        return None
    most = max(found, key=lambda entry: float(entry.reason["better"]))
    better, half = most.reason["better"], most.reason["half"]
    return changed_to(
        "widen",
        [entry.parameter for entry in found],
        gain=better,
        interval=(max(better - half, 0.0), better + half),
        certain=True,
        evidence=(*(entry.reason for entry in found), fact("beyond_untried")),
    )


def _near_an_end(candidates: Candidates) -> list[str]:
    """Return the hyperparameters that the best configuration has at an end, the steepest first."""
    space, sign = candidates.run.space, candidates.sign
    best = space.encode([candidates.best])
    moved, names = [], []
    for j, parameter in enumerate(space):
        if isinstance(parameter, CategoricalParameter) or np.isnan(best[0, j]):
            continue
        end = float(round(best[0, j]))
        if abs(best[0, j] - end) > _NEAR:
            continue
        pair = np.repeat(best, 2, axis=0)
        pair[:, j] = parameter.nearest(np.array([end, abs(end - _INSIDE[1])]))
        if space.is_valid(pair).all():
            moved.append(pair)
            names.append(parameter.name)
    if not moved:
        return []
    mean, _ = candidates.run.surrogate().predict(np.vstack(moved))
    worse = sign * (mean[1::2] - mean[::2])
    return [names[i] for i in np.argsort(-worse, kind="stable") if worse[i] > 0.0]


def wider(effects: Sequence[PartialDependence], best: Mapping[str, Any]) -> list[Wider]:
    """Return the hyperparameters of which one end of the range is certainly best.

    The effect must get better for certain from a fifth of the scale inside to a tenth, and from
    there to the end, nowhere be better than at the end, and be no plateau. A trial must have been
    made in the last tenth, and the best predicted configuration must lie near the end, too.

    Parameters
    ----------
    effects : sequence of PartialDependence
        Effects of single hyperparameters.
    best : mapping
        The best predicted configuration, in the user's units.
    """
    return [found for effect in effects for found in _of(effect, best)]


def _of(effect: PartialDependence, best: Mapping[str, Any]) -> Iterator[Wider]:
    (name,), (positions,) = effect.names, effect.positions
    parameter = effect.subject.space[name]
    if isinstance(parameter, CategoricalParameter) or name not in best:
        return
    sign = 1.0 if effect.subject.lower_is_better else -1.0
    cost = np.where(effect.shown & ~np.isnan(effect.mean), sign * effect.mean, np.inf)
    place = int(np.argmin(cost))
    end = float(round(positions[place]))
    if place not in (0, len(positions) - 1) or not np.isfinite(cost[place]):
        return
    if len(positions) < 3 or not _tried(effect, end):
        return
    tenth, fifth = _inside(np.abs(positions - end))
    if abs(float(parameter.encode([best[name]])[0]) - end) > _NEAR:
        return
    slope = _STEEP * effect.spread
    for a, b in ((place, tenth), (tenth, fifth)):
        claim = effect.contrast(effect.grid[a], effect.grid[b])
        better = -sign * claim.estimate
        if not claim.certain or better < slope * abs(positions[a] - positions[b]):
            return
    new = _longer(parameter, upper=end == 1.0)
    if new is None:
        return
    claim = effect.contrast(effect.grid[place], effect.grid[tenth])
    yield Wider(
        new,
        fact(
            "better_at_end",
            names=[name],
            objective=effect.subject.objective_name,
            falls=sign > 0.0,
            upper=end == 1.0,
            end=effect.grid[place],
            inside=effect.grid[tenth],
            better=abs(claim.estimate),
            half=claim.half,
        ),
    )


def _inside(far: Array) -> tuple[int, int]:
    """Return the places nearest to a tenth and a fifth from the end, for distances from it."""
    tenth = int(np.argmin(np.where(far > 0.0, np.abs(far - _INSIDE[0]), np.inf)))
    return tenth, int(np.argmin(np.where(far > far[tenth], np.abs(far - _INSIDE[1]), np.inf)))


def _tried(effect: PartialDependence, end: float) -> bool:
    """Return whether a trial was made in the last tenth of the scale before an end of the range."""
    trials = effect.subject.tried
    if trials is None:
        return False
    column = trials[:, effect.subject.space.index(effect.names[0])]
    return bool((np.abs(column - end) <= _INSIDE[0]).any())


def _longer(
    parameter: FloatParameter | IntParameter, *, upper: bool
) -> FloatParameter | IntParameter | None:
    """Return a hyperparameter with twice the range, ten times on a log scale; None if none is.

    A range of positive numbers stays one.
    """
    low, high = float(parameter.low), float(parameter.high)
    reach = high - low
    if parameter.log:
        reach = high * (_FACTOR - 1.0) if upper else low * (1.0 - 1.0 / _FACTOR)
    elif not upper and low > 0.0:
        reach = min(reach, low)
        if isinstance(parameter, IntParameter):
            reach = low - 1.0  # none of something is another thing than one
    whole = parameter.step
    if whole is not None:
        reach = math.floor(reach / whole + 1e-9) * whole
    low, high = (low, high + reach) if upper else (low - reach, high)
    if reach <= 0.0 or math.isinf(high - low):
        return None
    if isinstance(parameter, FloatParameter):
        return replace(parameter, low=low, high=high)
    if max(abs(low), abs(high)) > LARGEST_WHOLE:
        return None
    return replace(parameter, low=int(low), high=int(high))
