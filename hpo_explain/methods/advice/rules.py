"""What is advised, a rule for each kind: widen, narrow, try, repeat, and keep."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base.text import declared_fact, filled
from hpo_explain.belief.decide import Decision, decide
from hpo_explain.belief.left import told
from hpo_explain.belief.mixture import Mixture
from hpo_explain.methods._engines.chances import TRIALS, Chances
from hpo_explain.methods.advice.advise_result import Action, changed_to
from hpo_explain.methods.space.recommended_space_result import Recommendation
from hpo_explain.space import (
    LARGEST_WHOLE,
    Array,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    SearchSpace,
    ranked,
)

_Number = FloatParameter | IntParameter
PROBABLE = 0.1  # of gaining what counts: with less there is nothing to get
_CONTENDERS, _MOST_TIMES = 3, 5
_BEYOND = (0.1, 0.2)  # of the scale: so far beyond an end the draws are asked
_FACTOR = 10.0  # of the end of a logarithmic range
_ROWS = 100

_AT_END = declared_fact(
    "better_beyond_end",
    "beyond the {side} end of {names} ({end}) the {objective} is expected to be better by "
    "{gain:.2g}",
    side=lambda about: "upper" if about["upper"] else "lower",
)
_LEFT = declared_fact(
    "near_best_is_left",
    "with {probability:%} a configuration is left that is as good as the best up to {lose:.2g}; "
    "{n} random trials in it are expected to improve the best {objective} by {expected:.2g}, and "
    "by {otherwise:.2g} in the whole space",
)
_EXPECTED = declared_fact(
    "expected_improvement",
    {
        True: "it is expected to be better than trial {trials} by {expected:.2g}, and by more than "
        "what counts ({enough:.2g}) with {probability:%}",
        False: "the best of them is expected to be better than trial {trials} by {expected:.2g}, "
        "and by more than what counts ({enough:.2g}) with {probability:%}",
    },
)
_MANY_CATEGORIES = declared_fact(
    "many_categories",
    "with {count} categorical hyperparameters the search that names what to try was not seen to "
    "keep up with Optuna's GPSampler",
)
_SAME = declared_fact(
    "best_hidden",
    "noise hides which of the trials {trials:spans} is best: knowing it is worth {known:.2g}",
)
_WORSE = ", the best observed one, trial {observed}, is expected to be worse by {expected:.2g}"
_KEPT = declared_fact(
    "lowest_mean",
    "its expected {objective}, {mean:.4g}, is the best of all trials{beside}; no other tried "
    "trial is clearly better ({probability:%})",
    beside=lambda about: (
        filled(_WORSE, **dict(about.values)) if about["expected"] else ""
    ),
)
_WHAT_IS_LEFT = declared_fact(
    "what_is_left",
    "{probability:%} chance that something is better by more than {enough:.2g}",
)


def _told(decision: Decision, **known: Any) -> dict[str, Any]:
    """Return the number of an action, as draws decide it; certain only if that is said.

    What is gained was never certain in the runs by which that is measured.
    """
    return {
        "gain": decision.estimate,
        "interval": decision.interval,
        "probability": decision.probability,
        **known,
    }


# ---------------------------------------------------------------------- the space


def widen(chances: Chances) -> Action | None:
    """Return ranges to widen: beyond an end, draws promise more than counts.

    They are asked up to a fifth of the scale beyond the end, everything else as where they are
    best.
    """
    if not isinstance(chances.draws, Mixture):
        return None  # a model of the user's is not asked beyond its space
    run, found = chances.run, list[tuple[_Number, Decision, Any]]()
    for j, parameter in enumerate(run.space):
        if isinstance(parameter, CategoricalParameter):
            continue
        sides = [(side, _beyond(chances, j, side)) for side in (False, True)]
        side, gains = max(sides, key=lambda one: float(one[1].mean()))
        new, decision = _longer(parameter, upper=side), chances.decided(gains)
        if new is None or decision.estimate <= chances.enough:
            continue
        reason = _AT_END(
            names=[parameter.name],
            objective=run.objective_name,
            upper=side,
            end=parameter.high if side else parameter.low,
            gain=decision.estimate,
        )
        found.append((new, decision, reason))
    if not found:
        return None
    most = max(
        (decision for _, decision, _ in found), key=lambda one: one.estimate
    )
    return changed_to(
        "widen",
        [new for new, _, _ in found],
        evidence=tuple(why for *_, why in found),
        **_told(most),
    )


def _beyond(chances: Chances, j: int, upper: bool) -> Array:
    """Return what each draw gains beyond an end on what it reaches within the space, (k,)."""
    land, space = chances.draws.landscape, chances.draws.space
    axis = land.axes[j]
    if (
        land.best[:, j] == (len(axis.centers) - 1 if upper else 0)
    ).mean() < 0.5:
        return np.zeros(len(land.least))
    size = space.parameters[j].size
    least = 0.0 if size is None else 1.0 / max(size - 1, 1)
    mean = ranked(land.possible_values.mean(axis=0))[:_ROWS]
    rows = land.all_rows[np.union1d(mean, land.possible_values.argmin(axis=1))]
    rows = rows[~np.isnan(rows[:, j])]
    far = np.repeat([max(step, least) for step in _BEYOND], len(rows))
    rows = np.tile(rows, (len(_BEYOND), 1))
    rows[:, j] = 1.0 + far if upper else -far
    return np.asarray(
        land.least - chances.draws.costs(rows).min(axis=1, initial=np.inf)
    )


def _longer(parameter: _Number, *, upper: bool) -> _Number | None:
    """Return a hyperparameter with twice the range, ten times on a log scale; None if none is.

    A range of positive numbers stays one.
    """
    low, high = float(parameter.low), float(parameter.high)
    reach = high - low
    if parameter.log:
        reach = (
            high * (_FACTOR - 1.0) if upper else low * (1.0 - 1.0 / _FACTOR)
        )
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


def narrow(
    chances: Chances, found: Recommendation, others: Collection[str]
) -> Action | None:
    """Return what to give up of hyperparameters that are not named otherwise."""
    names = [row.hyperparameter for row in found.narrowed if row.after]
    kept = [found.space[name] for name in names if name not in others]
    if not kept or found.loss is None:
        return None
    after, before = chances.of_random(kept), chances.of_random(())
    reason = _LEFT(
        lose=found.lose,
        probability=min(found.loss.probability, 0.99),
        n=TRIALS,
        expected=float(after.mean()),
        otherwise=float(before.mean()),
        objective=chances.run.objective_name,
    )
    gained = decide(after - before)
    if not found.loss.certain or gained.estimate < chances.worth:
        return None  # it helps neither a search nor a person
    return changed_to(
        "narrow",
        kept,
        evidence=(reason,),
        **_told(
            gained,
            probability=found.loss.probability,
            certain=found.loss.certain,
        ),
    )


# ---------------------------------------------------------------------- configurations


def attempt(
    chances: Chances, changes: Sequence[Action], n: int = 1
) -> Action | None:
    """Return the n configurations to try next within what is searched after `changes`."""
    rows, gains = chances.next_rows(
        n, [p for action in changes for p in action.parameters]
    )
    if (
        not len(rows)
        or chances.decided(gains, chances.worth).probability < PROBABLE
    ):
        return None
    decision = chances.decided(gains)
    configs = _shortened(chances.run.space, rows)
    reason = _EXPECTED(
        alone=len(rows) == 1,
        trials=[chances.trial],
        expected=decision.estimate,
        enough=chances.enough,
        probability=decision.probability,
    )
    return Action(
        "try",
        tuple(configs[0]),
        tuple(configs[0].values()),
        configurations=tuple(configs),
        evidence=(reason,),
        **_told(decision),
    )


def hand_over(chances: Chances) -> Action:
    """Return that another sampler should go on: with many categories it does so better."""
    count = sum(
        isinstance(parameter, CategoricalParameter)
        for parameter in chances.run.space
    )
    return Action(
        "go_on", sampler="GPSampler", evidence=(_MANY_CATEGORIES(count=count),)
    )


def _shortened(space: SearchSpace, rows: Array) -> list[dict[str, Any]]:
    """Return configurations with six digits of their real values."""
    configs = space.decode(rows)
    for config in configs:
        for name, value in config.items():
            parameter = space[name]
            if (
                isinstance(parameter, FloatParameter)
                and parameter.step is None
            ):
                rounded = float(f"{value:.6g}")
                config[name] = (
                    rounded
                    if parameter.low <= rounded <= parameter.high
                    else value
                )
    return configs


def repeat(chances: Chances, *, alone: bool = True) -> Action | None:
    """Return which trials to evaluate again, and how often, if that tells which is best.

    Once where they are not `alone`: beside other trials, after which advice is asked again. Where
    the trials do not settle the noise, no repeat depends on how large it may be at most.
    """
    if not chances.draws.noise.settled:
        return None
    costs, best = chances.costs, chances.best
    probable = np.bincount(
        costs.argmin(axis=1), minlength=costs.shape[1]
    ) / len(costs)
    others = [
        i for i in ranked(-probable).tolist() if i != best and probable[i]
    ]
    chosen = [best, *others[: _CONTENDERS - 1]]
    gains = costs[:, best] - costs[:, chosen].min(axis=1)
    decision = decide(gains)
    noise = chances.draws.noise.counted
    if len(chosen) < 2 or decision.estimate < chances.worth / 2.0:
        return None
    # an error as large as what is to be told
    times = (
        int(np.clip(round((noise / decision.estimate) ** 2), 1, _MOST_TIMES))
        if alone
        else 1
    )
    which = tuple(chances.trial_of(place) for place in chosen)
    return Action(
        "repeat",
        evidence=(_SAME(trials=which, known=decision.estimate),),
        trials=which,
        configurations=tuple(map(chances.run.config, which)),
        times=times,
        **_told(decision),
    )


def keep(chances: Chances) -> Action:
    """Return the trial to keep: of all tried configurations that of the lowest mean."""
    run, rows, costs = chances.run, chances.rows, chances.costs
    observed = int(np.argmin(run.cost[rows]))
    if run.cost[rows[observed]] == run.cost[rows[chances.best]]:
        observed = chances.best
    gains = decide(costs[:, observed] - costs[:, chances.best])
    limit = float(np.nextafter(chances.enough, np.inf))  # as much is allowed
    right = decide(
        costs[:, chances.best] - costs.min(axis=1), limit, side="below"
    )
    config = run.config(chances.trial)
    reason = _KEPT(
        objective=run.objective_name,
        mean=run.sign * float(costs[:, chances.best].mean()),
        observed=chances.trial_of(observed),
        expected=gains.estimate,
        probability=min(right.probability, 0.99),
    )
    left = _WHAT_IS_LEFT(
        trials=[chances.trial],
        probability=told(chances.better.probability),
        enough=chances.enough,
    )
    return Action(
        "keep",
        tuple(config),
        tuple(config.values()),
        trials=(chances.trial,),
        evidence=(reason, left),
        **_told(gains, probability=right.probability),
    )
