"""The scale on which SMAC's models learn a cost, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hpo_explain.space import Array

_LEAST = 1e-10  # SMAC's VERY_SMALL_NUMBER


class Scale(Protocol):
    """A scale that is learned from the costs that a model is trained on."""

    def learned(self, cost: Array) -> Scale:
        """Return the scale that SMAC learns from other costs."""
        ...

    def back(self, value: Array) -> Array:
        """Return the costs of values on the scale."""
        ...

    def __call__(self, cost: Array) -> Array:
        """Return the values of costs on the scale."""
        ...


@dataclass(frozen=True)
class Plain:
    """The cost itself."""

    def learned(self, cost: Array) -> Scale:
        """Return the same."""
        return self

    def back(self, value: Array) -> Array:
        """Return the same."""
        return value

    def __call__(self, cost: Array) -> Array:
        """Return the same."""
        return cost


@dataclass(frozen=True)
class LogScaled:
    """The logarithm of the cost as a share of its range, which begins below the least cost.

    By so much as the percentile lies above it (the 5th).

    Attributes
    ----------
    low, high : float
        The range.
    percentage : float
        The percentile.
    """

    low: float
    high: float
    percentage: float = 5.0

    @classmethod
    def of(cls, cost: Array, percentage: float) -> LogScaled:
        """Return the scale of some costs."""
        least, high = float(np.min(cost)), float(np.max(cost))
        low = least - (float(np.percentile(cost, percentage)) - least) - _LEAST
        if low == high:
            low *= 1 - 1e-10
        return cls(low, high, percentage)

    def learned(self, cost: Array) -> Scale:
        """Return the scale that SMAC learns from other costs."""
        return LogScaled.of(cost, self.percentage)

    def back(self, value: Array) -> Array:
        """Return the costs of values on the scale."""
        return np.asarray(self.low + (self.high - self.low) * np.exp(value))

    def __call__(self, cost: Array) -> Array:
        """Return the values of costs on the scale."""
        return np.asarray(np.log((cost - self.low) / (self.high - self.low)))


def scale_of(encoder: Any, cost: Array) -> Scale | None:
    """Return the scale of a run history's encoder for some costs; None for one that is not known.

    Examples
    --------
    >>> import numpy as np
    >>> cost = np.array([1.0, 2.0, 5.0])
    >>> scale = LogScaled.of(cost, 5)
    >>> np.allclose(scale.back(scale(cost)), cost)
    True
    """
    kind = type(encoder).__name__
    if kind == "RunHistoryEncoder":
        return Plain()
    if kind == "RunHistoryLogScaledEncoder":
        return LogScaled.of(cost, float(encoder._scale_percentage))
    return None
