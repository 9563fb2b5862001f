"""Validation of a run's fields: errors name the argument, what it was, and the remedy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base import Fact, InputError, Origin, check_array, check_number, counted, spans
from hpo_explain.run.curves import Curves
from hpo_explain.run.metrics import bounds_of, check_bounds
from hpo_explain.run.without_result import Reviewed, WithoutResult
from hpo_explain.space import Array, Bools, Ints, SearchSpace


def checked_rows(space: SearchSpace, X: Array, objective: Array) -> tuple[Array, Array]:
    """Return configurations (n, d) and their objectives (n,), which are finite."""
    rows = np.array(space.check_rows("X", X))
    values = checked_column("objective", np.array(check_array("objective", objective)), len(rows))
    for i in np.flatnonzero(~np.isfinite(values)).tolist():
        problem = f"must be finite, but was {values[i]} in row {i}"
        remedy = "Leave such trials out and name them in excluded."
        raise InputError("objective", problem, float(values[i]), remedy)
    for i in np.flatnonzero(~space.is_valid(rows)).tolist():
        problem = (
            f"must hold configurations of the space, but row {i} is not one: {rows[i].tolist()}"
        )
        remedy = "Encode configurations with space.encode."
        raise InputError("X", problem, rows[i], remedy)
    return rows, values


def check_epsilon(epsilon: float | None) -> None:
    """Raise InputError where what counts as better is no number above 0."""
    if epsilon is not None and check_number("epsilon", epsilon) <= 0.0:
        problem = f"must be positive, but was {epsilon!r}"
        remedy = (
            "Give the smallest improvement that is worth having, in the objective's units; leave "
            "it out, then the metric and its noise say it."
        )
        raise InputError("epsilon", problem, epsilon, remedy)


def checked_bounds(
    bounds: tuple[float, float] | None, objective: Array, name: str
) -> tuple[float, float] | None:
    """Return the objective's natural range, around all objectives; by default by its name."""
    if bounds is None:
        return bounds_of(name, objective)
    low, high = check_bounds(bounds)
    outside = objective[(objective < low) | (objective > high)]
    if len(outside):
        problem = f"must hold every objective, but {bounds!r} leaves out {outside[0]:g}"
        remedy = "Widen them, or leave them out."
        raise InputError("bounds", problem, bounds, remedy)
    return low, high


