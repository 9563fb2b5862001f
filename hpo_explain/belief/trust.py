"""How well the objective is known, by what the trials allow it to be: one verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hpo_explain.base import mean_ranks, unit_of
from hpo_explain.belief.decisions import STRETCH, interval
from hpo_explain.belief.scales import Process
from hpo_explain.space import Array

Level = Literal["good", "fair", "poor"]
LEVELS: tuple[Level, ...] = ("good", "fair", "poor")
R2 = (0.5, 0.1)  # the lower end of R² is at least: good, fair
# share of draws below the ends of R²: they hold it with 95 % (tests/claims/known.py)
_ENDS = (0.1, 0.9)
_BEST = 0.2  # of the space, by the mean over the draws


@dataclass(frozen=True)
class Trust:
    """How well the objective is known.

    Attributes
    ----------
    level : {"good", "fair", "poor"}
        "good" if the lower end of R² is at least 0.5, "fair" if it is at least 0.1.
    r2 : float
        R² over the space that the mean over the draws is expected to have: the mean of its R² for
        each draw, of which none is below 0. What draws leave out counts as missed; 0 where the
        objective of all trials is the same.
    r2_interval : tuple of (float, float)
        What holds it with 95 %.
    rank : float
        Expected rank correlation among the best fifth of the space.
    rank_interval : tuple of (float, float)
        What holds it with 95 %.
    open : float
        Share of the space in which the draws differ by more than one evaluation's noise.
    held_out : float
        R² of trials that were held out one by one, on the scale that predicts them best.
    covered : float
        Share of them that 95 % intervals hold.
    n_trials : int
        How many trials it was learned from.
    """

    level: Level
    r2: float
    r2_interval: tuple[float, float]
    rank: float
    rank_interval: tuple[float, float]
    open: float
    held_out: float
    covered: float
    n_trials: int

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        return dict(vars(self))


def trust_in(
    values: Array, noise_std: float, roughness: float, process: Process, n_trials: int
) -> Trust:
    """Return how well the objective is known.

    Parameters
    ----------
    values : ndarray of shape (k, n)
        Costs of draws over the space.
    noise_std : float
        Standard deviation of one evaluation.
    roughness : float
        Standard deviation of what draws leave out of the objective.
    process : Process
        The process of the scale that predicts held-out trials best.
    n_trials : int
        How many trials it was learned from.
    """
    unit = unit_of(values)  # in which no square overflows
    values = values / unit
    mean, varies = values.mean(axis=0), np.ptp(values, axis=1) > 0.0
    missed, variance = ((values - mean) ** 2).mean(axis=1), values.var(axis=1)
    explained = np.where(varies, np.maximum(variance - missed, 0.0), 0.0)
    # what the draws leave out varies the objective, and none of it is predicted
    r2 = explained / np.where(varies, variance + (roughness / unit) ** 2, 1.0)
    best = np.argsort(mean, kind="stable")[: int(_BEST * len(mean))]
    rank = np.where(varies, _rank_correlations(values[:, best], mean[best]), 0.0)
    held_out, covered = _held_out(process)
    expected = float(r2.mean())
    low, high = np.quantile(r2, _ENDS).tolist()
    return Trust(
        level=LEVELS[sum(low < least for least in R2)],
        r2=expected,
        r2_interval=(min(low, expected), max(high, expected)),
        rank=float(rank.mean()),
        rank_interval=_interval(rank),
        open=float((values.std(axis=0) > noise_std / unit).mean()),
        held_out=held_out,
        covered=covered,
        n_trials=n_trials,
    )


def _interval(draws: Array) -> tuple[float, float]:
    low, high = interval(draws, stretch=STRETCH["average"])
    return low, min(high, 1.0)


def _rank_correlations(values: Array, mean: Array) -> Array:
    """Return Spearman's correlation of each draw with the mean; 0 where a draw is constant.

    As many rows have the best value that a draw may have, equal values share their ranks.
    """
    ranks, of_mean = (np.stack([mean_ranks(draw) for draw in values]), mean_ranks(mean))
    ranks -= ranks.mean(axis=1, keepdims=True)
    of_mean -= of_mean.mean()
    sizes = np.sqrt((ranks**2).sum(axis=1) * (of_mean**2).sum())
    return ranks @ of_mean / np.maximum(sizes, 1e-300)


def _held_out(process: Process) -> tuple[float, float]:
    """Return R² and coverage of trials held out one by one.

    With the kernels' parameters as they are; each prediction is the mean over them.
    """
    z = process.scale.z
    mean, variance = process.held_out
    errors = z - mean
    inside = np.abs(errors) <= 1.96 * np.sqrt(variance)
    missed, spread = float((errors.mean(axis=0) ** 2).mean()), float(z.var())
    return 1.0 - missed / spread if spread > 0.0 else 0.0, float(inside.mean())
