"""One hyperparameter: its values, its encoded position, and its share of the measure.

=============  =======================================================================
symbol         meaning
=============  =======================================================================
value          what the user sees: a float, an int, or one of the choices
position       the encoded value: in [0, 1] on the hyperparameter's own scale (log where
               it is log), or the index of the category
latent u       uniform on [0, 1); `from_latent` maps it to a position, so that the
               measure of a set of positions is the length of the u that lead there
code           whole number that identifies a value of a categorical or integer
               hyperparameter, for conditions: category index, or the integer itself
=============  =======================================================================
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_fraction, check_number

Array: TypeAlias = npt.NDArray[np.float64]
Config: TypeAlias = Mapping[str, Any]

LARGEST_WHOLE = 2**45
"""Integers beyond have positions, also on a log scale, that do not tell neighbours apart."""

_ON_GRID = 1e-6  # of a step: values that storages and tables round are still on their grid
ON_POSITION = 1e-9  # positions that were only rounded are still on their grid
_ROUNDED = 1e-9  # of a range: values that storages and tables round are still within it
_NARROWEST = 1e-300  # whose reciprocals, in steps of a hundredth, are still numbers


def _plain(value: Any) -> Any:
    """Return the Python value of a numpy scalar, and a list for an array, also inside of lists."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    return value


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, bool) != isinstance(second, bool):
        return False  # True == 1 in Python, but they are two choices
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        # a JSON storage turns tuples into lists
        return len(first) == len(second) and all(map(_same, first, second))
    try:
        return bool(first == second) or (first != first and second != second)
    except (TypeError, ValueError):
        return False


def category_index(choices: Sequence[Any], value: Any) -> int | None:
    """Return the index of `value` among `choices`: by type first, then by equality; None if absent.

    Parameters
    ----------
    choices : sequence
        The choices, of any type.
    value : object
        The value looked for.

    Returns
    -------
    int or None
        The index of the choice that equals `value`; ``True`` is not 1.

    Examples
    --------
    >>> category_index([1, True, "1"], True), category_index([1, 2.0], 2)
    (1, 1)
    """
    plain = _plain(value)
    matches = [i for i, choice in enumerate(choices) if _same(_plain(choice), plain)]
    exact = [i for i in matches if type(_plain(choices[i])) is type(plain)]
    found = exact or matches
    return found[0] if found else None


def _clean_conditions(
    name: str, active_when: Mapping[str, Iterable[Any]] | None
) -> dict[str, tuple[Any, ...]]:
    if not isinstance(active_when, Mapping | None):
        raise ValueError(
            f"active_when of {name!r} must map parents to lists of values, but was "
            f"{active_when!r}. Write {{parent: [value, ...]}}."
        )
    clean = {}
    for parent, values in (active_when or {}).items():
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise ValueError(
                f"active_when of {name!r} must give a list of values of {parent!r}, "
                f"but was {values!r}. Write {{{parent!r}: [{values!r}]}}."
            )
        clean[parent] = tuple(values)
        if not clean[parent]:
            raise ValueError(
                f"active_when of {name!r} lists no value of {parent!r}: it would never be active."
            )
    return clean


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise ValueError(f"name of a hyperparameter must be a non-empty text, but was {name!r}.")


