"""Which configurations settle what a result leaves open."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import (
    InputError,
    Result,
    check_name,
    declared_fact,
    format_value,
    join_words,
)
from hpo_explain.belief import Draws, Unsettled
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods.advice.advise_result import Action, Narrowed
from hpo_explain.methods.advice.rules import shortened
from hpo_explain.methods.effects.effects import partial_dependence
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.importance.importance import importance
from hpo_explain.question import Question, RunDecision
from hpo_explain.run.grids import untried
from hpo_explain.space import Array

# Of other results the intervals were not seen to become narrower than after random trials.
Settled = FanovaImportance | Effect
_HARDLY = (
    0.98  # of the intervals' width: trials that leave more narrow nothing
)

_NARROWER = declared_fact(
    "intervals_narrowed",
    "expect the 95% intervals of {names} to be {left:%} as wide as now after {count:#trial}",
)


def settling(question: Question, settled: Result | str, n: int) -> Action:
    """Return the n configurations that are expected to narrow a result's intervals most.

    Parameters
    ----------
    question : Question
        What is asked of the run.
    settled : Result or str
        The result; or "importance", or a hyperparameter for its effect.
    n : int
        How many.

    Raises
    ------
    InputError
        If the result has no such intervals, or is about other trials; or no trial narrows them.
    """
    draws, decision = question.draws, question.decision
    if draws is None or decision is None:
        problem = "asks for functions that the trials allow, which the model does not have"
        raise InputError("settle", problem, settled)
    result = _result(question, settled)
    posterior = result.posterior
    rows = _candidates(decision, draws)
    if not len(rows):
        raise InputError(
            "settle",
            "was given, but every trial that may be made was",
            settled,
        )
    unsettled = Unsettled(
        draws.costs(rows).astype(float), posterior.values, draws.noise_at(rows)
    )
    count = min(n, len(rows))
    chosen = rows[unsettled.best_rows(count)]
    left = unsettled.expected_left(count)
    widths = posterior.values.std(axis=0)
    average = float(left @ widths / widths.sum()) if widths.any() else 1.0
    if average > _HARDLY:
        problem = "leaves nothing open that trials are expected to narrow"
        raise InputError("settle", problem, settled)
    configs = shortened(draws.space, draws.space, chosen)
    names = _named(result)
    reason = _NARROWER(count=count, names=[names], left=average)
    return Action(
        "settle",
        tuple(configs[0]),
        tuple(configs[0].values()),
        evidence=(reason,),
        configurations=tuple(configs),
        narrows=tuple(
            Narrowed(format_value(label), float(width), float(share))
            for label, width, share in zip(
                posterior.names, widths, left, strict=True
            )
        ),
    )


def _result(question: Question, settled: Result | str) -> Settled:
    """Return the result that is meant, which must be of the same trials."""
    if settled == "importance":
        shares: FanovaImportance = question.ask(importance)
        return shares
    names = question.run.space.names
    if isinstance(settled, str):
        check_name("settle", settled, ("importance", *names), "result")
        effect: Effect = question.ask(partial_dependence, names=settled)
        return effect
    if not isinstance(settled, Settled):
        problem = f"must be a result of importance or of an effect, but was {settled!r}"
        raise InputError("settle", problem, settled)
    if not np.array_equal(
        settled.subject.tried, question.run.X, equal_nan=True
    ):
        problem = "is about other trials, or a part of the space"
        raise InputError("settle", problem, settled)
    return settled


def _candidates(decision: RunDecision, draws: Draws) -> Array:
    """Return rows that may be evaluated: of a grid that was enumerated what is left."""
    run = decision.run
    rows = untried(run.X, run.tried, run.notes)
    if rows is None:
        rows = draws.space.distinct(draws.landscape.rows)
    return rows[decision.may_be_tried(rows)]


def _named(result: Settled) -> str:
    """Return what the intervals are of, in words."""
    if isinstance(result, Effect):
        return f"the effect of {join_words(result.names)}"
    return "importance"
