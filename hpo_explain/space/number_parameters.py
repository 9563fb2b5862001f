"""Real-valued and integer hyperparameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import InputError, check_number, set_fields, values_in_words
from hpo_explain.space._values import (
    MOST_LISTED,
    POSITION_TOLERANCE,
    Array,
    Ints,
    check_activity,
    check_name,
    check_range,
    counted,
    counted_interval,
    counted_share,
    to_digits,
    to_position,
    to_positions,
    to_value,
)
from hpo_explain.space.ranges import Range


@dataclass(frozen=True, eq=False)
class Listed:
    """The positions of a list of values, which all have the same measure.

    Examples
    --------
    >>> listed = Listed(np.array([0.0, 0.25, 1.0]))
    >>> listed.nearest(np.array([0.1, 0.9, np.nan])).tolist(), listed.share_below(np.array([0.5]))
    ([0.0, 1.0, nan], array([0.66666667]))
    >>> [round(end, 2) for end in listed.latent_interval(0.2, 1.0)]
    [0.33, 1.0]
    """

    positions: Array

    @classmethod
    def of(cls, parameter: FloatParameter | IntParameter) -> Listed:
        """Return those of a hyperparameter with a list of values."""
        values = np.array(parameter.values, dtype=float)
        return cls(to_position(values, parameter.low, parameter.high, parameter.log))

    def index(self, positions: Array) -> Ints:
        """Return which value is nearest to positions."""
        between = (self.positions[1:] + self.positions[:-1]) / 2.0
        return np.searchsorted(between, positions)

    def nearest(self, positions: Array) -> Array:
        """Return for each position the nearest one that stands for a value; NaN for NaN."""
        nearest = self.positions[self.index(np.nan_to_num(positions))]
        return np.where(np.isnan(positions), np.nan, nearest)

    def from_latent(self, u: Array) -> Array:
        """Return the positions that latent values lead to."""
        return self.positions[counted(u, len(self.positions))]

    def latent_interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval of latent values that lead to positions in [low, high]."""
        ends = np.array([low - POSITION_TOLERANCE, high + POSITION_TOLERANCE])
        first, last = np.searchsorted(self.positions, ends) / len(self.positions)
        return float(first), float(last)

    def share_below(self, positions: Array) -> Array:
        """Return the measure of all positions up to given ones."""
        below = np.searchsorted(self.positions, positions + POSITION_TOLERANCE)
        return below / len(self.positions)


def _set_listed(parameter: FloatParameter | IntParameter, *, has_step: bool) -> None:
    """Keep of the values of a list those in the range, and have it end at them.

    Raises
    ------
    InputError
        If there is none, or a step as well.
    """
    if parameter.values is None:
        return
    where = f"values of {parameter.name!r}"
    numbers = {check_number(where, value): value for value in parameter.values}
    inside = [numbers[n] for n in sorted(numbers) if parameter.low <= n <= parameter.high]
    if has_step or not inside:
        problem = f"must lie in the range, and not be combined with step: {parameter.values!r}"
        raise InputError(where, problem, parameter.values, "Leave one of them out.")
    set_fields(parameter, values=tuple(inside), low=inside[0], high=inside[-1])


def _encoded(parameter: FloatParameter | IntParameter, values: Iterable[Any]) -> Array:
    """Return the positions of values; raise InputError for one that the hyperparameter lacks."""
    given = list(values)
    low, high, log, step = parameter.low, parameter.high, parameter.log, parameter.step
    step = None if parameter.values else step
    positions = to_positions(parameter.name, given, low, high, log=log, step=step)
    nearest = parameter.nearest(positions)
    off = np.abs(nearest - positions) > POSITION_TOLERANCE
    if parameter.values and off.any():
        value = given[int(np.argmax(off))]
        problem = f"= {value!r} is none of its values, {values_in_words(parameter.values)}"
        raise InputError(parameter.name, problem, value, "Give one of them.")
    return nearest


