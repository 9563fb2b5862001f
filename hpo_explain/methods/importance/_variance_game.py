"""The variance that every coalition of hyperparameters explains, over the measure of the space.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
X, X'      two independent rows of the space's measure
f          what is explained
v(S)       ``Var E[f | X_S] = Cov(f(X), f(X_S, X'_-S))``, half from each of the two: the pairs
           (f(X), f(X_S, X')) and (f(X'), f(X'_S, X)) have the same distribution
=========  ============================================================================

A scrambled Sobol set of pairs gives an estimate of all v(S).
A process's mean has v(S) in closed form where its kernel is a product over hyperparameters
(``αᵀ (Π_S ∫ k k) (Π_-S ∫ k ∫ k) α``). That of the processes here is Matérn's of the distance over
all hyperparameters, which is none, and one of the user's may be anything: all are integrated alike.

References
----------
.. [1] Janon, A. et al. (2014). Asymptotic normality and efficiency of two Sobol index estimators.
   ESAIM: Probability and Statistics 18, 342-364, Eq. 6. https://doi.org/10.1051/ps/2013040
"""

from __future__ import annotations

import numpy as np

from hpo_explain.belief import Draws
from hpo_explain.methods._engines.coalitions import free_columns
from hpo_explain.methods._engines.orders import COMPOSED_ROWS
from hpo_explain.models import SupportsBoxes, TreeBoxes
from hpo_explain.models.box_sums import closed_variance
from hpo_explain.question import Explained
from hpo_explain.space import Array, Bools
from hpo_explain.space.sobol import sobol

# pairs at least, and at most as a power of 2
_FEWEST, _MOST = 32, 13
_MOST_PAIRS = 4.5e9  # of boxes in all coalitions, up to which variances of forests are exact
# rows at which many functions are looked at, and one
_OF_DRAWS, _OF_ONE = (32_768, 1_400_000)
_LATTICE = 64  # values of each hyperparameter


def variances(explained: Explained, belief: Draws, players: list[list[int]]) -> Array:
    """Return v of every coalition in each function, (k, coalitions).

    Of a forest's boxes a single row, which is exact, where these are not too many.

    Parameters
    ----------
    explained : Explained
        What is explained.
    belief : Draws
        The functions that it may be.
    players : list of list of int
        The columns of each player.
    """
    free = free_columns(players, len(belief.space))
    trees = _boxes(explained, len(free))
    if trees is not None:
        sets = [np.flatnonzero(columns).tolist() for columns in free]
        return np.array([[closed_variance(trees, U) if U else 0.0 for U in sets]])
    evaluations = _OF_DRAWS if belief.joint else _OF_ONE
    most = max(evaluations // (2 * len(free)), _FEWEST)
    n = 2 ** min(int(np.log2(most)), _MOST)
    values = _by_pairs(belief, free, n)
    return (values - values[:1]).T


def _boxes(explained: Explained, coalitions: int) -> tuple[TreeBoxes, ...] | None:
    """Return a forest's boxes if they are few enough for exact variances, else None."""
    surrogate = explained.surrogate
    if not explained.of_objective or not isinstance(surrogate, SupportsBoxes):
        return None
    trees = surrogate.boxes()
    if trees is None or coalitions * sum(len(b.value) for b in trees) ** 2 > _MOST_PAIRS:
        return None
    return trees


def _by_pairs(belief: Draws, free: Bools, n: int) -> Array:
    """Return v of each coalition and function, (m, k), from one Sobol set of n pairs."""
    space, d = belief.space, len(belief.space)
    u = (np.floor(sobol(2 * d, n, belief.seed) * _LATTICE) + 0.5) / _LATTICE
    x, other = space.from_latent(u[:, :d]), space.from_latent(u[:, d:])

    def functions(X: Array) -> Array:
        return belief.costs(X).T.astype(float)

    f = functions(space.project(np.vstack([x, other])))
    mean, centred = f.mean(axis=0), f - f.mean(axis=0)
    values = np.empty((len(free), f.shape[1]))
    at_once = max(1, COMPOSED_ROWS // (2 * n))
    for start in range(0, len(free), at_once):
        some = free[start : start + at_once, None, :]
        z = np.concatenate([np.where(some, x, other), np.where(some, other, x)], axis=1)
        g = functions(space.project(z.reshape(-1, d))).reshape(len(some), 2 * n, -1)
        # the mean of both sides has the mean of f, and a smaller error than either
        both = ((g.mean(axis=1) + mean) / 2.0)[:, None]
        values[start : start + at_once] = ((centred + mean - both) * (g - both)).mean(axis=1)
    return values
