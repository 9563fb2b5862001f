"""A run in five lines: what a person asks first, answered by what is asked next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from hpo_explain.base.errors import unless_nothing
from hpo_explain.base.subject import Subject
from hpo_explain.methods.advice.advise import advise
from hpo_explain.methods.advice.advise_result import Advice
from hpo_explain.methods.advice.optimum import optimum
from hpo_explain.methods.advice.optimum_result import Optimum
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.importance.importance import importance
from hpo_explain.methods.runs.history import history
from hpo_explain.methods.runs.history_result import History
from hpo_explain.methods.runs.trust import trust
from hpo_explain.methods.runs.trust_result import RunTrust
from hpo_explain.methods.space.recommended_space import recommended_space
from hpo_explain.methods.space.recommended_space_result import Recommendation
from hpo_explain.question.explains import Question, explains
from hpo_explain.run import Run

BEST = 0.1  # of the configurations: what decides whether one is among them


class Analyses(Protocol):
    """What the five lines are made of; each raises `NothingToExplain` where nothing can be told."""

    @property
    def run(self) -> Run:
        """The run."""

    @property
    def history(self) -> History:
        """What every trial reached."""

    @property
    def optimum(self) -> Optimum:
        """Where the best is."""

    @property
    def importance(self) -> FanovaImportance:
        """What matters over the whole space."""

    @property
    def among_best(self) -> FanovaImportance:
        """What decides whether a configuration is among the best."""

    @property
    def recommended_space(self) -> Recommendation:
        """A narrower space."""

    @property
    def advice(self) -> Advice:
        """What to do next."""

    @property
    def trust(self) -> RunTrust:
        """How well the objective is known."""


@explains(of="surrogate", without=("kind", "surrogate"))
def summary(question: Question) -> Summary:
    """Say of a run in five lines what people ask first.

    How good it is and whether there is more to get, what matters, where to search on, what to try
    next, and how far to believe this: one line each of what :func:`optimum`, :func:`importance`,
    :func:`recommended_space`, :func:`advise` and :func:`trust` say.

    Returns
    -------
    Summary
        The lines, in `lines`.

    Raises
    ------
    ValueError
        If the run cannot be read.
    NothingToExplain
        If there are fewer than two trials, or none of the hyperparameters varies.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.summary(table, objective="loss").lines[0].startswith("Best loss 1 by trial 0; ")
    True
    """
    question.run.check_learnable()
    return summarized(_Asked(question.run, question.seed))


def summarized(analyses: Analyses) -> Summary:
    """Return the five lines of analyses that are made when they are first asked for."""
    return Summary(
        subject=Subject.of(analyses.run),
        history=analyses.history,
        optimum=unless_nothing(lambda: analyses.optimum),
        importance=unless_nothing(lambda: analyses.importance),
        among_best=unless_nothing(lambda: analyses.among_best),
        recommended_space=unless_nothing(lambda: analyses.recommended_space),
        advice=unless_nothing(lambda: analyses.advice),
        trusted=unless_nothing(lambda: analyses.trust),
    )


@dataclass(frozen=True, eq=False)
class _Asked:
    run: Run
    seed: int

    @cached_property
    def history(self) -> History:
        return history(self.run)

    @cached_property
    def optimum(self) -> Optimum:
        return optimum(self.run, seed=self.seed)

    @cached_property
    def importance(self) -> FanovaImportance:
        return importance(self.run, seed=self.seed)

    @cached_property
    def among_best(self) -> FanovaImportance:
        return importance(self.run, top=BEST, seed=self.seed)

    @cached_property
    def recommended_space(self) -> Recommendation:
        return recommended_space(self.run, seed=self.seed)

    @cached_property
    def advice(self) -> Advice:
        return advise(self.run, seed=self.seed)

    @cached_property
    def trust(self) -> RunTrust:
        return trust(self.run, seed=self.seed)
