"""A scale on which bad objectives count less: how bad they are decides nothing about the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.space import Array

_LARGEST = 700.0  # logarithm of what half a cost can be


@dataclass(frozen=True)
class LogTail:
    """Costs that are linear up to a bend, and logarithmic beyond.

    With z the cost's distance from the best one in units of the bend's, beyond the bend z becomes
    1 + log z: continuous, with a continuous derivative, strictly increasing. A Gaussian process,
    which is equally smooth everywhere, then follows the better half and not the worst trials.

    Attributes
    ----------
    best, bend : float
        Costs (smaller is better). Where they are equal the scale is linear everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> scale = LogTail(0.0, 1.0)
    >>> scale(np.array([0.5, 1.0, np.e])).tolist()
    [0.5, 1.0, 2.0]
    >>> round(float(scale.cost(np.array([2.0]))[0]), 4)
    2.7183
    """

    best: float
    bend: float

    @classmethod
    def of(cls, cost: Array) -> LogTail:
        """Return the scale of trials: it bends at their median; linear without any."""
        if not len(cost):
            return cls(0.0, 0.0)
        return cls(float(np.min(cost)), float(np.median(cost)))

    def __call__(self, cost: Array) -> Array:
        """Return costs on the scale."""
        if self.best == self.bend:
            return np.array(cost, dtype=float)
        above, unit = np.asarray(cost, dtype=float) / 2.0 - self.best / 2.0, self._half
        z = np.minimum(above, unit) / unit + np.log(np.maximum(above, unit)) - np.log(unit)
        return np.asarray(2.0 * (self.best / 2.0 + unit * z))

    def cost(self, scaled: Array) -> Array:
        """Return costs from the scale: the inverse."""
        if self.best == self.bend:
            return np.array(scaled, dtype=float)
        unit = self._half
        z = (np.asarray(scaled, dtype=float) / 2.0 - self.best / 2.0) / unit
        tail = np.exp(np.minimum(np.maximum(z, 1.0) - 1.0 + np.log(unit), _LARGEST))
        return 2.0 * (self.best / 2.0 + np.where(z <= 1.0, unit * z, tail))

    @property
    def _half(self) -> float:
        """Half the better half's extent: differences of large numbers may be beyond any number."""
        return self.bend / 2.0 - self.best / 2.0
