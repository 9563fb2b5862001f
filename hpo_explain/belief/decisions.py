"""The one place where it is decided what is certain: from draws of a number."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from hpo_explain.base import ROUNDING, Claim, Estimate, Fact, unit_of
from hpo_explain.base.checks import check_estimate
from hpo_explain.base.claim import UNKNOWN, Kind, not_settled
from hpo_explain.space import Array

Side = Literal["either", "above", "below"]
LEVEL = 0.95
# What follows was chosen on the families of `tests/claims/families` that choose, by the measures of
# tests/claims named beside it.
# shares of the variance of one, and of what two do together (shares.py, together.py)
MATTERS, INTERACTS = (0.02, 0.005)
# of a gain that is asked for first, and of sets of changes that keep it (together.py)
GAINED, KEPT = (0.9, 0.85)
CHOSEN = 0.975  # of steps of a path, which were chosen one after the other for what they gain
_ENDS = 0.025, 0.5, 0.975  # of intervals, and the median
NEGLIGIBLE = 0.2  # of one evaluation's noise: less is no difference between extremes
STRETCH = {
    "average": 1.5,
    "attainable": 2.8,
    "least": 1.65,
    "order": 1.19,
    "pair": 1.8,
    "share": 1.4,
    "top": 1.2,
    "within": 1.5,
}
"""How far intervals that are shown are stretched about the median, so that they cover 95 %.

