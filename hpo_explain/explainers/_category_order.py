"""An order of categories: those next to each other whose trials are alike in all else."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array, CategoricalParameter, SearchSpace


def order_of_categories(space: SearchSpace, X: Array, j: int) -> Array:
    """Return the codes of the categories that occur in column j, similar ones side by side.

    The distance of two categories is the sum over all other hyperparameters of how far their
    distributions are apart: Kolmogorov-Smirnov's distance of numbers, total variation of
    categories; being inactive is a value of its own. Classical scaling brings them on a line.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        Encoded configurations.
    j : int
        The categorical column.

    References
    ----------
    .. [1] Apley, D. W. and Zhu, J. (2020). Visualizing the effects of predictor variables in black
       box supervised learning models. JRSS B 82(4), 1059-1086. Supplement, categorical predictors.
       https://doi.org/10.1111/rssb.12377
    """
    codes = np.unique(X[:, j])
    if len(codes) < 3:
        return codes
    groups = [X[X[:, j] == code] for code in codes]
    apart = np.zeros((len(codes), len(codes)))
    for k, parameter in enumerate(space.parameters):
        if k != j:
            columns = [np.where(np.isnan(g[:, k]), np.inf, g[:, k]) for g in groups]
            apart += _apart(columns, isinstance(parameter, CategoricalParameter))
    middle = np.eye(len(codes)) - 1.0 / len(codes)
    values, vectors = np.linalg.eigh(-0.5 * middle @ apart**2 @ middle)
    line = vectors[:, -1] * np.sqrt(max(values[-1], 0.0))
    order = codes[np.argsort(np.round(line, 9), kind="stable")]
    return np.asarray(order if order[0] < order[-1] else order[::-1])


def _apart(columns: list[Array], categorical: bool) -> npt.NDArray[np.float64]:
    values = np.unique(np.concatenate(columns))
    shares = np.stack([(c[:, None] == values).mean(axis=0) for c in columns])
    if categorical:
        return np.asarray(np.abs(shares[:, None] - shares).sum(axis=-1) / 2.0)
    below = np.cumsum(shares, axis=1)
    return np.asarray(np.abs(below[:, None] - below).max(axis=-1))
