"""What advice brings: a run that asks every ten trials, against five continuations of its sampler.

Regret is that of a configuration's true mean, as a share of the table's median minus its best, plus
0.5 %. ``rows(table, sampler, n, seed)`` is one run; `summarized` compares with the goals.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import optuna

import hpo_explain as hx
from examples.scoreboard.tables import load
from hpo_explain.methods.advice.advise_result import Advice
from tests.claims.problem import Problem

EVERY, CONTINUATIONS, LEAST = 10, 5, 0.005
TRIALS = 40
LOW = 0.05  # median standard deviation of one evaluation, as a share of median minus best
RATIOS = ("ratio of named", "ratio of best observed")
GOALS = {
    goal: ("<=", limit, limit)
    for ratio in RATIOS
    for goal, limit in {
        ratio: 0.45,
        f"{ratio}: harm": 0.2,
        f"{ratio}, low noise": 0.27,
        f"{ratio}, high noise": 0.95,
    }.items()
} | {
    "named to observed, median": ("<=", 0.6, 0.6),
    "named to observed, worst table": ("<=", 1.1, 1.1),
}
SAMPLERS = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}


class _Study:
    """A run of one table that can be gone on with."""

    def __init__(self, table: Problem, sampler: str, seed: int, trials: Iterable[Any] = ()) -> None:
        trials = list(trials)
        self.table, self.rng = (table, np.random.default_rng([seed, len(trials)]))
        self.study = optuna.create_study(sampler=SAMPLERS[sampler](seed=seed))
        self.study.add_trials(trials)

    def __call__(self, trial: optuna.Trial) -> float:
        """Return one evaluation."""
        config: dict[str, Any] = {
            p.name: trial.suggest_categorical(p.name, list(p.choices))
            if isinstance(p, hx.CategoricalParameter)
            else trial.suggest_int(p.name, int(p.low), int(p.high))
            for p in self.table.space.parameters
        }
        x = self.table.space.encode(config)[0]
        return self.table.draw(x, self.rng) if self.table.draw else float(self.table.cost(x[None]))

    def go_on(self, n: int) -> _Study:
        """Make n more trials."""
        self.study.optimize(self, n_trials=n)
        return self

    def regret(self, config: Any) -> float:
        """Return what is lost by a configuration."""
        cost = float(self.table.cost(self.table.space.encode(config))[0])
        return (cost - float(self.table.table.min())) / self.table.spread + LEAST

    def advised(self) -> Advice:
        """Return the advice on what was tried."""
        return hx.advise(hx.from_optuna(self.study, space=self.table.space))

    def observed(self) -> float:
        """Return the regret of the best observed configuration."""
        return self.regret(self.study.best_params)

    def reached(self) -> float:
        """Return the lowest regret of what was tried: who knew the truth would name that."""
        return min(self.regret(trial.params) for trial in self.study.trials)

    def named(self, advice: Advice) -> float:
        """Return the regret of the configuration that advice names to keep."""
        kept = [a for a in advice.actions if a.kind == "keep"]
        at = kept[0].trials[0] if kept else self.study.best_trial.number
        return self.regret(self.study.trials[at].params)


def rows(table: str, sampler: str, n: int, seed: int) -> dict[str, Any]:
    """Go on with n trials for n more: as before, and as advised after every ten."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    problem = load(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = _Study(problem, sampler, seed).go_on(n).study.trials
        others = [1000 * k + seed for k in range(1, CONTINUATIONS + 1)]
        before = [_Study(problem, sampler, k, first).go_on(n).observed() for k in others]
        run = _Study(problem, sampler, seed + 500, first)
        for _ in range(0, n, EVERY):
            advice = run.advised()
            # a table has no more
            within = [a for a in advice.actions if a.kind != "widen"]
            run.study = advice.apply(run.study, within)
            run.go_on(EVERY)
        named, observed, reached = (run.named(run.advised()), run.observed(), run.reached())
    mean = float(np.mean(before))
    return {
        "table": table,
        "low noise": _low_noise(problem),
        "as before": mean,
        "ratio of named": named / mean,
        "ratio of best observed": observed / mean,
        "named to observed": named / observed,
        "best tried to observed": reached / observed,
    }


def _low_noise(table: Problem) -> bool:
    """Whether evaluations of most configurations of a table scatter little."""
    rng = np.random.default_rng(0)
    some = table.space.sample(100, seed=0)
    noise = [np.std([table.draw(x, rng) for _ in range(20)]) for x in some] if table.draw else [0.0]
    return float(np.median(noise)) <= LOW * table.spread


def summarized(found: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Return the numbers of a line of the scoreboard from those of many runs."""
    several = list(found)
    line: dict[str, float] = {"runs": len(several)}
    low = np.array([one["low noise"] for one in several], dtype=bool)
    for name in RATIOS:
        ratios = np.array([one[name] for one in several])
        for kind, those in (("", low | ~low), (", low noise", low), (", high noise", ~low)):
            line[name + kind] = (
                float(np.exp(np.log(ratios[those]).mean())) if those.any() else np.nan
            )
        line[f"{name}: harm"] = float((ratios > 1.05).mean())
    for share in ("named to observed", "best tried to observed"):
        line[f"{share}, median"] = float(np.median([one[share] for one in several]))
    by_table = [
        np.exp(np.mean([np.log(one["named to observed"]) for one in several if one["table"] == t]))
        for t in {one["table"] for one in several}
    ]
    return line | {"named to observed, worst table": float(max(by_table))}
