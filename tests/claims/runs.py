"""Runs of optimizers on problems whose truth is known."""

from __future__ import annotations

import warnings
from functools import lru_cache
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import optuna

import hpo_explain as hx
from examples.scoreboard import tables
from tests.claims.problems import PROBLEMS, Problem

SAMPLERS = ("random", "tpe", "gp")
TRIALS = (25, 50, 100, 200)
FEW = (25, 50)  # trials of a Gaussian process, which are dear
NOISE = 0.3
"""Standard deviation of a function's noise, as a share of the function's own."""


class Setting(NamedTuple):
    """What a run is of."""

    problem: Problem
    sampler: str
    n: int
    seed: int

    @property
    def label(self) -> str:
        """Its name."""
        return f"{self.problem.name} {self.sampler} {self.n} {self.seed}"


def settings(
    *, functions: bool = True, samplers: tuple[str, ...] = SAMPLERS,
    trials: tuple[int, ...] = TRIALS, seeds: tuple[int, ...] = (0, 1),
) -> list[Setting]:  # fmt: skip
    """Every problem with every sampler, number of trials and seed."""
    problems = [make() for make in PROBLEMS] if functions else list(tables.every())
    found = [Setting(*one) for one in product(problems, samplers, trials, seeds)]
    return [s for s in found if s.sampler != "gp" or (has_gp() and s.n in FEW)]


def has_gp() -> bool:
    """Whether Optuna's Gaussian process is at hand, which needs torch."""
    return find_spec("torch") is not None


@lru_cache(maxsize=1)  # several questions are asked of one run
def make_run(setting: Setting) -> hx.Run:
    """Optimize, and read what came of it."""
    problem = setting.problem
    rng = np.random.default_rng([setting.seed, setting.n])

    def objective(trial: optuna.Trial) -> float:
        config: dict[str, Any] = {}
        for i, p in enumerate(problem.space.parameters):
            if not all(config.get(k) in some for k, some in (p.active_when or {}).items()):
                continue
            if isinstance(p, hx.CategoricalParameter):
                config[p.name] = trial.suggest_categorical(p.name, list(p.choices))
            elif isinstance(p, hx.IntParameter):
                config[p.name] = trial.suggest_int(p.name, p.low, p.high)
            else:
                ends = problem.tried if i == 0 else (p.low, p.high)
                config[p.name] = trial.suggest_float(p.name, *ends)
        row = problem.space.encode(config)
        if problem.draw is not None:
            return problem.draw(row[0], rng)
        return float(problem.cost(row)[0] + NOISE * problem.scale * rng.standard_normal())

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = optuna.samplers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = {
            "random": samplers.RandomSampler,
            "tpe": samplers.TPESampler,
            "gp": samplers.GPSampler,
        }[setting.sampler](seed=setting.seed)
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=setting.n)
        return hx.from_optuna(study, space=problem.space)
