"""Intervals of shares of variance: from refits of a forest, and from draws of a posterior."""

from __future__ import annotations

import numpy as np
from scipy.stats import t as student

from hpo_explain.explanations import ShareIntervals
from hpo_explain.space import Array
from hpo_explain.surrogates import AnovaDraws

_LEVEL = 0.95


def corrected(shares: Array, noise: Array, trials: Array, d: int) -> ShareIntervals:
    """Return a forest's shares without what the noise adds, and how far they may be off.

    A forest fitted to its own predictions with redrawn residuals sees other shares than those it
    was fitted to; so much noise has already added to its own (the bootstrap's correction of a
    bias). The interval joins three errors: that of the noise, that of the choice of trials, and
    the correction itself, which is only of first order.

    Parameters
    ----------
    shares : ndarray of shape (number of sets,)
        The forest's own shares.
    noise, trials : ndarray of shape (number of refits, number of sets)
        Shares of refits to redrawn residuals, and to redrawn trials.
    d : int
        Number of hyperparameters: the first sets.

    References
    ----------
    .. [1] Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapter 10.
    """
    each = _corrected(shares, noise, trials)
    mains = _corrected(*(a[..., :d].sum(axis=-1, keepdims=True) for a in (shares, noise, trials)))
    return ShareIntervals(*each, mains=tuple(float(number[0]) for number in mains))  # type: ignore[arg-type]


def _corrected(shares: Array, noise: Array, trials: Array) -> tuple[Array, Array, Array]:
    bias = noise.mean(axis=0) - shares
    estimate = np.clip(shares - bias, 0.0, 1.0)
    quantile = student.ppf(0.5 + _LEVEL / 2.0, max(len(noise) - 1, 1))
    ddof = int(len(noise) > 1)
    variance = noise.var(axis=0, ddof=ddof) + trials.var(axis=0, ddof=ddof) + bias**2
    half = quantile * np.sqrt(variance)
    return estimate, np.clip(estimate - half, 0.0, 1.0), np.clip(estimate + half, 0.0, 1.0)


def credible(draws: AnovaDraws) -> ShareIntervals:
    """Return the mean shares of draws with their 95 % intervals.

    A share is a square, so that it is never 0 where something is uncertain: the lower end is that
    of what two draws have in common, where this is lower. The same holds for what is left to
    interactions, from which the upper end for all single hyperparameters follows.

    Parameters
    ----------
    draws : AnovaDraws
        The draws.
    """
    ends = [0.5 - _LEVEL / 2.0, 0.5 + _LEVEL / 2.0]
    lower, upper = np.quantile(draws.shares, ends, axis=0)
    common = np.quantile(draws.products, ends[0], axis=0)
    mains = draws.shares[:, : draws.totals.shape[1]].sum(axis=1)
    low, high = np.quantile(mains, ends)
    left = max(float(np.quantile(draws.rest, ends[0])), 0.0)
    return ShareIntervals(
        importance=draws.shares.mean(axis=0),
        lower=np.maximum(np.minimum(lower, common), 0.0),
        upper=upper,
        mains=(float(mains.mean()), float(low), max(float(high), 1.0 - left)),
    )
