"""Optuna's distributions read as hyperparameters of a search space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from hpo_explain.adapters._reading import whole_numbers
from hpo_explain.adapters.optuna._columns import Column, identity
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    FloatParameter,
    Parameter,
    category_index,
)

_FINEST_GRID = 100_000  # values beyond which a grid of real numbers is as good as continuous


def read_parameter(column: Column) -> tuple[Parameter, list[str]]:
    """Return a hyperparameter as all of its distributions describe it, and what was assumed.

    Raises
    ------
    ValueError
        If it is categorical in some trials and numeric in others.
    """
    kinds = column.distributions
    categorical = [kind for kind in kinds if isinstance(kind, CategoricalDistribution)]
    floats = [kind for kind in kinds if isinstance(kind, FloatDistribution)]
    ints = [kind for kind in kinds if isinstance(kind, IntDistribution)]
    if len(categorical) == len(kinds):
        return _categorical(column.name, categorical)
    if len(ints) == len(kinds):
        return _int(column.name, ints)
    if len(floats) + len(ints) == len(kinds):
        return _float(column.name, kinds)
    found = ", ".join(sorted({type(kind).__name__ for kind in kinds}))
    raise ValueError(
        f"study has hyperparameter {column.name!r} with distributions that cannot be read as one: "
        f"{found}. State the space yourself with space=SearchSpace([...]), or read the trials "
        "of each kind from a study of their own."
    )


def encode(parameter: Parameter, values: Sequence[Any]) -> tuple[Array, dict[int, str]]:
    """Return the positions of values, and for those outside the range (NaN) the reason."""
    try:
        return _encode(parameter, values), {}
    except ValueError:
        pass
    positions = np.full(len(values), np.nan)
    reasons = {}
    for i, value in enumerate(values):
        try:
            positions[i] = parameter.encode([value])[0]
        except ValueError as error:
            reasons[i] = str(error).partition(". ")[0]
    return positions, reasons


def _encode(parameter: Parameter, values: Sequence[Any]) -> Array:
    if not isinstance(parameter, CategoricalParameter):
        return parameter.encode(values)
    keys = [identity(value) for value in values]
    distinct = dict(zip(keys, values, strict=True))  # as few as there are choices
    position = dict(zip(distinct, parameter.encode(distinct.values()), strict=True))
    return np.array([position[key] for key in keys])


def _categorical(
    name: str, kinds: Sequence[CategoricalDistribution]
) -> tuple[Parameter, list[str]]:
    choices: list[Any] = []
    notes = []
    for choice in (choice for kind in kinds for choice in kind.choices):
        if category_index(choices, choice) is None:
            choices.append(choice)
    different = [len(_distinct(kind.choices)) for kind in kinds]
    if any(n < len(kind.choices) for n, kind in zip(different, kinds, strict=True)):
        notes.append(f"{name}: a choice is listed twice; it is read as one choice")
    if len(choices) > min(different):
        notes.append(f"{name}: its choices changed during the study; read as all of them together")
    for first, second in _taken_for_equal(choices):
        notes.append(
            f"{name}: Optuna does not tell its choices {first!r} and {second!r} apart and records "
            "the one listed first; trials with either are read as they are recorded"
        )
    return CategoricalParameter(name, choices), notes


def _distinct(choices: Sequence[Any]) -> list[Any]:
    return [c for i, c in enumerate(choices) if category_index(choices, c) == i]


def _taken_for_equal(choices: Sequence[Any]) -> list[tuple[Any, Any]]:
    # `optuna.distributions.CategoricalDistribution.to_internal_repr` looks a choice up by ==
    numbers: dict[Any, Any] = {}
    pairs = []
    for choice in choices:
        if isinstance(choice, (bool, int, float)):
            if choice in numbers:
                pairs.append((numbers[choice], choice))
            numbers.setdefault(choice, choice)
    return pairs


def _int(name: str, kinds: Sequence[IntDistribution]) -> tuple[Parameter, list[str]]:
    low, high = min(kind.low for kind in kinds), max(kind.high for kind in kinds)
    log, notes = _scale(name, kinds, low)
    step = 1 if log else _common_step(kinds, low, high)
    parameter, about = whole_numbers(name, low, high, log=log, step=int(step or 1))
    return parameter, notes + about + _changed(name, kinds, low, high)


def _float(name: str, kinds: Sequence[BaseDistribution]) -> tuple[Parameter, list[str]]:
    numeric = [kind for kind in kinds if isinstance(kind, (FloatDistribution, IntDistribution))]
    low = float(min(kind.low for kind in numeric))
    high = float(max(kind.high for kind in numeric))
    log, notes = _scale(name, numeric, low)
    step = None if log else _common_step(numeric, low, high)
    if len({type(kind) for kind in numeric}) > 1:
        notes.append(f"{name}: real-valued in some trials, whole in others; read as real-valued")
    if step is None and not log and low < high and all(kind.step for kind in numeric):
        notes.append(f"{name}: its grid is so fine that it is read as continuous")
    return FloatParameter(name, low, high, log=log, step=step), notes + _changed(
        name, numeric, low, high
    )


def _scale(
    name: str, kinds: Sequence[FloatDistribution | IntDistribution], low: float
) -> tuple[bool, list[str]]:
    log = kinds[-1].log and low > 0
    if len({kind.log for kind in kinds}) == 1:
        return log, []
    scale = "logarithmic" if log else "linear"
    return log, [f"{name}: its scale changed during the study; read as {scale}"]


def _common_step(
    kinds: Sequence[FloatDistribution | IntDistribution], low: float, high: float
) -> float | None:
    """Return the coarsest step from `low` that meets the grids of all distributions."""
    steps = {kind.step for kind in kinds if kind.low < kind.high}  # one value is on any grid
    if None in steps:
        return None
    # in decimals, as Optuna adjusts a range to its step: 0.3 is three steps of 0.1
    start, common = Fraction(str(low)), Fraction(0)
    for step in steps:
        common = _gcd(common, Fraction(str(step)))
    # a range may differ from trial to trial, but few ranges begin differently
    for first in {kind.low for kind in kinds}:
        common = _gcd(common, Fraction(str(first)) - start)
    if not common or (isinstance(low, float) and (high - low) / common > _FINEST_GRID):
        return None
    return float(common)


def _gcd(a: Fraction, b: Fraction) -> Fraction:
    scale = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(int(a * scale), int(b * scale)), scale)


def _changed(
    name: str, kinds: Sequence[FloatDistribution | IntDistribution], low: float, high: float
) -> list[str]:
    ranges = {(kind.low, kind.high, kind.step) for kind in kinds}
    if len(ranges) == 1:
        return []
    return [
        f"{name}: its range changed during the study ({len(ranges)} different ones); "
        f"read as the widest, [{low:g}, {high:g}]"
    ]
