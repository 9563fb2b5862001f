"""Where the best configuration is, and what there is to get, as a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    Claim,
    Estimate,
    Fact,
    Result,
    Table,
    attributes,
    chained,
    counted,
    fact,
    format_values,
    printable,
    values_in_words,
)
from hpo_explain.belief import Decision, decide
from hpo_explain.belief.landscape import Axis
from hpo_explain.methods._engines.decision_words import amount, compared, one_digit
from hpo_explain.methods.advice.advise_result import values_of
from hpo_explain.question import WhatCounts
from hpo_explain.space import Array, Bools, CategoricalParameter, Ints, Parameter, SearchSpace

_PROBABLE = fact("a probability is told", role="said")
# of their values at most: hyperparameters that the sentence names
_NARROW, _NAMED = (0.5, 3)


@dataclass(frozen=True, eq=False)
class Region:
    """Where the best value of a hyperparameter is.

    Attributes
    ----------
    hyperparameter : str
        Its name.
    values : tuple
        ``(low, high)``, or the categories, that hold its best value with 90 %, in the user's
        units; of a conditional one where it is active.
    share : float
        Share of its own measure that they are.
    held : Decision
        In which share of the draws they hold the best value.
    inactive : float
        Share of the draws that are best where it is inactive.
    levels : tuple
        Parts of its values: ``(low, high)`` of each, or the categories.
    density : ndarray of shape (L,)
        How many times as probably as by chance the best value is of each part.
    """

    hyperparameter: str
    values: tuple[Any, ...]
    share: float
    held: Decision
    inactive: float
    levels: tuple[Any, ...]
    density: Array

    @classmethod
    def of(
        cls, whole: Parameter, part: Parameter, axis: Axis, best: Ints, kept: Bools, inactive: float
    ) -> Region:
        """Return the region of a hyperparameter that keeps some levels, from each draw's best."""
        probable = np.bincount(best, minlength=len(kept)) / len(best)
        if isinstance(whole, CategoricalParameter):
            levels = tuple(whole.decode(axis.centers))
        else:
            low, high = (whole.decode(ends) for ends in axis.edges.T)
            levels = tuple(zip(low, high, strict=True))
        values = values_of(part)
        return cls(
            whole.name,
            values if isinstance(values, tuple) else (values,),
            float(axis.weights[kept].sum()),
            decide(kept[best].astype(float), 0.5, side="above"),
            inactive,
            levels,
            probable / axis.weights,
        )

    @property
    def inside(self) -> str:
        """The values in words: "from 0.1 to 1", or "a or b"."""
        if isinstance(self.levels[0], tuple) and len(self.values) == 2:
            return "from {} to {}".format(*format_values(self.values))
        return f"in {{{values_in_words(self.values)}}}"


