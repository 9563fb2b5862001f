"""Fit the trees of a forest, and choose the size of their leaves by held-out trials.

Trees are fitted without what scikit-learn does to the process meanwhile.

Its ``fit`` sets the process's warning filters anew for every tree, in every thread: what a user's
thread warns of meanwhile may be lost, and so may the filters themselves. The trees are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import steps
from hpo_explain.models._threads import threads
from hpo_explain.models.protocols import HeldOut
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestRegressor

Fitted = TypeVar("Fitted")
_FEW = 100  # trials: threads would take longer to start than the trees to grow


def grow(
    forest: RandomForestRegressor, Z: npt.NDArray[np.float32], y: Array
) -> None:
    """Fit a forest as its own ``fit`` does, to columns (n, p) and a target (n,).

    Parameters
    ----------
    forest : sklearn.ensemble.RandomForestRegressor or ExtraTreesRegressor
        The forest, not fitted; its ``n_jobs`` and ``warm_start`` do not count.
    Z : ndarray of shape (n, p)
        Columns, contiguous.
    y : ndarray of shape (n,)
        Target.
    """
    from sklearn import config_context
    from sklearn.utils import check_random_state

    rng = check_random_state(forest.random_state)
    settings = {
        name: getattr(forest, name) for name in forest.estimator_params
    }
    settings |= {
        n: v
        for n, v in forest.estimator.get_params().items()
        if n not in settings
    }
    tree_of: Any = type(forest.estimator)
    trees = [
        tree_of(
            **settings
            | {"random_state": int(rng.randint(np.iinfo(np.int32).max))}
        )
        for _ in range(forest.n_estimators)
    ]
    forest.estimator_ = forest.estimator
    forest.estimators_ = trees
    forest.n_features_in_ = Z.shape[1]
    forest.n_outputs_ = 1
    forest._n_samples = len(Z)
    forest._sample_weight = None
    forest._n_samples_bootstrap = (
        _bagged(forest.max_samples, len(Z)) if forest.bootstrap else None
    )
    bags = (
        forest.estimators_samples_ if forest.bootstrap else [None] * len(trees)
    )
    # only a check of the input looks for them
    missing = bool(np.isnan(Z).any())

    def fit(tree: Any, rows: Ints | None) -> None:
        weight = (
            None
            if rows is None
            else np.bincount(rows, minlength=len(Z)).astype(float)
        )
        # a setting of this thread alone
        with config_context(skip_parameter_validation=True):
            tree.fit(Z, y, sample_weight=weight, check_input=missing)

    if len(Z) < _FEW:
        for tree, rows in zip(trees, bags, strict=True):
            fit(tree, rows)
        return
    with threads() as pool:
        list(steps(pool.map(fit, trees, bags), "trees", len(trees)))


def _bagged(max_samples: float | None, n: int) -> int:
    """Return how many trials each tree draws."""
    if max_samples is None:
        return n
    if isinstance(max_samples, int):
        return max_samples
    return max(round(n * max_samples), 1)


# that a tree may have, about: with fewer nothing is left to explain
_FEWEST_LEAVES = 6
# of the error: larger leaves must lower it by more than chance does
_PAYS = 0.98


def _error(held_out: HeldOut) -> float:
    """Return the mean square of the held-out residuals."""
    if not len(held_out.observed):
        return 0.0
    return float(np.mean((held_out.observed - held_out.mean) ** 2))


def tuned(
    with_leaves: Callable[[int], tuple[HeldOut, Callable[[], Fitted]]],
    own: HeldOut,
    size: int,
    n: int,
) -> Callable[[], Fitted] | None:
    """Return what fits the forest whose size of leaves predicts held-out trials best.

    Parameters
    ----------
    with_leaves : callable
        Returns of a size what such a forest predicts of held-out trials, and what fits it.
    own : HeldOut
        What the forest predicts of them as it is.
    size : int
        The size of its leaves.
    n : int
        How many trials it is fitted to.

    Returns
    -------
    callable or None
        None where no other size pays.
    """
    best: Callable[[], Fitted] | None = None
    lowest = _error(own)
    size *= 2
    while size * _FEWEST_LEAVES <= n:
        held_out, fit = with_leaves(size)
        error = _error(held_out)
        if error > lowest:
            break
        if error < _PAYS * lowest:
            best = fit
            lowest = error
        size *= 2
    return best
