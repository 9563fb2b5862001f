"""What is left to gain: how probable it is that something is better by more than an amount.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
f_s         a draw of the cost for questions about the best
x*          the trial to keep
m           median over the draws of ``f_s(x*) - min f_s``
r           roughness: by how much trials scatter about the draws, unless repeats tell that
            this is noise
==========  ============================================================================

P(better by more than ε) = m / (m + ε). The minima of draws scatter by less than the truth does
about them: on exact tables and functions the share of draws beyond ε was no better than a constant,
and this distribution (log-logistic, with the median m) was. It is never certain that nothing is
left: it may be where no trial was made.

The roughness is noise, or the objective itself. If it is the objective, the best is beyond the
draws: m is ``hypot(m, r / 4)``. Without it, what is left of functions without any structure was
told as a hundredth of what it is. If it is noise, draws have minima as well: ε is at least r / 4.
Of noise alone it is then as probable as not that something is better. The interval is told from a
tenth of m to ten times m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

WITHIN = 10.0  # times the amount at most: a wider interval says nothing
_BEYOND = 0.25  # of the roughness the best may be beyond the draws (tests/claims/best.py)
MOST = 0.95  # of probability: more is never told, nor less than the rest


def told(probability: float) -> float:
    """Return a probability as it is told: no larger than is known, nor smaller than the rest."""
    return min(max(probability, 1.0 - MOST), MOST)


@dataclass(frozen=True)
class Left:
    """By how much the best configuration is better than the trial to keep.

    Attributes
    ----------
    of_draws : float
        As probably more as less by the draws, in the objective's units.
    roughness : float, default 0
        Standard deviation of what the draws leave out: noise, or the objective.

    Examples
    --------
    >>> left = Left(0.3)
    >>> round(left.more_than(0.1), 2), [round(end, 3) for end in left.interval]
    (0.75, [0.03, 3.0])
    >>> rough = Left(0.3, roughness=1.6)
    >>> round(rough.median, 2), round(rough.more_than(0.1), 3)
    (0.5, 0.556)
    """

    of_draws: float
    roughness: float = 0.0

    @property
    def median(self) -> float:
        """As probably more as less is left, in the objective's units."""
        return math.hypot(self.of_draws, _BEYOND * self.roughness)

    def more_than(self, epsilon: float) -> float:
        """Return the probability that something is better by more than an amount."""
        if self.median <= 0.0:
            return 0.0
        enough = max(epsilon, _BEYOND * self.roughness)
        return self.median / (self.median + enough)

    @property
    def interval(self) -> tuple[float, float]:
        """Return what is told to hold the gain."""
        return self.median / WITHIN, self.median * WITHIN
