"""The grids and distributions of a search as a search space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.adapters._domain import (
    Domain,
    grid_as_range,
    is_among,
    is_number,
    parameter_of,
    scale_of,
)
from hpo_explain.base.facts import Fact
from hpo_explain.space import (
    Array,
    FloatParameter,
    IntParameter,
    Parameter,
    SearchSpace,
    different,
)

Grid = Mapping[str, Any]
"""Values (a list) or a distribution by hyperparameter."""


_LOG, _UNIFORM = ("loguniform", "reciprocal"), ("uniform", "randint")
_TAIL = 0.001


def grids_of(given: Any) -> list[Grid]:
    """Return the grids of a search: one, or a list of alternatives."""
    return [given] if isinstance(given, Mapping) else list(given)


def read_space(
    grids: Sequence[Grid], configs: Sequence[Mapping[str, Any]], trials: Sequence[int]
) -> tuple[SearchSpace, Array, list[Fact]]:
    """Return the space of some grids, configurations encoded in it, and what was assumed.

    Parameters
    ----------
    grids : sequence of mapping
        Alternatives: each configuration is of one of them.
    configs : sequence of mapping
        The configurations tried.
    trials : sequence of int
        Their numbers.
    """
    names = dict.fromkeys([name for grid in grids for name in grid])
    names |= dict.fromkeys([name for config in configs for name in config])
    parameters: list[Parameter] = []
    notes: list[Fact] = []
    between: list[str] = []
    columns = []
    for name in names:
        rows = [i for i, config in enumerate(configs) if name in config]
        tried = [configs[i][name] for i in rows]
        values, ranges = _candidates(name, grids, tried)
        domain, about = _domain(name, values, ranges, tried)
        if domain.choices is None and len(values) > 1:
            between.append(name)
        parameter, notes_of = parameter_of(name, domain)
        column = np.full(len(configs), np.nan)
        column[rows] = parameter.encode(tried)
        parameters.append(parameter)
        columns.append(column)
        notes += about + notes_of
    X = np.column_stack(columns)
    if between:
        notes.append(grid_as_range(between))
    parameters, about = _with_conditions(parameters, grids, X, trials)
    return SearchSpace(parameters), X, notes + about


def _candidates(
    name: str, grids: Sequence[Grid], tried: Sequence[Any]
) -> tuple[list[Any], list[Domain]]:
    """Return the values that grids list for a hyperparameter, and the ranges of distributions."""
    entries = [grid[name] for grid in grids if name in grid]
    # a resource that a halving search sets
    values: list[Any] = [] if entries else [*tried]
    ranges: list[Domain] = []
    for given in entries:
        if is_distribution(given):
            ranges.append(range_of(given, tried))
        else:
            values += list(given) if _is_listed(given) else [given]
    return different(values), ranges


def _is_listed(given: Any) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))


def _domain(
    name: str, values: Sequence[Any], ranges: Sequence[Domain], tried: Sequence[Any]
) -> tuple[Domain, list[Fact]]:
    """Return the domain of listed values and ranges together, and a note on each distribution."""
    if not all(map(is_number, values)) or (not ranges and len(values) == 1):
        # beside None or a word, numbers are choices: "sqrt", 0.5, None
        drawn = tried if ranges else []
        choices = list(values)
        choices += [v for i, v in enumerate(drawn) if not is_among([*values, *drawn[:i]], v)]
        return Domain(choices=choices), []
    numbers = [float(value) for value in values]
    log = all(r.log for r in ranges) if ranges else scale_of(numbers).log
    found = Domain(
        min([*numbers, *(r.low for r in ranges)]),
        max([*numbers, *(r.high for r in ranges)]),
        log,
        all(r.whole for r in ranges)
        and not any(isinstance(v, (float, np.floating)) for v in values),
        None if log or ranges else _step(sorted(numbers)),
    )
    return found, [note for r in ranges if r.law for note in parameter_of(name, r)[1][:1]]


def _step(values: Sequence[float]) -> float | None:
    """Return the distance of values that have equal ones; None for others."""
    steps = [b - a for a, b in pairwise(values)]
    return steps[0] if len(steps) > 1 and max(steps) - min(steps) <= 1e-9 * max(steps) else None


# ---------------------------------------------------------------------- distributions


def is_distribution(given: Any) -> bool:
    """Say whether values are drawn from an object, rather than listed by it."""
    return callable(getattr(given, "rvs", None))


def range_of(given: Any, tried: Sequence[Any]) -> Domain:
    """Return the range of a distribution.

    A uniform one of scipy is read exactly, on a linear or logarithmic scale; of another one the
    range between its quantiles 0.001 and 0.999, its ends included where it has such, on the scale
    on which its quantiles spread. An object that only draws is read from what it drew.

    Examples
    --------
    >>> from scipy import stats
    >>> found = range_of(stats.loguniform(1e-3, 10.0), [])
    >>> found.low, found.high, found.log, found.law
    (0.001, 10.0, True, '')
    """
    if hasattr(given, "prior") and hasattr(given, "low"):  # a dimension of skopt
        log, whole = (given.prior == "log-uniform", type(given).__name__ == "Integer")
        return Domain(float(given.low), float(given.high), log, whole)
    law = str(getattr(getattr(given, "dist", None), "name", "") or type(given).__name__)
    numbers = [float(value) for value in tried]
    try:
        low, high = (float(end) for end in given.support())
        whole = not hasattr(given.dist, "pdf")
        quantiles = np.asarray(given.ppf(np.linspace(_TAIL, 1.0 - _TAIL, 21)), dtype=float)
    except (AttributeError, TypeError, NotImplementedError):
        whole = all(isinstance(value, (int, np.integer)) for value in tried)
        return Domain(min(numbers), max(numbers), scale_of(numbers).log, whole, law=law)
    if law in _LOG + _UNIFORM:
        return Domain(low, high, law in _LOG, whole)
    first, last = quantiles[0], quantiles[-1]
    low = min([low if np.isfinite(low) and low == first else float(first), *numbers])
    high = max([high if np.isfinite(high) and high == last else float(last), *numbers])
    return Domain(low, high, scale_of(quantiles).log, whole, law=law)


# ---------------------------------------------------------------------- conditions


def _with_conditions(
    parameters: list[Parameter], grids: Sequence[Grid], X: Array, trials: Sequence[int]
) -> tuple[list[Parameter], list[Fact]]:
    """Return hyperparameters with the conditions that a list of grids states, and notes.

    One that only some grids have is active where another one has a value of those grids. Where no
    other tells them apart, the condition is inferred from the trials.
    """
    known = [_condition(parameter, parameters, grids) for parameter in parameters]
    if all(condition is not None for condition in known):
        return [
            replace(parameter, active_when=condition or None)
            for parameter, condition in zip(parameters, known, strict=True)
        ], []
    inferred, notes = infer_conditions(parameters, X, trials)
    result = [
        other if condition is None else replace(parameter, active_when=condition or None)
        for parameter, other, condition in zip(parameters, inferred, known, strict=True)
    ]
    stated = {p.name for p, condition in zip(parameters, known, strict=True) if condition}
    return result, [note for note in notes if not {*note.names} <= stated]


def _condition(
    child: Parameter, parameters: Sequence[Parameter], grids: Sequence[Grid]
) -> dict[str, list[Any]] | None:
    """Return `active_when` of a hyperparameter: empty if it is in every grid, None if unknown."""
    inside = [i for i, grid in enumerate(grids) if child.name in grid]
    outside = [i for i in range(len(grids)) if i not in inside]
    if not outside or not inside:
        return {}
    for parent in parameters:
        if parent.name == child.name or isinstance(parent, FloatParameter):
            continue
        if any(not _lists(grids[i], parent.name) for i in inside):
            continue
        # where the parent itself is missing, so is its child
        apart = [i for i in outside if parent.name in grids[i]]
        if not apart or any(not _lists(grids[i], parent.name) for i in apart):
            continue
        values = [v for i in inside for v in grids[i][parent.name]]
        others = [v for i in apart for v in grids[i][parent.name]]
        if any(is_among(values, other) for other in others):
            continue
        return {parent.name: _of(parent, values)}
    return None


def _lists(grid: Grid, name: str) -> bool:
    return name in grid and not is_distribution(grid[name]) and _is_listed(grid[name])


def _of(parent: Parameter, values: Sequence[Any]) -> list[Any]:
    """Return values as the hyperparameter has them, each once."""
    if isinstance(parent, IntParameter):
        return sorted({int(value) for value in values})
    return different(values)
