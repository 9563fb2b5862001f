"""Which trials diverged, so that they must not decide what a surrogate learns."""

from __future__ import annotations

import math

import numpy as np

from hpo_explain.base import ROUNDING
from hpo_explain.space import Array, Bools, SearchSpace, gower_distances, size_of

_ISOLATED = 100.0  # see `diverged_above`
_TAILS = ((0.9, 20.0), (0.75, 100.0))
# share of the different costs that lie below those that diverged
_OTHERS = 2.0 / 3.0
_OTHERS_OF_DESIGN = 1.0 / 2.0
_FEWEST = 4  # different costs; fewer have no scale
_LEADING = 2  # trials; the first alone may be an accident
_GAP = 10.0  # between those that diverged and the others, where it is not known who chose them
_DESIGN = 10  # trials that a space-filling part has at least
_ROUNDED = 2.0**-46  # of a cost: what rounding leaves of means
LARGEST = 1e150
"""Objectives beyond count as that for fitting, so that sums of their squares stay finite."""


def diverged_above(cost: Array, space_filling: Bools | None = None) -> float:
    """Return the cost above which trials count as diverged (infinity if none does).

    Two rules, of which the lower bound holds; costs that occur more than once count once, so that
    a plateau is not taken for a scale. *Tail*: a cost further above the median than 20 times the
    distance from the median to the 90 % quantile, or 100 times that to the 75 % quantile (where
    more than a tenth diverged). *Isolation*: in sorted order, a cost in the
    worst third whose distance from the best is more than 100 times that of the one before it.

    Trials that an optimizer chose crowd around what is good, and beside them any other trial looks
    isolated. So the rules are asked of the space-filling trials as well, and the higher of the two
    bounds counts. Isolated are costs there in the worse half of them and of all trials that are
    worse than they are.

    Diverged trials are winsorized for fitting: they keep their place as the worst, at the bound of
    the tail rule, or at twice the range of the others. Whatever the others are, a cost above 1e150
    counts as that, to avoid overflow.

    Parameters
    ----------
    cost : ndarray of shape (n,)
        Finite costs (smaller is better).
    space_filling : ndarray of bool, shape (n,), optional
        Which trials are spread over the space, as by :func:`space_filling_part`; by default all.

    Returns
    -------
    float
        The bound, in units of `cost`; costs above it are set to it.

    Examples
    --------
    >>> import numpy as np
    >>> diverged_above(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 1e6]))  # 0.1 + 2 (0.5 - 0.1)
    0.9

    Six random trials, then twelve near the optimum:

    >>> cost = np.concatenate([[30.0, 45.0, 80.0, 55.0, 10.0, 25.0], 0.01 / np.arange(1.0, 13.0)])
    >>> diverged_above(cost), diverged_above(cost, np.arange(18) < 6)
    (0.02, inf)
    """
    beyond = LARGEST if (cost > LARGEST).any() else math.inf
    clipped = np.clip(cost, -LARGEST, LARGEST)
    bound = min(_tail(clipped), _isolation(clipped, _OTHERS))
    if space_filling is not None and len(_different(clipped[space_filling])) >= _FEWEST:
        spread = clipped[space_filling]
        worse = clipped[~space_filling & (clipped > spread.max())]
        joined = np.concatenate([spread, worse])
        bound = max(bound, min(_tail(spread), _isolation(joined, _OTHERS_OF_DESIGN)))
    bound = min(bound, beyond)
    return bound if bound < np.max(cost, initial=-math.inf) else math.inf


def converged(cost: Array, bound: float) -> bool:
    """Return whether costs above a bound are those of a run that converged.

    What diverges does so here and there, and far beyond the others. The first trials of a run that
    converges are worse than the later ones as well, but they lead it: its beginning holds most of
    them and hardly another one. Or there is no gap: the others reach up to a tenth of them.

    Parameters
    ----------
    cost : ndarray of shape (n,)
        Costs, in the order of the trials.
    bound : float
        The bound, as of :func:`diverged_above`.

    Examples
    --------
    >>> cost = np.random.default_rng(0).random(40)
    >>> early, anywhere = cost.copy(), cost.copy()
    >>> early[:6], anywhere[4::10] = 1e4, 1e4
    >>> converged(early, 10.0), converged(anywhere, 10.0)
    (True, False)
    """
    above = cost > bound
    if not above.any():
        return False
    near = cost[~above].max() - cost.min()
    far = cost[above].min() - cost.min()
    return _leads(above) or bool(far < _GAP * near)


def _leads(chosen: Bools) -> bool:
    """Return whether a run begins with most of the chosen trials, and hardly another one."""
    places = np.flatnonzero(chosen)
    if len(places) < _LEADING:
        return False
    most = len(places) // 2 + 1
    return bool(most > _OTHERS * (places[most - 1] + 1))


