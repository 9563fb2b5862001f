"""What is left to gain: how probable it is that something is better by more than an amount.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
f_s         a draw of the cost for questions about the best
x*          the trial to keep
m           median over the draws of ``f_s(x*) - min f_s``
==========  ============================================================================

P(better by more than ε) = m / (m + ε). The minima of draws scatter by less than the truth does
about them: on exact tables and functions the share of draws beyond ε was no better than a constant,
and this distribution (log-logistic, with the median m) was. It is never certain that nothing is
left: it may be where no trial was made. Its interval is told from a tenth of m to ten times m.
"""

from __future__ import annotations

from dataclasses import dataclass

_WITHIN = 10.0  # times m at most: an interval that is wider says nothing
MOST = 0.95  # of probability: more is never told, nor less than the rest


def told(probability: float) -> float:
    """Return a probability as it is told: no larger than is known, nor smaller than the rest."""
    return min(max(probability, 1.0 - MOST), MOST)


@dataclass(frozen=True)
class Left:
    """By how much the best configuration is better than the trial to keep.

    Attributes
    ----------
    median : float
        As probably more as less, in the objective's units.

    Examples
    --------
    >>> left = Left(0.3)
    >>> round(left.more_than(0.1), 2), [round(end, 3) for end in left.interval]
    (0.75, [0.03, 3.0])
    """

    median: float

    def more_than(self, epsilon: float) -> float:
        """Return the probability that something is better by more than an amount."""
        if self.median <= 0.0:
            return 0.0
        return self.median / (self.median + epsilon)

    @property
    def interval(self) -> tuple[float, float]:
        """Return what is told to hold the gain."""
        return self.median / _WITHIN, self.median * _WITHIN