def _check_range(name: str, low: float, high: float, log: bool) -> None:
    if low > high:
        raise ValueError(
            f"low of {name!r} must not be above high, but was [{low!r}, {high!r}]. Swap them."
        )
    if log and low <= 0:
        raise ValueError(
            f"low of {name!r} must be above 0 on a log scale, but was {low!r}. "
            "Raise low, or set log=False."
        )


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
        Whether the hyperparameter's own scale is logarithmic.
    step : float, optional
        Distance of neighbouring values, counted from `low`; not together with `log`.
    active_when : mapping of str to list, optional
        Values of each parent (categorical or integer) for which the hyperparameter is active;
        several parents mean *and*.
    optional : float, optional
        Share of the configurations, among those that meet `active_when`, in which the
        hyperparameter is active for no reason that another one explains.

    Raises
    ------
    ValueError
        If the range is empty, not finite, wider than any number, narrower than numbers can
        resolve, or not positive on a log scale.

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
    active_when: Mapping[str, Sequence[Any]] | None = None
    optional: float | None = None

    def __post_init__(self) -> None:
        _check_name(self.name)
        for label in ("low", "high") if self.step is None else ("low", "high", "step"):
            number = check_number(f"{label} of {self.name!r}", getattr(self, label))
            object.__setattr__(self, label, number)
        _check_range(self.name, self.low, self.high, self.log)
        if math.isinf(self.high - self.low):
            raise ValueError(
                f"range of {self.name!r} is wider than any number: [{self.low!r}, {self.high!r}]. "
                "Narrow it."
            )
        if 0.0 < self.high - self.low < _NARROWEST and not self.log:
            raise ValueError(
                f"range of {self.name!r} is narrower than numbers can resolve: "
                f"[{self.low!r}, {self.high!r}]. Widen it, or give the values in another unit."
            )
        if self.optional is not None:
            check_fraction(f"optional of {self.name!r}", self.optional)
        if self.step is not None:
            if self.log or self.step <= 0:
                raise ValueError(
                    f"step of {self.name!r} must be positive and not combined with log, "
                    f"but was {self.step!r}. Remove one of them."
                )
            # as Optuna: the largest value on the grid is the end of the range
            count = math.floor((self.high - self.low) / self.step + 1e-8)
            object.__setattr__(self, "high", self.low + count * self.step)
        object.__setattr__(self, "active_when", _clean_conditions(self.name, self.active_when))

    @property
    def size(self) -> int | None:
        """Number of values, or None where they are continuous."""
        if self.low == self.high:
            return 1
        if self.step is None:
            return None
        return round((self.high - self.low) / self.step) + 1

    def encode(self, values: Iterable[Any]) -> Array:
        """Return the positions of values; raise ValueError for one outside the range."""
        return _encode_numbers(self, values)

    def decode(self, positions: Array) -> list[float]:
        """Return the values at positions, in the user's units."""
        values = _to_value(np.asarray(positions, dtype=float), self.low, self.high, self.log)
        if self.step is not None and self.low != self.high:
            values = self.low + np.round((values - self.low) / self.step) * self.step
        return [float(v) for v in np.clip(values, self.low, self.high)]

    def nearest(self, positions: Array) -> Array:
        """Return for each position the nearest one that stands for a value."""
        inside = np.clip(positions, 0.0, 1.0)
        if self.size is None:
            return inside
        return np.round(inside * (self.size - 1)) / max(self.size - 1, 1)

    def from_latent(self, u: Array) -> Array:
        """Return the positions that latent values lead to."""
        if self.size is None:
            return np.array(u, dtype=float)
        return _counted(u, self.size) / max(self.size - 1, 1)

    def latent_interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval of latent values that lead to positions in [low, high]."""
        if self.size is None:
            return max(low, 0.0), min(high, 1.0)
        return _counted_interval(low, high, self.size)

    def share_below(self, positions: Array) -> Array:
        """Return the measure of all positions up to given ones."""
        if self.size is None:
            return np.clip(positions, 0.0, 1.0)
        return _counted_share(positions, self.size)

    def grid(self) -> tuple[Array, Array] | None:
        """Return positions and measures of all values, or None where they are continuous."""
        if self.size is None:
            return None
        positions = np.arange(self.size) / max(self.size - 1, 1)
        return positions, np.full(self.size, 1.0 / self.size)


@dataclass(frozen=True)
class IntParameter:
    """A whole-numbered hyperparameter, counted: every value weighs the same, or by its log share.

    Parameters
    ----------
    name : str
        Name of the hyperparameter.
    low, high : int
        Range, ends included, within ±2⁴⁵.
    log : bool, default False
        Whether the hyperparameter's own scale is logarithmic; the value k then weighs
        ``log((k + 1/2) / (k - 1/2))``.
    step : int, default 1
        Distance of neighbouring values, counted from `low`; 1 on a log scale.
    active_when, optional
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
    active_when: Mapping[str, Sequence[Any]] | None = None
    optional: float | None = None

    def __post_init__(self) -> None:
        _check_name(self.name)
        for label in ("low", "high", "step"):
            given = getattr(self, label)
            check_number(f"{label} of {self.name!r}", given)
            if given != int(given):
                raise ValueError(
                    f"{label} of {self.name!r} must be a whole number, but was {given!r}."
                )
            object.__setattr__(self, label, int(given))
            if abs(int(given)) > LARGEST_WHOLE:
                raise ValueError(
                    f"{label} of {self.name!r} must lie within ±2**45, beyond which positions do "
                    f"not tell integers apart, but was {given!r}. Use a FloatParameter."
                )
        _check_range(self.name, self.low, self.high, self.log)
        if self.step < 1 or (self.log and self.step != 1):
            raise ValueError(
                f"step of {self.name!r} must be at least 1, and 1 on a log scale, "
                f"but was {self.step!r}."
            )
        if self.optional is not None:
            check_fraction(f"optional of {self.name!r}", self.optional)
        object.__setattr__(self, "high", self.high - (self.high - self.low) % self.step)
        object.__setattr__(self, "active_when", _clean_conditions(self.name, self.active_when))

    @property
    def size(self) -> int:
        """Number of values."""
        return (self.high - self.low) // self.step + 1

    def encode(self, values: Iterable[Any]) -> Array:
        """Return the positions of values; raise ValueError for one outside the range."""
        return _encode_numbers(self, values)

    def decode(self, positions: Array) -> list[int]:
        """Return the values at positions."""
        return [int(code) for code in self.codes(positions)]

    def codes(self, positions: Array) -> npt.NDArray[np.int64]:
        """Return the values at positions as an integer array."""
        values = _to_value(np.clip(positions, 0.0, 1.0), self.low, self.high, self.log)
        index = np.round((values - self.low) / self.step)
        return self.low + self.step * np.clip(index, 0, self.size - 1).astype(np.int64)

    def code(self, value: Any) -> int:
        """Return the code of one value; raise ValueError if there is no such value."""
        return int(self.codes(self.encode([value]))[0])

    def nearest(self, positions: Array) -> Array:
        """Return for each position the nearest one that stands for a value."""
        values = self.codes(positions).astype(float)
        return _to_position(values, self.low, self.high, self.log)

    def from_latent(self, u: Array) -> Array:
        """Return the positions that latent values lead to."""
        if not self.log:
            index = _counted(u, self.size)
            return index / max(self.size - 1, 1)
        # the latent range is padded by half a step, so that k covers [k - 1/2, k + 1/2)
        padded = _to_value(np.asarray(u, dtype=float), self.low - 0.5, self.high + 0.5, True)
        values = np.clip(np.floor(padded + 0.5), self.low, self.high)
        return _to_position(values, self.low, self.high, True)

    def latent_interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval of latent values that lead to positions in [low, high]."""
        if not self.log:
            return _counted_interval(low, high, self.size)
        ends = np.clip([low - ON_POSITION, high + ON_POSITION], 0.0, 1.0)
        first, last = _to_value(ends, self.low, self.high, True)
        edges = np.array([np.ceil(first) - 0.5, np.floor(last) + 0.5])
        start, end = _to_position(edges, self.low - 0.5, self.high + 0.5, True)
        return float(start), float(end)

    def share_below(self, positions: Array) -> Array:
        """Return the measure of all positions up to given ones."""
        if not self.log:
            return _counted_share(positions, self.size)
        last = np.floor(_to_value(positions, self.low, self.high, True) * (1.0 + 1e-12))
        # a single value is at every position, but not below the range
        last = np.where(np.asarray(positions) < 0.0, self.low - 1, last)
        edges = np.clip(last, self.low - 1, self.high) + 0.5
        return np.clip(_to_position(edges, self.low - 0.5, self.high + 0.5, True), 0.0, 1.0)

    def grid(self) -> tuple[Array, Array]:
        """Return positions and measures of all values."""
        values = np.arange(self.low, self.high + 1, self.step, dtype=float)
        positions = _to_position(values, self.low, self.high, self.log)
        if not self.log:
            return positions, np.full(self.size, 1.0 / self.size)
        weights = np.log((values + 0.5) / (values - 0.5))
        return positions, weights / weights.sum()


@dataclass(frozen=True)
class CategoricalParameter:
    """A hyperparameter with unordered choices, every one of the same weight.

    Parameters
    ----------
    name : str
        Name of the hyperparameter.
    choices : sequence
        The choices, of any type; they are told apart by type, then by equality
        (``True`` is not 1).
    active_when, optional
        As in :class:`FloatParameter`.

    Raises
    ------
    ValueError
        If there is no choice, or one choice is given twice.

    Examples
    --------
    >>> booster = CategoricalParameter("booster", ["gbtree", "dart", "gblinear"])
    >>> booster.encode(["dart"]).tolist()
    [1.0]
    """

    name: str
    choices: Sequence[Any]
    active_when: Mapping[str, Sequence[Any]] | None = None
    optional: float | None = None

    def __post_init__(self) -> None:
        _check_name(self.name)
        if isinstance(self.choices, (str, bytes)) or not isinstance(self.choices, Iterable):
            raise ValueError(
                f"choices of {self.name!r} must be a list of choices, but was {self.choices!r}."
            )
        choices = tuple(_plain(choice) for choice in self.choices)
        object.__setattr__(self, "choices", choices)
        if not choices:
            raise ValueError(f"choices of {self.name!r} is empty. Give at least one choice.")
        for i, choice in enumerate(choices):
            if category_index(choices, choice) != i:
                raise ValueError(f"choices of {self.name!r} contains {choice!r} twice.")
        if self.optional is not None:
            check_fraction(f"optional of {self.name!r}", self.optional)
        object.__setattr__(self, "active_when", _clean_conditions(self.name, self.active_when))

    @property
    def size(self) -> int:
        """Number of choices."""
        return len(self.choices)

    def encode(self, values: Iterable[Any]) -> Array:
        """Return the indices of values among the choices; raise ValueError for an unknown one."""
        known = {}  # a frame of 100,000 rows has few distinct values
        for index, choice in enumerate(self.choices):
            if isinstance(choice, str):
                known[choice] = index
        return np.array(
            [known[v] if type(v) is str and v in known else self.code(v) for v in values],
            dtype=float,
        )

    def decode(self, positions: Array) -> list[Any]:
        """Return the choices at positions (their indices)."""
        return [self.choices[code] for code in self.codes(positions)]

    def codes(self, positions: Array) -> npt.NDArray[np.int64]:
        """Return the indices at positions as an integer array."""
        return self.nearest(positions).astype(np.int64)

    def nearest(self, positions: Array) -> Array:
        """Return for each position the nearest one that stands for a choice."""
        return np.clip(np.round(np.asarray(positions, dtype=float)), 0, self.size - 1)

    def code(self, value: Any) -> int:
        """Return the index of one value; raise ValueError if there is no such choice."""
        index = category_index(self.choices, value)
        if index is None:
            raise ValueError(
                f"{self.name} = {value!r} is not one of its choices {list(self.choices)!r}."
            )
        return index

    def from_latent(self, u: Array) -> Array:
        """Return the indices that latent values lead to."""
        return _counted(u, self.size).astype(float)

    def latent_interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval of latent values that lead to indices in [low, high]."""
        first, last = np.ceil(low - ON_POSITION), np.floor(high + ON_POSITION)
        return float(first / self.size), float((last + 1.0) / self.size)

    def share_below(self, positions: Array) -> Array:
        """Return the measure of all indices up to given ones."""
        return np.clip(np.floor(np.asarray(positions) + 1e-9) + 1.0, 0, self.size) / self.size

    def grid(self) -> tuple[Array, Array]:
        """Return indices and measures of all choices."""
        return np.arange(self.size, dtype=float), np.full(self.size, 1.0 / self.size)


