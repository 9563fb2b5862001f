"""A real-valued hyperparameter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base.checks import check_number
from hpo_explain.base.errors import InputError
from hpo_explain.space._declaration import check_activity, check_name, check_range
from hpo_explain.space._numeric import (
    counted,
    counted_interval,
    counted_share,
    to_digits,
    to_positions,
    to_value,
)
from hpo_explain.space._values import Array

_NARROWEST = 1e-300  # whose reciprocals, in steps of a hundredth, are still numbers


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
        Distance of neighbouring values, counted from `low`; not together with `log`.
    active_when : mapping of str to list, optional
        Values of each parent (categorical or integer) for which the hyperparameter is active;
        several parents mean *and*.
    optional : float, optional
        Share of the configurations that meet `active_when` in which the hyperparameter is
        active, where no other hyperparameter explains its activity.

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
        check_name(self.name)
        for label in ("low", "high") if self.step is None else ("low", "high", "step"):
            number = check_number(f"{label} of {self.name!r}", getattr(self, label))
            object.__setattr__(self, label, number)
        check_range(self.name, self.low, self.high, self.log)
        where, ends = f"range of {self.name!r}", (self.low, self.high)
        if math.isinf(self.high - self.low):
            problem = f"is wider than any number: {list(ends)!r}"
            raise InputError(where, problem, ends, "Narrow it.")
        if 0.0 < self.high - self.low < _NARROWEST and not self.log:
            problem = f"is narrower than numbers can resolve: {list(ends)!r}"
            raise InputError(where, problem, ends, "Widen it, or give the values in another unit.")
        if self.step is not None:
            if self.log or self.step <= 0:
                problem = f"must be positive and not combined with log, but was {self.step!r}"
                remedy = "Give a positive step, or remove step or log."
                raise InputError(f"step of {self.name!r}", problem, self.step, remedy)
            # as Optuna: the largest value on the grid is the end of the range
            count = math.floor((self.high - self.low) / self.step + 1e-8)
            object.__setattr__(self, "high", self.low + count * self.step)
        check_activity(self)

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
        positions = to_positions(
            self.name, values, self.low, self.high, log=self.log, step=self.step
        )
        return self.nearest(positions)

    def decode(self, positions: Array) -> list[float]:
        """Return the values at positions."""
        values = to_value(np.asarray(positions, dtype=float), self.low, self.high, self.log)
        if self.log:  # the logarithm costs the last digit: 0.1, not 0.10000000000000002
            values = to_digits(values)
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
        return counted(u, self.size) / max(self.size - 1, 1)

    def latent_interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval of latent values that lead to positions in [low, high]."""
        if self.size is None:
            return max(low, 0.0), min(high, 1.0)
        return counted_interval(low, high, self.size)

    def share_below(self, positions: Array) -> Array:
        """Return the measure of all positions up to given ones."""
        if self.size is None:
            return np.clip(positions, 0.0, 1.0)
        return counted_share(positions, self.size)

    def grid(self) -> tuple[Array, Array] | None:
        """Return positions and measures of all values, or None where they are continuous."""
        if self.size is None:
            return None
        positions = np.arange(self.size) / max(self.size - 1, 1)
        return positions, np.full(self.size, 1.0 / self.size)
