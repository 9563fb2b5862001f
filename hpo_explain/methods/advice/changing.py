"""Rules that change the space: widen, rescale, fix, narrow, and branches to give up or try more.

**rescale**: the trials say on which scale the objective changes evenly: a Gaussian process whose
input is the logarithm predicts trials that were held out better than one whose input is the value,
or the reverse. Both predict the same trials, so that their log densities are compared trial by
trial. A scale is not advised on which the good trials lie closer together, however evenly the
objective changes: what is searched would mostly be bad. A penalty from 1e-6 to 10 of which only
values above 0.1 matter acts linearly, and on a linear scale hardly any trial would be below 0.1.

**branch**: compared is the attainable objective: the best over all other hyperparameters that can
be expected with each category, from the joint posterior (`attainable`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import ROUNDED_95, format_value, plus_minus
from hpo_explain.base.phrases import counted
from hpo_explain.base.text import declared_fact
from hpo_explain.methods._engines.attainable import attainable
from hpo_explain.methods.advice.advise_result import Action, changed_to, listed_few
from hpo_explain.methods.advice.analyses import Analysed
from hpo_explain.methods.advice.prospects import Candidates, Prospects
from hpo_explain.methods.effects.effect_result import Effect
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import SupportsJoint
from hpo_explain.run import Run, thinned
from hpo_explain.space import (
    LARGEST_WHOLE,
    Array,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Parameter,
    SearchSpace,
    lowest,
)

_Number = FloatParameter | IntParameter

_BETTER_AT_END = declared_fact(
    "better_at_end",
    "the {objective} still {goes} at the {side} end of {names} ({end}): on average over the others "
    "it is {gain} better there than at {inside}",
    goes=lambda about: "falls" if about["falls"] else "rises",
    side=lambda about: "upper" if about["upper"] else "lower",
    gain=lambda about: plus_minus(about["better"], about["half"]),
)
_BEYOND = declared_fact("beyond_untried", "what lies beyond was not tried")
_BETTER_SCALE = declared_fact(
    "better_scale",
    "a model of {better} predicts held-out trials better than one of {worse}, by {nats} nats per "
    "trial",
    better=lambda about: "the logarithm of " * about["log"] + format_value(about.names[0]),
    worse=lambda about: "the value" if about["log"] else "its logarithm",
    nats=lambda about: plus_minus(about["gain"], about["half"]),
)
_LITTLE_LOST = declared_fact(
    "little_lost", "with these values most of what can still be gained is left"
)
_ATTAINABLE = declared_fact(
    "attainable_by_category",
    "the best {objective} that can be expected by {names}: {reached} (± one standard deviation)",
    reached=lambda about: listed_few(
        f"{format_value(choice)} {plus_minus(mean, std)} ({counted(n, 'trial')})"
        for choice, mean, std, n in zip(
            *map(about.__getitem__, ("choices", "mean", "std", "counts")), strict=True
        )
    ),
)

# ---------------------------------------------------------------------- widen

_INSIDE = (0.1, 0.2)  # of the scale: how far inside the end the effect is compared
_STEEP = 0.2  # of the effect's average slope: less is a plateau
_NEAR = 0.2  # of the scale: how far from the end the best predicted configuration may lie
_MOST = 3  # effects that are asked
_FACTOR = 10.0  # of the end of a logarithmic range


@dataclass(frozen=True)
class Wider:
    """A hyperparameter with a wider range, and by how much its end is better than inside."""

    parameter: _Number
    reason: Fact


def widen(analyses: Analysed, candidates: Candidates) -> Action | None:
    """Return the ranges to widen, those known to end too early.

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
        "widen", [entry.parameter for entry in found], gain=better, certain=True,
        interval=(max(better - half, 0.0), better + half),
        evidence=(*(entry.reason for entry in found), _BEYOND()),
    )  # fmt: skip


def _near_an_end(candidates: Candidates) -> list[str]:
    """Return the hyperparameters that the best configuration has at an end, the steepest first."""
    space, sign = candidates.run.space, candidates.run.sign
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


def wider(effects: Sequence[Effect], best: Mapping[str, Any]) -> list[Wider]:
    """Return the hyperparameters of which one end of the range is certainly best.

    The effect must get better for certain from a fifth of the scale inside to a tenth, and from
    there to the end, nowhere be better than at the end, and be no plateau. A trial must have been
    made in the last tenth, and the best predicted configuration must lie near the end, too.

    Parameters
    ----------
    effects : sequence of Effect
        Effects of single hyperparameters.
    best : mapping
        The best predicted configuration, in the user's units.
    """
    found = [_of(effect, best) for effect in effects]
    return [one for one in found if one is not None]