def _each(name: str) -> Any:
    return lambda found: [getattr(region, name) for region in found.regions]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Optimum(Result):
    """Where the best configuration is, and whether there is more to get.

    Attributes
    ----------
    config : mapping
        The configuration, tried or close to a tried one, that is expected to be best.
    estimate : float
        The objective that it promises, noise excluded.
    interval : tuple of (float, float)
        What holds that with 95 %, inside the run's bounds.
    space : SearchSpace
        Of each hyperparameter what holds the best value with 90 %, each by itself.
    regions : tuple of Region
        The same with their sizes and densities, one per hyperparameter.
    incumbent : mapping
        The configuration of the best observed trial.
    incumbent_trial : int
        That trial.
    counts : WhatCounts
        By how much a configuration must be better for that to count, and who says so.
    tied : tuple of int
        The trials that are worse than the best observed one by less than that, it included.
    kept : mapping
        The configuration of the trial to keep.
    in_order : tuple of str
        The hyperparameters, the most important first.
    keep : int
        The trial to keep: the best observed one, unless another is truly better.
    why_another : tuple of Fact
        Why that is not the best observed trial; empty where it is.
    better : Decision
        By how much the best is better than the trial to keep, and whether by what counts.
    improved : Decision
        By how much `config` is better than the trial to keep, and whether by what counts.
    gained : Decision
        By how much the best of `more` further trials is better than the trial to keep.
    more : int
        How many trials were foreseen.
    subject, notes
        As in every result.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(60, seed=1)
    >>> found = hx.optimum(hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize"))
    >>> found.p_better < 0.5, found.regret < found.epsilon
    (True, True)
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={
            "best": lambda found: [found.config.get(name) for name in found.names],
            "region": lambda found: [region.inside for region in found.regions],
            "size": _each("share"),
            "probability": lambda found: [region.held.probability for region in found.regions],
            "inactive": _each("inactive"),
        },
        held=attributes(
            "config",
            "estimate",
            "interval",
            "incumbent",
            "incumbent_trial",
            "keep",
            "epsilon",
            "p_better",
            "regret",
            "expected_gain",
            "expected_gain_interval",
            "tied",
            "more",
            better_by=lambda found: found.counts.__dict__,
            space=lambda found: [{"kind": type(p).__name__, **p.__dict__} for p in found.space],
            regions=lambda found: [region.__dict__ for region in found.regions],
        ),
    )
    config: Mapping[str, Any]
    estimate: float
    interval: tuple[float, float]
    space: SearchSpace
    regions: tuple[Region, ...]
    incumbent: Mapping[str, Any]
    incumbent_trial: int
    kept: Mapping[str, Any]
    in_order: tuple[str, ...]
    keep: int
    why_another: tuple[Fact, ...]
    counts: WhatCounts
    tied: tuple[int, ...]
    better: Decision
    improved: Decision
    gained: Decision
    more: int

    @property
    def names(self) -> list[str]:
        """The hyperparameters of the regions."""
        return [region.hyperparameter for region in self.regions]

    @property
    def epsilon(self) -> float:
        """By how much a configuration must be better for that to count."""
        return self.counts.epsilon

    @property
    def p_better(self) -> float:
        """Probability that a configuration better than the trial to keep by `epsilon` exists."""
        return self.better.probability

    @property
    def regret(self) -> float:
        """By how much the best is better than the trial to keep, as probably more as less."""
        return self.better.estimate

    @property
    def expected_gain(self) -> float:
        """By how much the best of `more` further trials is expected to be better."""
        return self.gained.estimate

    @property
    def expected_gain_interval(self) -> tuple[float, float]:
        """What holds that gain with 95 %."""
        return self.gained.interval

    @property
    def is_enough(self) -> bool:
        """Whether further trials bring less than counts, for all that is known."""
        return self.gained.interval[1] < self.counts.between

    @property
    def more_trials(self) -> str:
        """What further trials of the same search bring, in words."""
        if self.is_enough:
            return "More trials of this search will hardly help."
        trials = counted(self.more, "more trial")
        gain = amount(self.gained.estimate, self.gained.interval, self.subject.sign)
        return f"{trials}: expect {gain}."

    @property
    def narrowest(self) -> tuple[Region, ...]:
        """The regions, the smallest first."""
        order = np.argsort([round(region.share, 9) for region in self.regions], kind="stable")
        return tuple(self.regions[place] for place in order)

    @property
    def _promised(self) -> str:
        low, high = self.interval
        return f"{self.objective_name} {Estimate(self.estimate, (high - low) / 2.0)}"

    @property
    def too_few(self) -> str:
        """That nothing is told of so few trials, in a sentence; empty of enough."""
        return self.subject.too_few

    @property
    def answer(self) -> str:
        """What is expected of the best."""
        return printable(f"Expected best: {self._promised}.")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What is best near the trials, whether there is more, what trials bring, and regions.

        That a better configuration exists may be certain; that none does is never, nor what
        trials bring, nor a region, which is wrong where a narrow optimum was not seen.
        """
        named = [r for r in self.narrowest if r.share <= _NARROW >= r.inactive][:_NAMED]
        config, space = tuple(self.config), self.subject.space
        values = tuple(self.config.values())
        promised = replace(self.improved, estimate=self.estimate, interval=self.interval)
        settings = compared(space, self.config, self.kept, self.keep, self.in_order)
        enough = f"{one_digit(self.epsilon)} ({self.counts.in_words}){self.subject.better_outside}"
        return (
            promised.claim(
                "best",
                config,
                unsettled=_PROBABLE,
                text=chained([f"Best near the trials: {self._promised}, ", settings, "."]),
                values=values,
            ),
            replace(self.gained, certain=False).claim(
                "difference",
                (),
                unsettled=_PROBABLE,
                text=f"{self.more_trials} The smallest improvement that counts is {enough}.",
                because=self.why_another,
            ),
            self.better.claim("difference", (), unsettled=_PROBABLE, term="left"),
            *(
                replace(region.held, certain=False).claim(
                    "best",
                    (region.hyperparameter,),
                    unsettled=_PROBABLE,
                    frame="The best configuration probably has {each} (90% each).",
                    text=f"{region.hyperparameter} {region.inside}" * (region in named),
                    values=(region.values,),
                )
                for region in self.narrowest
                if region.share < 1.0
            ),
        )
