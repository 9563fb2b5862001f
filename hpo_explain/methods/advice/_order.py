"""In which order hyperparameters are named: the most important first."""

from __future__ import annotations

from hpo_explain.question import Question
from hpo_explain.space import ranked


def in_order(question: Question) -> tuple[str, ...]:
    """Return the hyperparameters, first what explains most, with its interactions."""
    names, draws = question.run.space.names, question.draws
    if not draws.joint or len(names) < 2:
        return names
    totals = draws.anova.totals.mean(axis=0)
    return tuple(names[j] for j in ranked(-totals))
