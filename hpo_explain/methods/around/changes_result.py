"""What the fewest changes are, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import (
    INACTIVE,
    UNCLEAR,
    Claim,
    Estimate,
    Fact,
    PosteriorDraws,
    Result,
    Table,
    declared_fact,
    leading,
)
from hpo_explain.belief import STRETCH, Decision, decide
from hpo_explain.space import Array, Bools, value_text

_NO_FEWER = declared_fact(
    "no_fewer_changes", "fewer changes are not known to keep the gain", role="basis"
)


@dataclass(frozen=True)
class End:
    """A configuration from which changes lead, or to which.

    Attributes
    ----------
    config : mapping
        The configuration.
    role : {"given", "framework", "middle", "best", "found"}
        Why it is this one.
    trial : int or None
        The number of the trial that it is, if it is one.
    """

    config: Mapping[str, Any]
    role: Literal["given", "framework", "middle", "best", "found"] = "given"
    trial: int | None = None

    @classmethod
    def of(cls, end: Mapping[str, Any] | End) -> End:
        """Return a configuration as an end."""
        return end if isinstance(end, End) else cls(end)

    @property
    def name(self) -> str:
        """What it is called."""
        if self.trial is not None:
            return f"trial {self.trial}"
        return {
            "given": "the default",
            "framework": "the framework's default",
            "middle": "the middle of the space",
        }.get(self.role, "the best configuration")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Changes(Result):
    """The fewest changes that keep the gain of all, or that reach an objective.

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
    noise_std : float
        Standard deviation of one evaluation at `best`; 0 where it is not known.
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
        beside=("changed", "put_back", "gain", "interval", "probability_kept"),
        hidden=("gain_drawn", "whole_drawn", "slack_drawn", "contributions_drawn"),
    )
    says: ClassVar[Mapping[str, str]] = {
        "better": "From {found.start.name} to {found.best.name} the {found.what} improves by "
        "{size}.",
        "worse": "From {found.start.name} to {found.best.name} the {found.what} gets worse by "
        "{size}.",
        "unclear": "From {found.start.name} to {found.best.name} the {found.what} may not change "
        "at all ({size}).",
        "fewer": "With {few} of {of:#change} {found.keep:%} of that is kept: {names} can be put "
        "back.",
        "fewer up to noise": "With {few} of {of:#change} that is kept but for {lost} at most, "
        "{why}: {names} can be put back.",
        "main": "{each}. | {change} brings {estimate}",
        "reached": "To reach {found.reach} from {found.start.name} takes {few:#change}.",
        "missed": "No change of {found.start.name} is known to reach {found.reach}: the likeliest "
        "one does with {found.probability_kept:%}.",
    }

    start: End
    best: End
    config: Mapping[str, Any]
    names: tuple[str, ...]
    needed: Bools
    contributions: Array
    keep: float
    reach: float | None
    noise_std: float
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
        return (_NO_FEWER(),)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The gain of all changes, which of them can be put back, and what the others bring."""
        taken = tuple(self.changed)
        if self.reach is not None:
            return self._reached(taken)
        whole, mean = self.whole, float(self.whole_drawn.mean())
        way = "better" if mean >= 0.0 else "worse"
        if whole.doubtful:
            way = "unclear"
        total = self.decided(
            "difference",
            self.names,
            whole,
            says=way,
            because=(UNCLEAR,) if way == "unclear" else (),
        )
        fewer = () if self.needed.all() else (self._fewer(),)
        return (total, *fewer, *(self._main() if way == "better" else ()))

    def _fewer(self) -> Claim:
        back = tuple(name for name, there in zip(self.names, self.needed, strict=True) if not there)
        whole = float(self.whole_drawn.mean())
        within = self.noise_std > (1.0 - self.keep) * whole
        return self.decided(
            "keep",
            back,
            self.kept,
            says="fewer up to noise" if within else "fewer",
            values=tuple(self.start.config.get(name) for name in back),
            few=self.few,
            of=int(self.own.sum()),
            lost=min(self.noise_std, whole / 2.0),
            why="the noise of one evaluation" if self.noise_std < whole / 2.0 else "half of it",
        )

    def _reached(self, taken: tuple[str, ...]) -> tuple[Claim, ...]:
        share, values = self.kept, tuple(map(self._pair, taken))
        says = "missed" if share.doubtful else "reached"
        claim = self.decided("difference", taken, share, says=says, values=values, few=self.few)
        return (replace(claim, because=()),) if says == "missed" else (claim, *self._main())

    def _main(self) -> tuple[Claim, ...]:
        """Return the contributions that make up for most of the gain, and are known."""
        each = [_decided(draws) for draws in self.contributions_drawn]
        sure = [not one.doubtful for one in each]
        sizes = np.where(self.needed & sure, np.nan_to_num(self.contributions), 0.0)
        return tuple(
            self.decided(
                "contribution",
                (self.names[i],),
                each[i],
                says="main",
                change=self.change(i),
                values=(self._pair(self.names[i]),),
            )
            for i in leading(sizes)
        )

    def change(self, i: int) -> str:
        """Return a change in words, as in "lr = 0.01 (was 0.1)"."""
        name = self.names[i]
        old, new = (
            value_text(self.subject.space[name], config.get(name, INACTIVE))
            for config in (self.start.config, self.best.config)
        )
        return f"{name} = {new} (was {old})"

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
