"""Advice in words: what to do, and what speaks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, join_words, printable, spans
from hpo_explain.explanations.advice import Action, Advice
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
    return printable(_TITLES[action.kind](action))


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


def _explore_title(action: Action) -> str:
    others = len(action.configurations) - 1
    more = f"; then {counted(others, 'other configuration')}" if others > 0 else ""
    return f"Explore where no trial was: {_settings(_given(action))}{more}"


def _branch_title(action: Action) -> str:
    if action.parameters:
        return f"Give up branches: search on with {_extents(action)}"
    return f"Try a branch more often: {_settings(_given(action))}"


def _repeat_title(action: Action) -> str:
    which = f"trial{'s' if len(action.trials) > 1 else ''} {spans(action.trials)}"
    often = "once more" if action.times == 1 else f"{action.times} times more"
    return f"Repeat {which} {often}"


def _beware_title(action: Action) -> str:
    return _WARNINGS[action.evidence[0].kind](action)


def _experiment_title(action: Action) -> str:
    more = len(action.configurations) - 1
    others = f" (and {counted(more, 'other')})" if more else ""
    return f"Try what tells most: {_settings(_given(action))}{others}"


def _where(fact: Fact) -> str:
    shown = [
        f"{format_value(name)} "
        + (
            f"from {format_value(value[0])} to {format_value(value[1])}"
            if isinstance(value, tuple)
            else f"= {format_value(value)}"
        )
        for name, value in zip(fact.names, fact["values"], strict=True)
    ]
    return " with ".join(shown)


_WARNINGS: dict[str, Callable[[Action], str]] = {
    "fails_where": lambda action: f"Beware of {_where(action.evidence[0])}",
    "parallel_duplicates": lambda _: "Keep workers from evaluating the same configuration",
    "category_never_tried": lambda action: (
        "Try what was never tried: "
        + join_words(
            listed_few(
                [
                    f"{format_value(name)} = {format_value(value)}"
                    for name, value in zip(action.hyperparameters, action.values, strict=True)
                ]
            )
        )
    ),
    "enqueued_without_result": lambda _: "Try again what was asked for and has no result",
}

_TITLES: dict[str, Callable[[Action], str]] = {
    "narrow": lambda action: f"Search on in a narrower space: {_extents(action)}",
    "fix": lambda action: f"Keep fixed: {_settings(_given(action))}",
    "widen": lambda action: f"Widen the range, if such values are allowed: {_extents(action)}",
    "rescale": lambda action: f"Search on another scale: {join_words(_scales(action))}",
    "try": _try_title,
    "explore": _explore_title,
    "experiment": _experiment_title,
    "repeat": _repeat_title,
    "branch": _branch_title,
    "beware": _beware_title,
    "stop": lambda _: "Stop, unless the space changes",
    "go_on": lambda _: "Go on as it is",
    "wait": lambda action: f"Go on: {_more(action.evidence[0])} are needed to tell what to change",
}


def _scales(action: Action) -> list[str]:
    shown = [
        f"{format_value(p.name)} on a {'logarithmic' if getattr(p, 'log', False) else 'linear'} one"
        for p in action.parameters
    ]
    return listed_few(shown)


def _more(fact: Fact) -> str:
    return f"{'about ' if fact.kind == 'more_trials_needed' else ''}{fact['more']} more trials"


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


def _batch_brings(fact: Fact) -> str:
    which = "this configuration" if fact["n"] == 1 else f"the {fact['n']} configurations together"
    verb = "is" if fact["n"] == 1 else "are"
    return f"{which} {verb} expected to improve the best objective by {fact['expected']:.2g}"


def _hardly_more(fact: Fact) -> str:
    what = f"an improvement of the best {fact['objective']} of {fact['expected']:.2g}"
    return (
        f"of the most promising configurations the model expects {what}, where results differ by "
        f"{fact['spread']:.2g} (one standard deviation, bad ones counted by their logarithm)"
    )


def _far_from_trials(fact: Fact) -> str:
    names = join_words(listed_few([format_value(name) for name in fact.names]))
    return (
        f"no trial is nearer to the first of these configurations than {fact['distance']:.0%} of a "
        f"range in what matters ({names}): a narrow optimum there would not have been seen, and "
        "the model cannot foresee it"
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
    if fact["constant"]:
        return "all trials have the same objective: nothing tells which values are better"
    if fact["level"] in ("poor", "unknown"):
        return "the model predicts held-out trials too badly to give up any part of the space"
    return "no range can be given up and no hyperparameter fixed with confidence yet"


def _better_scale(fact: Fact) -> str:
    (name,), log = fact.names, fact["log"]
    return (
        f"a model of {'the logarithm of ' if log else ''}{format_value(name)} predicts held-out "
        f"trials better than one of {'the value' if log else 'its logarithm'}, by "
        f"{plus_minus(fact['gain'], fact['half'])} nats per trial"
    )


def _attainable(fact: Fact) -> str:
    shown = [
        f"{format_value(choice)} {plus_minus(mean, std)} ({counted(n, 'trial')})"
        for choice, mean, std, n in zip(
            fact["choices"], fact["mean"], fact["std"], fact["counts"], strict=True
        )
    ]
    return (
        f"the best {fact['objective']} that can be expected by {format_value(fact.names[0])}: "
        f"{join_words(listed_few(shown))} (± one standard deviation)"
    )


def _would_score(fact: Fact) -> str:
    return (
        f"trial {fact.trials[0]}, the best observed one, would score "
        f"{plus_minus(fact['mean'], fact['std'])} on average again, where "
        f"{format_value(fact['observed'])} was observed (one evaluation scatters by "
        f"{fact['noise']:.2g})"
    )


def _best_hidden(fact: Fact) -> str:
    return (
        f"noise hides which of the trials {spans(fact.trials)} is best: knowing it is worth "
        f"{fact['known']:.2g}"
    )


def _best_tied(fact: Fact) -> str:
    return (
        f"{len(fact.trials)} different configurations share the best {fact['objective']}: only a "
        "finer evaluation, or further ones, tell which is best"
    )


def _fails_where(fact: Fact) -> str:
    what = {"failed": "failed", "pruned": "were pruned", "infeasible": "were infeasible"}
    return (
        f"{fact['failed']} of {counted(fact['n'], 'trial')} {what[fact['state']]} with "
        f"{_where(fact)}, and {fact['elsewhere']} of {fact['others']} others; by chance so many "
        f"with a probability of {fact['p']:.1g}"
    )


def _duplicates(fact: Fact) -> str:
    return (
        f"{counted(len(fact.trials), 'trial')} of {fact['n']} evaluated a configuration that "
        f"another one was evaluating ({spans(fact.trials)})"
    )


def _never_tried(fact: Fact) -> str:
    return f"none of {counted(fact['n'], 'trial')} has {'it' if len(fact.names) == 1 else 'them'}"


def _still_to_gain(fact: Fact) -> str:
    return (
        f"the model expects that the best {fact['objective']} can still be improved by "
        f"{fact['expected']:.2g}, and with 90% probability by no more than {fact['bound']:.2g}"
    )


def _not_learning(fact: Fact) -> str:
    return (
        f"the model of all {fact['n']} trials predicts hardly better than those of half of them: "
        "whether more trials will tell cannot be said"
    )


def _more_trials_needed(fact: Fact) -> str:
    r2 = max(fact["r2"], 0.0)
    return (
        f"the model explains {r2:.0%} of the variance of held-out trials; if it gets better as it "
        f"did so far, about {fact['more']} more trials bring that to {fact['wanted']:.0%}"
    )


add_facts(
    {
        "attainable_by_category": _attainable,
        "best_hidden": _best_hidden,
        "batch_brings": _batch_brings,
        "best_tied": _best_tied,
        "better_scale": _better_scale,
        "enqueued_without_result": lambda fact: (
            f"trial{'s' if len(fact.trials) > 1 else ''} {spans(fact.trials)}, asked for by a "
            f"person, {'have' if len(fact.trials) > 1 else 'has'} no result"
        ),
        "fails_where": _fails_where,
        "far_from_trials": _far_from_trials,
        "hardly_more": _hardly_more,
        "more_trials_needed": _more_trials_needed,
        "category_never_tried": _never_tried,
        "not_learning": _not_learning,
        "parallel_duplicates": _duplicates,
        "regret_bound": lambda fact: (
            f"Optuna's terminator bounds the regret by {fact['bound']:.2g}"
        ),
        "still_to_gain": _still_to_gain,
        "tells_most": lambda fact: (
            f"{counted(fact['n'], 'trial')} that would narrow most what is known of the most "
            "important hyperparameter"
        ),
        "too_few_to_tell": lambda fact: (
            f"{counted(fact['n'], 'trial')} are too few to judge a model"
        ),
        "would_score_again": _would_score,
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
