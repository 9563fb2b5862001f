"""Which rows to evaluate so that numbers that follow from the draws are known better.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f(x)       cost at a row, over the draws
g_j        the numbers, such as shares of the variance, over the draws
ε(x)       standard deviation of one evaluation at a row
y          what an evaluation is seen to be: f(x) + ε(x) e, where e is independent noise
=========  ============================================================================

By linear regression of g_j on y, an evaluation reduces the variance of g_j by
``cov(g_j, f(x))² / (var f(x) + ε(x)²)``. The row with the largest sum over j comes first. The next
one is chosen of what the regression on those before it leaves of f and g: draws are conditioned
linearly [1]_. That is the expected information gain about g where all is normal [2]_.

References
----------
.. [1] Wilson, J. T. et al. (2020). Efficiently sampling functions from Gaussian process posteriors.
   ICML. Section 2.
.. [2] Neiswanger, W., Wang, K. A. and Ermon, S. (2021). Bayesian algorithm execution: estimating
   computable properties of black-box functions using mutual information. ICML.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.space import Array, Ints

_NOTHING = 1e-9  # of the largest variance of f: what is known already


@dataclass(frozen=True, eq=False)
class Unsettled:
    """Numbers that the draws leave open, and rows that may be evaluated.

    Attributes
    ----------
    costs : ndarray of shape (k, n)
        The cost of each draw at each row.
    numbers : ndarray of shape (k, m)
        The numbers in each draw, in one unit.
    noise : ndarray of shape (n,)
        Standard deviation of one evaluation at each row.
    """

    costs: Array
    numbers: Array
    noise: Array

    def best_rows(self, count: int) -> Ints:
        """Return which different rows narrow the numbers most, in their order, (count,)."""
        k = len(self.costs)
        f, g = _centered(self.costs), _centered(self.numbers)
        least = _NOTHING * float((f * f).mean(axis=0).max())
        chosen = list[int]()
        for _ in range(count):
            covariance = g.T @ f / k
            variance = (f * f).mean(axis=0)
            # squares of covariances of so few draws are too large by chance
            chance = (g * g).mean(axis=0).sum() * variance / k
            explained = (covariance * covariance).sum(axis=0) - chance
            seen = np.maximum(variance + self.noise**2, least)
            score = explained / seen
            score[chosen] = -np.inf
            row = int(np.argmax(score))
            chosen.append(row)
            y = np.append(f[:, row], self.noise[row] * np.sqrt(k))
            f, g = _left_by(y, f), _left_by(y, g)
        return np.array(chosen)

    def left(self, rows: Ints, of: Unsettled) -> Array:
        """Return the variance of the numbers that rows leave, (m,), where other draws say how.

        `of` has other draws of the same: by them the numbers are regressed on the evaluations.
        """
        f, g = _centered(of.costs[:, rows]), _centered(of.numbers)
        seen = f.T @ f / len(f) + np.diag(self.noise[rows] ** 2)
        weights = np.linalg.lstsq(seen, f.T @ g / len(f), rcond=_NOTHING)[0]
        rest = _centered(self.numbers) - (
            _centered(self.costs[:, rows]) @ weights
        )
        by_noise = (weights * self.noise[rows, None]) ** 2
        return np.asarray((rest * rest).mean(axis=0) + by_noise.sum(axis=0))

    def expected_left(self, count: int) -> Array:
        """Return the share of their standard deviation that so many rows leave, (m,).

        Rows are chosen by one half of the draws, and what they leave is measured in the other.
        """
        halves = [self._only(slice(start, None, 2)) for start in (0, 1)]
        variance = np.zeros(self.numbers.shape[1])
        for chooses, measures in (halves, halves[::-1]):
            rows = chooses.best_rows(count)
            variance += measures.left(rows, chooses) / 2.0
        whole = self.numbers.var(axis=0)
        there = whole > 0.0
        share = np.divide(
            variance, whole, out=np.ones_like(whole), where=there
        )
        return np.asarray(np.sqrt(np.minimum(share, 1.0)))

    def _only(self, draws: slice) -> Unsettled:
        return Unsettled(self.costs[draws], self.numbers[draws], self.noise)


def _centered(values: Array) -> Array:
    return np.asarray(values - values.mean(axis=0), float)


def _left_by(y: Array, values: Array) -> Array:
    """Return what the regression on an evaluation leaves of draws, with a row for its noise.

    As a part of its own that no other evaluation has, noise is one more row: no number is drawn.
    """
    longer = np.vstack([values, np.zeros(values.shape[1])])
    size = y @ y
    if size <= 0.0:
        return longer
    return np.asarray(longer - np.outer(y, y @ longer) / size)
