"""Whether a quantity depends on hyperparameters: a test by permutations, exact whatever its noise.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
r_i         the quantity at configuration i, standardized; exchangeable if nothing matters
K_j         similarity of two configurations in hyperparameter j; K_0 in all together
Q_j         ``rᵀ K_j r``: large where similar configurations have similar r
S_j         Q_j, standardized by its mean and standard deviation over permutations of r
==========  ============================================================================

The p-value of j is the share of permutations in which the largest of all S is at least S_j: with
95 % probability no hyperparameter at all is named that does not matter [1]_, [2]_.

References
----------
.. [1] Westfall, P. H. and Young, S. S. (1993). Resampling-based multiple testing. Wiley. (maxT)
.. [2] Gretton, A. et al. (2007). A kernel statistical test of independence. NeurIPS.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import squareform

from hpo_explain.models._squares import squares_by_column
from hpo_explain.models.columns import KernelColumns
from hpo_explain.space import Array, SearchSpace

_PERMUTATIONS = 999
_MOST = 500  # configurations, drawn at random of more: similarities are of all pairs
_WIDTH = 0.4  # of the similarity, as a share of a hyperparameter's range


def p_values(space: SearchSpace, X: Array, r: Array, *, seed: int = 0) -> tuple[float, Array]:
    """Return how probable it is by chance that r depends so much on anything, and on each.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        Encoded configurations, each once.
    r : ndarray of shape (n,)
        The quantity, with the same error everywhere.
    seed : int, default 0
        Seed of the permutations, and of the configurations drawn of more than 500.

    Returns
    -------
    tuple of (float, ndarray of shape (d,))
        p-value of the whole space, and of each hyperparameter, adjusted for testing all.

    Examples
    --------
    >>> from hpo_explain import FloatParameter
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0), FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30, seed=0)
    >>> p_values(space, X, X[:, 1])[1].round(1).tolist()
    [1.0, 0.0]
    """
    rng = np.random.default_rng(seed)
    if len(X) > _MOST:
        some = np.sort(rng.permutation(len(X))[:_MOST])
        X, r = X[some], r[some]
    columns = KernelColumns(space)
    squares = squares_by_column(columns(X), columns.amid)
    squares = np.vstack([squares.sum(axis=0) / len(squares), squares])
    drawn = rng.permuted(np.tile(r - r.mean(), (_PERMUTATIONS, 1)), axis=1)
    drawn = np.vstack([r - r.mean(), drawn])
    scores = np.zeros((len(squares), len(drawn)))
    for j, square in enumerate(squares):
        K = squareform(np.exp(-square / (2.0 * _WIDTH**2)))
        Q = np.einsum("bi,bi->b", drawn @ K, drawn)
        if np.ptp(square) > 0.0 and (spread := float(Q.std())) > 0.0:
            scores[j] = (Q - Q.mean()) / spread
    found = np.mean(scores.max(axis=0) >= scores[:, :1], axis=1)
    each = np.ones(len(space))
    for p, members in zip(found[1:], columns.members, strict=True):
        each[list(members)] = np.minimum(each[list(members)], p)
    return float(found.min()), each
