"""What ablation finds, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    ROUNDING,
    UNCLEAR,
    Claim,
    Estimate,
    PosteriorDraws,
    Result,
    Table,
    format_level,
    format_value,
    leading,
    printable,
)
from hpo_explain.belief import (
    CHOSEN,
    LEVEL,
    NEGLIGIBLE,
    STRETCH,
    Decision,
    decide,
    interval,
    std_of_draws,
    varying,
)
from hpo_explain.methods.around.mixtures import change_in_words
from hpo_explain.space import Array

_UNFAIR = 0.1  # of the whole gain: so far apart, path and Shapley values are told to differ


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
    gains : ndarray of shape (k,)
        Improvement in each step, in the same units.
    alone : ndarray of shape (k,)
        What each step gains alone, from the source; NaN where it cannot be made alone.
    shapley : ndarray of shape (k,)
        Baseline Shapley values of the steps: their average gain over all orders.
    draws : ndarray of shape (k + 1, draws)
        The objective along the path in each function that the trials allow.
    shapley_drawn : ndarray of shape (k, draws)
        The Shapley values in each of them; where too many hyperparameters change, of shape (k, 1).
    noise_std : float
        Standard deviation of one evaluation; 0 where it is not known.
    source_trial, target_trial : int or None
        The numbers of the trials that the two are, None for other configurations.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.methods.ablation(table, source=1, objective="loss").labels
    ('x',)
    """

    table: ClassVar[Table] = Table(
        index=("step", "labels"),
        columns={
            "source": lambda result: [_of(result.source, step) for step in result.steps],
            "target": lambda result: [_of(result.target, step) for step in result.steps],
            "along": lambda result: [", ".join(names) for names in result.along],
            "value": lambda result: result.values[1:],
            "gain": "gains",
            "std": lambda result: std_of_draws(result.gains_drawn.T),
            "alone": "alone",
            "shapley": "shapley",
        },
        contributions=("gain", "alone", "shapley"),
        beside=("total_gain",),
        hidden=("draws", "shapley_drawn"),
    )
    source: Mapping[str, Any]
    target: Mapping[str, Any]
    steps: tuple[tuple[str, ...], ...]
    along: tuple[tuple[str, ...], ...]
    values: Array
    gains: Array
    alone: Array
    shapley: Array
    draws: Array
    shapley_drawn: Array
    noise_std: float = 0.0
    source_trial: int | None = None
    target_trial: int | None = None

    # ------------------------------------------------------------------ in the table

    @property
    def labels(self) -> tuple[str, ...]:
        """What each step changes, as in "lr" or "a + b"."""
        return tuple(" + ".join(step) for step in self.steps)

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
    def gains_drawn(self) -> Array:
        """The gains in each function that the trials allow, (k, draws)."""
        return -self.subject.value_sign * np.diff(self.draws, axis=0)

    @property
    def posterior(self) -> PosteriorDraws:
        """The gains of the steps in each function that the trials allow, by label."""
        return self.drawn(self.labels, self.gains_drawn.T)

    @property
    def whole(self) -> Decision:
        """Whether the whole path is a gain or a loss.

        Its target was mostly chosen as the best of many, which seems better than it is.
        """
        return _decided(self.gains_drawn.sum(axis=0), least=NEGLIGIBLE * self.noise_std)

    @property
    def each(self) -> tuple[Decision, ...]:
        """Whether each step is a gain or a loss."""
        return tuple(_decided(draws, CHOSEN) for draws in self.gains_drawn)

    @property
    def answer(self) -> str:
        """The change that brings most, where the whole is known to bring something."""
        whole, *others = self.claims
        if others and others[0].kind == "contribution":
            return printable(f"{others[0].text}.")
        if whole.side == "below":
            return "It does not change."
        if not whole.certain:
            return "It may not change at all."
        return f"The gain is {format_value(whole.estimate)}."

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The whole gain, the steps that make up for most of it, and whether their order matters.

        A step that may be nothing is not told. Only that there is no difference where nothing
        changes along the path by more than the noise of one evaluation.
        """
        names, same = (tuple(chain(*self.steps)), np.abs(self.gains).max() <= self._rounding)
        each = np.abs(self.gains_drawn).max(axis=0)
        largest = np.maximum(each, np.abs(self.gains_drawn.sum(axis=0)))
        least = max(self._rounding, self.noise_std, np.finfo(float).tiny)
        nothing = decide(varying(largest), least, side="below", stretch=STRETCH["average"])
        path = f"From {self.ends} the {self.what}"
        if same or nothing.certain:
            noise = (
                f"changes by less than {format_value(self.noise_std)}, the noise of one evaluation"
            )
            text = f"{path} {'does not change' if same else noise}."
            return (replace(self._said("difference", names, nothing, text), side="below"),)
        whole, size = self.whole, abs(self.whole.shown)
        first, last = (format_level(float(self.values[i]), self.total_gain) for i in (0, -1))
        way = "improves" if self.total_gain >= 0.0 else "gets worse"
        text = f"{path} {way} by {size}, from {first} to {last}."
        if whole.doubtful:
            text = f"{path} may not change at all ({size})."
        total = self._said("difference", names, whole, text)
        if whole.doubtful:
            total = replace(total, because=(UNCLEAR,))
        return (total, *map(self._step_claim, self._leading()), *self._order_claims())

    def _step_claim(self, i: int) -> Claim:
        text = f"{self.change(self.steps[i])} brings {self.each[i].shown}"
        return self._said("contribution", self.steps[i], self.each[i], text, "{each}.")

    @property
    def order_matters(self) -> bool:
        """Whether a step's gain differs from its Shapley value by more than 10 % of the whole.

        Not where the differences are within the model's uncertainty.
        """
        return bool(self._order_claims())

    def change(self, names: tuple[str, ...]) -> str:
        """Return what a step changes, as in "lr = 0.01 (was 0.1)"."""
        space, configs = self.subject.space, (self.source, self.target)
        return " and ".join(change_in_words(space, name, *configs) for name in names)

    def _said(
        self,
        kind: Any,
        names: tuple[str, ...],
        decision: Decision,
        text: str,
        frame: str = "{each}",
    ) -> Claim:
        values = tuple((self.source.get(n), self.target.get(n)) for n in names)
        exact = bool(self.subject.acquisition)  # its values are what they are
        claim = decision.claim(kind, names, text=text, frame=frame, exact=exact, values=values)
        return replace(claim, side="above")  # a loss is there, too

    @property
    def _rounding(self) -> float:
        return ROUNDING * float(np.abs(self.values).max())

    def _leading(self) -> list[int]:
        """Return the steps that make up for most of what goes the way of the whole."""
        sizes = self.gains if self.total_gain >= 0.0 else -self.gains
        if self.whole.doubtful:
            sizes = np.abs(self.gains)  # the whole goes no way
        sure = np.array([not one.doubtful for one in self.each])
        return leading(np.where(sure & (np.abs(self.gains) > self._rounding), sizes, 0.0))

    def _order_claims(self) -> tuple[Claim, ...]:
        """Return the Shapley value of the step whose gain depends most on the order, if much."""
        shapley_of, gains = self.shapley_drawn, self.gains_drawn
        if shapley_of.shape != gains.shape:
            gains = self.gains[:, None]
        decisions = [_decided(gap) for gap in gains - shapley_of]
        gaps = np.abs(self.gains - self.shapley)
        gaps = np.where([one.doubtful for one in decisions], 0.0, gaps)
        # of two that interact alone both gaps are the same number: the first step is told
        i = int(np.argmax(gaps >= gaps.max() - self._rounding))
        whole = max(abs(self.total_gain), float(np.abs(self.shapley).max()))
        if gaps[i] <= max(_UNFAIR * whole, self._rounding):
            return ()
        shapley = float(self.shapley[i])
        decision = replace(
            decisions[i],
            estimate=shapley,
            interval=interval(shapley_of[i], stretch=STRETCH["average"]),
            threshold=np.nan,
        )
        gain = Estimate(float(self.gains[i]), self.each[i].half)
        text = f"Over all orders {self.labels[i]} brings {decision.shown} on average, not {gain}."
        return (self._said("order", self.steps[i], decision, text),)


def _decided(draws: Array, level: float = LEVEL, least: float = 0.0) -> Decision:
    return decide(draws, level=level, stretch=STRETCH["average"], least=least)


def _of(config: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the value of one hyperparameter, or those of several; None is inactive."""
    values = tuple(config.get(name) for name in names)
    return values if len(values) > 1 else values[0]
