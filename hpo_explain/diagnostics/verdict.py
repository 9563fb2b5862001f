"""Whether a surrogate can be trusted enough to be explained."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hpo_explain._html import text_html
from hpo_explain._words import counted
from hpo_explain.surrogates import HeldOut, SupportsHeldOut, Surrogate

GOOD_R2 = 0.7
FAIR_R2 = 0.3
GOOD_COVERAGE = 0.85
FAIR_COVERAGE = 0.7
GOOD_TRIALS_PER_HYPERPARAMETER = 5
FAIR_TRIALS = 5  # and one per hyperparameter
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Trust:
    """Whether a surrogate is good enough to be explained, and why.

    Attributes
    ----------
    level : {"good", "fair", "poor", "unknown"}
        *good*: R² at least 0.7, coverage at least 85 %, and at least 5 trials per hyperparameter.
        *poor*: R² below 0.3, or coverage below 70 %, or fewer trials than 5 or than
        hyperparameters. *fair*: everything between. *unknown*: the surrogate cannot be checked
        against trials it had not seen.
    r2 : float
        Held-out R²: 1 is perfect, 0 is no better than the mean objective; NaN if unknown.
    coverage : float
        Share of held-out trials within their 95 % predictive interval; NaN if unknown.
    n_trials : int
        Number of trials held out, one after the other.
    method : str
        How trials were held out.
    reasons : tuple of str
        Why the level is what it is, in sentences.

    Examples
    --------
    >>> verdict = Trust("poor", 0.1, 0.9, 40, "leave-one-out", ("R² = 0.10.",))
    >>> print(verdict)
    trust: poor. R² = 0.10.
    """

    level: str
    r2: float
    coverage: float
    n_trials: int
    method: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"trust: {self.level}. " + " ".join(self.reasons)

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values that JSON can hold (unknown numbers as None)."""
        plain = asdict(self)
        for name in ("r2", "coverage"):
            plain[name] = plain[name] if np.isfinite(plain[name]) else None
        return {**plain, "reasons": list(self.reasons)}


def trust(surrogate: Surrogate) -> Trust:
    """Return whether a surrogate is good enough to be explained.

    Parameters
    ----------
    surrogate : Surrogate
        The model; checked where it can hold trials out (`SupportsHeldOut`).

    Returns
    -------
    Trust
        Level, held-out R² and coverage of the 95 % predictive interval, with reasons.

    References
    ----------
    .. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine
       Learning, Section 5.4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, GaussianProcessSurrogate, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> trust(GaussianProcessSurrogate.fit(space, X, np.sin(3 * X[:, 0]))).level
    'good'
    """
    if not isinstance(surrogate, SupportsHeldOut):
        return _unknown("The surrogate has no held_out(), so it could not be checked.")
    try:
        held_out = surrogate.held_out()
    except ValueError as error:
        return _unknown(f"The surrogate could not be checked: {error}")
    return _verdict(held_out, len(surrogate.space))


def _unknown(reason: str) -> Trust:
    return Trust("unknown", float("nan"), float("nan"), 0, "none", (reason,))


def _verdict(held_out: HeldOut, d: int) -> Trust:
    y, n = held_out.observed, len(held_out.observed)
    if not n:
        return _unknown(f"No trial could be held out ({held_out.method}).")
    if np.ptp(y) == 0.0:
        return Trust(
            "poor", float("nan"), float("nan"), n, held_out.method,
            ("The objective is constant: there is nothing to explain.",),
        )  # fmt: skip
    unit = float(np.ptp(y))  # squares of what is tiny are 0
    spread = float(np.sum(((y - y.mean()) / unit) ** 2))
    r2 = 1.0 - float(np.sum(((y - held_out.mean) / unit) ** 2)) / spread
    # rounding: an exact prediction without spread lies within its interval
    slack = 1e-9 * float(np.abs(y).max())
    inside = np.abs(y - held_out.mean) <= _NORMAL_95 * held_out.std + slack
    coverage = float(inside.mean())
    enough = n >= GOOD_TRIALS_PER_HYPERPARAMETER * d
    reasons = (
        f"It predicts trials it had not seen ({held_out.method}) with R² = {r2:.2f} "
        f"(good from {GOOD_R2}, poor below {FAIR_R2}).",
        f"{coverage:.0%} of them lie within their 95 % interval "
        f"(good from {GOOD_COVERAGE:.0%}, poor below {FAIR_COVERAGE:.0%}).",
        f"It rests on {counted(n, 'trial')} of {counted(d, 'hyperparameter')} "
        f"(good from {GOOD_TRIALS_PER_HYPERPARAMETER} per hyperparameter, poor below "
        f"{max(FAIR_TRIALS, d)}).",
    )
    if r2 < FAIR_R2 or coverage < FAIR_COVERAGE or n < max(FAIR_TRIALS, d):
        level = "poor"
    elif r2 >= GOOD_R2 and coverage >= GOOD_COVERAGE and enough:
        level = "good"
    else:
        level = "fair"
    return Trust(level, r2, coverage, n, held_out.method, reasons)
