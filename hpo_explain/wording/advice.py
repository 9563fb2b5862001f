"""Advice in words: what to do, and what speaks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hpo_explain._words import counted, join_words
from hpo_explain.explanations import Action, Advice
from hpo_explain.facts import Fact
from hpo_explain.space import CategoricalParameter
from hpo_explain.space.parameter import Parameter
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import (
    format_level,
    format_value,
    plus_minus,
    values_in_words,
)

HEADING = "What to do next"
SUBTITLE = "expected improvement of the best objective, with 90 % of its distribution"
LABEL = "expected improvement"
_MOST_REASONS = 3  # of one kind


def action_title(action: Action) -> str:
    """Say what to do, as an order."""
    return _TITLES[action.kind](action)


def action_reason(action: Action) -> str:
    """Say what speaks for it: a sentence per fact, few of the same kind."""
    kept: list[Fact] = []
    for found in action.evidence:
        if sum(other.kind == found.kind for other in kept) < _MOST_REASONS:
            kept.append(found)
    return sentences(kept)


def sentences(facts: Sequence[Fact]) -> str:
    """Return facts as sentences."""
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in map(str, facts))


@sentence_of(Advice)
def sentence(result: Advice) -> str:
    """Say what to do first, and what else."""
    if not result.actions:
        return "Nothing can be advised yet."
    first, *others = result.actions
    rest = f" Then: {join_words([_also(action) for action in others])}." if others else ""
    return f"{first}{rest}"


def _also(action: Action) -> str:
    title = action.title
    return f"{title[0].lower()}{title[1:]}"


def listed_few(texts: Sequence[str], most: int = 4) -> list[str]:
    """Return texts, those beyond `most` counted."""
    if len(texts) <= most:
        return [*texts]
    return [*texts[: most - 1], f"{len(texts) - most + 1} more"]


def _extent(parameter: Parameter) -> str:
    if isinstance(parameter, CategoricalParameter):
        return f"in {values_in_words(parameter.choices)}"
    return f"from {format_value(parameter.low)} to {format_value(parameter.high)}"


def _extents(action: Action) -> str:
    shown = [f"{format_value(p.name)} {_extent(p)}" for p in action.parameters]
    return join_words(listed_few(shown))


def _settings(values: Mapping[str, Any]) -> str:
    shown = [f"{format_value(name)} = {format_value(value)}" for name, value in values.items()]
    return join_words(listed_few(shown))


def _given(action: Action) -> dict[str, Any]:
    return dict(zip(action.hyperparameters, action.values, strict=True))


def _try_title(action: Action) -> str:
    others = len(action.configurations) - 1
    more = f"; then {counted(others, 'other configuration')}" if others > 0 else ""
    return f"Try next: {_settings(_given(action))}{more}"


_TITLES: dict[str, Callable[[Action], str]] = {
    "narrow": lambda action: f"Search on in a narrower space: {_extents(action)}",
    "fix": lambda action: f"Keep fixed: {_settings(_given(action))}",
    "widen": lambda action: f"Widen the range, if such values are allowed: {_extents(action)}",
    "try": _try_title,
    "stop": lambda _: "Stop, unless the space changes",
    "go_on": lambda _: "Go on as it is",
}


# ---------------------------------------------------------------------- evidence


def _random_trials_bring(fact: Fact) -> str:
    return (
        f"{fact['n']} random trials in it are expected to improve the best objective by "
        f"{fact['expected']:.2g}, and by {fact['otherwise']:.2g} in the whole space"
    )


def _better_at_end(fact: Fact) -> str:
    (name,), better = fact.names, plus_minus(fact["better"], fact["half"])
    return (
        f"the {fact['objective']} still {'falls' if fact['falls'] else 'rises'} at the "
        f"{'upper' if fact['upper'] else 'lower'} end of {format_value(name)} "
        f"({format_value(fact['end'])}): on average over the others it is {better} better there "
        f"than at {format_value(fact['inside'])}"
    )


def _expected_improvement(fact: Fact) -> str:
    there, best = (plus_minus(*fact[key]) for key in ("predicted", "at_best"))
    return (
        f"the model predicts {fact['objective']} {there} for the most promising configuration "
        f"that was found, and {best} for trial {fact.trials[0]}, the best predicted one (± one "
        f"standard deviation): an expected improvement of {fact['expected']:.2g}"
    )


def _last_trials(fact: Fact) -> str:
    last = "the last trial" if fact["n"] == 1 else f"the last {fact['n']} trials"
    if not fact["improved"]:
        return f"{last} did not improve the best {fact['objective']}, {format_value(fact['now'])}"
    if not np.isfinite(fact["before"]):
        return f"{last} found the first feasible result"
    before, now = fact["before"], fact["now"]
    return (
        f"{last} improved the best {fact['objective']} from {format_level(before, now - before)} "
        f"to {format_level(now, now - before)}"
    )


def _nothing_to_change(fact: Fact) -> str:
    if fact["level"] in ("poor", "unknown"):
        return "the model predicts too badly to give up any part of the space; more trials help"
    return "no range can be given up and no hyperparameter fixed with confidence yet"


add_facts(
    {
        "advice_failed": lambda fact: f"{fact['part']}: failed ({fact['error']})",
        "better_at_end": _better_at_end,
        "beyond_untried": "what lies beyond was not tried",
        "expected_improvement": _expected_improvement,
        "last_trials": _last_trials,
        "little_lost": "with these values most of what can still be gained is left",
        "nothing_to_change": _nothing_to_change,
        "random_trials_bring": _random_trials_bring,
    }
)
