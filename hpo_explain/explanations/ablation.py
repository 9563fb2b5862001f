"""What makes the difference between two configurations: the greedy path, and the fair shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.diagnostics import Scope
from hpo_explain.explanations.claims import Claim, Kind, between
from hpo_explain.explanations.posterior import PosteriorDraws
from hpo_explain.explanations.result import Result
from hpo_explain.facts import Fact, fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MAIN_SHARE = 0.75  # so much of the gains is told as the main ones
_MAIN_COUNT = 3
_UNFAIR = 0.1  # of the whole gain: so far apart, path and Shapley values are told to differ
_ROUNDED = 1e-12  # of the values that a gain is the difference of
_SMALL = 0.1  # of the standard deviation of the trials' objective: not worth telling


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ablation(Result):
    """The greedy path from one configuration to another, and the Shapley values of its steps.

    A gain is positive where the step is an improvement, whether the objective is minimized or
    maximized. Gains add up to the whole, and so do the Shapley values.

    Attributes
    ----------
    source, target : mapping
        The two configurations, in the user's units; inactive hyperparameters are left out.
    steps : tuple of tuple of str
        What is flipped in each of the k steps: one hyperparameter, or several that must change at
        once.
    along : tuple of tuple of str
        What follows each step because it becomes active or inactive.
    values : ndarray of shape (k + 1,)
        Predicted objective (or acquisition) along the path, source and target included.
    gains : ndarray of shape (k,)
        Improvement in each step, in the same units.
    rounds : tuple of mapping
        In each round the gain of everything that could be flipped next, by name; the first round
        says what each change is worth alone.
    shapley : ndarray of shape (k,)
        Baseline Shapley values of the steps: their average gain over all orders.
    std : ndarray of shape (k,) or None
        Standard deviation of each gain.
    total_std : float or None
        Standard deviation of the whole gain.
    order_std : ndarray of shape (k,) or None
        Standard deviation of the difference between each gain and its Shapley value; None where
        it is not known, or too many hyperparameters are flipped.
    std_kind : {"posterior", "trees", ""}
        Whether it is the posterior's (observation noise excluded), over trees, or not known.
    covariance : ndarray of shape (k + 1, k + 1) or None
        Posterior covariance of the predictions along the path; None without a joint posterior.
    source_trial, target_trial : int or None
        The numbers of the trials that the two are, None for other configurations.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Fawcett, C. and Hoos, H. H. (2016). Analysing differences between algorithm
       configurations through ablation. J. Heuristics 22, 431-458.
       https://doi.org/10.1007/s10732-014-9275-9
    .. [2] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 3, Table 2.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> ablation = hx.ablation(table, {"x": 0.9}, objective="loss")
    >>> ablation.steps, bool(ablation.total_gain > 0)
    ((('x',),), True)
    """

    scope: ClassVar[Scope] = "good_region"
    source: Mapping[str, Any]
    target: Mapping[str, Any]
    steps: tuple[tuple[str, ...], ...]
    along: tuple[tuple[str, ...], ...]
    values: Array
    gains: Array
    rounds: tuple[Mapping[str, float], ...]
    shapley: Array
    std: Array | None = None
    total_std: float | None = None
    order_std: Array | None = None
    std_kind: str = ""
    covariance: Array | None = None
    source_trial: int | None = None
    target_trial: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold gains: rounding is shown as 0."""
        return ("gain", "alone", "shapley")

    @property
    def labels(self) -> tuple[str, ...]:
        """What each step flips, as in "lr" or "a + b"."""
        return tuple(" + ".join(step) for step in self.steps)

    @property
    def total_gain(self) -> float:
        """The improvement from source to target."""
        return float(self.gains.sum())

    @property
    def first_round(self) -> Array:
        """What each step gains alone, from the source; NaN where it cannot be made alone. (k,)."""
        return np.array([self.rounds[0].get(label, np.nan) for label in self.labels])

    @property
    def posterior(self) -> PosteriorDraws:
        """The gains of the steps for functions drawn from the posterior, by label.

        The path itself is the one found; the kernel's parameters are those of the model.
        """
        if self.covariance is None:
            return super().posterior
        step = np.eye(len(self.gains), len(self.values)) - np.eye(
            len(self.gains), len(self.values), 1
        )
        return PosteriorDraws.of_normal(
            self.labels, self.gains, step @ self.covariance @ step.T, draws=self.subject.draws
        )

    # ------------------------------------------------------------------ what it says

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The whole gain, the steps that make up for most of it, and whether their order matters.

        A step whose gain is within the model's uncertainty is not told. Only "no_effect" where the
        prediction does not change along the path, and only "no_difference" where it is certain that
        source and target hardly differ.
        """
        flipped = tuple(name for step in self.steps for name in step)
        if np.abs(self.gains).max() <= self._rounding:
            return (Claim("no_effect", flipped, estimate=0.0, certain=False),)
        whole = self._claim("total_gain", flipped, self.total_gain, self.total_half, ())
        if self._hardly_differ:
            return (replace(whole, kind="no_difference", certain=True, because=()),)
        halves = [None] * len(self.steps) if self.halves is None else self.halves
        told = [
            self._claim("gain", self.steps[i], self.gains[i], halves[i], self._untried(i))
            for i in self._leading()
        ]
        return (whole, *told, *self._order_claims())

    @property
    def halves(self) -> Array | None:
        """Half the width of each gain's 95 % interval, simultaneous over all steps (k,)."""
        return None if self.std is None else _deviations(len(self.steps)) * self.std

    @property
    def total_half(self) -> float | None:
        """Half the width of the whole gain's 95 % interval."""
        return None if self.total_std is None else _deviations(1) * self.total_std

    @property
    def order_matters(self) -> bool:
        """Whether a step's gain differs from its Shapley value by more than 10 % of the whole.

        Not where the differences are within the model's uncertainty.
        """
        return bool(self._order_claims())

    @property
    def _rounding(self) -> float:
        return _ROUNDED * float(np.abs(self.values).max())

    @property
    def _hardly_differ(self) -> bool:
        """Whether the whole and every step are certainly small beside what the trials differ by."""
        costs = self.subject.costs
        if self.halves is None or self.total_half is None or costs is None:
            return False
        largest = max(
            abs(self.total_gain) + self.total_half, float((np.abs(self.gains) + self.halves).max())
        )
        power = int(np.frexp(np.nanmax(np.abs(costs), initial=0.0))[1])  # no square overflows
        small = _SMALL * float(np.ldexp(np.nanstd(np.ldexp(costs, -power)), power))
        return not self.subject.doubts(self.scope) and largest <= small

    @property
    def _told(self) -> npt.NDArray[np.bool_]:
        """Which steps gain or lose more than the model's uncertainty, (k,)."""
        half = 0.0 if self.halves is None else self.halves
        return np.asarray(np.abs(self.gains) > np.maximum(half, self._rounding))

    def _leading(self) -> list[int]:
        """Return the steps that make up for most of what goes the way of the whole."""
        aligned = self.gains if self.total_gain >= 0.0 else -self.gains
        if self.total_half is not None and abs(self.total_gain) <= self.total_half:
            aligned = np.abs(self.gains)  # the whole goes no way
        aligned = np.where(self._told, aligned, 0.0)
        enough = _MAIN_SHARE * aligned[aligned > 0].sum()
        leading: list[int] = []
        for i in np.argsort(-aligned, kind="stable")[:_MAIN_COUNT].tolist():
            if aligned[i] <= 0.0 or (leading and aligned[leading].sum() >= enough):
                break
            leading.append(i)
        return leading

    def _claim(
        self,
        kind: Kind,
        names: tuple[str, ...],
        gain: float,
        half: float | None,
        untried: tuple[Fact, ...],
    ) -> Claim:
        because: tuple[Fact, ...] = ()
        if half is not None and abs(gain) <= half:
            because = (fact("gain_within_uncertainty"),)
        elif not self.subject.acquisition:  # an acquisition's values are what they are
            unknown = () if half is not None else (fact("uncertainty_unknown"),)
            because = (*unknown, *self.subject.doubts(self.scope), *untried)
        return Claim(
            kind,
            names,
            tuple((self.source.get(name), self.target.get(name)) for name in names),
            estimate=float(gain),
            interval=between(float(gain), None if half is None else float(half)),
            certain=not because,
            because=because,
        )

    def _untried(self, i: int) -> tuple[Fact, ...]:
        """Return which values of a step, and of what follows it, were hardly tried.

        Those of a trial were: the model has seen what they led to.
        """
        names = (*self.steps[i], *self.along[i])
        ends = [
            config
            for config, trial in (
                (self.source, self.source_trial),
                (self.target, self.target_trial),
            )
            if trial is None
        ]
        return self.subject.untried({n: [c[n] for c in ends if n in c] for n in names})

    def _order_claims(self) -> tuple[Claim, ...]:
        """Return the Shapley value of the step whose gain depends most on the order, if much."""
        gaps = np.abs(self.gains - self.shapley)
        whole = max(abs(self.total_gain), float(np.abs(self.shapley).max()))
        if self.order_std is not None:
            gaps = np.where(gaps > _deviations(len(self.steps)) * self.order_std, gaps, 0.0)
        i = int(np.argmax(gaps))
        if gaps[i] <= max(_UNFAIR * whole, self._rounding):
            return ()
        because: tuple[Fact, ...] = ()
        if not self.subject.acquisition:
            unknown = () if self.order_std is not None else (fact("uncertainty_unknown"),)
            because = (*unknown, *self.subject.doubts(self.scope), *self._untried(i))
        return (
            Claim(
                "order_matters",
                self.steps[i],
                estimate=float(self.shapley[i]),
                certain=not because,
                because=because,
            ),
        )

    # ------------------------------------------------------------------ elsewhere

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step: what changes, value after it, gain, std, alone, shapley."""
        import pandas as pd

        columns = [
            {
                "source": _values(self.source, step),
                "target": _values(self.target, step),
                "along": ", ".join(self.along[i]),
                **self._numbers_of(i),
            }
            for i, step in enumerate(self.steps)
        ]
        index = pd.Index(self.labels, name="step")
        return pd.DataFrame(columns, index=index).astype({"std": float})

    def plot_shares(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw gains and Shapley values side by side, relative to the whole; return the axes."""
        return self._drawn("shares", ax, width)

    def _numbers_of(self, i: int) -> dict[str, float | None]:
        return {
            "value": self.values[i + 1],
            "gain": self.gains[i],
            "std": None if self.std is None else self.std[i],
            "alone": self.first_round[i],
            "shapley": self.shapley[i],
        }

    def _numbers(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "target": self.target,
            "source_trial": self.source_trial,
            "target_trial": self.target_trial,
            "steps": [
                {"flipped": step, "along": along, **self._numbers_of(i)}
                for i, (step, along) in enumerate(zip(self.steps, self.along, strict=True))
            ],
            "rounds": self.rounds,
            "start": self.values[0],
            "total_gain": self.total_gain,
            "total_std": self.total_std,
            "order_std": self.order_std,
            "std_kind": self.std_kind,
        }


def _deviations(several: int) -> float:
    """Return how many standard deviations hold as many differences at once in 95 of 100 cases."""
    return NormalDist().inv_cdf(1.0 - 0.025 / several)


def _values(config: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the value of one hyperparameter, or those of several; None where inactive."""
    values = tuple(config.get(name) for name in names)
    return values if len(values) > 1 else values[0]
