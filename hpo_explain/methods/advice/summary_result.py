"""A run in five lines: what a person asks first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from hpo_explain.base import Cells, Claim, Result, Table, printable
from hpo_explain.base.wording import Wording, chained, joined
from hpo_explain.methods._engines.decision_words import (
    few,
    one_digit,
    part_of,
    percent,
    tie,
    to_digit_of,
    trial,
)
from hpo_explain.methods.advice.advise_result import Advice
from hpo_explain.methods.advice.optimum_result import Optimum
from hpo_explain.methods.importance.fanova_result import (
    FanovaImportance,
)
from hpo_explain.methods.importance.most import how_sure
from hpo_explain.methods.runs.history_result import History
from hpo_explain.methods.runs.trust_result import RunTrust
from hpo_explain.methods.space.recommended_space_result import Recommendation

MOST_SURE = 0.99  # so many draws tell no larger probability
QUESTIONS = (
    "How good, and is there more?",
    "What matters?",
    "Where to search?",
    "What to try next?",
    "How far to believe this?",
)
_ANSWERED_BY = (
    "optimum",
    "importance",
    "recommended_space",
    "advise",
    "trust",
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Summary(Result):
    """A run in five lines; what cannot be told yet is None.

    Attributes
    ----------
    history : History
        What every trial reached.
    optimum : Optimum or None
        Whether there is more to get.
    importance, among_best : FanovaImportance or None
        What matters over the whole space, and for being among the best 10 %.
    recommended_space : Recommendation or None
        Where to search on.
    advice : Advice or None
        What to try next.
    trusted : RunTrust or None
        How far to believe this.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=2)
    >>> found = hx.summary(hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize"))
    >>> print(found.lines[0].partition(" (")[0])
    Best objective: 0.00017
    """

    table: ClassVar[Table] = Table(
        index=("question", "questions"),
        columns={"answer": "lines"},
        held={"lines": "lines"},
    )
    says: ClassVar[Mapping[str, str]] = {}
    history: History
    optimum: Optimum | None
    importance: FanovaImportance | None
    among_best: FanovaImportance | None
    recommended_space: Recommendation | None
    advice: Advice | None
    trusted: RunTrust | None

    @property
    def questions(self) -> tuple[str, ...]:
        """What each line answers."""
        return QUESTIONS

    @property
    def answered_by(self) -> tuple[str, ...]:
        """The function whose answer each line tells in short."""
        return _ANSWERED_BY

    @property
    def claims(self) -> tuple[Claim, ...]:
        """One answer to each question: a claim of the method that answers it, in short words."""
        return self._more, self._matters, self._where, self._next, self._far

    @property
    def lines(self) -> tuple[str, ...]:
        """The answers."""
        return tuple(printable(claim.text) for claim in self.claims)

    @property
    def sentence(self) -> str:
        """The lines, one after the other."""
        return joined(self.lines, " ")

    @property
    def headline(self) -> str:
        """What the best trial reached, and which one to keep if that is another."""
        best = self.history.incumbent_trial
        if best is None:
            return self._best
        keep = best if self.optimum is None else self.optimum.keep
        said = [
            f"Best {self.objective_name}: {self._level} (",
            trial(best),
            ")",
        ]
        if keep != best:
            said += ["; keep ", trial(keep)]
        return printable(chained([*said, "."]))

    @property
    def said(self) -> str:
        """The lines, one below the other."""
        return "\n".join(self.lines)

    def printed_cells(self) -> Cells:
        """Return no columns: the lines say all."""
        return []

    def __str__(self) -> str:
        return self.said

    def _told(self, claim: Claim | None, text: str) -> Claim:
        """Return a claim in other words; without one, what is said where nothing is known."""
        if claim is None:
            return Claim("tried", text=text)
        return replace(claim, frame="{each}", text=text)

    @property
    def _level(self) -> str:
        """The best objective, with the digits that count."""
        least = 0.0 if self.optimum is None else self.optimum.counts.between
        return to_digit_of(float(self.history.best[-1]), least)

    @property
    def _best(self) -> str:
        """The best objective, the trials that reached it, and the one to keep."""
        history, optimum = self.history, self.optimum
        best = history.incumbent_trial
        if best is None:
            return "No trial counts yet."
        tied = history.tied if optimum is None else optimum.tied
        said = [
            f"Best {self.objective_name}: {self._level} (",
            tie(tied, best),
            ")",
            self.subject.better_outside,
        ]
        for why in () if optimum is None else optimum.why_another:
            said += ["; keep ", trial(why["keep"])]
            said += [f", expected {one_digit(why['worse'])} better"]
        return chained([*said, "."])

    @property
    def _more(self) -> Claim:
        optimum = self.optimum
        if self.history.incumbent_trial is None or optimum is None:
            claims = self.history.claims
            return self._told(claims[0] if claims else None, self._best)
        claim = next(c for c in optimum.claims if c.kind == "difference")
        return self._told(
            claim, joined([self._best, optimum.more_trials], " ")
        )

    @property
    def _matters(self) -> Claim:
        most = None if self.importance is None else self.importance.claims[0]
        if most is None or how_sure(most) == "nothing":
            return self._told(None, "Nothing is known to matter yet.")
        (name,) = most.hyperparameters
        low, high = (percent(end) for end in most.interval or (np.nan, np.nan))
        share = Wording.of(
            f"about {part_of(most.estimate)}",
            hint=f"{percent(most.estimate)}, {low} to {high} (95% interval)",
        )
        sure = percent(min(most.probability, MOST_SURE))
        with_another = [
            f", mostly with {reason.names[1]}"
            for reason in most.because
            if reason.kind == "matters_in_a_pair"
        ]
        said = [
            f"{name} matters most ({sure} sure): ",
            share,
            " of all variation, with its interactions",
            *with_another,
            ".",
        ]
        return self._told(most, chained(said))

    @property
    def _where(self) -> Claim:
        space = self.recommended_space
        if space is None or not space.narrowed:
            return self._told(None, "No range can be narrowed safely yet.")
        kept = [
            f"{row.hyperparameter} {space.extent(row)}"
            for row in space.narrowed
        ]
        part = part_of(space.volume)
        text = f"The search space {space.may} shrink to {part}: {few(kept)}"
        if space.doubts:
            text += " (the reliability is poor)"
        return self._told(space.claims[0], f"{text}.")

    @property
    def _next(self) -> Claim:
        if self.advice is None or not self.advice.actions:
            return self._told(None, "Go on as it is.")
        to_do = [a for a in self.advice.actions if a.kind != "keep"]
        (first, *_) = (
            self.advice.chosen("first") or to_do or self.advice.actions
        )
        claim = self.advice.claims[self.advice.actions.index(first)]
        why = [": ", first.reason] if first.kind == "go_on" else ["."]
        return self._told(claim, chained([first.title, *why]))

    @property
    def _far(self) -> Claim:
        trust = self.trusted
        if trust is None:
            return self._told(None, "Reliability: none (too little is known).")
        share, least = (
            percent(max(part, 0.0))
            for part in (trust.r2, trust.r2_interval[0])
        )
        return self._told(
            trust.claims[0],
            f"Reliability: {trust.level} (the model explains {share} of the variation, "
            f"at least {least}).",
        )
