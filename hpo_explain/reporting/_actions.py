"""What a report advises: at most three actions, each with its evidence and code to paste."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from hpo_explain.reporting.context import Context, unless_nothing
from hpo_explain.wording import report as words

_MOST = 3


@dataclass(frozen=True)
class Action:
    """Something to do next.

    Attributes
    ----------
    title : str
        What to do, as an order.
    evidence : str
        What speaks for it.
    code : str
        Python to paste; empty where none is needed.
    """

    title: str
    evidence: str
    code: str = ""


def actions_of(context: Context) -> list[Action]:
    """Return what the claims that hold advise; to go on where none does."""
    found: list[Action] = []
    for advise in (_narrow, _fix):
        found += unless_nothing(partial(list[Action], advise(context))) or []
    return found[:_MOST] or [Action(words.GO_ON, words.why_go_on(context.trust))]


def _narrow(context: Context) -> Iterator[Action]:
    result = context.recommended_space
    narrowed = [claim for claim in result.claims if claim.estimate < 1.0 and claim.certain]
    if narrowed:
        names = [claim.hyperparameters[0] for claim in narrowed]
        kept = [result.space[name] for name in names if name in result.space.names]
        yield Action(words.narrow(kept), result.sentence, words.suggestions(kept))


def _fix(context: Context) -> Iterator[Action]:
    result = context.subspace
    fixed = {
        name: value
        for claim in result.claims
        if claim.kind == "fix" and claim.certain
        for name, value in zip(claim.hyperparameters, claim.values, strict=True)
    }
    if fixed:
        yield Action(words.fix(fixed), result.sentence, words.fixing(fixed))
