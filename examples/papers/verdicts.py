"""The rule by which a number, a finding and a table of a paper are judged.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
N          rows of the section that are judged
α          FAMILY: the probability that chance alone lets a section differ, 1 %
c          how many standard errors chance exceeds with probability α / N, by Student's
           distribution where repetitions say how much they scatter; at most FARTHEST = 5
           where the error is known, else what that distribution exceeds as rarely
δ          the smallest difference that the run tells with a probability of 80 %:
           (c + 0.84) standard errors, and the paper's rounding
effect     what the paper's number says: its distance from what it would be if nothing
           were there, 0 unless said otherwise
=========  ============================================================================

A number *differs* if it is farther from the paper's than c standard errors and rounding. It
*agrees* if it does not, and if it would have been noticed otherwise: δ is at most MARGIN, 20 %, of
the effect. Else it is *not contradicted* if more repetitions could tell, and *undecided* if none
could: the paper's own number has too large an error, as that of a single run has, or too few
digits. What a paper prints as 0 has no effect of its own; there δ has to be at most a unit of the
last printed digit.

A finding is a margin, positive where the paper is right, one of each repetition. It agrees if the
mean margin is more than c standard errors above 0, differs if it is as far below, and is not
contradicted otherwise.

Rows of one table share repetitions, so their signs are tested together, by repetition: the multiple
of the paper's numbers that fits a repetition best is a number of its own, which should be 1.

Numbers and findings of a section have a verdict each. It differs if one row does. It agrees if all
of them do that can be decided; of numbers with a common multiple only this has to.

A verdict within one standard error of its limit is *narrow*: other draws may turn it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm, t

AGREES = "agrees"
NOT_CONTRADICTED = "not contradicted"
DIFFERS = "differs"
UNDECIDED = "undecided"
FAMILY = 0.01
FARTHEST = 5.0
NOTICED = 0.8
MARGIN = 0.2


def critical(n_rows: int, freedom: float = np.inf) -> float:
    """Return how many standard errors chance exceeds so rarely that a table may differ by it."""
    level = max(FAMILY / max(n_rows, 1) / 2.0, norm.sf(FARTHEST))
    quantile = norm.isf(level) if np.isinf(freedom) else t.isf(level, freedom)
    return float(quantile)


@dataclass(frozen=True)
class Number:
    """A number beside a paper's.

    Attributes
    ----------
    paper, ours : float
        The two.
    error : float
        The standard error of their difference.
    freedom : float
        Degrees of freedom with which it is known.
    rounding : float
        Half a unit of the paper's last digit.
    null : float
        What the number would be if nothing were there.
    together : bool
        Whether it stands for several numbers.
    repetitions : int
        Of which it is the mean.
    shrinking : float
        What falls with the number of repetitions of the error's square.
    """

    paper: float
    ours: float
    error: float
    freedom: float = np.inf
    rounding: float = 0.0
    null: float = 0.0
    together: bool = False
    repetitions: int = 1
    shrinking: float = 0.0

    @property
    def effect(self) -> float:
        """How far the paper's number is from what it would be if nothing were there."""
        return abs(self.paper - self.null)

    @property
    def margin(self) -> float:
        """The largest difference that could be overlooked."""
        return MARGIN * self.effect if self.effect else 2.0 * self.rounding

    def tells(self, n_rows: int) -> float:
        """Return the smallest difference that would be noticed with a probability of 80 %."""
        errors = critical(n_rows, self.freedom) + norm.ppf(NOTICED)
        return float(errors * self.error + self.rounding)

    def enough(self, n_rows: int) -> float:
        """Return how many repetitions would tell, infinity if the rest of the error is too big."""
        errors = critical(n_rows) + norm.ppf(NOTICED)
        allowed = (max(self.margin - self.rounding, 0.0) / errors) ** 2
        rest = max(self.error**2 - self.shrinking, 0.0)
        return (
            float(self.repetitions * self.shrinking / (allowed - rest))
            if rest < allowed
            else np.inf
        )

    def beyond(self, n_rows: int) -> float:
        """Return by how much the difference exceeds what chance and rounding explain."""
        within = critical(n_rows, self.freedom) * self.error + self.rounding
        slack = 1e-9 * (abs(self.paper) + self.rounding)  # of binary fractions
        return float(abs(self.ours - self.paper) - within - slack)

    def verdict(self, n_rows: int) -> str:
        """Return the verdict where so many rows are judged together."""
        if self.beyond(n_rows) > 0.0:
            return DIFFERS
        if self.tells(n_rows) <= self.margin + 1e-9 * (abs(self.paper) + self.rounding):
            return AGREES
        return UNDECIDED if np.isinf(self.enough(n_rows)) else NOT_CONTRADICTED

    def is_narrow(self, n_rows: int) -> bool:
        """Return whether other draws, or another rounding of the paper's number, may turn it."""
        beyond = self.beyond(n_rows)
        by_rounding = self.error > 0.0 and -self.rounding < beyond <= 0.0
        return abs(beyond) < self.error or by_rounding


