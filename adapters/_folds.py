"""Scores of configurations on folds, as the instances of a run."""

from __future__ import annotations

import numpy as np

from hpo_explain.run import Instances
from hpo_explain.space import Array


def instances_of(X: Array, scores: Array) -> Instances | None:
    """Return what configurations achieved on each fold; None for fewer than two folds.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Encoded configurations.
    scores : ndarray of shape (n, k)
        Their scores; NaN where a fold has none.
    """
    k = scores.shape[1]
    if k < 2:
        return None
    row, fold = np.nonzero(np.isfinite(scores))
    return Instances([f"fold {i}" for i in range(k)], X[row], fold, scores[row, fold])
