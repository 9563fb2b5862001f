"""Score claims about learning curves, several runs and several objectives.

    python -m tests.claims.families --settings 20

Each setting is a problem whose truth is known, with a number of trials and noise. Beside the run
itself there are its learning curves, a run of a related problem, and a second objective.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import delayed

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from hpo_explain.base.workers import by_workers, workers_of
from tests.claims.problems import PROBLEMS, Problem
from tests.claims.scoring import families as truth
from tests.claims.scoring.case import Judgement

STEPS = np.arange(6.0)
FADING = (4.0, 2.0, 1.0, 0.5, 0.1, 0.0)  # of another function in the values at each step
ENOUGH = 0.8
LEVEL = 20.0  # of objectives, in standard deviations: of it a part may be lost
LOSS = 0.01
NOT = ("conditional", "categorical", "pure noise", "failures over noise", "a tenth tried",
       "plateau of failures")  # fmt: skip


class Told(NamedTuple):
    """A claim, which method makes it, and what the truth says."""

    method: str
    claim: Claim
    judged: Judgement


class Setting(NamedTuple):
    """A problem, the number of random trials, the noise, and the seed."""

    problem: Problem
    n: int
    noise: float
    seed: int


def settings() -> list[Setting]:
    """All settings, in an order in which the first few differ in everything."""
    problems = [p for p in (make() for make in PROBLEMS) if p.name not in NOT]
    found = [
        Setting(problem, *others)
        for problem, *others in product(problems, (30, 60, 120), (0.0, 0.1, 0.3), range(3))
    ]
    order = np.random.default_rng(0).permutation(len(found))
    return [found[i] for i in order]


def other_of(problem: Problem) -> Problem:
    """A related function: half of the same, and what the last hyperparameter does."""
    scale = problem.scale

    def cost(X: np.ndarray) -> np.ndarray:
        return 0.5 * problem.cost(X) / scale + 2.0 * (X[:, -1] - 0.7) ** 2

    return Problem(f"beside {problem.name}", problem.space, cost)


def mixed(problem: Problem, other: Problem, weight: float) -> Problem:
    """A function and so much of another one."""
    scale = problem.scale
    return Problem(
        f"{problem.name} and {weight}",
        problem.space,
        lambda X: problem.cost(X) / scale + weight * other.cost(X) / other.scale,
    )


def observed(problem: Problem, X: np.ndarray, noise: float, seed: int) -> np.ndarray:
    """Costs with noise."""
    drawn = np.random.default_rng([seed, len(X)]).standard_normal(len(X))
    return problem.cost(X) + noise * problem.scale * drawn


def run_of(problem: Problem, n: int, noise: float, seed: int, **options: object) -> hx.Run:
    """Random trials."""
    X = problem.space.sample(n, seed=seed, method="uniform")
    y = observed(problem, X, noise, seed)
    return hx.Run(problem.space, X, y, "minimize", proposals=[], **options)


def all_told(settings: Iterable[Setting], n_jobs: int | None) -> Iterator[list[Told]]:
    """All claims about each setting, by joblib's workers."""
    return by_workers(n_jobs, (delayed(_listed)(setting) for setting in settings))


def _listed(setting: Setting) -> list[Told]:
    return list(told(setting))


