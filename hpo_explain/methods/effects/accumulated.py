"""Steps between values of hyperparameters, and how local effects along them are accumulated."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array, SearchSpace

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Steps:
    """The places of one hyperparameter, and which rows take the steps between them.

    Attributes
    ----------
    positions : ndarray of shape (P,)
        Encoded values, in the order in which they are accumulated.
    rows : tuple of ndarray of int
        For each of the P - 1 steps the rows of the sample that take it, at least one.
    at : ndarray of shape (n, P)
        Where each row is between the places: weights that add up to 1.
    """

    positions: Array
    rows: tuple[Places, ...]
    at: Array


def steps_between(values: Array, levels: Array) -> Steps:
    """Return the steps along values (n,) between levels, all different ones in their order.

    A row takes the step to the next level and the step from the one before (Apley and Zhu for
    categories).
    """
    place = np.argmax(values[:, None] == levels, axis=1)
    of_level = [np.flatnonzero(place == k) for k in range(len(levels))]
    both = tuple(np.concatenate(pair) for pair in itertools.pairwise(of_level))
    return Steps(levels, both, np.eye(len(levels))[place])


def steps_between_quantiles(values: Array, most: int) -> Steps:
    """Return the steps along values (n,) between at most so many quantiles.

    A row takes the step of its own interval (Eq. 15).
    """
    # quantiles that are values themselves: those of a step lie on its grid
    places = -(-len(values) * np.arange(most) // (most - 1)) - 1
    ends = np.unique(np.sort(values)[np.maximum(places, 0)])
    interval = np.maximum(np.searchsorted(ends, values), 1) - 1
    halves = (np.eye(len(ends))[interval] + np.eye(len(ends))[interval + 1]) / 2.0
    inside = tuple(np.flatnonzero(interval == k) for k in range(len(ends) - 1))
    return Steps(ends, inside, halves)


def accumulate(effects: Array, steps: Steps) -> Array:
    """Return local effects (P - 1, m) of m functions accumulated by step, and centred, (P, m)."""
    total = np.insert(np.cumsum(effects, axis=0), 0, 0.0, axis=0)
    return total - steps.at.mean(axis=0) @ total


def filled(sizes: npt.NDArray[np.intp], steps: Steps) -> Places:
    """Return for each step the nearest one that has rows: itself where it has.

    Nearness is between the middles of steps, as shares of the range from the first place to the
    last; between categories, of their number.
    """
    ranked = np.all(np.diff(steps.positions) > 0.0)
    at = steps.positions if ranked else np.arange(len(steps.positions), dtype=float)
    middles = (at[1:] + at[:-1]) / (2.0 * (at[-1] - at[0]))
    occupied = np.flatnonzero(sizes)
    apart = (middles[:, None] - middles[occupied]) ** 2
    return occupied[np.argmin(apart, axis=1)]


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
            apart += _apart(columns, parameter.is_category)
    middle = np.eye(len(codes)) - 1.0 / len(codes)
    values, vectors = np.linalg.eigh(-0.5 * middle @ apart**2 @ middle)
    line = vectors[:, -1] * np.sqrt(max(values[-1], 0.0))
    order = codes[np.argsort(np.round(line, 9), kind="stable")]
    return order if order[0] < order[-1] else order[::-1]


def _apart(columns: list[Array], categorical: bool) -> Array:
    values = np.unique(np.concatenate(columns))
    shares = np.stack([(c[:, None] == values).mean(axis=0) for c in columns])
    if categorical:
        return np.abs(shares[:, None] - shares).sum(axis=-1) / 2.0
    below = np.cumsum(shares, axis=1)
    return np.abs(below[:, None] - below).max(axis=-1)