@dataclass(frozen=True)
class Finding:
    """Margins by which a finding holds, each with its standard error; positive is as the paper.

    `repetitions` narrow them; with 0 more repetitions are no use.
    """

    margins: tuple[float, ...]
    errors: tuple[float, ...]
    freedom: float = np.inf
    repetitions: int = 0

    @classmethod
    def of(cls, margins: object) -> Finding:
        """Return a finding of margins, with repetitions along the last axis."""
        values = np.atleast_1d(np.asarray(margins, dtype=float))
        values = values.reshape(-1, values.shape[-1])
        n = values.shape[1]
        if n < 2:
            raise ValueError("a finding needs repetitions to have an error")
        errors = values.std(axis=1, ddof=1) / n**0.5
        means = values.mean(axis=1)
        return cls(tuple(means.tolist()), tuple(errors.tolist()), n - 1.0, n)

    @classmethod
    def exact(cls, holds: object) -> Finding:
        """Return a finding into which no chance enters."""
        return cls((1.0 if holds else -1.0,), (0.0,))

    @property
    def in_errors(self) -> float:
        """The smallest margin, in standard errors."""
        pairs = zip(self.margins, self.errors, strict=True)
        return float(min(m / e if e else np.copysign(np.inf, m) if m else 0.0 for m, e in pairs))

    def enough(self, n_rows: int) -> float:
        """Return how many repetitions would tell with 80 %, if margins are as they are here.

        With errors that are known as well as many repetitions tell them: few need some more.
        """
        if not self.repetitions or min(self.margins) <= 0.0:
            return np.inf
        errors = critical(n_rows) + norm.ppf(NOTICED)
        return float(self.repetitions * (errors / self.in_errors) ** 2)

    def verdict(self, n_rows: int) -> str:
        """Return the verdict where so many rows are judged together."""
        far, margin = critical(n_rows, self.freedom), self.in_errors
        if margin < -far:
            return DIFFERS
        return AGREES if margin > far else NOT_CONTRADICTED

    def is_narrow(self, n_rows: int) -> bool:
        """Return whether other draws may turn the verdict."""
        return bool(abs(abs(self.in_errors) - critical(n_rows, self.freedom)) < 1.0)


def weights_of(paper: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Return the weights (k,) of numbers in the multiple of the paper's that fits best.

    Numbers count by their errors, none more than one with the median error: a number that is known
    exactly does not stand for the others.
    """
    known = np.maximum(errors, np.median(errors))
    weights = paper / np.where(known > 0.0, known, 1.0) ** 2
    return np.asarray(weights / (paper @ weights))


def verdict(rows: Sequence[Number | Finding], n_rows: int) -> str:
    """Return the verdict on the numbers, or on the findings, of a section with so many rows."""
    if DIFFERS in (row.verdict(n_rows) for row in rows):
        return DIFFERS
    combined = [row for row in rows if isinstance(row, Number) and row.together]
    decided = {row.verdict(n_rows) for row in combined or rows} - {UNDECIDED}
    if not decided:
        return UNDECIDED
    return AGREES if decided == {AGREES} else NOT_CONTRADICTED


def repetitions_needed(row: Number | Finding, n_rows: int) -> str:
    """Return how many repetitions a row would need to agree, nothing if none are enough."""
    enough = row.enough(n_rows)
    if np.isinf(enough):
        return ""
    # two digits: it follows from an error, which is known no better
    unit = 10 ** max(len(str(int(enough))) - 2, 0)
    n = max(unit * int(np.ceil(enough / unit)), row.repetitions + 1)
    return f"about {n:,} repetitions would tell, of which there are {row.repetitions}"