def told(setting: Setting) -> Iterator[Told]:
    """All claims of the family of methods about a setting, judged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in (_alone, _curves, _runs, _objectives):
            yield from method(setting)


def _alone(setting: Setting) -> Iterator[Told]:
    problem, n, noise, seed = setting
    run = run_of(problem, n, noise, seed)
    for claim in hx.footprint(run).claims:
        yield Told("footprint", claim, truth.explored(run.X, claim))


def _curves(setting: Setting) -> Iterator[Told]:
    problem, n, noise, seed = setting
    other = Problem("transient", problem.space, lambda X: X[:, -1] * X[:, 0])
    steps = [mixed(problem, other, weight) for weight in FADING]
    X = problem.space.sample(n, seed=seed, method="uniform")
    lasting = noise * np.random.default_rng(seed).standard_normal(n)  # the same at all steps
    values = np.column_stack([step.cost(X) + lasting for step in steps])
    curves = hx.Curves(np.arange(n), X, STEPS, values)
    run = hx.Run(problem.space, X, values[:, -1], "minimize", proposals=[], curves=curves)
    result = hx.learning_curves(run, enough=ENOUGH, orders=0)

    def at(step: int, rows: np.ndarray) -> np.ndarray:
        same = noise * np.random.default_rng(7).standard_normal(len(rows))
        return steps[step].cost(rows) + same

    d = len(problem.space)
    replays = iter(result.replays)
    for claim in result.claims:
        if claim.kind == "order":
            judged = truth.early_rank(at, STEPS.tolist(), ENOUGH, d, claim)
        elif not claim.hyperparameters:
            judged = truth.pruning(values[:, -1], next(replays).stopped, claim)
        else:
            pair = [steps[int(step)] for step in claim.values]
            judged = truth.change(pair, claim)
        yield Told("learning_curves", claim, judged)


def _runs(setting: Setting) -> Iterator[Told]:
    problem, n, noise, seed = setting
    problems = {"one": problem, "two": other_of(problem)}
    runs = {
        name: run_of(p, n, noise, seed + 10 * i) for i, (name, p) in enumerate(problems.items())
    }
    for claim in hx.compare(runs).claims:
        if claim.kind == "share":
            judged = truth.everywhere([*problems.values()], claim)
        elif claim.kind == "difference":
            most, least = claim.values[0]
            judged = truth.change([problems[least], problems[most]], claim)
        else:
            tried = [run.X for run in runs.values()]
            judged = truth.default([*problems.values()], tried, claim)
        yield Told("compare", claim, judged)


def _objectives(setting: Setting) -> Iterator[Told]:
    problem, n, noise, seed = setting
    problems = [_raised(problem), _raised(other_of(problem))]
    X = problem.space.sample(n, seed=seed, method="uniform")
    runs = {
        name: hx.Run(p.space, X, observed(p, X, noise, seed + k), "minimize", objective_name=name)
        for k, (name, p) in enumerate(zip("ab", problems, strict=True))
    }
    by_name = dict(zip("ab", problems, strict=True))
    result = hx.pareto(runs, loss=LOSS)
    rows = dict(enumerate(X))
    savings = iter(result.savings)
    for claim in result.claims:
        if claim.kind == "contribution":
            move = result.moves[0]
            judged = truth.trade(by_name[claim.term], rows[move.source], rows[move.target], claim)
        elif claim.kind == "difference":
            found = next(savings)
            losing, saved = by_name[found.objective], by_name[found.other]
            best = {name: float(run.objective[found.best]) for name, run in runs.items()}
            allowed, level = LOSS * abs(best[found.objective]), abs(best[found.other])
            judged = truth.saving(losing, saved, rows, allowed, level, claim)
        else:
            values = np.column_stack([run.objective for run in runs.values()])
            judged = truth.best_in_all(values, claim.values[0])
        yield Told("pareto", claim, judged)


def _raised(problem: Problem) -> Problem:
    """The same function, in standard deviations and far from 0."""
    scale = problem.scale
    return Problem(
        f"raised {problem.name}", problem.space, lambda X: problem.cost(X) / scale + LEVEL
    )


def counted(found: list[Told]) -> dict[tuple[str, str], tuple[int, int, int, int, int]]:
    """Certain claims that are right, those, intervals that cover, those, and all claims."""
    counts: dict[tuple[str, str], np.ndarray] = {}
    for method, claim, judged in found:
        row = counts.setdefault((method, claim.kind), np.zeros(5, dtype=int))
        row[4] += 1
        if claim.certain and judged.right is not None:
            row += [judged.right, 1, 0, 0, 0]
        if claim.certain and judged.covered is not None:
            row += [0, 0, judged.covered, 1, 0]
    return {kind: tuple(row.tolist()) for kind, row in sorted(counts.items())}  # type: ignore[misc]


def main(arguments: list[str] | None = None) -> None:
    """Score the claims of some settings, and print what is right."""
    parser = argparse.ArgumentParser("python -m tests.claims.families", description=__doc__)
    parser.add_argument("--settings", default=20, type=int, help="how many")
    parser.add_argument("--first", default=0, type=int, help="the first of them")
    parser.add_argument("--jobs", type=int, help="processes, by default one")
    parser.add_argument("--scheduler", help="address of one of dask, whose workers judge")
    parser.add_argument("--wrong", action="store_true", help="show certain claims that are wrong")
    asked = parser.parse_args(arguments)
    found: list[Told] = []
    chosen = settings()[asked.first : asked.first + asked.settings]
    with workers_of(asked.scheduler, module="tests.claims"):
        for setting, claims in zip(chosen, all_told(chosen, asked.jobs), strict=True):
            found += claims
            for one in claims:
                if asked.wrong and one.claim.certain and one.judged.right is False:
                    where = f"{setting.problem.name} {setting[1:]}"
                    print(where, one.method, one.claim, one.judged.truth, sep="; ")
    for (method, kind), (good, told_, covered, of, asked_) in counted(found).items():
        print(f"{method:20} {kind:14} right {good}/{told_} covered {covered}/{of} of {asked_}")


if __name__ == "__main__":
    main()