def _of(effect: Effect, best: Mapping[str, Any]) -> Wider | None:
    (name,), (positions,), subject = effect.names, effect.positions, effect.subject
    parameter = subject.space[name]
    if isinstance(parameter, CategoricalParameter) or name not in best:
        return None
    sign = 1.0 if subject.lower_is_better else -1.0
    cost = np.where(effect.shown & ~np.isnan(effect.mean), sign * effect.mean, np.inf)
    place = int(np.argmin(cost))
    end = float(round(positions[place]))
    if place not in (0, len(positions) - 1) or not np.isfinite(cost[place]):
        return None
    if len(positions) < 3 or not _tried(effect, end):
        return None
    far = np.abs(positions - end)
    tenth = int(np.argmin(np.where(far > 0.0, np.abs(far - _INSIDE[0]), np.inf)))
    fifth = int(np.argmin(np.where(far > far[tenth], np.abs(far - _INSIDE[1]), np.inf)))
    if abs(float(parameter.encode([best[name]])[0]) - end) > _NEAR:
        return None
    slope = _STEEP * effect.spread
    for a, b in ((place, tenth), (tenth, fifth)):
        claim = effect.contrast(effect.grid[a], effect.grid[b])
        better = -sign * claim.estimate
        if not claim.certain or better < slope * abs(positions[a] - positions[b]):
            return None
    new = _longer(parameter, upper=end == 1.0)
    if new is None:
        return None
    claim = effect.contrast(effect.grid[place], effect.grid[tenth])
    reason = _BETTER_AT_END(
        names=[name], objective=subject.objective_name, falls=sign > 0.0, upper=end == 1.0,
        end=effect.grid[place], inside=effect.grid[tenth], better=abs(claim.estimate),
        half=claim.half,
    )  # fmt: skip
    return Wider(new, reason)


def _tried(effect: Effect, end: float) -> bool:
    """Return whether a trial was made in the last tenth of the scale before an end of the range."""
    trials = effect.subject.tried
    column = trials[:, effect.subject.space.index(effect.names[0])]
    return bool((np.abs(column - end) <= _INSIDE[0]).any())


def _longer(parameter: _Number, *, upper: bool) -> _Number | None:
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


# ---------------------------------------------------------------------- rescale

_RATIO = 30.0  # of both ends of a range: of a shorter one both scales are much the same
_LEAST = 20  # trials
_MOST_FITTED = 200  # trials that the models are fitted to
_CERTAIN = 3.0  # standard errors
_WORTH = 0.05  # nats per trial
_GOOD = 0.1  # of the trials
_ONE = 3.0  # the most that a single trial counts, or a few would decide


def rescale(run: Run, others: Collection[str]) -> Action | None:
    """Return hyperparameters to search on another scale that is known to be better.

    Those named otherwise stay as they are.
    """
    possible = list(_possible(run, others))
    if not possible or len(run) < _LEAST:
        return None
    some = thinned(run, _MOST_FITTED)
    own = _log_densities(some, run.space)
    reasons = [_better(some, own, parameter) for parameter in possible]
    found = [p for p, reason in zip(possible, reasons, strict=True) if reason is not None]
    # what it gains cannot be told by a model on the other scale
    evidence = tuple(reason for reason in reasons if reason is not None)
    return changed_to("rescale", found, certain=True, evidence=evidence) if found else None


def _possible(run: Run, others: Collection[str]) -> Iterator[_Number]:
    """Return hyperparameters on their other scale, where that is another one."""
    for parameter in run.space:
        if isinstance(parameter, CategoricalParameter) or parameter.name in others:
            continue
        low, high = parameter.low, parameter.high
        if low <= 0.0 or high / low < _RATIO or parameter.step not in (None, 1):
            continue
        tried = run.X[:, run.space.index(parameter.name)]
        other = replace(parameter, log=not parameter.log)
        if (~np.isnan(tried)).sum() >= _LEAST and _wider_apart(run, tried, other):
            yield other


def _wider_apart(run: Run, tried: Array, parameter: _Number) -> bool:
    """Return whether good values are further apart on a hyperparameter's new scale, on average."""
    cost = np.where(np.isnan(tried) | ~np.asarray(run.feasible), np.inf, run.cost)
    good = np.argsort(cost)[: max(round(_GOOD * int(np.isfinite(cost).sum())), 1)]
    low, high = float(parameter.low), float(parameter.high)
    values = low * (high / low) ** tried[good]
    if parameter.log:
        values = low + (high - low) * tried[good]
    # the logarithm's slope over that of the linear scale
    slopes = np.log((high - low) / (values * np.log(high / low)))
    return bool(np.mean(slopes if parameter.log else -slopes) > 0.0)


def _better(run: Run, own: Array, parameter: _Number) -> Fact | None:
    """Return that a hyperparameter's other scale is better, if that is certain."""
    space = SearchSpace([parameter if p.name == parameter.name else p for p in run.space])
    gains = np.clip(_log_densities(run, space) - own, -_ONE, _ONE)
    gain = float(gains.mean())
    error = float(gains.std(ddof=1)) / np.sqrt(len(gains))
    if gain < _WORTH or gain < _CERTAIN * error:
        return None
    names = [parameter.name]
    return _BETTER_SCALE(names=names, log=parameter.log, gain=gain, half=ROUNDED_95 * error)