Chosen by tests/claims: shares.py, together.py ("pair"), best.py ("least"), effects.py ("average",
"attainable", "within").
"""


@dataclass(frozen=True)
class Decision:
    """What draws of a number say of it.

    Attributes
    ----------
    estimate : float
        Their mean.
    interval : tuple of (float, float)
        What holds the number with 95 %; where it is certain, beyond the threshold. NaN of a single
        draw, of which nothing is decided.
    probability : float
        That it lies on the side of the threshold that was asked for; with "either" the likelier.
        NaN of a single draw.
    certain : bool
        Whether that is as probable as was asked for.
    bound : float
        What the number lies beyond, on that side, with the level asked for.
    threshold : float
        What it was compared with.
    side : {"above", "below"}
        The side that was asked for; of "either" the likelier one.
    """

    estimate: float
    interval: tuple[float, float]
    probability: float
    certain: bool
    bound: float
    threshold: float
    side: Literal["above", "below"] = "above"

    def __post_init__(self) -> None:
        check_estimate(self.estimate, self.interval)
        check_estimate(self.probability, None, (0.0, 1.0))

    def told_as(self, estimate: float) -> Decision:
        """Return the same decision with another estimate, which the interval holds as well."""
        low, high = self.interval
        ends = min(low, estimate), max(high, estimate)
        return replace(self, estimate=estimate, interval=ends)

    @property
    def known(self) -> bool:
        """Whether there were draws by which it could be decided."""
        return not math.isnan(self.probability)

    @property
    def doubtful(self) -> bool:
        """Whether the draws do not settle it; not of a single one, which is all that is known."""
        return self.known and not self.certain

    def claim(
        self,
        kind: Kind,
        names: tuple[str, ...],
        *,
        unsettled: Fact | None = None,
        exact: bool = False,
        because: tuple[Fact, ...] = (),
        **said: Any,
    ) -> Claim:
        """Return what is claimed of a number by this decision.

        Of a single function, such as a model that does not know how its predictions vary together,
        nothing is certain, unless the number is `exact`. Where it is not certain, `unsettled`
        stands for the probability if the words tell that.
        """
        if not self.known:
            doubts = () if exact else (UNKNOWN,)
            return Claim(
                kind, names, self.estimate, certain=exact, because=(*doubts, *because), **said
            )
        if not self.certain:
            because = (unsettled or not_settled(self.probability), *because)
        return Claim(
            kind,
            names,
            self.estimate,
            self.interval,
            certain=self.certain,
            because=because,
            probability=self.probability,
            side=self.side,
            **said,
        )

    @property
    def half(self) -> float:
        """Half the width of the interval; NaN where that is not known."""
        return (self.interval[1] - self.interval[0]) / 2.0

    @property
    def shown(self) -> Estimate:
        """The number with its interval, or the bound alone where only that decided it."""
        if not self.known:
            return Estimate(self.estimate)
        # as it is told: with ±
        inside = abs(self.estimate - self.threshold) <= self.half
        near = self.interval[0 if self.side == "above" else 1]
        least = abs(near) if self.certain and inside else None
        return Estimate(self.estimate, self.half, least)


def decide(
    draws: Array,
    threshold: float = 0.0,
    *,
    side: Side = "either",
    level: float = LEVEL,
    stretch: float = 1.0,
    least: float = 0.0,
) -> Decision:
    """Decide whether a number lies beyond a threshold.

    Parameters
    ----------
    draws : ndarray of shape (k,)
        The number in each function that the trials allow, in any unit.
    threshold : float, default 0.0
        What it is compared with.
    side : {"either", "above", "below"}, default "either"
        On which side it is asked for; "either" is the likelier one.
    level : float, default 0.95
        The probability from which it is certain.
    stretch : float, default 1.0
        How far the interval is stretched about the median; the decision is not.
    least : float, default 0.0
        With "either", how far beyond the threshold it has to lie: of the best and the worst of
        many values, which seem further apart than they are.

    Examples
    --------
    >>> import numpy as np
    >>> found = decide(np.linspace(-1.0, 9.0, 101))
    >>> round(found.estimate, 1), found.certain, round(found.probability, 2)
    (4.0, False, 0.9)
    """
    draws = np.asarray(draws, float)
    is_single = len(draws) == 1
    draws = draws[np.isfinite(draws)]
    if is_single or not len(draws):
        chance = np.nan if is_single else 0.0
        estimate = float(draws.mean()) if len(draws) else np.nan
        return Decision(estimate, (np.nan, np.nan), chance, False, np.nan, threshold)
    apart = draws - threshold
    least += ROUNDING * float(np.abs(apart).max())
    above, below = (float((apart > least).mean()), float((apart < -least).mean()))
    upward = side == "above" or (side == "either" and above >= below)
    probability = above if upward else below
    *ends, bound = np.quantile(draws, [*_ENDS, 1.0 - level if upward else level]).tolist()
    mean = float(draws.mean())
    low, high = _stretched(ends, stretch, mean)
    certain = probability >= level
    if certain and low < threshold < high:  # what is told lies in what is shown
        low = max(low, min(bound, mean)) if upward else low
        high = high if upward else min(high, max(bound, mean))
    return Decision(
        estimate=mean,
        interval=(low, high),
        probability=probability,
        certain=certain,
        bound=bound,
        threshold=threshold,
        side="above" if upward else "below",
    )


def varying(sizes: Array) -> Array:
    """Return the sizes of differences in draws that are not constant; all where every one is.

    Constant draws stand for the doubt whether the trials show anything. That they show no
    difference does not follow from it.

    Examples
    --------
    >>> varying(np.array([0.3, 0.0, 0.2, 1e-17])).tolist()
    [0.3, 0.2]
    """
    there = sizes > ROUNDING * sizes.max(initial=0.0)
    return sizes[there] if there.any() else sizes


def interval(draws: Array, *, stretch: float = 1.0) -> tuple[float, float]:
    """Return what holds a number with 95 % probability, stretched about the median.

    NaN of a single draw. It holds the draws' mean, which is what is told as the number, however
    skewed they are.
    """
    if len(draws) < 2:
        return np.nan, np.nan
    return _stretched(np.quantile(draws, _ENDS).tolist(), stretch, float(np.mean(draws)))


def interval_beside(shares: Array, left_out: Array, *, stretch: float) -> tuple[float, float]:
    """Return what holds a share with 95 %, whoever has what draws leave out: others, or it.

    Parameters
    ----------
    shares, left_out : ndarray of shape (k,)
        The share of what each draw varies by, and what draws leave out, of everything.
    stretch : float
        How far it is stretched about the median.

    Examples
    --------
    >>> interval_beside(np.full(9, 0.5), np.full(9, 0.2), stretch=1.8)
    (0.4, 0.6)
    """
    others = shares * (1.0 - left_out)
    low, _ = interval(others, stretch=stretch)
    _, high = interval(others + left_out, stretch=stretch)
    return low, high


def _stretched(ends: list[float], stretch: float, mean: float) -> tuple[float, float]:
    low, middle, high = ends
    low, high = (middle - stretch * (middle - low), middle + stretch * (high - middle))
    return min(low, mean), max(high, mean)


def std_of_draws(draws: Array) -> Array:
    """Return the standard deviation over draws (k, ...); NaN of a single one.

    Examples
    --------
    >>> std_of_draws(np.array([[1.0, 2.0], [3.0, 2.0]])).tolist()
    [1.0, 0.0]
    """
    if len(draws) < 2:
        return np.full(draws.shape[1:], np.nan)
    unit = unit_of(draws)  # in which no square overflows
    return (draws / unit).std(axis=0) * unit


def stretched(draws: Array, stretch: float) -> Array:
    """Return draws (k, ...) further from their median: what is decided by intervals as shown.

    Examples
    --------
    >>> stretched(np.array([0.0, 1.0, 4.0]), 2.0).tolist()
    [-1.0, 1.0, 7.0]
    """
    middle = np.median(draws, axis=0)
    return middle + stretch * (draws - middle)
