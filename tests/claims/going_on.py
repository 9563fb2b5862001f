"""Does our sampler keep up? ``python -m tests.claims.going_on --seeds 0 1 --jobs 2``.

From 40 trials of TPE on an exact table, 40 more by TPE, by Optuna's GPSampler, by GPSampler with
another seed, and by ours. Regret is that of the true mean of the best observed trial, as a share
of the table's median minus its best, plus 0.5 %. Ratios of one run are paired. *Harm*: more than
1.05 of the mean regret of five continuations of TPE.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import optuna
from joblib import Parallel, delayed

import hpo_explain as hx
from examples.scoreboard import tables
from hpo_explain.adapters.optuna import BeliefSampler
from tests.claims.families.tabulated import problem_of
from tests.claims.problem import Problem

AXES = ("scales", "levels")
WAYS = ("ours", "GPSampler", "its other seed")
TRIALS, MORE, CONTINUATIONS, LEAST = 40, 40, 5, 0.005
HARM = 1.05
HEAD = (
    "",
    "runs",
    "ours",
    "GPSampler, other seed",
    "TPE",
    "harm, ours",
    "seconds a trial",
    "trials again",
    "harm, GPSampler",
    "seconds a trial",
    "trials again",
)
_LOG = 8.0  # times the least level: from there on a scale is logarithmic
Objective = Callable[[optuna.Trial], float]


@dataclass(frozen=True, eq=False)
class Table:
    """A table with one of two declarations of its axes.

    Attributes
    ----------
    problem : Problem
        Its truth, over levels.
    declared : SearchSpace
        The space that is searched.
    levels : dict
        The levels of each hyperparameter.
    """

    problem: Problem
    declared: hx.SearchSpace
    levels: dict[str, list[Any]]

    def row(self, config: dict[str, Any]) -> np.ndarray:
        """Return the encoded row of the cell that is nearest to a configuration."""
        if self.declared is self.problem.space:
            return self.problem.space.encode(config)[0]
        found = {}
        for own, parameter in zip(
            self.problem.space, self.declared, strict=True
        ):
            levels = self.levels[own.name]
            distance = np.abs(
                parameter.encode(levels) - parameter.encode([config[own.name]])
                if not isinstance(parameter, hx.CategoricalParameter)
                else np.array(
                    [str(level) != config[own.name] for level in levels], float
                )
            )
            place = int(distance.argmin())
            whole = isinstance(own, hx.IntParameter)
            found[own.name] = place if whole else str(levels[place])
        return self.problem.space.encode(found)[0]

    def regret(self, config: dict[str, Any]) -> float:
        """Return what is lost by a configuration."""
        cost = float(self.problem.cost(self.row(config)[None])[0])
        return (
            cost - float(self.problem.table.min())
        ) / self.problem.spread + LEAST

    def objective(self, seed: int) -> Objective:
        """Return one that draws an evaluation of the cell."""
        rng = np.random.default_rng(seed)

        def evaluated(trial: optuna.Trial) -> float:
            config = {p.name: suggested(trial, p) for p in self.declared}
            return self.problem.draw(self.row(config), rng)

        return evaluated


def suggested(trial: optuna.Trial, parameter: Any) -> Any:
    """Ask a trial for a hyperparameter."""
    if isinstance(parameter, hx.CategoricalParameter):
        return trial.suggest_categorical(
            parameter.name, list(parameter.choices)
        )
    ends = parameter.name, parameter.low, parameter.high
    if isinstance(parameter, hx.IntParameter):
        return trial.suggest_int(*ends, log=parameter.log)
    return trial.suggest_float(*ends, log=parameter.log)


def on_scales(name: str, levels: list[Any]) -> Any:
    """Return an axis as a user declares it: real or whole, on a logarithmic scale if it is wide."""
    if isinstance(levels[0], str) or len(levels) <= 2:
        return hx.CategoricalParameter(name, [str(level) for level in levels])
    low, high = min(levels), max(levels)
    log = low > 0 and high >= _LOG * low
    if all(isinstance(level, int) for level in levels):
        return hx.IntParameter(name, low, high, log=log)
    return hx.FloatParameter(name, float(low), float(high), log=log)


@cache
def table_of(name: str, axes: str) -> Table:
    """Return a table of the package."""
    values, levels = tables.cells(name)
    problem = problem_of(name, values, levels)
    if axes == "levels":
        return Table(problem, problem.space, levels)
    declared = hx.SearchSpace([on_scales(*axis) for axis in levels.items()])
    return Table(problem, declared, levels)


def samplers(
    seed: int,
) -> dict[str, Callable[[], optuna.samplers.BaseSampler]]:
    """What goes on."""
    gp = optuna.samplers.GPSampler
    return {
        "ours": lambda: BeliefSampler(seed=seed),
        "GPSampler": lambda: gp(seed=seed, deterministic_objective=False),
        "its other seed": lambda: gp(
            seed=seed + 500, deterministic_objective=False
        ),
    }


def regrets(
    name: str, axes: str, seed: int, ways: Sequence[str] = WAYS
) -> dict[str, Any]:
    """Go on with 40 trials of TPE in each way, and return the regrets."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    table = table_of(name, axes)
    tpe = optuna.samplers.TPESampler

    def gone_on(
        sampler: optuna.samplers.BaseSampler, n: int, at: int, trials: Any = ()
    ) -> Any:
        study = optuna.create_study(sampler=sampler)
        study.add_trials(trials)
        study.optimize(table.objective(at), n_trials=n)
        return study

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = gone_on(tpe(seed=seed), TRIALS, seed).trials
        found: dict[str, Any] = {"table": name, "axes": axes, "seed": seed}
        before = [
            gone_on(tpe(seed=1000 * k + seed), MORE, 1000 * k, first)
            for k in range(1, CONTINUATIONS + 1)
        ]
        found["TPE"] = [table.regret(study.best_params) for study in before]
        for way in ways:
            began = time.perf_counter()
            study = gone_on(samplers(seed)[way](), MORE, 500 + seed, first)
            found[way] = table.regret(study.best_params)
            found[f"{way}: seconds"] = (time.perf_counter() - began) / MORE
            found[f"{way}: again"] = again(study)
    return found


