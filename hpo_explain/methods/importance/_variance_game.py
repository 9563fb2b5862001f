"""The variance that every coalition of hyperparameters explains, over the measure of the space.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
X, X'      two independent rows of the space's measure
f          what is explained
v(S)       ``Var E[f | X_S] = Cov(f(X), f(X_S, X'_-S))``, half from each of the two: the pairs
           (f(X), f(X_S, X')) and (f(X'), f(X'_S, X)) have the same distribution
=========  ============================================================================

Ten independently scrambled Sobol sets of pairs give ten estimates of all v(S).
A process's mean has v(S) in closed form where its kernel is a product over hyperparameters
(``αᵀ (Π_S ∫ k k) (Π_-S ∫ k ∫ k) α``). That of the processes here is Matérn's of the distance over
all hyperparameters, which is none, and one of the user's may be anything: all are integrated alike.

References
----------
.. [1] Janon, A. et al. (2014). Asymptotic normality and efficiency of two Sobol index estimators.
   ESAIM: Probability and Statistics 18, 342-364, Eq. 6. https://doi.org/10.1051/ps/2013040
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hpo_explain.belief import Draws
from hpo_explain.methods._engines.coalitions import all_coalitions
from hpo_explain.methods._engines.orders import COMPOSED_ROWS
from hpo_explain.models import SupportsBoxes, TreeBoxes
from hpo_explain.models.box_sums import closed_variance
from hpo_explain.question import Explained
from hpo_explain.space import Array, Bools, SearchSpace
from hpo_explain.space.sobol import sobol

_SETS = 10
_EVALUATIONS = 1_400_000
_FEWEST, _MOST = 32, 1024  # pairs of each set, a power of 2
_MOST_PAIRS = 4.5e9  # of boxes in all coalitions, up to which variances of forests are exact
# rows at which functions are drawn, of so many values each
_OF_DRAWS, _LATTICE = (32_768, 64)

Function = Callable[[Array], Array]
"""Returns the values of k functions, (n, k), at encoded rows (n, d)."""


def configurations_of(n_players: int) -> int:
    """Return the number of pairs of rows from which variances are estimated."""
    return _SETS * _pairs(2**n_players)


def variances(
    explained: Explained,
    players: list[list[int]],
    *,
    singles: bool = False,
    seed: int = 0,
) -> Array:
    """Return v of every coalition, or of each player alone, by each Sobol set: (sets, coalitions).

    Of a forest's boxes a single row, which is exact, where these are not too many.

    Parameters
    ----------
    explained : Explained
        What is explained.
    players : list of list of int
        The columns of each player.
    singles : bool, default False
        Whether each player alone is asked for, in place of all coalitions.
    seed : int, default 0
        Seed of the Sobol sets.
    """
    joined = (
        np.eye(len(players), dtype=bool)
        if singles
        else all_coalitions(len(players))
    )
    trees = None if singles else _boxes(explained, len(joined))
    if trees is not None:
        members = [
            [j for p in np.flatnonzero(c) for j in players[p]] for c in joined
        ]
        return np.array(
            [
                [
                    closed_variance(trees, sorted(U)) if U else 0.0
                    for U in members
                ]
            ]
        )
    own, n = _columns(explained.space, players, joined), _pairs(len(joined))
    seeds = np.random.default_rng(seed).integers(2**31, size=_SETS).tolist()

    def f(X: Array) -> Array:
        return explained(X)[:, None]

    values = np.stack(
        [_by_pairs(f, explained.space, own, n, one)[:, 0] for one in seeds]
    )
    return values if singles else values - values[:, :1]


def _boxes(
    explained: Explained, coalitions: int
) -> tuple[TreeBoxes, ...] | None:
    """Return a forest's boxes if they are few enough for exact variances, else None."""
    surrogate = explained.surrogate
    if not explained.of_objective or not isinstance(surrogate, SupportsBoxes):
        return None
    trees = surrogate.boxes()
    if (
        trees is None
        or coalitions * sum(len(b.value) for b in trees) ** 2 > _MOST_PAIRS
    ):
        return None
    return trees


def variances_of_draws(belief: Draws, players: list[list[int]]) -> Array:
    """Return v of every coalition for each draw, (k, coalitions), by one Sobol set."""
    joined = all_coalitions(len(players))
    n = 2 ** int(np.log2(max(_OF_DRAWS // (2 * len(joined)), _FEWEST)))
    own = _columns(belief.space, players, joined)

    def f(X: Array) -> Array:
        return belief.costs(X).T.astype(float)

    values = _by_pairs(f, belief.space, own, n, belief.seed, lattice=_LATTICE)
    return np.asarray((values - values[:1]).T)


def _columns(
    space: SearchSpace, players: list[list[int]], joined: Bools
) -> Bools:
    """Return the columns that belong to each coalition, (m, d)."""
    own = np.zeros((len(joined), len(space)), dtype=bool)
    for p, columns in enumerate(players):
        own[:, columns] = joined[:, [p]]
    return own


def _by_pairs(
    functions: Function,
    space: SearchSpace,
    own: Bools,
    n: int,
    seed: int,
    lattice: int | None = None,
) -> Array:
    """Return v of each coalition and function, (m, k), from one Sobol set of n pairs."""
    d = len(space)
    u = sobol(2 * d, n, seed)
    u = u if lattice is None else (np.floor(u * lattice) + 0.5) / lattice
    x, other = space.from_latent(u[:, :d]), space.from_latent(u[:, d:])
    f = functions(space.project(np.vstack([x, other])))
    mean, centred = f.mean(axis=0), f - f.mean(axis=0)
    values = np.empty((len(own), f.shape[1]))
    at_once = max(1, COMPOSED_ROWS // (2 * n))
    for start in range(0, len(own), at_once):
        some = own[start : start + at_once, None, :]
        z = np.concatenate(
            [np.where(some, x, other), np.where(some, other, x)], axis=1
        )
        g = functions(space.project(z.reshape(-1, d))).reshape(
            len(some), 2 * n, -1
        )
        # the mean of both sides has the mean of f, and a smaller error than either
        both = ((g.mean(axis=1) + mean) / 2.0)[:, None]
        values[start : start + at_once] = (
            (centred + mean - both) * (g - both)
        ).mean(axis=1)
    return values


def _pairs(coalitions: int) -> int:
    most = _EVALUATIONS // (2 * _SETS * coalitions)
    return int(
        2
        ** np.clip(
            np.floor(np.log2(max(most, 1))), np.log2(_FEWEST), np.log2(_MOST)
        )
    )