def checked_column(name: str, column: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    """Return a column that has one value for each row."""
    if column.shape != (n,):
        problem = f"must have shape ({n},), one value per row of X, but had shape {column.shape}"
        raise InputError(name, problem, column)
    return column


def checked_numbers(trials: Ints, n: int) -> Ints:
    """Return the numbers of trials, different whole ones; by default 0, 1, ..."""
    numbers = check_array("trials", trials if len(trials) else np.arange(n))
    values, counts = np.unique(numbers, return_counts=True)
    wrong = values[(counts > 1) | (values % 1 != 0)]
    if len(wrong):
        times = counted(int(counts[values == wrong[0]][0]), "time")
        problem = f"must be different whole numbers, but {wrong[0]:g} is given {times}"
        raise InputError("trials", problem, trials, "Number every row once.")
    return checked_column("trials", numbers.astype(np.int64), n)


def checked_proposals(proposals: Sequence[int] | None, numbers: Ints) -> tuple[int, ...]:
    """Return the trials that a model chose; by default all."""
    if proposals is None:
        return tuple(numbers.tolist())
    unknown = {*proposals} - {*numbers.tolist()}
    if unknown:
        problem = f"must be among the trials {spans(numbers)}, but {spans([*unknown])} is not"
        remedy = "Leave it out there too."
        raise InputError("proposals", problem, proposals, remedy)
    return tuple(map(int, proposals))


def checked_feasible(feasible: Bools, n: int) -> Bools:
    """Return whether the constraints were met; by default everywhere."""
    met = np.array(feasible if len(feasible) else np.ones(n), dtype=bool)
    return checked_column("feasible", met, n)


def checked_times(name: str, times: Array, n: int) -> Array:
    """Return starts or finishes; NaN where they are not known."""
    seconds = np.array(check_array(name, times))
    return checked_column(name, seconds if len(seconds) else np.full(n, np.nan), n)


def checked_durations(durations: Array, started: Array, finished: Array) -> Array:
    """Return durations, not negative; where none is known the time from start to finish."""
    seconds = checked_times("durations", durations, len(started))
    for negative in seconds[seconds < 0.0].tolist():
        problem = f"must not be negative, but was {negative:g} somewhere"
        raise InputError("durations", problem, seconds, "Give seconds, NaN if unknown.")
    if not np.isnan(seconds).all():
        return seconds
    took = np.subtract(finished, started)
    return np.where(np.isfinite(took) & (took >= 0.0), took, np.nan)


def checked_origins(origins: Mapping[int, Origin]) -> dict[int, Origin]:
    """Return who chose trials."""
    for trial, origin in origins.items():
        if not isinstance(origin, Origin):
            problem = f"must map trials to Origin, but trial {trial} has {origin!r}"
            raise InputError("origins", problem, origin)
    return {int(trial): origin for trial, origin in origins.items()}


def checked_excluded_times(
    times: Mapping[int, tuple[float, float]], excluded: Mapping[int, Fact]
) -> dict[int, tuple[float, float]]:
    """Return start and finish of trials that are left out."""
    checked = {}
    for trial, start_and_finish in times.items():
        pair = check_array(f"excluded_times of trial {trial}", start_and_finish)
        if pair.shape != (2,) or trial not in excluded:
            problem = (
                "must give start and finish of trials in excluded, but was "
                f"{start_and_finish!r} for trial {trial}"
            )
            remedy = "Name the trial in excluded as well."
            raise InputError("excluded_times", problem, times, remedy)
        checked[int(trial)] = (float(pair[0]), float(pair[1]))
    return checked


def checked_without_result(
    space: SearchSpace,
    without_result: Mapping[int, WithoutResult],
    numbers: Collection[int],
    curves: Curves | None,
) -> dict[int, WithoutResult]:
    """Return the trials without a result, whose numbers no finished trial has.

    Those with a learning curve have reported a value.
    """
    trials = {int(number): one for number, one in sorted(without_result.items())}
    if not trials:
        return {}
    for number in sorted({*trials} & {*numbers}):
        problem = f"must be about other trials than the finished ones, but has {number}"
        raise InputError("without_result", problem, number, "Leave it out.")
    rows = space.check_rows("x of without_result", [one.x for one in trials.values()])
    on_grid = np.asarray(space.on_grid(rows).all(axis=1))
    for number, x, is_value in zip(trials, rows, on_grid, strict=True):
        if not is_value:
            problem = f"has a position that stands for no value: {x.tolist()}"
            raise InputError(f"x of trial {number}", problem, x)
    if curves is not None:
        for number in {*trials} & {*curves.trials.tolist()}:
            trials[number] = replace(trials[number], reported=True)
    return trials


def checked_reviewed(space: SearchSpace, reviewed: Mapping[int, Reviewed]) -> dict[int, Reviewed]:
    """Return the proposals that a person changed, or refused before."""
    for trial, one in reviewed.items():
        space.check_rows(f"proposed of trial {trial}", one.proposed[None, :])
        space.check_rows(f"refused of trial {trial}", one.refused)
    return {int(trial): one for trial, one in sorted(reviewed.items())}


def is_before(times: Array, numbers: Ints, time: float, number: int) -> Bools:
    """Say which times of trials lie before that of another trial (an unknown one does not).

    A coarse clock gives several trials the same time: then their numbers tell.
    """
    earlier: Bools = (times < time) | ((times == time) & (numbers < number))
    return earlier


def ran_at_once(started: Array, finished: Array) -> bool:
    """Say whether a trial started while another one was running (unknown times say nothing)."""
    is_timed = ~np.isnan(started) & ~np.isnan(finished)
    started = started[is_timed]
    finished = finished[is_timed]
    order = np.argsort(started, kind="stable")
    latest_finish = np.maximum.accumulate(finished[order])
    return bool((started[order][1:] < latest_finish[:-1]).any())