Parameter: TypeAlias = FloatParameter | IntParameter | CategoricalParameter


def _counted(u: Array, size: int) -> npt.NDArray[np.int64]:
    return np.minimum((np.asarray(u) * size).astype(np.int64), size - 1)


def _counted_share(positions: Array, size: int) -> Array:
    index = np.floor(np.asarray(positions) * max(size - 1, 1) + 1e-9)
    return np.clip(index + 1.0, 0.0, size) / size


def _counted_interval(low: float, high: float, size: int) -> tuple[float, float]:
    first = math.ceil((max(low, 0.0) - ON_POSITION) * (size - 1))
    last = math.floor((min(high, 1.0) + ON_POSITION) * (size - 1))
    return first / size, (last + 1) / size


def _to_position(values: Array, low: float, high: float, log: bool) -> Array:
    if low == high:
        return np.zeros_like(values)
    if log:
        low, high, values = math.log(low), math.log(high), np.log(values)
    return np.asarray((values - low) / (high - low), dtype=float)


def _to_value(positions: Array, low: float, high: float, log: bool) -> Array:
    if log:
        return np.exp(math.log(low) + positions * (math.log(high) - math.log(low)))
    return low + positions * (high - low)


def _encode_numbers(parameter: FloatParameter | IntParameter, values: Iterable[Any]) -> Array:
    given = list(values)
    name, low, high = parameter.name, parameter.low, parameter.high
    numbers = np.array([_number(name, value, low, high) for value in given], dtype=float)
    below, above = _slack(parameter)
    outside = ~((numbers >= low - below) & (numbers <= high + above))
    if outside.any():
        value = given[int(np.flatnonzero(outside)[0])]
        raise ValueError(
            f"{name} = {value!r} is outside its range [{low}, {high}]. "
            "Correct the value, or widen the range in the space."
        )
    numbers = np.clip(numbers, low, high)
    if parameter.step is not None and low != high:
        steps = (numbers - low) / parameter.step
        off = np.abs(steps - np.round(steps)) > _ON_GRID
        if off.any():
            value = given[int(np.flatnonzero(off)[0])]
            raise ValueError(
                f"{name} = {value!r} is not on its grid {low}, {low + parameter.step}, ..., "
                f"{high}. Round the value, or change step in the space."
            )
        numbers = low + np.round(steps) * parameter.step
    return parameter.nearest(_to_position(numbers, low, high, parameter.log))


def _number(name: str, value: Any, low: float, high: float) -> float:
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{name} = {value!r} is not a number. Give one in [{low}, {high}]."
        ) from None


def _slack(parameter: FloatParameter | IntParameter) -> tuple[float, float]:
    """Return how far below and above its range a value that was only rounded may lie."""
    low, high = parameter.low, parameter.high
    if parameter.step is not None:
        return _ON_GRID * parameter.step, _ON_GRID * parameter.step
    if parameter.log:
        return _ROUNDED * low, _ROUNDED * high
    span = (high - low) or abs(low)
    # not less than the values themselves are resolved
    slack = max(_ROUNDED * span, 4.0 * float(np.spacing(max(abs(low), abs(high)))))
    return slack, slack
