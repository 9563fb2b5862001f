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

References
----------
.. [1] Janon, A. et al. (2014). Asymptotic normality and efficiency of two Sobol index estimators.
   ESAIM: Probability and Statistics 18, 342-364, Eq. 6. https://doi.org/10.1051/ps/2013040
"""

from __future__ import annotations

import numpy as np

from hpo_explain.explainers._explained import Explained
from hpo_explain.explainers._terms import COMPOSED_ROWS
from hpo_explain.explainers.exact_shapley import all_coalitions
from hpo_explain.space import Array

_SETS = 10
_EVALUATIONS = 1_400_000
_FEWEST, _MOST = 32, 1024  # pairs of each set, a power of 2


def configurations_of(n_players: int) -> int:
    """Return how many pairs of rows variances of so many players are taken over."""
    return _SETS * _pairs(2**n_players)


def variances(
    explained: Explained, players: list[list[int]], *, singles: bool = False, seed: int = 0
) -> Array:
    """Return v of every coalition, or of each player alone, by each Sobol set: (sets, coalitions).

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
    from scipy.stats.qmc import Sobol

    space, d = explained.space, len(explained.space)
    joined = np.eye(len(players), dtype=bool) if singles else all_coalitions(len(players))
    own = np.zeros((len(joined), d), dtype=bool)
    for p, columns in enumerate(players):
        own[:, columns] = joined[:, [p]]
    n = _pairs(len(joined))
    found = np.empty((_SETS, len(joined)))
    for i, one in enumerate(np.random.default_rng(seed).integers(2**31, size=_SETS)):
        u = Sobol(2 * d, seed=int(one)).random(n)
        x, other = space.from_latent(u[:, :d]), space.from_latent(u[:, d:])
        f = explained(space.project(np.vstack([x, other])))
        mean, centred = f.mean(), f - f.mean()
        at_once = max(1, COMPOSED_ROWS // (2 * n))
        for start in range(0, len(joined), at_once):
            some = own[start : start + at_once, None, :]
            z = np.concatenate([np.where(some, x, other), np.where(some, other, x)], axis=1)
            g = explained(space.project(z.reshape(-1, d))).reshape(len(some), 2 * n)
            # the mean of both sides has the mean of f, and a smaller error than either
            both = (g.mean(axis=1) + mean) / 2.0
            found[i, start : start + at_once] = (
                (centred + mean - both[:, None]) * (g - both[:, None])
            ).mean(axis=1)
        found[i] -= 0.0 if singles else found[i, 0]
    return found


def _pairs(coalitions: int) -> int:
    most = _EVALUATIONS // (2 * _SETS * coalitions)
    return int(2 ** np.clip(np.floor(np.log2(max(most, 1))), np.log2(_FEWEST), np.log2(_MOST)))
