"""A run in five lines: what a person asks first, answered by what is asked next."""

from __future__ import annotations

from dataclasses import replace

from hpo_explain.base import Subject
from hpo_explain.methods.advice.advise import advise
from hpo_explain.methods.advice.optimum import optimum
from hpo_explain.methods.advice.summaries_result import Summaries
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.methods.importance.importance import importance
from hpo_explain.methods.runs.history import history
from hpo_explain.methods.runs.pareto import pareto
from hpo_explain.methods.runs.trust import trust
from hpo_explain.methods.space.recommended_space import recommended_space
from hpo_explain.question import Question, explains
from hpo_explain.run import joined


@explains(of="surrogate", without=("kind", "surrogate"), several="objectives")
def summary(question: Question) -> Summary | Summaries:
    """Summarize a run in five lines.

    The lines say how good the run is, what matters, where to search on, what to try next, and how
    reliable that is. They come from `optimum`, `importance`, `recommended_space`, `advise` and
    `trust`.

    Returns
    -------
    Summary or Summaries
        The text is in `lines`. With several objectives, the size of the Pareto front and then the
        lines of each objective.

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
    >>> hx.summary(table, objective="loss").lines[0].startswith("Best loss: 1")
    True
    """
    if not question.runs:
        question.run.check_learnable()
        return _of_one(question)
    return Summaries(
        subject=Subject.of(question.run),
        front=question.ask(pareto) if joined(question.runs) else None,
        summaries={
            name: _of_one(replace(question, run=run, runs={}))
            for name, run in question.runs.items()
        },
    )


def _of_one(question: Question) -> Summary:
    """Return the five lines of a run."""
    return Summary(
        subject=Subject.of(question.run),
        history=question.ask(history),
        optimum=question.ask_if(optimum),
        importance=question.ask_if(importance),
        recommended_space=question.ask_if(recommended_space),
        advice=question.ask_if(advise),
        trusted=question.ask_if(trust),
    )
