"""What a report advises: at most three actions, each with its evidence and code to paste."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial

from hpo_explain.reporting._improvement import Improvement, recent
from hpo_explain.reporting._widening import Wider, wider
from hpo_explain.reporting.context import Context, unless_nothing
from hpo_explain.wording import report as words

_MOST = 3
_WORTH_A_TRIAL = 0.01  # expected improvement, as a share of the spread of the good half
_NEGLIGIBLE = 0.001  # below, another trial brings nothing
_LATELY, _LONG = 0.25, 0.5  # shares of the trials
_OPTUNA = "hpo_explain.adapters.optuna"


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
    """Return what the claims that hold advise, what brings most first; to go on where none does.

    Nothing but to stop is advised where neither a wider range nor another trial promises anything.
    """
    widened = unless_nothing(lambda: _widened(context)) or []
    expected = unless_nothing(lambda: context.improvement)
    if not widened and expected is not None and _finished(context, expected):
        return [_stop(context, expected)]
    names = {found.parameter.name for found in widened}
    changes = _widen(widened)
    for advise in (_narrow, _fix):
        changes += unless_nothing(partial(list[Action], advise(context, names))) or []
    going_on = [] if changes else [_go_on(context, expected)]
    tried = _try(context, expected)
    # a fixed hyperparameter saves least
    return [*changes[:2], *going_on, *tried, *changes[2:]][:_MOST]


def _widened(context: Context) -> list[Wider]:
    expected = context.improvement
    return [] if expected is None else wider(context.effects, expected.best)


def _widen(found: list[Wider]) -> list[Action]:
    if not found:
        return []
    parameters = [entry.parameter for entry in found]
    evidence = words.why_wider([entry.reason for entry in found])
    return [Action(words.widen(parameters), evidence, words.suggestions(parameters))]


def _narrow(context: Context, widened: Collection[str]) -> Iterator[Action]:
    found = context.recommended_space
    rows = [replace(r, kept=1.0) if r.hyperparameter in widened else r for r in found.rows]
    result = replace(found, rows=tuple(rows))
    narrowed = [claim for claim in result.claims if claim.estimate < 1.0 and claim.certain]
    if narrowed:
        names = [claim.hyperparameters[0] for claim in narrowed]
        kept = [result.space[name] for name in names if name in result.space.names]
        yield Action(words.narrow(kept), result.sentence, words.suggestions(kept))


def _fix(context: Context, widened: Collection[str]) -> Iterator[Action]:
    result = context.subspace
    fixed = {
        name: value
        for claim in result.claims
        if claim.kind == "fix" and claim.certain
        for name, value in zip(claim.hyperparameters, claim.values, strict=True)
    }
    if fixed and not fixed.keys() & {*widened}:
        yield Action(words.fix(fixed), result.sentence, words.fixing(fixed))


# ---------------------------------------------------------------------- further trials


def _believed(context: Context) -> bool:
    return context.trust.good_region.enough


def _try(context: Context, expected: Improvement | None) -> list[Action]:
    if expected is None or not _believed(context) or expected.relative < _WORTH_A_TRIAL:
        return []
    run, given = context.run, expected.configuration
    in_optuna = type(run.record).__module__.startswith(_OPTUNA)
    code = words.enqueueing(given) if in_optuna else words.point(run.space.names, given)
    return [Action(words.try_next(given), words.sentences([expected.reason]), code)]


def _finished(context: Context, expected: Improvement) -> bool:
    improved, _ = recent(context.run, _LONG)
    return _believed(context) and expected.relative < _NEGLIGIBLE and not improved


def _stop(context: Context, expected: Improvement) -> Action:
    _, brought = recent(context.run, _LONG)
    return Action(words.STOP, words.sentences([brought, expected.reason]))


def _go_on(context: Context, expected: Improvement | None) -> Action:
    why = [words.why_go_on(context.trust)]
    if expected is not None:
        _, brought = recent(context.run, _LATELY)
        why.append(words.sentences([brought, expected.reason] if _believed(context) else [brought]))
    return Action(words.GO_ON, " ".join(why))
