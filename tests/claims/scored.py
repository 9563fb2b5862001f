"""All questions that are asked of a run, each answer held against the truth."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from hpo_explain.base import NothingToExplain
from tests.claims.advised import advised
from tests.claims.asked import BROKEN, Asked, Scored
from tests.claims.best import another, better_exists, by_seed, changes, expected
from tests.claims.effects import effects
from tests.claims.known import noise, trust
from tests.claims.narrowing import narrowing
from tests.claims.panel import what_if
from tests.claims.runs import Setting, make_run
from tests.claims.shapes import shapes
from tests.claims.shares import shares, shares_of_the_best
from tests.claims.together import prediction, strengths
from tests.claims.tolerance import tolerance

_About = TypeVar("_About")
Question = Callable[[Asked], Iterator[Scored]]
QUESTIONS: tuple[Question, ...] = (
    shares,
    shares_of_the_best,
    effects,
    shapes,
    strengths,
    narrowing,
    another,
    better_exists,
    by_seed,
    expected,
    changes,
    advised,
    what_if,
    prediction,
    tolerance,
    noise,
    trust,
)
CLAIMED = tuple(question for question in QUESTIONS if question is not by_seed)
"""Without the one that claims nothing, of which a whole second belief is needed."""

JUDGING = tuple(question for question in CLAIMED if question is not shapes)
"""What is asked on what judges: without the one that takes long and has no goal there."""


def score(
    setting: Setting, questions: Sequence[Question] = QUESTIONS, cache: Path | None = None
) -> Iterator[Scored]:
    """Ask what people ask of a run, and hold every claim against the truth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = make_run(setting, cache)
        asked = Asked(run, setting.problem, setting, cache)
        for question in questions:
            yield from answers(question, asked)


def score_alone(
    setting: Setting, question: Callable[[Setting], Iterator[Scored]]
) -> Iterator[Scored]:
    """Ask a question that has runs of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from answers(question, setting)


def answers(question: Callable[[_About], Iterator[Scored]], about: _About) -> list[Scored]:
    """Return the answers to a question.

    One to which the package says that there is nothing to explain has none; one that fails is
    counted.
    """
    name = question.__name__
    try:
        return [*question(about)]
    except NothingToExplain:
        return [Scored(f"nothing to explain: {name}", made=False)]
    except Exception as error:
        return [Scored(f"{BROKEN}: {name}: {error!r}"[:200], right=False)]
