"""Whether trials near a value are good more often than by chance: a permutation test.

TPE's own densities cannot tell: of few good trials some are near any value it proposes, because it
proposes values near good trials, and a run that converges is better late, whatever the values of
hyperparameters that do not matter. So labels are permuted within blocks of trials made one after
the other. A bootstrap of good and other trials called twice as many values common that are not.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array, CategoricalParameter, SearchSpace

GOOD = 0.25  # of the trials
_NEAR = 0.1  # of a hyperparameter's scale: the std of the weights
_BLOCK = 8  # trials
_PERMUTATIONS = 999


def near_good(space: SearchSpace, tried: Array, costs: Array, x: Array, *, seed: int = 0) -> Array:
    """Return how probable it is by chance that trials near each value are as often good.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    tried : ndarray of shape (n, d)
        Encoded configurations of the trials known, in their order.
    costs : ndarray of shape (n,)
        Their costs; NaN counts as the worst.
    x : ndarray of shape (d,)
        Encoded values; NaN where inactive.
    seed : int, default 0
        Seed of the permutations.

    Returns
    -------
    ndarray of shape (d, 2)
        One-sided p-values: that they are good as often or more often, and as often or more rarely;
        1 where the value is inactive.

    References
    ----------
    .. [1] Good, P. (2005). Permutation, parametric and bootstrap tests of hypotheses. Springer.
       Restricted permutations.
    """
    found = np.ones((len(space), 2))
    costs = np.where(np.isnan(costs), np.inf, costs)
    active = ~np.isnan(tried)
    # those that are active in the same trials share the permutations
    groups: dict[bytes, list[int]] = {}
    there = ~np.isnan(x) & (active.sum(axis=0) >= 2)
    places = {j: place for place, j in enumerate(space.order.tolist())}
    for j in (j for j in places if there[j]):
        groups.setdefault(active[:, j].tobytes(), []).append(j)
    for columns in groups.values():
        rows = active[:, columns[0]]
        weights = _nearness(space, tried[rows][:, columns], x, columns)
        good = _good(costs[rows])
        observed = good @ weights
        drawn = _permuted(good, np.random.default_rng([seed, places[columns[0]]])) @ weights
        slack = 1e-9
        more = (drawn >= observed - slack).sum(axis=0)
        less = (drawn <= observed + slack).sum(axis=0)
        found[columns] = (1.0 + np.column_stack([more, less])) / (_PERMUTATIONS + 1.0)
    return found


def _nearness(space: SearchSpace, values: Array, x: Array, columns: list[int]) -> Array:
    """Return how near trials are to each value, (n, number of columns), at most 1."""
    near = np.exp(-0.5 * ((values - x[columns]) / _NEAR) ** 2)
    categorical = [isinstance(space.parameters[j], CategoricalParameter) for j in columns]
    return np.where(categorical, values == x[columns], near)


def _good(costs: Array) -> Array:
    """Return which trials are among the best quarter, less the mean of their block."""
    rank = np.argsort(np.argsort(costs, kind="stable"), kind="stable")
    good = (rank < max(1, round(GOOD * len(costs)))).astype(float)
    for block in _blocks(len(costs)):
        good[block] -= good[block].mean()
    return good


def _permuted(values: Array, rng: np.random.Generator) -> Array:
    """Return permutations within blocks, (permutations, n)."""
    parts = [
        rng.permuted(np.tile(values[block], (_PERMUTATIONS, 1)), axis=1)
        for block in _blocks(len(values))
    ]
    return np.concatenate(parts, axis=1)


def _blocks(n: int) -> list[npt.NDArray[np.int64]]:
    return np.array_split(np.arange(n), max(1, round(n / _BLOCK)))
