"""Trials that are to settle a result: how wide intervals are after them, beside what was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import hpo_explain as hx
from hpo_explain.base import InputError
from tests.claims.asked import Scored
from tests.claims.goals import SETTLED
from tests.claims.problem import Problem
from tests.claims.problems import functions
from tests.claims.runs import Setting, interleaved, make_run

NAMES = (
    "branin, idle",
    "rosenbrock",
    "friedman",
    "product",
    "wide plateau",
    "pure noise",
    "noise of one",
)
NOISES = (0.1, 0.5)
SAMPLERS = ("random", "tpe")
TRIALS = (20, 30, 50)
COUNTS = (2, 6)
"""How many trials are to settle a result."""
KINDS = 2
"""How many results of a run are asked for; which ones, its name decides."""


def settings(names: Sequence[str], seeds: Sequence[int]) -> list[Setting]:
    """Return every problem with every sampler, number of trials, noise and seed."""
    problems = [functions()[name] for name in NAMES]
    return interleaved(problems, NOISES, SAMPLERS, TRIALS, seeds, names)


def questions_of(run: hx.Run) -> Mapping[str, Callable[[hx.Run], Any]]:
    """Return what is asked now, and again of the longer run: of the same configurations."""
    worst = run.config(run.trials[int(np.argmax(run.cost))])
    best, name = run.incumbent, run.space.names[0]
    return {
        "importance": hx.importance,
        "effect": lambda one: hx.partial_dependence(one, name),
        "changes": lambda one: hx.changes(one, worst, best),
        "prediction": lambda one: hx.explain_prediction(one, best),
        "local importance": lambda one: hx.methods.local_importance(one, best),
    }


def settled(setting: Setting) -> Iterator[Scored]:
    """Of some results what trials were expected to leave of their intervals, and what they did."""
    run = make_run(setting)
    rng = np.random.default_rng([*setting.label.encode()])
    questions = questions_of(run)
    for kind in rng.permutation([*questions])[:KINDS]:
        ask, count = questions[kind], int(rng.choice(COUNTS))
        now = ask(run)
        try:
            (action,) = hx.advise(run, settle=now, n=count).actions
        except InputError:  # nothing open that so few trials narrow
            yield Scored(f"{SETTLED}{kind}", made=False)
            continue
        rows = run.space.encode(list(action.configurations))
        after = longer(run, rows, setting.problem, setting.noise, rng)
        std, left = np.array([[one.std, one.left] for one in action.narrows]).T
        said = float(std @ left / std.sum())
        yield Scored(
            f"{SETTLED}{kind}",
            made=not np.isnan(said),
            stated=said,
            known=width(ask(after)) / width(now),
        )


def longer(
    run: hx.Run, rows: np.ndarray, problem: Problem, noise: float, rng: np.random.Generator
) -> hx.Run:
    """Return a run with the evaluations of further rows."""
    costs = [problem.evaluate(row, noise, rng) for row in rows]
    return hx.Run(
        run.space,
        np.vstack([run.X, rows]),
        np.append(run.objective, run.sign * np.array(costs)),
        run.direction,
    )


def width(result: Any) -> float:
    """Return how wide a result's intervals are together."""
    return float(result.posterior.values.std(axis=0).sum())