def _log_densities(run: Run, space: SearchSpace) -> Array:
    """Return the log density of each trial's objective under a model that had not seen it, (n,)."""
    X = space.encode(run.space.decode(run.X))
    held_out = GaussianProcessSurrogate.fit(space, X, run.learned_cost()).held_out()
    z = (held_out.observed - held_out.mean) / held_out.std
    return np.asarray(-0.5 * z**2 - np.log(held_out.std))


# ---------------------------------------------------------------------- fix, narrow


def fix(analyses: Analysed, prospects: Prospects, others: Collection[str]) -> Action | None:
    """Return what can stay fixed for certain.

    What can stay fixed can do so together only: none is where one of them is widened.
    """
    fixed = analyses.subspace.fixed
    if not fixed or fixed.keys() & {*others}:
        return None
    parameters = [_only(analyses.run.space[name], value) for name, value in fixed.items()]
    return prospects.changed("fix", parameters, [_LITTLE_LOST(names=fixed)])


def _only(parameter: Parameter, value: Any) -> Parameter:
    """Return a hyperparameter with a single value."""
    if isinstance(parameter, CategoricalParameter):
        return replace(parameter, choices=[value])
    return replace(parameter, low=value, high=value)


def narrow(analyses: Analysed, prospects: Prospects, others: Collection[str]) -> Action | None:
    """Return what to give up, if none of it is widened or fixed."""
    found = analyses.recommended_space
    kept = [row.hyperparameter for row in found.narrowed if row.after]
    if not kept or {*kept} & {*others} or not all(claim.certain for claim in found.claims):
        return None
    return prospects.changed("narrow", [found.space[name] for name in kept], ())


# ---------------------------------------------------------------------- branch

_FEWEST = 10  # trials of a category that is given up
_SURE = 2.5758293035489004  # standard deviations: 99 %
_FEW = 0.5  # of an equal share of the trials
_PROBABLE = 0.1  # of being the best


def branch(
    analyses: Analysed, prospects: Prospects, candidates: Candidates, others: Collection[str]
) -> list[Action]:
    """Return which categories to give up, and which to try more often.

    Hyperparameters named otherwise stay as they are.
    """
    run = analyses.run
    if not isinstance(run.surrogate(), SupportsJoint) or not analyses.believed:
        return []
    parents = sorted({parent for rules in run.space.conditions for parent, _ in rules})
    return [
        action
        for j in parents
        if run.space.names[j] not in others
        for action in _of_category(run, j, prospects, candidates)
    ]


def _of_category(run: Run, j: int, prospects: Prospects, candidates: Candidates) -> list[Action]:
    parameter, feasibility = run.space.parameters[j], run.feasibility()
    if not isinstance(parameter, CategoricalParameter):
        return []
    codes = np.arange(len(parameter.choices), dtype=float)
    reached = attainable(
        run.surrogate(), j, codes, run.direction,
        feasible=None if feasibility is None else feasibility.probability,
    )  # fmt: skip
    trials = np.array([(run.X[:, j] == code).sum() for code in codes])
    cost = candidates.run.sign * reached.mean
    if not np.isfinite(cost).all() or reached.drawn is None:
        return []
    costs = candidates.run.sign * reached.drawn
    evidence = _ATTAINABLE(
        names=[parameter.name], objective=run.objective_name, choices=parameter.choices,
        mean=reached.mean.tolist(), std=reached.std.tolist(), counts=trials.tolist(),
    )  # fmt: skip
    error = (costs - costs[lowest(cost)]).std(axis=1)
    gone = (cost - cost[lowest(cost)] > _SURE * error) & (trials >= _FEWEST)
    found = []
    if gone.any():
        stay = [choice for choice, out in zip(parameter.choices, gone, strict=True) if not out]
        found.append(prospects.changed("branch", [replace(parameter, choices=stay)], [evidence]))
    few = trials < _FEW * trials.sum() / len(codes)
    probable = np.bincount(costs.argmin(axis=0), minlength=len(cost)) / costs.shape[1]
    for i in np.flatnonzero(few & ~gone & (probable >= _PROBABLE)).tolist():
        gains = np.maximum(candidates.run.sign * candidates.found.mean - costs[i], 0.0)
        low, high = np.percentile(gains, (5.0, 95.0)).tolist()
        found.append(
            Action(
                "branch",
                (parameter.name,),
                (parameter.choices[i],),
                gain=float(gains.mean()),
                interval=(low, high),
                evidence=(evidence,),
                configurations=({**reached.configurations[i]},),
            )
        )
    return found
