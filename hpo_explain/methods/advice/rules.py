"""What is advised, a rule for each kind: widen, narrow, try, repeat, and keep."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base import fact, format_level, format_value, spans, trial_number, unit_of
from hpo_explain.belief import PROBABLE, Decision, decide, told
from hpo_explain.methods.advice.advise_result import Action, changed_to
from hpo_explain.methods.advice.next_trials import TRIALS, next_rows, of_random
from hpo_explain.methods.space.recommended_space import MOST_SURE
from hpo_explain.question import PROBABLE_GAIN, RunDecision
from hpo_explain.run.grids import untried
from hpo_explain.space import (
    LARGEST_WHOLE,
    Array,
    FloatParameter,
    IntParameter,
    Parameter,
    SearchSpace,
    ranked,
)

_Number = FloatParameter | IntParameter
_CONTENDERS, _MOST_TIMES = 3, 5
_BEYOND = (0.1, 0.2)  # of the scale: so far beyond an end the draws are asked
_FACTOR = 10.0  # of the end of a logarithmic range
_ROWS = 100
_MOST_OF_IT = 0.5  # of the variance
_LITTLE = 0.1
_TRIALS_EACH = 5


def _told(decision: Decision, **details: Any) -> dict[str, Any]:
    """Return the number of an action, as draws decide it; certain only if that is said.

    What is gained was never certain in the runs by which that is measured.
    """
    return {
        "gain": decision.estimate,
        "interval": decision.interval,
        "probability": decision.probability,
        **details,
    }


# ---------------------------------------------------------------------- the space


def widen(decision: RunDecision) -> Action | None:
    """Return ranges to widen: beyond an end, draws rather promise more than counts.

    They are asked up to a fifth of the scale beyond the end, everything else as where they are
    best.
    """
    if decision.trust is None:
        return None  # a model of the user's is not asked beyond its space
    run, wider = decision.run, list[tuple[_Number, Decision, Any]]()
    for j, parameter in enumerate(run.space):
        values = run.X[:, j]
        never_varied = len(np.unique(values[~np.isnan(values)])) < 2
        if parameter.is_category or never_varied:
            continue
        sides = [(side, _beyond(decision, j, side)) for side in (False, True)]
        side, gains = max(sides, key=lambda one: float(one[1].mean()))
        new = _longer(parameter, upper=side)
        # of numbers seen from 0 on, none below is known to be possible
        if not side and parameter.low == 0 and parameter.name in run.ranges_from:
            new = None
        gained = decision.gained_beyond(gains)
        counts = gained.estimate > decision.counts.between
        if new is None or not counts or gained.probability < PROBABLE:
            continue
        end = format_value(parameter.high if side else parameter.low)
        beyond = f"beyond the {'upper' if side else 'lower'} end of {parameter.name} ({end})"
        better = f"is expected to be better by {gained.estimate:.2g}"
        reason = fact(
            f"{beyond} the {run.objective_name} {better}", names=[parameter.name], upper=side
        )
        wider.append((new, gained, reason))
    if not wider:
        return None
    most = max((gained for _, gained, _ in wider), key=lambda one: one.estimate)
    return changed_to(
        "widen",
        [new for new, _, _ in wider],
        evidence=tuple(why for *_, why in wider),
        **_told(most),
    )


def _beyond(decision: RunDecision, j: int, upper: bool) -> Array:
    """Return what each draw gains beyond an end on what it reaches within the space, (k,)."""
    land, space = decision.draws.landscape, decision.draws.space
    axis = land.axes[j]
    if (land.best[:, j] == (len(axis.centers) - 1 if upper else 0)).mean() < 0.5:
        return np.zeros(len(land.least))
    size = space.parameters[j].size
    least = 0.0 if size is None else 1.0 / max(size - 1, 1)
    mean = ranked(land.possible_values.mean(axis=0))[:_ROWS]
    rows = land.all_rows[np.union1d(mean, land.possible_values.argmin(axis=1))]
    rows = rows[~np.isnan(rows[:, j])]
    far = np.repeat([max(step, least) for step in _BEYOND], len(rows))
    rows = np.tile(rows, (len(_BEYOND), 1))
    rows[:, j] = 1.0 + far if upper else -far
    return land.least - decision.draws.costs(rows).min(axis=1, initial=np.inf)


def _longer(parameter: _Number, *, upper: bool) -> _Number | None:
    """Return a hyperparameter with twice the range, ten times on a log scale; None if none is.

    A range of positive numbers stays one. Of a list no other value is known to be possible.
    """
    if parameter.values:
        return None
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


def narrow(decision: RunDecision, others: Collection[str]) -> Action | None:
    """Return what to give up of hyperparameters that are not named otherwise: as the box does."""
    box = decision.box
    narrower = [part for part in box.narrowed if part.name not in others]
    if not narrower or not box.loss.certain:
        return None
    after, before = of_random(decision, narrower), of_random(decision, ())
    gained = decide(after - before)
    if gained.estimate < PROBABLE_GAIN * decision.epsilon:
        return None  # it helps neither a search nor a person
    sure = min(box.loss.probability, MOST_SURE)
    reason = fact(
        f"{sure:.0%} sure: the narrower space still holds a configuration within "
        f"{decision.epsilon:.2g} of the best; {TRIALS} random trials in it are expected to "
        f"improve the best {decision.run.objective_name} by {after.mean():.2g}, and by "
        f"{before.mean():.2g} in the whole space",
        lose=decision.epsilon,
    )
    return changed_to(
        "narrow",
        narrower,
        evidence=(reason, *decision.doubts),
        **_told(gained, probability=box.loss.probability, certain=box.loss.certain),
    )


# ---------------------------------------------------------------------- configurations


def attempt(
    decision: RunDecision, changes: Sequence[Action], n: int = 1, names: Sequence[str] = ()
) -> Action:
    """Return the n configurations to try next within what is searched after `changes`.

    They lie in the box; outside only where nothing that counts is left to gain in it. Of a grid
    that was enumerated they are combinations that are left.
    """
    run = decision.run
    left = untried(run.X, run.tried, run.notes)
    within = [p for action in changes for p in action.parameters]
    boxed = [*within, *decision.box.narrowed]
    spaces = (boxed, within) if decision.box.narrowed else (within,)
    for parameters in spaces:
        if left is None:
            rows, gains = next_rows(decision, n, parameters)
        else:
            rows, gains = _of_grid(decision, left, n)
        gained = decision.gained(gains)
        if len(rows) and decision.is_worth_a_trial(gained):
            return trying(decision, rows, gained, decision.where_better(gains), names)
    return go_on()


def _of_grid(decision: RunDecision, left: Array, n: int) -> tuple[Array, Array]:
    """Return which n of the combinations that are left of a grid to try next, and their gain."""
    rows = left[decision.may_be_tried(left)]
    if not len(rows):
        return rows, np.zeros(1)
    gains = decision.gains(rows)
    chosen = ranked(-gains.mean(axis=0))[:n]
    return rows[chosen], gains[:, chosen].max(axis=1)


def go_on() -> Action:
    """Return that more of the same search is as good as any trial that can be named."""
    why = "no trial has a fair chance to be better; more of the same search is as good"
    return Action("go_on", evidence=(fact(why),))


def trying(
    decision: RunDecision, rows: Array, gained: Decision, where: float, names: Sequence[str] = ()
) -> Action:
    """Return that rows are to be tried, which gain something, and so much where they do.

    Parameters
    ----------
    decision : RunDecision
        What is decided of the run.
    rows : ndarray of shape (n, d)
        What to try.
    gained : Decision
        What the best of them gains.
    where : float
        The same where it counts.
    names : sequence of str
        The hyperparameters, the most important first.
    """
    box = decision.box
    configs = shortened(box.whole, box.parts, rows)
    better = "chance to beat" if len(rows) == 1 else "chance that the best of them beats"
    evidence = [
        fact(
            f"{gained.probability:.0%} {better} trial ",
            trial_number(decision.keep),
            f" by more than {decision.epsilon:.2g}, then by {where:.2g} on average",
            trials=[decision.keep],
            role="basis",
            enough=decision.epsilon,
        )
    ]
    if not box.holds(rows).all():
        evidence.append(
            fact("a look outside of the recommended space: little is left to gain inside")
        )
    in_order = [name for name in names or box.whole.names if name in configs[0]]
    return Action(
        "try",
        tuple(in_order),
        tuple(configs[0][name] for name in in_order),
        configurations=tuple(configs),
        trials=(decision.keep,),
        beside=decision.run.config(decision.keep),
        evidence=tuple(evidence),
        **_told(gained),
    )


def shortened(space: SearchSpace, ranges: Iterable[Parameter], rows: Array) -> list[dict[str, Any]]:
    """Return configurations with the digits that their ranges need, where they lie in these."""
    configs = space.decode(rows)
    range_of = {part.name: part for part in ranges}
    for config in configs:
        for name, value in config.items():
            part = range_of[name]
            if isinstance(part, FloatParameter) and part.size is None:
                reach = part.high - part.low
                rounded = float(format_level(value, reach, least=6))
                if part.low <= rounded <= part.high:
                    config[name] = rounded
    return configs


def repeat(decision: RunDecision, *, alone: bool = True) -> Action | None:
    """Return which trials to evaluate again, and how often, if that tells which is best.

    Once where they are not `alone`: beside other trials, after which advice is asked again. Where
    the trials do not settle the noise, no repeat depends on how large it may be at most.
    """
    if not decision.noise.settled:
        return None
    costs, best = decision.costs, decision.best
    firsts = np.bincount(costs.argmin(axis=1), minlength=costs.shape[1])
    inside = decision.box.holds(decision.run.X[decision.rows])
    others = [
        place
        for place in ranked(-firsts.astype(float)).tolist()
        if place != best and firsts[place] and inside[place]
    ]
    contenders = [best, *others[: _CONTENDERS - 1]]
    gains = costs[:, best] - costs[:, contenders].min(axis=1)
    gained = decision.gained(gains)
    mean = float(gains.mean())
    if not mean or not decision.is_worth_a_trial(gained):
        return None
    times = 1
    if alone:  # an error as large as what is to be told
        noise = min(decision.noise.counted, mean * math.sqrt(_MOST_TIMES))
        times = max(round((noise / mean) ** 2), 1)
    which = tuple(decision.trial_at(place) for place in contenders)
    hidden = f"noise hides which of the trials {spans(which)} is best"
    reason = fact(f"{hidden}: knowing it is worth {gained.estimate:.2g}", trials=which)
    return Action(
        "repeat",
        evidence=(reason,),
        trials=which,
        configurations=tuple(map(decision.run.config, which)),
        times=times,
        **_told(gained),
    )


def repeat_in_noise(decision: RunDecision) -> Action | None:
    """Return that trials are to be repeated where nothing but noise is seen.

    Where it is not known how large the noise is, that takes trials enough to have seen anything
    else: five for each hyperparameter that varies.
    """
    run, noise = decision.run, decision.noise
    inside = decision.box.holds(run.X[decision.rows])
    costs = run.cost[run.feasible]
    unit = unit_of(costs)  # in which no square overflows
    variance = float(np.var(costs / unit))
    if inside.sum() < 2 or not variance:
        return None
    n_varying = int((np.nanmax(run.X, 0) > np.nanmin(run.X, 0)).sum())
    share = (noise.counted / unit) ** 2 / variance
    reason = fact(
        f"noise makes up {min(share, 1.0):.0%} of the variance of the {run.objective_name}: "
        "repeats show whether configurations differ at all"
    )
    if not noise.settled:
        r2 = decision.trust.r2 if decision.trust is not None else 1.0
        if r2 >= _LITTLE or len(run) < _TRIALS_EACH * n_varying:
            return None
        reason = fact("that tells how much of the variation is noise")
    elif share < _MOST_OF_IT:
        return None
    means = np.where(inside, decision.costs.mean(axis=0), np.inf)
    which = [decision.trial_at(place) for place in ranked(means)[:2].tolist()]
    return Action(
        "repeat",
        evidence=(reason,),
        trials=tuple(which),
        configurations=tuple(map(run.config, which)),
    )


def keep(decision: RunDecision) -> Action:
    """Return the trial to keep."""
    run, costs = decision.run, decision.costs
    limit = float(np.nextafter(decision.epsilon, np.inf))  # as much is allowed
    right = decide(costs[:, decision.best] - costs.min(axis=1), limit, side="below")
    # where another tried trial is better, something is
    probability = max(right.probability, 1.0 - decision.better.probability)
    config = run.config(decision.keep)
    sure = min(probability, MOST_SURE)
    reason = fact(
        f"its expected {run.objective_name} is {decision.mean:.4g}; {sure:.0%} sure that no other "
        "tried trial is clearly better",
        mean=decision.mean,
        probability=sure,
    )
    more, chance = f"better by more than {decision.epsilon:.2g}", told(decision.better.probability)
    left = fact(
        f"{chance:.0%} chance that something is {more}",
        trials=[decision.keep],
        probability=chance,
        enough=decision.epsilon,
    )
    return Action(
        "keep",
        tuple(config),
        tuple(config.values()),
        trials=(decision.keep,),
        evidence=(reason, *decision.why_another, *run.best_left_out, left),
        **_told(decision.luck, probability=probability),
    )
