"""What a result says in a line of a report's contents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hpo_explain.base.claim import Claim
from hpo_explain.base.phrases import counted, join_words
from hpo_explain.explanations.result import Result
from hpo_explain.methods.effects.effect_result import Effect
from hpo_explain.wording.numbers import format_value, number, percent, plus_minus

MOST = 100  # characters of a line
_NAME, _FEW, _VALUE, _ENDS = 24, 14, 12, 30
"""Characters of a name, of one of several names, of a value, and of all values together."""


def line(result: Result) -> str:
    """Return the first claim of a result in a line of at most 100 characters.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xy"])
    >>> X = space.sample(40, seed=0)
    >>> line(hx.importance(hx.Run(space, X, X[:, 0], "minimize")))
    'x matters most: 100% of the variance.'
    """
    if isinstance(result, Effect) and len(result.claims[0].text) <= MOST:
        return result.claims[0].text
    claims = [claim for claim in result.claims if claim.kind in _LINES]
    if not claims:
        return "Nothing stands out."
    certain = [claim for claim in claims if claim.certain]
    told = (certain or claims)[0]
    if told.kind == "keep" and not told.certain:
        return f"{_NO_RANGE}."
    text = _LINES[told.kind](told, result)
    return f"{text}." if told.certain else f"{text}; not certain."


def shortened(text: str, most: int = MOST) -> str:
    """Return a text of at most so many characters, cut between words where there are any.

    Examples
    --------
    >>> shortened("The learning rate matters most", 20)
    'The learning rate …'
    """
    if len(text) <= most:
        return text
    head = text[: most - 1]
    whole = head.rpartition(" ")[0] if len(head.rpartition(" ")[2]) < _NAME else ""
    return f"{whole} …" if whole else f"{head}…"


def _names(claim: Claim, most: int = 2) -> str:
    width = _NAME if len(claim.hyperparameters) == 1 else _FEW
    shown = [format_value(name, width=width) for name in claim.hyperparameters[:most]]
    more = len(claim.hyperparameters) - len(shown)
    return join_words([*shown, *([f"{more} more"] if more else [])])


def _verb(claim: Claim, one: str, several: str) -> str:
    return one if len(claim.hyperparameters) == 1 else several


def _importance(claim: Claim, _: Result) -> str:
    verb = _verb(claim, "matters most", "matter most together")
    return f"{_names(claim)} {verb}: {percent(claim.estimate)} of the variance"


def _best_at(claim: Claim, _: Result) -> str:
    if len(claim.hyperparameters) != 1:
        return f"{_names(claim)} are best together in a part of their ranges"
    return f"{_names(claim)} is best {_where(claim.values[0])}"


def _where(values: Sequence[Any]) -> str:
    if isinstance(values[0], tuple):
        return f"in {counted(len(values), 'range')}"
    if len(values) == 2 and not isinstance(values[0], str):
        low, high = (format_value(end, width=_VALUE) for end in values)
        return f"at {low}" if low == high else f"between {low} and {high}"
    shown = ", ".join(format_value(value, width=_VALUE) for value in values)
    return f"at {shown}" if len(shown) <= _ENDS else f"at {counted(len(values), 'value')}"


def _reason(claim: Claim, _: Result) -> str:
    shown = format_value(claim.values[0], width=_VALUE) if claim.values else "inactive"
    speaks = "for" if claim.estimate > 0.0 else "against"
    return f"{_names(claim)} = {shown} speaks most {speaks} it"


def _total_gain(claim: Claim, result: Result) -> str:
    gain = plus_minus(abs(claim.estimate), claim.half)
    better = "better" if claim.estimate >= 0.0 else "worse"
    path = f"From {result.ends}" if hasattr(result, "ends") else "In all"
    return f"{path}: {gain} {better}"


def _effect(claim: Claim, _: Result) -> str:
    return (
        f"{_names(claim)} changes the prediction most, by {plus_minus(claim.estimate, claim.half)}"
    )


_NO_RANGE = "No range can be given up with confidence yet"


def _keep(claim: Claim, result: Result) -> str:
    left = [c for c in result.claims if c.kind == "keep" and c.estimate < 1.0]
    names = tuple(c.hyperparameters[0] for c in left if c.certain)
    if not names:
        return _NO_RANGE
    return f"Values of {_names(replace(claim, hyperparameters=names))} can be given up"


def _noise(claim: Claim, _: Result) -> str:
    where = "the incumbent" if claim.hyperparameters else "any configuration, as far as can be told"
    return f"Standard deviation {number(claim.estimate, 2)} at {where}"


def _pruning(claim: Claim, _: Result) -> str:
    loses = f"loses {number(claim.estimate, 2)}" if claim.estimate > 0.0 else "keeps the best"
    return f"Stopped early by {claim.values[0]}, the run {loses}"


_LINES: dict[str, Callable[[Claim, Result], str]] = {
    "reason": _reason,
    "counter_reason": _reason,
    "indifferent": lambda *_: "No better and no worse than an average configuration",
    "importance": _importance,
    "interaction": lambda claim, _: f"{_names(claim)} act together",
    "no_interaction": lambda *_: "No hyperparameters act together",
    "no_effect": lambda *_: "No hyperparameter makes a difference",
    "best_at": _best_at,
    "flat": lambda claim, _: f"{_names(claim)} makes no difference",
    "total_gain": _total_gain,
    "no_difference": lambda *_: "Next to no difference between the two",
    "effect": _effect,
    "keep": _keep,
    "noise": _noise,
    "early_rank": lambda claim, _: f"Trials rank as in the end from step {claim.values[0]:g} on",
    "pruning": _pruning,
    "share_changes": lambda claim, _: f"What {_names(claim)} explains changes from step to step",
    "driver": lambda claim, _: f"{_names(claim)} mattered most to what was proposed",
}
