"""How well held-out trials are predicted, with a lower limit: few trials say little.

Trials crowd where the optimizer looked, so over the whole space each counts with the share of the
space to which it is nearest (`cells`), and what is said of good trials is measured among them.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.base.numbers import ONE_SIDED_95
from hpo_explain.models.protocols import HeldOut
from hpo_explain.space import Array, Bools

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


def good_trials(cost: Array, predicted: Array | None = None) -> Bools:
    """Return which trials are good: the best 30 %, at least ten, and what belongs to them.

    To them belong all trials that are as good as the best quarter of the space is predicted to be
    (a run that converged has many), and trials up to the fifth best different cost, as equal ones
    cannot be put in an order.

    Parameters
    ----------
    cost : ndarray of shape (n,)
        Observed costs, smaller is better.
    predicted : ndarray, optional
        Predicted costs of configurations spread evenly over the space.
    """
    ordered, different = np.sort(cost), np.unique(cost)
    count = min(len(cost), max(_FEWEST, int(np.ceil(_BEST * len(cost)))))
    bound = max(ordered[count - 1], different[min(_VALUES, len(different)) - 1])
    if predicted is not None:
        bound = max(bound, float(np.quantile(predicted, _QUARTER)))
    return np.asarray(cost <= bound)


def rank_correlation(observed: Array, predicted: Array) -> tuple[float, float]:
    """Return Spearman's rank correlation, and its lower 95 % limit by Fisher's transformation.

    Both are 0 and below where the objectives or predictions are all the same.

    References
    ----------
    .. [1] Fieller, E. C., Hartley, H. O. and Pearson, E. S. (1957). Tests for rank correlation
       coefficients. I. Biometrika 44. The variance is 1.06 / (n - 3).
    """
    from scipy.stats import spearmanr

    n = len(observed)
    if n < 4 or np.ptp(observed) == 0.0 or np.ptp(predicted) == 0.0:
        return 0.0, -1.0
    rho = float(spearmanr(observed, predicted).statistic)
    return rho, limit_of_rank(rho, n)


def limit_of_rank(rho: float, n: int) -> float:
    """Return the lower 95 % limit of a rank correlation of n trials."""
    if n < 4:
        return -1.0
    error = ONE_SIDED_95 * np.sqrt(1.06 / (n - 3))
    return float(np.tanh(np.arctanh(np.clip(rho, -0.999999, 0.999999)) - error))


def two_groups(cost: Array) -> tuple[Bools, float]:
    """Return the better of the two groups into which costs fall best, and how much that explains.

    The share of the variance that lies between the two groups; the split is the best of all.

    References
    ----------
    .. [1] Otsu, N. (1979). A threshold selection method from gray-level histograms. IEEE
       Transactions on Systems, Man, and Cybernetics 9.
    """
    ordered = np.sort(cost)
    n = len(cost)
    z = (ordered - ordered[0]) / (ordered[-1] - ordered[0] or 1.0)  # squares stay finite
    z = (z - z.mean()) / (z.std() or 1.0)
    below = np.arange(1, n)
    between = np.cumsum(z)[:-1] ** 2 / (below * (n - below))
    between = np.where(np.diff(ordered) > 0.0, between, 0.0)  # equal costs are not parted
    at = int(np.argmax(between))
    return np.asarray(cost <= ordered[at]), float(between[at])
