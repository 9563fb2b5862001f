"""Whether a surrogate can be trusted enough to be explained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from hpo_explain._edge import words
from hpo_explain._html import text_html
from hpo_explain.facts import Fact, fact
from hpo_explain.surrogates import HeldOut, SupportsHeldOut, Surrogate

Level: TypeAlias = Literal["good", "fair", "poor", "unknown"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""From the best to the worst."""
Scope: TypeAlias = Literal["everywhere", "good_region", "proposals"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""What a statement is about: each has a verdict of its own."""

GOOD_R2 = 0.7
FAIR_R2 = 0.3
GOOD_COVERAGE = 0.85
FAIR_COVERAGE = 0.7
GOOD_TRIALS_PER_HYPERPARAMETER = 5
FAIR_TRIALS = 5  # and one per hyperparameter
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a surrogate can be believed about one thing, and why.

    Attributes
    ----------
    level : {"good", "fair", "poor", "unknown"}
        How far.
    reasons : tuple of Fact
        What the level follows from: each measure with its own level and limits, or why it is not
        known.
    """

    level: Level
    reasons: tuple[Fact, ...]

    @property
    def enough(self) -> bool:
        """Whether statements that rest on it may be certain: it is neither poor nor unknown."""
        return self.level in ("good", "fair")

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        return {
            "level": self.level,
            "reasons": [reason.to_dict() for reason in self.reasons],
        }


@dataclass(frozen=True, eq=False)
class Trust:
    """Whether a surrogate is good enough to be explained, and why.

    ``str(trust)`` gives the level and the reasons in words.

    Attributes
    ----------
    everywhere : Verdict
        About the space as a whole: importance, partial dependence.
    good_region : Verdict
        Among the good trials and around the incumbent: ablation, local methods, recommendations.
    proposals : Verdict or None
        About what the optimizer saw when it chose; None where no proposal is explained.
    r2 : float
        R² on held-out trials: 1 is perfect, 0 is no better than the mean objective; NaN if
        unknown.
    coverage : float
        Share of held-out trials within their 95 % prediction interval, from 0 to 1; NaN if
        unknown.
    n_trials : int
        Number of held-out trials.
    method : str
        How trials were held out, such as "leave-one-out".

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [0.3, 0.3, 0.3]})
    >>> verdict = hx.trust(table, objective="loss")
    >>> verdict.level, [reason.kind for reason in verdict.reasons]
    ('poor', ['trust_constant'])
    >>> print(verdict)
    trust: poor
    over the whole space: poor. The objective is constant, so there is nothing to explain.
    among the good trials: poor. The objective is constant, so there is nothing to explain.
    behind the proposals: poor. The objective is constant, so there is nothing to explain.
    """

    everywhere: Verdict
    good_region: Verdict
    r2: float
    coverage: float
    n_trials: int
    method: str
    proposals: Verdict | None = None

    def verdict(self, scope: Scope) -> Verdict | None:
        """Return the verdict on statements of a scope; None where there is none."""
        found: dict[Scope, Verdict | None] = {
            "everywhere": self.everywhere,
            "good_region": self.good_region,
            "proposals": self.proposals,
        }
        return found[scope]

    @property
    def level(self) -> Level:
        """The worse of `everywhere` and `good_region`."""
        return max(self.everywhere.level, self.good_region.level, key=LEVELS.index)

    @property
    def reasons(self) -> tuple[Fact, ...]:
        """What both levels follow from, each reason once."""
        return tuple(dict.fromkeys((*self.everywhere.reasons, *self.good_region.reasons)))

    def __str__(self) -> str:
        return str(words().trust.verdict(self))

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values that JSON can hold (unknown numbers as None)."""
        return {
            "level": self.level,
            "everywhere": self.everywhere.to_dict(),
            "good_region": self.good_region.to_dict(),
            "proposals": None if self.proposals is None else self.proposals.to_dict(),
            "r2": self.r2 if np.isfinite(self.r2) else None,
            "coverage": self.coverage if np.isfinite(self.coverage) else None,
            "n_trials": self.n_trials,
            "method": self.method,
            "reasons": [reason.to_dict() for reason in self.reasons],
        }


def trust(surrogate: Surrogate) -> Trust:
    """Return whether a surrogate is good enough to be explained.

    Parameters
    ----------
    surrogate : Surrogate
        The model. It is checked where it has a method ``held_out`` (`SupportsHeldOut`).

    Returns
    -------
    Trust
        Level, held-out R² and coverage of the 95 % prediction interval, with reasons.

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
        return _unknown(fact("unchecked_no_method"))
    try:
        held_out = surrogate.held_out()
    except ValueError as error:
        return _unknown(fact("unchecked_error", error=type(error).__name__, why=str(error)))
    return _judged(held_out, len(surrogate.space))


def _unknown(reason: Fact) -> Trust:
    verdict = Verdict("unknown", (reason,))
    return Trust(verdict, verdict, float("nan"), float("nan"), 0, "none", verdict)


def _judged(held_out: HeldOut, d: int) -> Trust:
    y, n, method = held_out.observed, len(held_out.observed), held_out.method
    if not n:
        return _unknown(fact("unchecked_no_trial", method=method))
    if not np.isfinite([held_out.mean, held_out.std]).all():
        return _unknown(fact("unchecked_not_finite", method=method))
    if np.ptp(y) == 0.0:
        verdict = Verdict("poor", (fact("trust_constant"),))
        return Trust(verdict, verdict, float("nan"), float("nan"), n, method, verdict)
    unit = float(np.ptp(y))  # squares of what is tiny are 0
    spread = float(np.sum(((y - y.mean()) / unit) ** 2))
    r2 = 1.0 - float(np.sum(((y - held_out.mean) / unit) ** 2)) / spread
    # rounding: an exact prediction without spread lies within its interval
    slack = 1e-9 * float(np.abs(y).max())
    inside = np.abs(y - held_out.mean) <= _NORMAL_95 * held_out.std + slack
    coverage = float(inside.mean())
    reasons = (
        fact("trust_r2", method=method, **_measured(r2, GOOD_R2, FAIR_R2)),
        fact("trust_coverage", **_measured(coverage, GOOD_COVERAGE, FAIR_COVERAGE)),
        fact(
            "trust_trials",
            hyperparameters=d,
            good_per_hyperparameter=GOOD_TRIALS_PER_HYPERPARAMETER,
            **_measured(n, GOOD_TRIALS_PER_HYPERPARAMETER * d, max(FAIR_TRIALS, d)),
        ),
    )
    worst = max((reason["level"] for reason in reasons), key=LEVELS.index)
    verdict = Verdict(worst, reasons)
    return Trust(verdict, verdict, r2, coverage, n, method, verdict)


def _measured(value: float, good: float, fair: float) -> dict[str, Any]:
    """Return a measure with its level: good from one limit on, poor below the other."""
    level = "good" if value >= good else "poor" if value < fair else "fair"
    return {"value": value, "level": level, "good_from": good, "poor_below": fair}