# whose reciprocals, in steps of a hundredth, are still numbers
_NARROWEST = 1e-300


@dataclass(frozen=True)
class FloatParameter:
    """A real-valued hyperparameter.

    Parameters
    ----------
    name : str
        Name of the hyperparameter.
    low, high : float
        Range, ends included, in the user's units.
    log : bool, default False
        Whether the hyperparameter's scale is logarithmic.
    step : float, optional
        Distance between neighbouring values, counted from `low`. Cannot be combined with `log`.
    active_when : mapping of str to list or Range, optional
        Values of each parent for which the hyperparameter is active: a list for a categorical or
        integer parent, a :class:`Range` for a number. With several parents, all must match.
    optional : float, default 1.0
        Share of the configurations that meet `active_when` in which the hyperparameter is
        active, where no other hyperparameter explains its activity.
    part_of : str, optional
        Name of the hyperparameter in the objective, if its range depends on another
        hyperparameter. Several entries then describe it, and one of them is active at a time.
    values : sequence of float, optional
        The only values in the range that can be set, with equal weights. Cannot be combined with
        `step`.

    Raises
    ------
    ValueError
        If the range is empty, not finite, too wide or too narrow for floating-point numbers, or
        not positive on a log scale.

    Examples
    --------
    >>> lr = FloatParameter("lr", 1e-4, 1.0, log=True)
    >>> lr.encode([1e-2]).tolist(), lr.decode(lr.encode([1e-2]))
    ([0.5], [0.01])
    """

    name: str
    low: float
    high: float
    log: bool = False
    step: float | None = None
    active_when: Mapping[str, Sequence[Any] | Range] | None = None
    optional: float = 1.0
    part_of: str | None = None
    values: Sequence[float] | None = None

    is_category: ClassVar[Literal[False]] = False

    def __post_init__(self) -> None:
        check_name(self.name)
        for label in ("low", "high") if self.step is None else ("low", "high", "step"):
            number = check_number(f"{label} of {self.name!r}", getattr(self, label))
            set_fields(self, **{label: number})
        check_range(self.name, self.low, self.high, self.log)
        where = f"range of {self.name!r}"
        ends = (self.low, self.high)
        if math.isinf(self.high - self.low):
            problem = f"is wider than any number: {list(ends)!r}"
            raise InputError(where, problem, ends, "Narrow it.")
        if 0.0 < self.high - self.low < _NARROWEST and not self.log:
            problem = f"is narrower than numbers can resolve: {list(ends)!r}"
            remedy = "Widen it, or give the values in another unit."
            raise InputError(where, problem, ends, remedy)
        if self.step is not None:
            if self.log or self.step <= 0:
                problem = f"must be positive and not combined with log, but was {self.step!r}"
                remedy = "Give a positive step, or remove step or log."
                raise InputError(f"step of {self.name!r}", problem, self.step, remedy)
            # as Optuna: the largest value on the grid is the end of the range
            count = math.floor((self.high - self.low) / self.step + 1e-8)
            last = self.low + count * self.step
            # 3 * 0.2 is more than 0.6: Optuna refuses such a value
            set_fields(self, high=min(last, self.high))
        _set_listed(self, has_step=self.step is not None)
        check_activity(self)

    @property
    def size(self) -> int | None:
        """Number of values, if they can be counted."""
        if self.low == self.high:
            return 1
        if self.values:
            return len(self.values)
        if self.step is None:
            return None
        return round((self.high - self.low) / self.step) + 1

    def encode(self, values: Iterable[Any]) -> Array:
        """Return the positions of values; raise ValueError for one outside the range."""
        return _encoded(self, values)

    def decode(self, positions: Array) -> list[float]:
        """Return the values at positions."""
        if self.values:
            return [self.values[i] for i in Listed.of(self).index(positions)]
        values = to_value(positions, self.low, self.high, self.log)
        # the logarithm costs the last digit: 0.1, not 0.10000000000000002
        if self.log:
            values = to_digits(values)
        if self.step is not None and self.low != self.high:
            values = self.low + np.round((values - self.low) / self.step) * self.step
        return [float(v) for v in np.clip(values, self.low, self.high)]

    def nearest(self, positions: Array) -> Array:
        """Return for each position the nearest one that stands for a value."""
        if self.values:
            return Listed.of(self).nearest(positions)
        inside = np.clip(positions, 0.0, 1.0)
        if self.size is None:
            return inside
        return np.round(inside * (self.size - 1)) / max(self.size - 1, 1)

    def from_latent(self, u: Array) -> Array:
        """Return the positions that latent values lead to."""
        if self.values:
            return Listed.of(self).from_latent(u)
        if self.size is None:
            return np.array(u, dtype=float)
        return counted(u, self.size) / max(self.size - 1, 1)

    def latent_interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval of latent values that lead to positions in [low, high]."""
        if self.values:
            return Listed.of(self).latent_interval(low, high)
        if self.size is None:
            return max(low, 0.0), min(high, 1.0)
        return counted_interval(low, high, self.size)

    def share_below(self, positions: Array) -> Array:
        """Return the measure of all positions up to given ones."""
        if self.values:
            return Listed.of(self).share_below(positions)
        if self.size is None:
            return np.clip(positions, 0.0, 1.0)
        return counted_share(positions, self.size)

    def grid(self, most: int = MOST_LISTED) -> tuple[Array, Array] | None:
        """Return positions and measures of all values; None of more than `most`."""
        if self.size is None or self.size > most:
            return None
        positions = np.arange(self.size) / max(self.size - 1, 1)
        if self.values:
            positions = Listed.of(self).positions
        return positions, np.full(self.size, 1.0 / self.size)


LARGEST_WHOLE = 2**45
"""Beyond this, positions of neighbouring integers cannot be told apart, on a log scale as well."""


@dataclass(frozen=True)
class IntParameter:
    """An integer hyperparameter.

    All values have the same weight, unless the scale is logarithmic.

    Parameters
    ----------
    name : str
        Name of the hyperparameter.
    low, high : int
        Range, ends included, within ±2⁴⁵.
    log : bool, default False
        Whether the hyperparameter's scale is logarithmic; the value k then has the weight
        ``log((k + 1/2) / (k - 1/2))``.
    step : int, default 1
        Distance between neighbouring values, counted from `low`; 1 on a log scale.
    active_when, optional, part_of, values : optional
        As in :class:`FloatParameter`.

    Raises
    ------
    ValueError
        If the range is empty, beyond ±2⁴⁵, or not positive on a log scale.

    Examples
    --------
    >>> layers = IntParameter("layers", 1, 5)
    >>> layers.encode([1, 2, 5]).tolist(), layers.size
    ([0.0, 0.25, 1.0], 5)
    """

    name: str
    low: int
    high: int
    log: bool = False
    step: int = 1
    active_when: Mapping[str, Sequence[Any] | Range] | None = None
    optional: float = 1.0
    part_of: str | None = None
    values: Sequence[int] | None = None

    is_category: ClassVar[Literal[False]] = False

    def __post_init__(self) -> None:
        check_name(self.name)
        for label in ("low", "high", "step"):
            value = getattr(self, label)
            where = f"{label} of {self.name!r}"
            check_number(where, value)
            if value != int(value):
                problem = f"must be a whole number, but was {value!r}"
                remedy = "Round it, or use a FloatParameter."
                raise InputError(where, problem, value, remedy)
            if abs(value) > LARGEST_WHOLE:
                problem = f"must lie within ±2**45, which positions resolve, but was {value!r}"
                remedy = "Use a FloatParameter."
                raise InputError(where, problem, value, remedy)
            set_fields(self, **{label: int(value)})
        check_range(self.name, self.low, self.high, self.log)
        if self.step < 1 or (self.log and self.step != 1):
            problem = f"must be at least 1, and 1 on a log scale, but was {self.step!r}"
            where = f"step of {self.name!r}"
            raise InputError(where, problem, self.step, "Give a step of 1.")
        beyond = (self.high - self.low) % self.step
        set_fields(self, high=self.high - beyond)
        _set_listed(self, has_step=self.step != 1)
        check_activity(self)

    @property
    def size(self) -> int:
        """Number of values."""
        if self.values:
            return len(self.values)
        return (self.high - self.low) // self.step + 1

    def encode(self, values: Iterable[Any]) -> Array:
        """Return the positions of values; raise ValueError for one outside the range."""
        return _encoded(self, values)

    def decode(self, positions: Array) -> list[int]:
        """Return the values at positions."""
        return [int(code) for code in self.codes(positions)]

    def codes(self, positions: Array) -> Ints:
        """Return the values at positions as an integer array."""
        if self.values:
            return np.array(self.values, dtype=np.int64)[Listed.of(self).index(positions)]
        values = to_value(np.clip(positions, 0.0, 1.0), self.low, self.high, self.log)
        index = np.round((values - self.low) / self.step)
        return self.low + self.step * np.clip(index, 0, self.size - 1).astype(np.int64)

    def code(self, value: Any) -> int:
        """Return the code of one value; raise ValueError if there is no such value."""
        return int(self.codes(self.encode([value]))[0])

    def nearest(self, positions: Array) -> Array:
        """Return for each position the nearest one that stands for a value."""
        nearest = np.array(positions, dtype=float)
        active = ~np.isnan(nearest)  # NaN where it is inactive
        values = self.codes(nearest[active]).astype(float)
        nearest[active] = to_position(values, self.low, self.high, self.log)
        return nearest

    def from_latent(self, u: Array) -> Array:
        """Return the positions that latent values lead to."""
        if self.values:
            return Listed.of(self).from_latent(u)
        if not self.log:
            index = counted(u, self.size)
            return index / max(self.size - 1, 1)
        # the latent range is padded by half a step, so that k covers [k - 1/2, k + 1/2)
        padded = to_value(u, self.low - 0.5, self.high + 0.5, True)
        values = np.clip(np.floor(padded + 0.5), self.low, self.high)
        return to_position(values, self.low, self.high, True)

    def latent_interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval of latent values that lead to positions in [low, high]."""
        if self.values:
            return Listed.of(self).latent_interval(low, high)
        if not self.log:
            return counted_interval(low, high, self.size)
        ends = np.clip([low, high], 0.0, 1.0)
        ends += [-POSITION_TOLERANCE, POSITION_TOLERANCE]
        first, last = to_value(ends, self.low, self.high, True)
        edges = np.array([np.ceil(first) - 0.5, np.floor(last) + 0.5])
        start, end = to_position(edges, self.low - 0.5, self.high + 0.5, True)
        return float(start), float(end)

    def share_below(self, positions: Array) -> Array:
        """Return the measure of all positions up to given ones."""
        if self.values:
            return Listed.of(self).share_below(positions)
        if not self.log:
            return counted_share(positions, self.size)
        last = np.floor(to_value(positions, self.low, self.high, True) * (1.0 + 1e-12))
        # a single value is at every position, but not below the range
        last = np.where(positions < 0.0, self.low - 1, last)
        edges = np.clip(last, self.low - 1, self.high) + 0.5
        return np.clip(to_position(edges, self.low - 0.5, self.high + 0.5, True), 0.0, 1.0)

    def grid(self, most: int = MOST_LISTED) -> tuple[Array, Array] | None:
        """Return positions and measures of all values; None of more than `most`."""
        if self.size > most:
            return None
        values = np.arange(self.low, self.high + 1, self.step, dtype=float)
        if self.values:
            values = np.array(self.values, dtype=float)
        positions = to_position(values, self.low, self.high, self.log)
        if self.values or not self.log:
            return positions, np.full(self.size, 1.0 / self.size)
        weights = np.log((values + 0.5) / (values - 0.5))
        return positions, weights / weights.sum()
