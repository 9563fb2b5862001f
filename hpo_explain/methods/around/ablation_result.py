"""What ablation finds, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import format_level, format_value, leading
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.base.result import Claim, Result, Table, settled
from hpo_explain.base.text import Estimate, deviations
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.space import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        What changes in each of the k steps: one hyperparameter, or several that must at once.
    along : tuple of tuple of str
        What follows each step because it becomes active or inactive.
    values : ndarray of shape (k + 1,)
        Predicted objective (or acquisition) along the path, source and target included.
    gains, std : ndarray of shape (k,)
        Improvement in each step, in the same units, and its standard deviation (or None).
    rounds : tuple of mapping
        In each round the gain of everything that could be changed next, by name; the first round
        says what each change is worth alone.
    shapley : ndarray of shape (k,)
        Baseline Shapley values of the steps: their average gain over all orders.
    total_std : float or None
        Standard deviation of the whole gain.
    order_std : ndarray of shape (k,) or None
        Standard deviation of the difference between each gain and its Shapley value; None where
        it is not known, or too many hyperparameters change.
    std_kind : {"posterior", "trees", ""}
        Whether it is the posterior's (observation noise excluded), over trees, or not known.
    covariance : ndarray of shape (k + 1, k + 1) or None
        Posterior covariance of the predictions along the path; None without a joint posterior.
    source_trial, target_trial : int or None
        The numbers of the trials that the two are, None for other configurations.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.ablation(table, source=1, objective="loss").labels
    ('x',)
    """

    scope: ClassVar[Scope] = "good_region"
    table: ClassVar[Table] = Table(
        index=("step", "labels"),
        columns={
            "source": lambda found: [_of(found.source, step) for step in found.steps],
            "target": lambda found: [_of(found.target, step) for step in found.steps],
            "along": lambda found: [", ".join(names) for names in found.along],
            "value": lambda found: found.values[1:],
            "gain": "gains",
            "std": "std",
            "alone": "first_round",
            "shapley": "shapley",
        },
        contributions=("gain", "alone", "shapley"),
        beside=("total_gain",),
        hidden=("covariance",),
    )
    says: ClassVar[Mapping[str, str]] = {
        "the same": "From {found.ends} the {found.what} does not change.",
        "hardly": "From {found.ends} the {found.what} hardly changes ({size}).",
        "better": "From {found.ends} the {found.what} improves by {size}, from {first} to {last}.",
        "worse": "From {found.ends} the {found.what} gets worse by {size}, from {first} to {last}.",
        "unclear": "From {found.ends} the {found.what} may not change at all ({size}).",
        "main": "{each}. | {change} brings {estimate}",
        "order": "Over all orders {step} brings {estimate} on average, not {gain}.",
    }

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

    # ------------------------------------------------------------------ in the table

    @property
    def labels(self) -> tuple[str, ...]:
        """What each step changes, as in "lr" or "a + b"."""
        return tuple(" + ".join(step) for step in self.steps)

    @property
    def first_round(self) -> Array:
        """What each step gains alone, from the source; NaN where it cannot be made alone. (k,)."""
        return np.array([self.rounds[0].get(label, np.nan) for label in self.labels])

    # ------------------------------------------------------------------ in the claims

    @property
    def ends(self) -> str:
        """Where the path leads: "trial 0 to trial 26" or "source to target"."""
        source = "source" if self.source_trial is None else f"trial {self.source_trial}"
        return f"{source} to " + (
            "target" if self.target_trial is None else f"trial {self.target_trial}"
        )

    @property
    def total_gain(self) -> float:
        """The improvement from source to target."""
        return float(self.gains.sum())

    @property
    def halves(self) -> Array | None:
        """Half the width of each gain's 95 % interval, simultaneous over all steps (k,)."""
        return None if self.std is None else deviations(len(self.steps)) * self.std

    @property
    def total_half(self) -> float | None:
        """Half the width of the whole gain's 95 % interval."""
        return None if self.total_std is None else deviations() * self.total_std

    @property
    def posterior(self) -> PosteriorDraws:
        """The gains of the steps for functions drawn from the posterior, by label."""
        if self.covariance is None:
            return super().posterior
        step = -np.diff(np.eye(len(self.values)), axis=0)
        return PosteriorDraws.of_normal(
            self.labels, self.gains, step @ self.covariance @ step.T, draws=self.subject.draws
        )

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The whole gain, the steps that make up for most of it, and whether their order matters.

        A step whose gain is within the model's uncertainty is not told. Only "no_effect" where the
        prediction does not change along the path, and only "no_difference" where it is certain that
        source and target hardly differ.
        """
        names, whole = tuple(chain(*self.steps)), Estimate(self.total_gain, self.total_half)
        if np.abs(self.gains).max() <= self._rounding:
            return (settled(self._said("no_effect", names, Estimate(0.0), "the same"), False),)
        if self._hardly_differ(whole):
            return (settled(self._said("no_difference", names, whole, "hardly"), True),)
        way = "unclear" if whole.unclear else "better" if whole.value >= 0.0 else "worse"
        main = [
            self._said("gain", self.steps[i], self._gain(i), "main", i)
            for i in self._leading(whole)
        ]
        return (self._said("total_gain", names, whole, way), *main, *self._order_claims())

    @property
    def order_matters(self) -> bool:
        """Whether a step's gain differs from its Shapley value by more than 10 % of the whole.

        Not where the differences are within the model's uncertainty.
        """
        return bool(self._order_claims())

    def plot_shares(self, ax: Axes | None = None, *, width: float | None = None) -> Any:
        """Draw gains and Shapley values side by side, relative to the whole; return the axes."""
        return self.plot(ax, view="shares", width=width)

    def change(self, names: tuple[str, ...]) -> str:
        """Return what a step changes, as in "lr = 0.01 (was 0.1)"."""
        old, new = ({n: format_value(config.get(n, "inactive")) for n in names}
                    for config in (self.source, self.target))  # fmt: skip
        return " and ".join(f"{name} = {new[name]} (was {old[name]})" for name in names)

    def _said(
        self, kind: str, names: tuple[str, ...], about: Estimate, says: str,
        i: int | None = None, **words: Any,
    ) -> Claim:  # fmt: skip
        told = kind not in ("no_effect", "order_matters")
        first, last = (format_level(float(self.values[end]), about.value) for end in (0, -1))
        return self.claim(
            kind, names, about, says=says, untried=() if i is None else self._untried(i),
            values=tuple((self.source.get(n), self.target.get(n)) for n in names) if told else (),
            first=first, last=last, change=self.change(names), **words,
        )  # fmt: skip

    def _gain(self, i: int) -> Estimate:
        return Estimate(
            float(self.gains[i]), None if self.halves is None else float(self.halves[i])
        )

    @property
    def _rounding(self) -> float:
        return _ROUNDED * float(np.abs(self.values).max())

    def _hardly_differ(self, whole: Estimate) -> bool:
        """Return whether the whole and every step are certainly small beside what trials reach."""
        costs = self.subject.costs
        if self.halves is None or whole.half is None or not len(costs):
            return False
        largest = max(abs(whole.value) + whole.half, float((abs(self.gains) + self.halves).max()))
        power = int(np.frexp(np.nanmax(np.abs(costs), initial=0.0))[1])  # no square overflows
        small = _SMALL * float(np.ldexp(np.nanstd(np.ldexp(costs, -power)), power))
        return not self.subject.doubts(self.scope) and largest <= small

    def _leading(self, whole: Estimate) -> list[int]:
        """Return the steps that make up for most of what goes the way of the whole."""
        sizes = self.gains if whole.value >= 0.0 else -self.gains
        if whole.unclear:
            sizes = np.abs(self.gains)  # the whole goes no way
        least = np.maximum(0.0 if self.halves is None else self.halves, self._rounding)
        return leading(np.where(np.abs(self.gains) > least, sizes, 0.0))

    def _untried(self, i: int) -> tuple[Fact, ...]:
        """Return which values of a step, and of what follows it, were hardly tried.

        Those of a trial were: the model has seen what they led to.
        """
        ends = ((self.source, self.source_trial), (self.target, self.target_trial))
        given = [config for config, trial in ends if trial is None]
        names = (*self.steps[i], *self.along[i])
        return self.subject.untried({n: [c[n] for c in given if n in c] for n in names})

    def _order_claims(self) -> tuple[Claim, ...]:
        """Return the Shapley value of the step whose gain depends most on the order, if much."""
        gaps = np.abs(self.gains - self.shapley)
        if self.order_std is not None:
            gaps = np.where(gaps > deviations(len(self.steps)) * self.order_std, gaps, 0.0)
        i = int(np.argmax(gaps))
        whole = max(abs(self.total_gain), float(np.abs(self.shapley).max()))
        if gaps[i] <= max(_UNFAIR * whole, self._rounding):
            return ()
        return (
            self._said(
                "order_matters", self.steps[i], Estimate(float(self.shapley[i])), "order", i,
                known=self.order_std is not None, step=self.labels[i], gain=self._gain(i),
            ),
        )  # fmt: skip


def _of(config: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the value of one hyperparameter, or those of several; None is inactive."""
    values = tuple(config.get(name) for name in names)
    return values if len(values) > 1 else values[0]
