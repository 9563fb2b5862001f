"""A run with several objectives in a few lines: the Pareto front, and each objective by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hpo_explain.base import Claim, Result, Table, printable
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.methods.runs.pareto_result import ParetoFront


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Summaries(Result):
    """Several objectives, or several runs, in a few lines each.

    Attributes
    ----------
    front : ParetoFront or None
        The trials that no other one beats in all objectives; None where the runs are of other
        trials.
    summaries : mapping of str to Summary
        The five lines of each objective or run.
    subject, notes
        As in every result.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1)
    >>> loss = hx.Run(space, X, X[:, 0], "minimize", objective_name="loss")
    >>> size = hx.Run(space, X, (1.0 - X[:, 0]) ** 2, "minimize", objective_name="size")
    >>> found = hx.summary({"loss": loss, "size": size})
    >>> found.lines[0], len(found.lines)
    ('20 of 20 trials are on the Pareto front.', 11)
    """

    table: ClassVar[Table] = Table(
        columns={"objective": "objectives", "question": "questions", "answer": "answers"},
        held={"lines": "lines"},
        printed=False,
    )
    front: ParetoFront | None
    summaries: Mapping[str, Summary]

    @property
    def objectives(self) -> tuple[str, ...]:
        """The objective that each row of the table is about."""
        return tuple(name for name, summary in self.summaries.items() for _ in summary.questions)

    @property
    def questions(self) -> tuple[str, ...]:
        """What each row answers."""
        each = self.summaries.values()
        return tuple(question for summary in each for question in summary.questions)

    @property
    def answers(self) -> tuple[str, ...]:
        """The lines of each objective, one after the other."""
        each = self.summaries.values()
        return tuple(line for summary in each for line in summary.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """How many trials are on the front, and the answers."""
        first = () if self.front is None else (self.front.headline,)
        return (*first, *self.answers)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Those of each objective."""
        each = self.summaries.values()
        return tuple(claim for summary in each for claim in summary.claims)

    @property
    def answer(self) -> str:
        """How many trials are on the front."""
        return self.lines[0]

    @property
    def sentence(self) -> str:
        """The lines, one after the other."""
        return " ".join(self.lines)

    @property
    def said(self) -> str:
        """The lines, one below the other, under the name of their objective."""
        texts = [] if self.front is None else [self.front.headline]
        texts += [
            "\n".join([printable(f"{name}:"), *summary.lines])
            for name, summary in self.summaries.items()
        ]
        return "\n\n".join(texts)
