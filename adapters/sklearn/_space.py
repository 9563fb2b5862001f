"""The grids and distributions of a search as a search space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.adapters._reading import whole_numbers
from hpo_explain.adapters._scales import scale_of
from hpo_explain.adapters.sklearn._distributions import Range, is_distribution, range_of
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Parameter,
    SearchSpace,
    category_index,
    different,
)

Grid = Mapping[str, Any]
"""Values (a list) or a distribution by hyperparameter."""


@dataclass(frozen=True, eq=False)
class _Candidates:
    """What a hyperparameter may be: in which grids, its listed values, its distributions."""

    grids: frozenset[int]
    values: tuple[Any, ...]
    ranges: tuple[Range, ...]

    @property
    def numeric(self) -> bool:
        return all(_is_number(value) for value in self.values)


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
        candidates = _candidates(name, grids, tried)
        parameter, about = _parameter(name, candidates)
        if candidates.values and candidates.numeric and len(candidates.values) > 1:
            between.append(name)
        column = np.full(len(configs), np.nan)
        column[rows] = parameter.encode(tried)
        parameters.append(parameter)
        columns.append(column)
        notes += about
    X = np.column_stack(columns)
    if between:
        notes.append(fact("grid_as_range", names=between))
    parameters, about = _with_conditions(parameters, grids, X, trials)
    return SearchSpace(parameters), X, notes + about


def _candidates(name: str, grids: Sequence[Grid], tried: Sequence[Any]) -> _Candidates:
    members = [i for i, grid in enumerate(grids) if name in grid]
    values: list[Any] = []
    ranges: list[Range] = []
    for i in members:
        given = grids[i][name]
        if is_distribution(given):
            ranges.append(range_of(given, tried))
        else:
            values += list(given) if _is_listed(given) else [given]
    if not members:  # a resource that a halving search sets
        values += tried
    return _Candidates(frozenset(members), tuple(different(values)), tuple(ranges))


def _is_listed(given: Any) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _parameter(name: str, given: _Candidates) -> tuple[Parameter, list[Fact]]:
    if not given.numeric or (not given.ranges and len(given.values) == 1):
        # beside None or a word, numbers are choices: "sqrt", 0.5, None
        inside = [value for range_ in given.ranges for value in range_.tried]
        choices = list(given.values)
        choices += [
            v for i, v in enumerate(inside) if category_index(choices + inside[:i], v) is None
        ]
        return CategoricalParameter(name, choices), []
    numbers = [float(value) for value in given.values]
    low = min([*numbers, *(r.low for r in given.ranges)])
    high = max([*numbers, *(r.high for r in given.ranges)])
    whole = all(float(v).is_integer() for v in numbers) and all(r.whole for r in given.ranges)
    whole = whole and not any(isinstance(v, (float, np.floating)) for v in given.values)
    log = all(r.log for r in given.ranges) if given.ranges else scale_of(numbers).log
    notes = [
        fact("distribution_as_range", names=[name], law=r.law, log=r.log)
        for r in given.ranges
        if not r.exact
    ]
    step = None if log or given.ranges else _step(sorted(numbers))
    if whole:
        parameter, about = whole_numbers(name, int(low), int(high), log=log, step=int(step or 1))
        return parameter, notes + about
    return FloatParameter(name, low, high, log=log, step=step), notes


def _step(values: Sequence[float]) -> float | None:
    """Return the distance of values that have equal ones; None for others."""
    steps = [b - a for a, b in pairwise(values)]
    return steps[0] if len(steps) > 1 and max(steps) - min(steps) <= 1e-9 * max(steps) else None


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
        if any(category_index(values, other) is not None for other in others):
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
