"""Ranges of a number's values, for which other hyperparameters are active."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hpo_explain.base import InputError, check_number, number, set_fields


@dataclass(frozen=True, repr=False)
class Range:
    """Values from `low` on and below `high`: ``if low <= value < high``.

    Two ranges that share an end then share no value, as the branches of an ``if`` do.

    Parameters
    ----------
    low : float, optional
        The first value; by default no value is too low.
    high : float, optional
        The first value beyond; by default no value is too high.

    Raises
    ------
    ValueError
        If an end is not a number, or the range holds no value.

    Examples
    --------
    >>> Range(high=0.5)
    Range(high=0.5)
    >>> print(Range(0.1, 0.5).of("dropout"), 0.5 in Range(0.1, 0.5))
    0.1 <= dropout < 0.5 False
    """

    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        for label, none in (("low", -math.inf), ("high", math.inf)):
            value = getattr(self, label)
            if value != none:
                value = check_number(f"{label} of Range", value)
            set_fields(self, **{label: float(value)})
        if not self.low < self.high:
            problem = f"must be above low, but was [{self.low!r}, {self.high!r}]"
            raise InputError("high of Range", problem, self.high, "Swap them.")

    def __contains__(self, value: object) -> bool:
        return self.low <= check_number("value", value) < self.high

    def __repr__(self) -> str:
        ends = {"low": self.low, "high": self.high}
        given = [f"{k}={v!r}" for k, v in ends.items() if math.isfinite(v)]
        return f"Range({', '.join(given)})"

    def of(self, name: str) -> str:
        """Return in words which values of a hyperparameter these are."""
        low = number(self.low, 6)
        high = number(self.high, 6)
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"{low} <= {name} < {high}"
        if math.isfinite(self.low):
            return f"{name} >= {low}"
        return f"{name} < {high}" if math.isfinite(self.high) else f"any {name}"

    def meets(self, low: float, high: float) -> bool:
        """Return whether some value between two others (both included) is one of these."""
        return self.low <= high and low < self.high

    def common(self, other: Range) -> Range | None:
        """Return the values that are in another range as well; None if there are none."""
        low = max(self.low, other.low)
        high = min(self.high, other.high)
        return Range(low, high) if low < high else None
