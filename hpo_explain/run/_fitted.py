"""Surrogates of trials: a study that is read again, with no new trial, is not fitted again."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Kind
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.space import Array, SearchSpace

_KEPT = 8  # a Gaussian process of n trials holds n² numbers

Fitted = GaussianProcessSurrogate | ForestSurrogate


def fit_surrogate(
    space: SearchSpace, kind: Kind, n_trees: int, seed: int, X: Array, y: Array
) -> Fitted:
    """Fit a surrogate to encoded rows, and their objective in the user's units."""
    if kind == "gp":
        return GaussianProcessSurrogate.fit(space, X, y, seed=seed)
    return ForestSurrogate.fit(space, X, y, n_trees=n_trees, seed=seed)


def fitted(
    space: SearchSpace,
    kind: Kind,
    n_trees: int,
    seed: int,
    X: Array,
    y: Array,
    *,
    notes: tuple[Fact, ...] = (),
) -> Fitted:
    """Return what `fit_surrogate` returns, noted; the same object where it was asked for lately."""
    trees = 0 if kind == "gp" else n_trees
    # True and 1 are equal, but no equal choices; equal spaces may be gone through in other orders
    about = f"{space.parameters!r} {space.order_key}"
    return _fitted(space, about, kind, trees, seed, X.tobytes(), y.tobytes(), notes)


@lru_cache(_KEPT)
def _fitted(
    space: SearchSpace,
    parameters: str,
    kind: Kind,
    n_trees: int,
    seed: int,
    X: bytes,
    y: bytes,
    notes: tuple[Fact, ...],
) -> Fitted:
    rows = np.frombuffer(X).reshape(-1, len(space))
    fit = fit_surrogate(space, kind, n_trees, seed, rows, np.frombuffer(y))
    fit.notes = notes
    return fit


forget = _fitted.cache_clear
"""Have everything be fitted again, as in a new process."""
