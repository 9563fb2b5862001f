"""The five lines of a run beside the truth, to be read by a person."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import hpo_explain as hx
from tests.claims.asked import Asked
from tests.claims.known import r2_of
from tests.claims.problem import Problem
from tests.claims.runs import AHEAD, Setting, make_run, trials_ahead

PAIRS = 3  # that are named


def spread_over(some: Sequence[Setting], n: int) -> list[Setting]:
    """Return so many runs, spread evenly over a list of them."""
    places = np.linspace(0, len(some) - 1, min(n, len(some)))
    return [some[i] for i in places.round().astype(int)]


def told(settings: Iterable[Setting], cache: Path | None) -> Iterator[str]:
    """Yield of each run what is said of it, and what is true."""
    for i, setting in enumerate(settings, 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = make_run(setting, cache)
            asked = Asked(run, setting.problem, setting, cache)
            lines = hx.summary(run).said
            truth = "\n".join(f"  {line}" for line in _truth(asked))
        yield f"## {i}. {setting.label}\n\n{lines}\n\n{truth}\n"


def _truth(asked: Asked) -> Iterator[str]:
    problem, sign = asked.problem, asked.sign
    observed = asked.run.incumbent_trial
    yield (
        f"best reachable {sign * problem.best:.6g}, median "
        f"{sign * (problem.best + problem.spread):.6g}; one evaluation "
        f"scatters by {asked.noise:.3g}"
    )
    yield (
        f"best observed: trial {observed}, seen as "
        f"{np.min(sign * np.asarray(asked.run.objective)) * sign:.6g}, "
        f"truly {sign * problem.cost_of(asked.run.incumbent):.6g}"
    )
    yield (
        f"to keep: {_trial_to_keep(asked)}, truly {sign * asked.kept_cost:.6g}"
        f"; {asked.left:.3g} is left"
    )
    yield from _gained(asked)
    yield from _advised(asked)
    part = hx.recommended_space(asked.run)
    lost = problem.best_in(part.space)[0] - problem.best
    yield (
        f"recommended space: {part.volume:.1%} of all, the best in it is "
        f"{lost:.3g} worse ({lost / problem.spread:.1%} of median minus best)"
    )
    yield from _shares(problem)
    if problem.is_whole and not problem.is_constant:
        yield f"R² of the model over the space {r2_of(asked):.2f}"


def _trial_to_keep(asked: Asked) -> str:
    tied = [
        number
        for number in asked.run.trials
        if asked.problem.cost_of(asked.run.config(number)) == asked.kept_cost
    ]
    number = next(n for n in asked.run.trials if asked.run.config(n) == asked.kept)
    more = f" ({len(tied)} trials are truly as good)" if len(tied) > 1 else ""
    return f"trial {number}{more}"


def _gained(asked: Asked) -> Iterator[str]:
    if asked.problem.judges:
        rows = trials_ahead(asked.setting, asked.cache)
        gain = asked.kept_cost - float(asked.problem.cost(rows).min())
        yield f"{AHEAD} more trials of the same search gain {max(gain, 0.0):.3g}"


def _advised(asked: Asked) -> Iterator[str]:
    """Yield what each advised configuration is truly worth."""
    for action in asked.advice.actions:
        for config in action.configurations:
            cost = asked.problem.cost_of(config)
            gain = asked.kept_cost - cost
            yield (
                f"advised ({action.kind}): {_words(config)}: truly "
                f"{asked.sign * cost:.6g}, a gain of {gain:.3g}"
            )


def _words(config: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in config.items()
    )


def _shares(problem: Problem) -> Iterator[str]:
    if not problem.is_whole or problem.asked is not None:
        return
    names = problem.space.names
    order = np.argsort(-problem.totals, kind="stable")
    yield "true shares, alone (with interactions): " + ", ".join(
        f"{names[j]} {problem.shares[j,]:.0%} ({problem.totals[j]:.0%})" for j in order
    )
    pairs = sorted(
        (-share, members)
        for members, share in problem.shares.items()
        if len(members) == 2 and share > 0.01
    )[:PAIRS]
    if pairs:
        yield "pairs: " + ", ".join(
            f"{names[a]} × {names[b]} {-share:.0%}" for share, (a, b) in pairs
        )
