"""All questions that are asked of a run, each answer held against the truth."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hpo_explain.base import NothingToExplain
from tests.claims.advised import advised
from tests.claims.asked import BROKEN, Asked, Scored
from tests.claims.best import better_exists, by_seed, changes, expected
from tests.claims.effects import effects
from tests.claims.known import noise, trust
from tests.claims.narrowing import narrowing
from tests.claims.panel import what_if
from tests.claims.runs import Setting, make_run
from tests.claims.shapes import shapes
from tests.claims.shares import shares, shares_of_the_best

Question = Callable[[Asked], Iterator[Scored]]
QUESTIONS: tuple[Question, ...] = (
    shares,
    shares_of_the_best,
    effects,
    shapes,
    narrowing,
    better_exists,
    by_seed,
    expected,
    changes,
    advised,
    what_if,
    noise,
    trust,
)
CLAIMED = tuple(question for question in QUESTIONS if question is not by_seed)
"""Without the one that claims nothing, of which a whole second belief is needed."""


def score(
    setting: Setting,
    questions: Sequence[Question] = QUESTIONS,
    cache: Path | None = None,
) -> Iterator[Scored]:
    """Ask what people ask of a run, and hold every claim against the truth.

    A question to which the package says that there is nothing to explain has no answer; one that
    fails is counted.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked = Asked(make_run(setting, cache), setting.problem, setting)
        for question in questions:
            try:
                yield from list(question(asked))
            except NothingToExplain:
                yield Scored(
                    f"nothing to explain: {question.__name__}", made=False
                )
            except Exception as error:
                yield Scored(
                    f"{BROKEN}: {question.__name__}: {error!r}"[:200],
                    right=False,
                )
