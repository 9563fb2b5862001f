"""What the fewest changes are, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import (
    UNCLEAR,
    Claim,
    Estimate,
    Fact,
    PosteriorDraws,
    Result,
    Table,
    capitalized,
    counted,
    fact,
    format_level,
    format_value,
    leading,
    printable,
)
from hpo_explain.belief import STRETCH, Decision, decide
from hpo_explain.methods._engines.decision_words import few
from hpo_explain.methods.around.mixtures import change_in_words
from hpo_explain.space import Array, Bools


@dataclass(frozen=True)
class End:
    """A configuration from which changes lead, or to which.

    Attributes
    ----------
    config : mapping
        The configuration.
    role : {"given", "other", "framework", "middle", "best", "found"}
        Why it is this one.
    trial : int or None
        The number of the trial that it is, if it is one.
    """

    config: Mapping[str, Any]
    role: Literal["given", "other", "framework", "middle", "best", "found"] = "given"
    trial: int | None = None

    @classmethod
    def of(cls, end: Mapping[str, Any] | End, role: Literal["given", "other"] = "given") -> End:
        """Return a configuration as an end."""
        return end if isinstance(end, End) else cls(end, role)

    @property
    def name(self) -> str:
        """What it is called."""
        if self.trial is not None:
            return f"trial {self.trial}"
        return {
            "given": "the default",
            "other": "the other configuration",
            "framework": "the framework's default",
            "middle": "the middle of the space",
        }.get(self.role, "the best configuration")


@dataclass(frozen=True)
class Step:
    """One step of ablation.

    Attributes
    ----------
    names : tuple of str
        What changes: one hyperparameter, or several that must at once.
    along : tuple of str
        What becomes active or inactive with it.
    alone : float
        What the step gains alone, from the start; NaN where it cannot be made alone.
    """

    names: tuple[str, ...]
    along: tuple[str, ...]
    alone: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Changes(Result):
    """What each change between two configurations brings, and the fewest that keep the gain.

    A gain is positive where it is an improvement, whether the objective is minimized or maximized.

    Attributes
    ----------
    start, best : End
        Where changes lead from, and the configuration with all of them.
    config : mapping
        The configuration with the changes that are needed.
    names : tuple of str
        The k hyperparameters that differ between the two ends, the largest contribution first.
    needed : ndarray of bool, shape (k,)
        Which are changed in `config`.
    contributions : ndarray of shape (k,)
        Shapley values: average gains over all orders of the changes; NaN of what follows another
        because it becomes active or inactive with it.
    keep : float
        The share of the gain that is to be kept.
    reach : float or None
        The objective that is to be reached in place of that.
    steps : tuple of Step
        The same changes in the order of ablation, the one that gains most first.
    noise_std : float
        Standard deviation of one evaluation at `best`; 0 where it is not known.
    path_drawn : ndarray of shape (draws, steps + 1)
        The objective along these steps in each function that the trials allow, both ends included.
    gain_drawn, whole_drawn : ndarray of shape (draws,)
        What the changes that are needed gain in each function that the trials allow, and all.
    slack_drawn : ndarray of shape (draws,)
        How much more that is than is to be kept, or to be reached.
    contributions_drawn : ndarray of shape (k, draws)
        The Shapley values in each of them.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(40), "y": rng.random(40)})
    >>> table["loss"] = (table.x - 0.2) ** 2
    >>> run = hx.from_frame(table, "loss", hyperparameters=["x", "y"])
    >>> hx.changes(run, {"x": 0.9, "y": 0.5}).put_back
    {'y': 0.5}
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={
            "from": lambda result: [result.start.config.get(name) for name in result.names],
            "to": lambda result: [result.best.config.get(name) for name in result.names],
            "contribution": "contributions",
            "lower": lambda result: result.intervals[:, 0],
            "upper": lambda result: result.intervals[:, 1],
            "needed": "needed",
        },
        contributions=("contribution", "lower", "upper"),
        beside=("changed", "put_back", "gain", "interval", "probability_kept", "values"),
        hidden=("path_drawn", "gain_drawn", "whole_drawn", "slack_drawn", "contributions_drawn"),
    )
    start: End
    best: End
    config: Mapping[str, Any]
    names: tuple[str, ...]
    needed: Bools
    contributions: Array
    keep: float
    reach: float | None
    steps: tuple[Step, ...]
    noise_std: float
    path_drawn: Array
    gain_drawn: Array
    whole_drawn: Array
    slack_drawn: Array
    contributions_drawn: Array

    # ------------------------------------------------------------------ what is asked for

    @property
    def changed(self) -> dict[str, Any]:
        """The values to change, by hyperparameter, the largest contribution first."""
        return self._values(self.needed)

    @property
    def put_back(self) -> dict[str, Any]:
        """The values that can stay as they are at the start."""
        return self._values(~self.needed)

    @property
    def gain(self) -> float:
        """What the changes that are needed gain over the start."""
        return float(self.gain_drawn.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """What holds the gain with 95 %; NaN where the model does not know."""
        return _decided(self.gain_drawn).interval

    @property
    def probability_kept(self) -> float:
        """How probable it is that they keep the gain, or reach what is to be reached."""
        return self.kept.probability

    @property
    def intervals(self) -> Array:
        """What holds each contribution with 95 %, (k, 2)."""
        each = map(_decided, self.contributions_drawn)
        return np.array([one.interval for one in each])

    @property
    def values(self) -> Array:
        """The predicted objective (or acquisition) along the steps, both ends included."""
        return self.path_drawn.mean(axis=0)

    @property
    def gains(self) -> Array:
        """What each step gains when it is made, (steps,)."""
        return -self.subject.value_sign * np.diff(self.values)

    @property
    def own(self) -> Bools:
        """Which changes follow no other one, (k,)."""
        return np.isfinite(self.contributions)

    @property
    def few(self) -> int:
        """How many of these are needed."""
        return int((self.needed & self.own).sum())

    @property
    def posterior(self) -> PosteriorDraws:
        """The contributions in each function that the trials allow, by name."""
        names = tuple(self.names[i] for i in np.flatnonzero(self.own))
        return self.drawn(names, self.contributions_drawn[self.own].T)

    def _numbers(self) -> dict[str, Any]:
        ends = {"start": self.start, "best": self.best}
        plain = {name: {**vars(end), "config": dict(end.config)} for name, end in ends.items()}
        return {**super()._numbers(), **plain}

    # ------------------------------------------------------------------ what is said

    @property
    def whole(self) -> Decision:
        """Whether all changes together are a gain or a loss."""
        return _decided(self.whole_drawn)

    @property
    def kept(self) -> Decision:
        """Whether the changes that are needed keep the gain, or reach what is to be reached."""
        decision = decide(self.slack_drawn, side="above")
        if decision.known:
            return decision
        return replace(decision, estimate=self.gain)

    @property
    def remarks(self) -> tuple[Fact, ...]:
        """That no change can be put back."""
        clear = self.whole.certain and self.whole.estimate > 0.0
        if self.reach is not None or not self.needed.all() or not clear:
            return ()
        return (fact("fewer changes are not known to keep the gain", role="basis"),)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The gain of all changes, which of them can be put back, and what the others bring."""
        if self.reach is not None:
            return self._reached(self.reach)
        whole = self.whole
        size = abs(whole.shown)
        ends = [format_level(float(self.values[i]), whole.estimate) for i in (0, -1)]
        way = "improves" if whole.estimate >= 0.0 else "gets worse"
        what_it_does = f"{way} by {size}, from {ends[0]} to {ends[1]}"
        if whole.doubtful:
            what_it_does = f"may not change at all ({size})"
        if not np.any(self.contributions_drawn[self.own]):
            what_it_does = "does not change"
        total = whole.claim(
            "difference",
            self.names,
            text=f"From {self.start.name} to {self.best.name} the {self.what} {what_it_does}.",
            because=(UNCLEAR,) * whole.doubtful,
            exact=self.exact,
        )
        fewer = () if self.needed.all() else (self._fewer(),)
        return (total, *fewer, *(() if whole.doubtful else self._main()))

    @property
    def exact(self) -> bool:
        """Whether an acquisition function is explained, whose values are what they are."""
        return bool(self.subject.acquisition)

    @property
    def answer(self) -> str:
        """The change that brings most, where the whole is known to bring something."""
        total, *others = self.claims
        most = next((claim for claim in others if claim.kind == "contribution"), None)
        if most is not None:
            return printable(f"{most.text}.")
        if not total.estimate:
            return "Nothing changes."
        if self.whole.doubtful:
            return "It may not change at all."
        return f"The gain is {self.whole.shown}."

    def _fewer(self) -> Claim:
        back = tuple(name for name, there in zip(self.names, self.needed, strict=True) if not there)
        half = float(self.whole_drawn.mean()) / 2.0
        share = f"{self.keep:.0%} of that"
        if self.noise_std > (1.0 - self.keep) * 2.0 * half:
            why = "the noise of one evaluation" if self.noise_std < half else "half of it"
            lost = format_value(min(self.noise_std, half))
            share = f"all but {lost} of that ({why})"
        every = counted(int(self.own.sum()), "change")
        verb = "keeps" if self.few == 1 else "keep"
        return self.kept.claim(
            "keep",
            back,
            exact=self.exact,
            text=f"{self.few} of {every} {verb} {share}. To put back: {printable(few(back))}.",
            values=tuple(self.start.config.get(name) for name in back),
        )

    def _reached(self, goal: float) -> tuple[Claim, ...]:
        reached, taken = self.kept, tuple(self.changed)
        start, objective = capitalized(self.start.name), format_value(goal)
        text = f"{start} reaches {objective} with {counted(self.few, 'change')}."
        if reached.doubtful:
            text = (
                f"{start} is not known to reach {objective}: the likeliest changes do with "
                f"{reached.probability:.0%} probability."
            )
        pairs = tuple(map(self._pair, taken))
        claim = reached.claim("difference", taken, text=text, values=pairs, exact=self.exact)
        return (replace(claim, because=()),) if reached.doubtful else (claim, *self._main())

    def _main(self) -> tuple[Claim, ...]:
        """Return the contributions that make up for most of the difference, and are known."""
        each = [_decided(draws) for draws in self.contributions_drawn]
        sure = [not one.doubtful for one in each]
        way = 1.0 if self.whole.estimate >= 0.0 else -1.0
        sizes = np.where(self.needed & sure, way * np.nan_to_num(self.contributions), 0.0)
        return tuple(
            each[i].claim(
                "contribution",
                (self.names[i],),
                exact=self.exact,
                frame="{each}.",
                text=f"{self.change(self.names[i])} brings {each[i].shown}",
                values=(self._pair(self.names[i]),),
            )
            for i in leading(sizes)
        )

    def change(self, name: str) -> str:
        """Return a change in words, as in "lr = 0.01 (was 0.1)"."""
        configs = self.start.config, self.best.config
        return change_in_words(self.subject.space, name, *configs)

    def _pair(self, name: str) -> tuple[Any, Any]:
        return self.start.config.get(name), self.best.config.get(name)

    @property
    def shown(self) -> Estimate:
        """The gain with its error."""
        low, high = self.interval
        return Estimate(self.gain, (high - low) / 2.0)

    def _values(self, which: Bools) -> dict[str, Any]:
        names = [name for name, there in zip(self.names, which, strict=True) if there]
        return {name: self.config[name] for name in names if name in self.config}


def _decided(draws: Array) -> Decision:
    return decide(draws, stretch=STRETCH["average"])
