"""Which trials of a large run a model learns from."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array, SearchSpace
from hpo_explain.space.gower import gower_distances

MOST_TRIALS = {"gp": 2000, "forest": 4000}
"""Trials that a model of all trials learns from: a Gaussian process takes n³ steps, and a forest is
fitted some hundred times until its shares have intervals."""
MOST_BEFORE = 1000
"""The same of a model of what was known before a trial, as there is one for each of them."""
_AROUND_BEST, _LATEST = 0.1, 0.1


def most_learned(kind: Literal["gp", "forest"], before: int | None) -> int:
    """Return the largest number of trials that a model of a kind learns from."""
    return MOST_TRIALS[kind] if before is None else min(MOST_BEFORE, MOST_TRIALS[kind])


def which_of(finished: int, most: int, *, seed: int) -> dict[str, Any]:
    """Return which of the finished trials `learned_rows` takes, as values of a fact."""
    best, latest, spread = _parts(most)
    return {
        "finished": finished,
        "taken": most,
        "best": best,
        "latest": latest,
        "spread": spread,
        "seed": seed,
    }


def _parts(most: int) -> tuple[int, int, int]:
    """Return how many are the best and around it, how many the latest, and how many spread."""
    best, latest = int(_AROUND_BEST * most), int(_LATEST * most)
    return best, latest, most - best - latest


def learned_rows(
    space: SearchSpace, X: Array, cost: Array, most: int, *, seed: int = 0
) -> npt.NDArray[np.int64]:
    """Return the rows that a model learns from: all, or of many the best, latest and some spread.

    A tenth are the best trial and those nearest to it, whatever they reached: the best ones of a
    noisy run are also the luckiest. A tenth are the latest others. The rest is drawn, one from each
    of as many equal parts of the run.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        Encoded rows, in the order of the run.
    cost : ndarray of shape (n,)
        Smaller is better; infinite where a trial cannot be the best.
    most : int
        How many trials are learned from.
    seed : int, default 0
        Seed of the draw.

    Returns
    -------
    ndarray of int
        Rows, in increasing order.

    Examples
    --------
    >>> from hpo_explain import FloatParameter
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> x = np.linspace(0.0, 1.0, 100)
    >>> learned_rows(space, x[:, None], (x - 0.5) ** 2, 20).tolist()[-2:]
    [98, 99]
    """
    n = len(X)
    if n <= most:
        return np.arange(n)
    best, latest, spread = _parts(most)
    incumbent = int(np.argmin(cost))
    distance = gower_distances(space, X, X[[incumbent]])[:, 0]
    distance[incumbent] = -1.0  # before its repetitions
    kept = np.zeros(n, dtype=bool)
    kept[np.argsort(distance, kind="stable")[:best]] = True
    others = np.flatnonzero(~kept)
    others, last = others[: len(others) - latest], others[len(others) - latest :]
    kept[last] = True
    ends = np.linspace(0, len(others), spread + 1).astype(np.int64)
    kept[others[np.random.default_rng(seed).integers(ends[:-1], ends[1:])]] = True
    return np.flatnonzero(kept)
