"""The rule by which a number, a finding and a table of a paper are judged.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
N          rows of the table that are judged
α          FAMILY: the probability that chance alone lets a table differ, 1 %
c          how many standard errors chance exceeds with probability α / N, by Student's
           distribution where repetitions say how much they scatter; at most FARTHEST = 5
           where the error is known, else what that distribution exceeds as rarely
δ          the smallest difference that the run tells with a probability of 80 %:
           (c + 0.84) standard errors, and the paper's rounding
effect     what the paper's number says: its distance from what it would be if nothing
           were there, 0 unless said otherwise
=========  ============================================================================

A number *differs* if it is farther from the paper's than c standard errors and rounding. It
*agrees* if it does not, and if it would have been noticed otherwise: δ is at most half of the
effect. Else it is *not contradicted*: too few repetitions to tell. What a paper prints as 0 has no
effect of its own; there δ has to be at most a unit of the last printed digit.

A finding is a margin, positive where the paper is right, one of each repetition. It agrees if the
mean margin is more than c standard errors above 0, differs if it is as far below, and is not
contradicted otherwise. Nothing is forgiven for being one of many beyond that.

Rows of one table share repetitions, so their signs are tested together, by repetition: the multiple
of the paper's numbers that fits a repetition best is a number of its own, which should be 1.

A table differs if one of its rows does. It agrees if all findings do, and its numbers together: one
that is alone has to agree, several if their common multiple does. It is not contradicted otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm, t

AGREES = "agrees"
NOT_CONTRADICTED = "not contradicted"
DIFFERS = "differs"
FAMILY = 0.01
FARTHEST = 5.0
NOTICED = 0.8
# why more repetitions would not help
ONE_RUN = "the paper has one run, and what is in it is chance"
ALL_AT_ONCE = "judged by resamples of all repetitions, which have no margin"
ALL_TRIALS = "the data at hand are used up"
OWN_ERROR = "the error of the paper's own number is too large"
OTHER_SIDE = "the mean margin is not on the paper's side"


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
    def least(self) -> float:
        """The largest difference that could be overlooked."""
        effect = abs(self.paper - self.null)
        return effect / 2.0 if effect else 2.0 * self.rounding

    def tells(self, n_rows: int) -> float:
        """Return the smallest difference that would be noticed with a probability of 80 %."""
        errors = critical(n_rows, self.freedom) + norm.ppf(NOTICED)
        return float(errors * self.error + self.rounding)

    def enough(self, n_rows: int) -> float:
        """Return how many repetitions would tell, infinity if the rest of the error is too big."""
        errors = critical(n_rows) + norm.ppf(NOTICED)
        allowed = ((self.least - self.rounding) / errors) ** 2
        rest = max(self.error**2 - self.shrinking, 0.0)
        if self.rounding >= self.least or rest >= allowed:
            return np.inf
        return float(self.repetitions * self.shrinking / (allowed - rest))

    def hindrance(self, n_rows: int) -> str:
        """Return why more repetitions would not tell."""
        return OWN_ERROR

    def verdict(self, n_rows: int) -> str:
        """Return the verdict where so many rows are judged together."""
        within = critical(n_rows, self.freedom) * self.error + self.rounding
        slack = 1e-9 * (abs(self.paper) + self.rounding)  # of binary fractions
        if abs(self.ours - self.paper) > within + slack:
            return DIFFERS
        can_tell = self.tells(n_rows) <= self.least + slack
        return AGREES if can_tell else NOT_CONTRADICTED


@dataclass(frozen=True)
class Finding:
    """Margins by which a finding holds, each with its standard error; positive is as the paper.

    `repetitions` narrow them, unless `fixed` says why not.
    """

    margins: tuple[float, ...]
    errors: tuple[float, ...]
    freedom: float = np.inf
    repetitions: int = 1
    fixed: str = ""

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

    def enough(self, n_rows: int) -> float:
        """Return how many repetitions would tell with 80 %, if margins are as they are here.

        With errors that are known as well as many repetitions tell them: few need some more.
        """
        if self.fixed or min(self.margins) <= 0.0:
            return np.inf
        errors = critical(n_rows) + norm.ppf(NOTICED)
        far = max(e / m for m, e in zip(self.margins, self.errors, strict=True))
        return float(self.repetitions * (errors * far) ** 2)

    def hindrance(self, n_rows: int) -> str:
        """Return why more repetitions would not tell."""
        return self.fixed or OTHER_SIDE

    def verdict(self, n_rows: int) -> str:
        """Return the verdict where so many rows are judged together."""
        far = critical(n_rows, self.freedom)
        pairs = list(zip(self.margins, self.errors, strict=True))
        if any(m < 0.0 and m < -far * e for m, e in pairs):
            return DIFFERS
        if all(m > 0.0 and m > far * e for m, e in pairs):
            return AGREES
        return NOT_CONTRADICTED


def weights_of(paper: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Return the weights (k,) of numbers in the multiple of the paper's that fits best.

    Numbers count by their errors, none more than one with the median error: a number that is known
    exactly does not stand for the others.
    """
    known = np.maximum(errors, np.median(errors))
    weights = paper / np.where(known > 0.0, known, 1.0) ** 2
    return np.asarray(weights / (paper @ weights))


def are_decisive(rows: Sequence[Number | Finding]) -> list[bool]:
    """Return which rows have to agree for their table to agree."""
    several = any(isinstance(row, Number) and row.together for row in rows)
    return [isinstance(row, Finding) or row.together or not several for row in rows]


def verdict(rows: Sequence[Number | Finding]) -> str:
    """Return the verdict on a table."""
    n_rows = len(rows)
    verdicts = [row.verdict(n_rows) for row in rows]
    if DIFFERS in verdicts:
        return DIFFERS
    pairs = zip(verdicts, are_decisive(rows), strict=True)
    decisive = {one for one, counts in pairs if counts}
    return AGREES if decisive == {AGREES} else NOT_CONTRADICTED


def missing(row: Number | Finding, n_rows: int) -> str:
    """Return how many repetitions a row would need to agree, or why none are enough."""
    enough = row.enough(n_rows)
    if np.isinf(enough):
        return row.hindrance(n_rows)
    # two digits: it follows from an error, which is known no better
    unit = 10 ** max(len(str(int(enough))) - 2, 0)
    n = max(unit * int(np.ceil(enough / unit)), row.repetitions + 1)
    return f"about {n:,} repetitions, of which there are {row.repetitions}"
