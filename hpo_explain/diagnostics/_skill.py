"""How well held-out trials are predicted, with a lower limit: few trials say little.

Trials crowd where the optimizer looked, so over the whole space each counts with the share of the
space to which it is nearest (`cells`), and what is said of good trials is measured among them.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.models.protocols import HeldOut
from hpo_explain.space import Array

_DRAWS = 200
_LEVEL = 0.05  # of the one-sided limits
_LEAST = -1e6
_FEWEST = 10
_BEST = 0.3
_QUARTER = 0.25
_VALUES = 5  # different objectives that good trials must have to be put in an order


def r2_of(held_out: HeldOut, weights: Array | None = None) -> tuple[float, float]:
    """Return R² of held-out predictions, and its lower 95 % limit by a bootstrap of the trials.

    Parameters
    ----------
    held_out : HeldOut
        Observed and predicted objectives, not all the same.
    weights : ndarray of shape (n,), optional
        How much each trial counts; by default all the same.
    """
    y, n = held_out.observed, len(held_out.observed)
    unit = float(np.ptp(y))  # squares of what is tiny are 0
    centred, error = (y - y.mean()) / unit, (y - held_out.mean) / unit
    weights = np.full(n, 1.0 / n) if weights is None else weights
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1.0 / n), size=_DRAWS)
    counted = np.vstack([np.ones(n), drawn]) * weights
    total = counted.sum(axis=1)
    total = np.where(total > 0.0, total, np.nan)
    spread = counted @ centred**2 - (counted @ centred) ** 2 / total
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = 1.0 - (counted @ error**2) / np.maximum(spread, 0.0)
    # where the objectives are all the same nothing is explained
    r2 = np.maximum(np.nan_to_num(r2, nan=_LEAST, posinf=_LEAST, neginf=_LEAST), _LEAST)
    return float(r2[0]), float(np.quantile(r2[1:], _LEVEL))