def same_cost(one: Array, other: Array | float, among: Array) -> Bools:
    """Return whether costs differ by rounding only, or by nothing beside those of a run.

    What is much is asked of the distance from the best cost of the run to its median, or to the
    first one beyond that is not as good: neither the unit nor the zero of the objective counts.

    Parameters
    ----------
    one, other : ndarray of shape (k,)
        Costs to compare.
    among : ndarray of shape (n,)
        The costs of the run.

    Examples
    --------
    >>> import numpy as np
    >>> among = np.array([0.3, 0.1 + 0.2, 0.8, 0.9])
    >>> same_cost(among[:2], 0.3, among).tolist()
    [True, True]
    >>> same_cost(1e6 + np.array([0.3, 0.301]), 1e6 + 0.3, 1e6 + among).tolist()
    [True, False]
    """
    power = -int(np.frexp(np.max(np.abs(among)))[1])  # no difference overflows
    one = np.ldexp(one, power)
    other = np.ldexp(other, power)
    ordered = np.ldexp(np.sort(among), power)
    distances = ordered[len(ordered) // 2 :] - ordered[0]
    far = distances[distances > _ROUNDED * max(abs(ordered[0]), size_of(ordered))]
    slack = ROUNDING * (float(far[0]) if len(far) else 0.0)
    rounded = _ROUNDED * np.maximum(np.abs(one), np.abs(other))
    return np.abs(one - other) <= np.maximum(slack, rounded)


def _different(cost: Array) -> Array:
    """Return the different costs in ascending order."""
    if not len(cost):
        return cost
    ordered = np.sort(cost)
    apart = ~same_cost(ordered[:-1], ordered[1:], ordered)
    return ordered[np.concatenate([[True], apart])]


def _tail(cost: Array) -> float:
    """Return the bound of the tail rule; infinity where there are too few costs."""
    ordered = _different(cost)
    last = len(ordered) - 1
    if len(ordered) < _FEWEST:
        return math.inf
    median = float(ordered[last // 2])
    tails = (times * float(ordered[int(q * last)] - median) for q, times in _TAILS)
    return median + min(tail for tail in tails if tail > 0.0)


def _isolation(cost: Array, others: float) -> float:
    """Return the bound of the isolation rule, with at least a share `others` of costs below."""
    ordered = _different(cost)
    if len(ordered) < _FEWEST:
        return math.inf
    above_best = ordered - ordered[0]
    worse = above_best[math.ceil(others * len(ordered)) - 1 :]
    isolated = np.flatnonzero((worse[:-1] > 0) & (worse[1:] > _ISOLATED * worse[:-1]))
    return float(ordered[0] + 2.0 * worse[isolated[0]]) if len(isolated) else math.inf


def winsorized(cost: Array, bound: float) -> Array:
    """Return costs as surrogates learn them: those above a bound count as that.

    A cost below -1e150 counts as that.
    """
    return np.clip(cost, -LARGEST, bound)


def space_filling_part(space: SearchSpace, X: Array, by_model: Bools) -> Bools:
    """Return which trials are spread over the space: those that no model chose.

    Where fewer than ten are, the trials furthest from all of them join, one after the other, until
    there are ten. Where a model chose all, it begins with the first.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        Encoded configurations, in the order of the trials.
    by_model : ndarray of bool, shape (n,)
        Which of them the optimizer's model chose.

    Returns
    -------
    ndarray of bool, shape (n,)
        Whether each trial belongs to the space-filling part.

    References
    ----------
    .. [1] Gonzalez, T. F. (1985). Clustering to minimize the maximum intercluster distance.
       Theoretical Computer Science 38, 293-306 (the furthest point first).

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.concatenate([np.linspace(0.0, 1.0, 9), np.linspace(0.501, 0.51, 10)])[:, None]
    >>> np.flatnonzero(space_filling_part(space, X, np.ones(19, dtype=bool))).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 18]
    """
    chosen = ~by_model
    if len(X) <= _DESIGN:
        return np.ones(len(X), dtype=bool)
    if not chosen.any():
        chosen = np.arange(len(X)) == 0
    nearest = np.full(len(X), np.inf)
    if chosen.sum() < _DESIGN:
        nearest = gower_distances(space, X, X[chosen]).min(axis=1)
    while chosen.sum() < _DESIGN:
        furthest = int(np.argmax(np.where(chosen, -1.0, nearest)))
        chosen[furthest] = True
        nearest = np.minimum(nearest, gower_distances(space, X, X[[furthest]])[:, 0])
    return chosen
