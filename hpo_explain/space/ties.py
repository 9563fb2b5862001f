"""Ties between configurations, so that what rounding leaves of sums does not decide a search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.space._values import Array

_OF_SPREAD, _OF_LARGEST = -38, -44  # powers of two: what differs by less is equal


@dataclass(frozen=True)
class Ties:
    """Which costs count as equal: of equal ones a search takes the first.

    A forest predicts the same in many ways, which differ by what rounding leaves of sums; and
    objectives that are multiplied or moved round in other places.

    Attributes
    ----------
    step : float
        Power of two to whose multiples costs are rounded; 0 where they are compared as they are.

    Examples
    --------
    >>> import numpy as np
    >>> costs = np.array([0.1 + 0.2, 0.3, 0.7, np.inf])
    >>> int(costs.argmin()), int(Ties.among(costs).settled(costs).argmin())
    (1, 0)
    """

    step: float

    @classmethod
    def among(cls, costs: Array) -> Ties:
        """Return the ties of a search, by the spread and the size of the costs it begins with."""
        known = costs[np.isfinite(costs)]
        if not known.size:
            return cls(0.0)
        spread = float(known.max() / 2.0 - known.min() / 2.0)
        largest = float(np.abs(known).max())
        return cls(max(_power(spread, _OF_SPREAD), _power(largest, _OF_LARGEST)))

    def settled(self, costs: Array) -> Array:
        """Return costs rounded; infinite ones stay so."""
        return np.asarray(np.rint(costs / self.step) * self.step) if self.step else costs


def _power(size: float, exponent: int) -> float:
    """Return 2 to an exponent, times the least power of two above a size; 0 of 0."""
    return float(np.ldexp(1.0, int(np.frexp(size)[1]) + exponent)) if size else 0.0