def again(study: optuna.Study) -> int:
    """Return how many of the further trials repeat an earlier one."""
    seen = [tuple(sorted(trial.params.items())) for trial in study.trials]
    return sum(
        one in seen[: TRIALS + i] for i, one in enumerate(seen[TRIALS:])
    )


def told(some: Sequence[dict[str, Any]], way: str, beside: str) -> str:
    """Return the geometric mean of paired ratios, and the standard error of its logarithm."""
    pairs = [
        (np.mean(one[way]), np.mean(one[beside])) for one in some if way in one
    ]
    logs = np.log([mine / theirs for mine, theirs in pairs])
    if len(logs) < 2:
        return ""
    return f"{np.exp(logs.mean()):.2f} ({logs.std(ddof=1) / np.sqrt(len(logs)):.2f})"


def harm(some: Sequence[dict[str, Any]], way: str) -> str:
    """Return in how many runs a way is worse than TPE goes on."""
    return f"{np.mean([one[way] > HARM * np.mean(one['TPE']) for one in some]):.0%}"


def mean_of(some: Sequence[dict[str, Any]], name: str) -> str:
    """Return the mean of a number."""
    return f"{np.mean([one[name] for one in some]):.1f}"


def row(label: str, some: Sequence[dict[str, Any]]) -> str:
    """Return a line of the table."""
    cells = [label, str(len(some))]
    cells += [
        told(some, way, "GPSampler")
        for way in ("ours", "its other seed", "TPE")
    ]
    for way in WAYS[:2]:
        cells += [
            harm(some, way),
            mean_of(some, f"{way}: seconds"),
            mean_of(some, f"{way}: again"),
        ]
    return f"| {' | '.join(cells)} |"


def shown(found: Sequence[dict[str, Any]]) -> str:
    """Return the table as Markdown: regret as a share of GPSampler's, by axes and by table."""
    lines = [
        f"| {' | '.join(HEAD)} |",
        "|---" + "|--:" * (len(HEAD) - 1) + "|",
    ]
    groups = {"all": list(found)}
    for key in ("axes", "table"):
        for one in found:
            groups.setdefault(one[key], []).append(one)
    return "\n".join(
        [*lines, *(row(label, some) for label, some in groups.items())]
    )


def measured(
    names: Sequence[str],
    axes: Sequence[str],
    seeds: Sequence[int],
    ways: Sequence[str] = WAYS,
    jobs: int = 1,
) -> list[dict[str, Any]]:
    """Return the regrets of all runs; each is printed as it comes."""
    some = [
        (name, axis, seed, ways)
        for seed, axis, name in product(seeds, axes, names)
    ]
    # categories only: both declarations are the same
    some = [
        one
        for one in some
        if not one[0].startswith("nasbench") or one[1] == axes[0]
    ]
    found = []
    for one in Parallel(jobs, return_as="generator")(
        delayed(regrets)(*which) for which in some
    ):
        print(one, flush=True)
        found.append(one)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m tests.claims.going_on", description=__doc__
    )
    parser.add_argument("--tables", nargs="+", default=tables.OTHERS)
    parser.add_argument("--axes", nargs="+", default=AXES, choices=AXES)
    parser.add_argument("--seeds", nargs="+", type=int, default=range(10))
    parser.add_argument("--ways", nargs="+", default=WAYS, choices=WAYS)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    seeds, ways = (
        list(asked.seeds),
        tuple(dict.fromkeys([*WAYS[:2], *asked.ways])),
    )
    print(shown(measured(asked.tables, asked.axes, seeds, ways, asked.jobs)))


if __name__ == "__main__":
    main()
