"""What is answered about one run, each question asked as users ask it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import hpo_explain as hx
from hpo_explain.base import NothingToExplain
from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.base.result import Result
from tests.contradictions.doors import Told, of_run

ROUNDING = 1e-9


@dataclass(eq=False)
class Answers:
    """The answers about a run, each asked once."""

    run: hx.Run

    @cached_property
    def summary(self) -> Any:
        """Five lines."""
        return hx.summary(self.run)

    @cached_property
    def optimum(self) -> Any:
        """Where the best is."""
        return hx.optimum(self.run)

    @cached_property
    def space(self) -> Any:
        """Where to search on."""
        return hx.recommended_space(self.run)

    @cached_property
    def advice(self) -> Any:
        """What to do next."""
        return hx.advise(self.run)

    @cached_property
    def importance(self) -> Any:
        """What matters, alone and in pairs."""
        return hx.importance(self.run, order=min(2, len(self.run.space)))

    @cached_property
    def around(self) -> Any:
        """What matters around the best observed trial."""
        return hx.methods.local_importance(self.run)

    @cached_property
    def trust(self) -> Any:
        """How well the objective is known."""
        return hx.trust(self.run)

    @cached_property
    def best_predicted(self) -> int | None:
        """The trial that is explained as the best predicted one; None where no model chose any."""
        try:
            found = hx.explain_proposal(self.run, "best-predicted", background=5)
        except NothingToExplain:
            return None
        return int(found.trial)

    @cached_property
    def told(self) -> list[Told]:
        """All numbers that functions, the page and the panel of what-if tell."""
        return of_run(self.run)

    @property
    def results(self) -> tuple[Result, ...]:
        """All of them."""
        return (
            self.summary,
            self.optimum,
            self.space,
            self.advice,
            self.importance,
            self.around,
            self.trust,
        )

    # ------------------------------------------------------------------ parts of them

    def actions(self, *kinds: str) -> list[Any]:
        """Return what is advised of some kinds."""
        return [one for one in self.advice.actions if one.kind in kinds]

    @property
    def kept_row(self) -> Any:
        """The encoded row of the trial to keep."""
        return self.run.X[self.run.row(self.optimum.keep)]

    @property
    def same_as_observed(self) -> bool:
        """Whether the trial to keep has the configuration of the best observed one."""
        observed = self.run.X[self.run.row(self.run.incumbent_trial)]
        return bool(((self.kept_row == observed) | (self.kept_row != self.kept_row)).all())

    @property
    def p_better(self) -> float:
        """The probability that something is better than the trial to keep by what counts."""
        return float(self.optimum.p_better)

    def claims(self) -> Iterator[tuple[str, Claim]]:
        """Yield every claim with the name of the answer that it is of."""
        for result in self.results:
            for claim in result.claims:
                yield type(result).__name__, claim

    def facts(self) -> Iterator[Fact]:
        """Yield what the claims rest on, and what is noted."""
        for result in self.results:
            yield from result.notes
            for claim in result.claims:
                yield from claim.because
        for action in self.advice.actions:
            yield from action.evidence


def facts_of(some: Any, what: str) -> list[Fact]:
    """Return the facts of a kind, with a value of a name, or that say something."""
    return [fact for fact in some if what in (fact.kind, *dict(fact.values)) or what in str(fact)]


def holds(space: hx.SearchSpace, config: Mapping[str, Any]) -> bool:
    """Return whether a space holds a configuration."""
    return all(name in space.names and has(space[name], value) for name, value in config.items())


def has(parameter: Any, value: Any) -> bool:
    """Return whether a hyperparameter has a value."""
    if isinstance(parameter, hx.CategoricalParameter):
        return bool(parameter.has(value))
    slack = ROUNDING * (abs(parameter.low) + abs(parameter.high))
    return bool(parameter.low - slack <= value <= parameter.high + slack)
