"""How far a surrogate can be trusted, and how much of the space its trials reach.

How much of the space lies within the reach of predictions that were checked.

A held-out trial checks the model as far away from the other trials as it lies itself. What lies
further from every trial than that is extrapolation that nothing has checked, however well the
trials are predicted. Trials count with the share of the space to which each is nearest: a crowd of
them checks little of it. The same is asked along each hyperparameter alone, as in many dimensions
a distance does not show that one range was left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args
from weakref import WeakKeyDictionary

import numpy as np

from hpo_explain.base.checks import check_direction
from hpo_explain.base.facts import Fact
from hpo_explain.base.html import text_html
from hpo_explain.base.numbers import NORMAL_95
from hpo_explain.base.options import Direction
from hpo_explain.diagnostics import told
from hpo_explain.diagnostics._skill import good_trials, r2_of, rank_correlation, two_groups
from hpo_explain.models.protocols import HeldOut, SupportsHeldOut, Surrogate
from hpo_explain.space import Array, SearchSpace
from hpo_explain.space.support import squared_differences

_PROBES = 512
_TRIALS = 2000
_MOST = 0.9  # of the space belongs to trials that lie no further from the others than the reach
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Reach:
    """What trials check of a space.

    Attributes
    ----------
    probes : ndarray of shape (m, d)
        Encoded configurations spread over the space.
    cells : ndarray of shape (n,)
        Share of the space to which each trial is nearest; they add up to 1.
    joint : float
        Share of the space within reach.
    along : tuple of float
        Share of each hyperparameter's measure within reach along it.
    """

    probes: Array
    cells: Array
    joint: float
    along: tuple[float, ...]

    @property
    def share(self) -> float:
        """The smallest of all shares."""
        return min(self.joint, *self.along)


def reach(space: SearchSpace, rows: Array) -> Reach:
    """Return what trials at encoded rows (n, d), at least two, check of a space.

    Of more than 2000 trials as many are drawn; the others have no share of the space.
    """
    probes = space.sample(_PROBES, seed=1, method="uniform")
    drawn = np.random.default_rng(0).permutation(len(rows))[:_TRIALS]
    to_probes, among = np.zeros((len(probes), len(drawn))), np.zeros((len(drawn), len(drawn)))
    along, cells = [], np.zeros(len(rows))
    for beside, between in zip(
        squared_differences(space, probes, rows[drawn]),
        squared_differences(space, rows[drawn], rows[drawn]),
        strict=True,
    ):
        along.append(_within(beside, between)[0])
        to_probes += beside
        among += between
    joint, cells[drawn] = _within(to_probes, among)
    return Reach(probes, cells, joint, tuple(along))


def _within(to_probes: Array, among: Array) -> tuple[float, Array]:
    """Return the share of probes within reach, and the share to which each trial is nearest.

    Both are of squared distances, (m, n) and (n, n).
    """
    m, n = to_probes.shape
    nearest = to_probes.argmin(axis=1)
    distance = to_probes[np.arange(m), nearest]
    cells = np.bincount(nearest, minlength=n) / m
    isolation = np.where(np.eye(n, dtype=bool), np.inf, among).min(axis=1)
    order = np.argsort(isolation)
    limit = isolation[order][int(np.searchsorted(np.cumsum(cells[order]), _MOST))]
    return float(np.mean(distance <= limit + _SLACK)), cells


Level: TypeAlias = Literal["good", "fair", "poor", "unknown"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""From the best to the worst."""
Scope: TypeAlias = Literal["everywhere", "good_region", "proposals"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""What a statement is about: each has a verdict of its own."""

# the limits are those at which verdicts agree with the truth, where it is known: tests/claims
R2 = (0.7, 0.3)  # good from, poor below
LOWER_R2 = (0.4, 0.0)
LOWER_RANK = (0.4, 0.1)
COVERAGE = (0.85, 0.7)
REACH = (0.75, 0.4)
GOOD_TRIALS_PER_HYPERPARAMETER = 5
FAIR_TRIALS = 5  # and one per hyperparameter
TWO_GROUPS = 0.7  # share of the variance between two groups: the rest is told by which it is in


_KNOWN: WeakKeyDictionary[HeldOut, dict[Direction, Trust]] = WeakKeyDictionary()


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
        return {"level": self.level, "reasons": [reason.to_dict() for reason in self.reasons]}


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
        R² on held-out trials, as they are: 1 is perfect, 0 is no better than the mean objective;
        NaN if unknown.
    coverage : float
        Share of held-out trials within their 95 % prediction interval, from 0 to 1; NaN if
        unknown.
    n_trials : int
        Number of held-out trials.
    method : str
        How trials were held out, such as "leave-one-out".
    notes : tuple of Fact
        What has to be known of the model, such as that it learned from some of the trials.

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
    notes: tuple[Fact, ...] = ()

    def verdict(self, scope: Scope) -> Verdict | None:
        """Return the verdict on statements of a scope; None where there is none."""
        found: dict[Scope, Verdict | None] = {
            "everywhere": self.everywhere,
            "good_region": self.good_region,
            "proposals": self.proposals,
        }
        return found[scope]

    @property
    def verdicts(self) -> list[tuple[Scope, Verdict]]:
        """The verdicts that there are, with their scopes."""
        found = [(scope, self.verdict(scope)) for scope in SCOPES]
        return [(scope, verdict) for scope, verdict in found if verdict is not None]

    @property
    def level(self) -> Level:
        """The worse of `everywhere` and `good_region`."""
        return max(self.everywhere.level, self.good_region.level, key=LEVELS.index)

    @property
    def reasons(self) -> tuple[Fact, ...]:
        """What both levels follow from, each reason once."""
        return tuple(dict.fromkeys((*self.everywhere.reasons, *self.good_region.reasons)))

    def __str__(self) -> str:
        said = [
            f"{told.WHERE[scope]}: {found.level}. {told.reasons(found)}"
            for scope, found in self.verdicts
        ]
        return "\n".join([f"trust: {self.level}", *said, *(f"note: {n}" for n in self.notes)])

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
            "notes": [note.to_dict() for note in self.notes],
            "reasons": [reason.to_dict() for reason in self.reasons],
        }


def trust(surrogate: Surrogate, direction: Direction = "minimize") -> Trust:
    """Return whether a surrogate is good enough to be explained.

    Trials are predicted by fits that had not seen them, the parameters of a kernel included.

    - *Everywhere*: R² with its lower 95 % limit and the coverage of the prediction interval, in
      which each trial counts with the share of the space to which it is nearest; the share of the
      space within the reach of what was checked; the number of trials; and whether it was only told
      which trials fail.
    - *Good region*: the rank correlation among the good trials, with its lower 95 % limit.
    - *Proposals*: R² with its lower limit and coverage over the trials as they are.

    Parameters
    ----------
    surrogate : Surrogate
        The model. It is checked where it has a method ``held_out`` (`SupportsHeldOut`).
    direction : {"minimize", "maximize"}, default "minimize"
        Which way its objective is better.

    Returns
    -------
    Trust
        A verdict for each scope, with reasons.

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
    >>> found = trust(GaussianProcessSurrogate.fit(space, X, np.sin(3 * X[:, 0])))
    >>> found.everywhere.level, found.good_region.level
    ('good', 'good')
    >>> far = trust(GaussianProcessSurrogate.fit(space, 0.2 * X, np.sin(3 * X[:, 0])))
    >>> far.everywhere.level, far.proposals.level  # four fifths of the space were never tried
    ('poor', 'good')
    """
    check_direction(direction)
    if not isinstance(surrogate, SupportsHeldOut):
        return _unknown(told.NO_METHOD())
    try:
        held_out = surrogate.held_out()
    except ValueError as error:
        return _unknown(told.FAILED(error=type(error).__name__, why=str(error)))
    n, method = len(held_out.observed), held_out.method
    if not n:
        return _unknown(told.NO_TRIAL(method=method))
    if not np.isfinite([held_out.mean, held_out.std]).all():
        return _unknown(told.NOT_FINITE(method=method))
    if np.ptp(held_out.observed) == 0.0:
        return _alike(Verdict("poor", (told.CONSTANT(),)), n, method)
    known = _KNOWN.setdefault(held_out, {})  # a surrogate holds on to what it predicted
    if direction not in known:
        known[direction] = _judged(surrogate, held_out, 1.0 if direction == "minimize" else -1.0)
    return known[direction]


def _judged(surrogate: Surrogate, held_out: HeldOut, sign: float) -> Trust:
    n = len(held_out.observed)
    checked = None if held_out.rows is None else reach(surrogate.space, held_out.rows)
    r2, coverage = _r2(held_out), _coverage(held_out)
    trials = _trials(n, len(surrogate.space))
    good_region = _good_region(surrogate, held_out, sign, checked)
    return Trust(
        everywhere=_verdict(
            _r2(held_out, checked),
            _coverage(held_out, checked),
            *_within_reach(surrogate, checked),
            trials,
            *_told_apart(held_out, sign),
        ),
        good_region=good_region,
        proposals=_verdict(r2, coverage, trials),
        r2=r2["value"],
        coverage=coverage["value"],
        n_trials=n,
        method=held_out.method,
        notes=tuple(getattr(surrogate, "notes", ())),
    )


def _unknown(reason: Fact) -> Trust:
    return _alike(Verdict("unknown", (reason,)), 0, "none")


def _alike(verdict: Verdict, n: int, method: str) -> Trust:
    return Trust(verdict, verdict, float("nan"), float("nan"), n, method, verdict)


def _verdict(*reasons: Fact) -> Verdict:
    return Verdict(max((reason["level"] for reason in reasons), key=LEVELS.index), reasons)


# ---------------------------------------------------------------------- measures


def _r2(held_out: HeldOut, checked: Reach | None = None) -> Fact:
    value, lower = r2_of(held_out, None if checked is None else checked.cells)
    level = max(level_of(value, R2), level_of(lower, LOWER_R2), key=LEVELS.index)
    limits = limits_of(R2) | {"lower_good_from": LOWER_R2[0], "lower_poor_below": LOWER_R2[1]}
    return told.SKILL(
        value=value,
        lower=lower,
        level=level,
        weighted=checked is not None,
        method=held_out.method,
        **limits,
    )


def _coverage(held_out: HeldOut, checked: Reach | None = None) -> Fact:
    y = held_out.observed
    # rounding: an exact prediction without spread lies within its interval
    slack = 1e-9 * float(np.abs(y).max())
    inside = np.abs(y - held_out.mean) <= NORMAL_95 * held_out.std + slack
    value = float(np.average(inside, weights=None if checked is None else checked.cells))
    return told.COVERED(
        value=value,
        level=level_of(value, COVERAGE),
        weighted=checked is not None,
        **limits_of(COVERAGE),
    )


def _trials(n: int, d: int) -> Fact:
    limits = (GOOD_TRIALS_PER_HYPERPARAMETER * d, max(FAIR_TRIALS, d))
    return told.TRIALS(
        value=n,
        level=level_of(n, limits),
        hyperparameters=d,
        good_per_hyperparameter=GOOD_TRIALS_PER_HYPERPARAMETER,
        **limits_of(limits),
    )


def _within_reach(surrogate: Surrogate, checked: Reach | None) -> tuple[Fact, ...]:
    if checked is None:
        return (told.REACH_UNKNOWN(level="fair"),)
    least = int(np.argmin(checked.along))
    names = [surrogate.space.names[least]] if checked.along[least] < checked.joint else []
    level = level_of(checked.share, REACH)
    return (told.REACHED(names=names, value=checked.share, level=level, **limits_of(REACH)),)


def _told_apart(held_out: HeldOut, sign: float) -> tuple[Fact, ...]:
    """Return a reason where skill comes from telling two groups of trials apart, and no more."""
    better, share = two_groups(sign * held_out.observed)
    if share < TWO_GROUPS:
        return ()
    _, lower = rank_correlation(held_out.observed[better], held_out.mean[better])
    if level_of(lower, LOWER_RANK) != "poor":
        return ()
    return (told.TWO_GROUPS(level="fair", value=share, worse=int((~better).sum())),)


def _good_region(
    surrogate: Surrogate, held_out: HeldOut, sign: float, checked: Reach | None
) -> Verdict:
    predicted = None if checked is None else sign * surrogate.predict(checked.probes)[0]
    good = good_trials(sign * held_out.observed, predicted)
    value, lower = rank_correlation(held_out.observed[good], held_out.mean[good])
    return _verdict(
        told.RANKED(
            value=value,
            lower=lower,
            good=int(good.sum()),
            level=level_of(lower, LOWER_RANK),
            method=held_out.method,
            **limits_of(LOWER_RANK),
        )
    )


def level_of(value: float, limits: tuple[float, float]) -> Level:
    """Return a measure's level: good from one limit on, poor below the other."""
    good, poor = limits
    return "good" if value >= good else "fair" if value >= poor else "poor"


def limits_of(limits: tuple[float, float]) -> dict[str, Any]:
    return {"good_from": limits[0], "poor_below": limits[1]}
