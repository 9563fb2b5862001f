"""Intervals of shares of variance: from refits of a forest, and from draws of a posterior."""

from __future__ import annotations

import numpy as np
from scipy.stats import t as student

from hpo_explain.explanations.fanova import ShareIntervals
from hpo_explain.models.protocols import AnovaDraws
from hpo_explain.space import Array

_LEVEL = 0.95
_LEAST = 0.2  # of the variance: with less in common, shares of it say nothing


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
    lower, upper = np.clip(estimate - half, 0.0, 1.0), np.clip(estimate + half, 0.0, 1.0)
    estimate = estimate / max(float(estimate.sum()), 1.0)  # each is corrected by itself
    return estimate, np.minimum(lower, estimate), upper


def credible(draws: AnovaDraws) -> ShareIntervals:
    """Return the mean shares of draws with their 95 % intervals.

    A share is a square, so that in no draw it is 0 where something is uncertain, nor 1. The
    interval therefore also covers the shares of what two draws have in common, which have no such
    bias: they scatter around 0 where nothing is known of an effect.

    Parameters
    ----------
    draws : AnovaDraws
        The draws.
    """
    d = draws.totals.shape[1]
    mains = draws.products[:, :d].sum(axis=1)
    together = np.maximum(draws.rest + mains, _LEAST)
    lower, upper = _covering(draws.shares, draws.products / together[:, None])
    sums = draws.shares[:, :d].sum(axis=1)
    low, high = _covering(sums, mains / together)
    return ShareIntervals(
        importance=draws.shares.mean(axis=0),
        lower=lower,
        upper=upper,
        mains=(float(sums.mean()), float(low), float(high)),
    )


def _covering(shares: Array, common: Array) -> tuple[Array, Array]:
    """Return the ends of an interval that covers 95 % of both, within [0, 1]."""
    ends = [0.5 - _LEVEL / 2.0, 0.5 + _LEVEL / 2.0]
    (low, high), (less, more) = (np.quantile(a, ends, axis=0) for a in (shares, common))
    return np.clip(np.minimum(low, less), 0.0, 1.0), np.clip(np.maximum(high, more), 0.0, 1.0)
