"""Runs of optimizers on problems whose truth is known."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np

import hpo_explain as hx
from tests.claims.problems import PROBLEMS, Problem

OPTIMIZERS = ("tpe", "gp", "random", "qmc")
TRIALS = (30, 60, 200)
NOISE = (0.0, 0.3, 1.0)
"""Standard deviation of the noise, as a share of the signal's."""
SEEDS = (0, 1, 2)


def all_settings() -> list[tuple[str, str, int, float, int]]:
    """Every problem, optimizer, number of trials, noise and seed."""
    names = [make().name for make in PROBLEMS]
    # a Gaussian process per trial takes minutes for 200 trials, and knows no conditions
    return [
        (name, optimizer, n, noise, seed)
        for name, optimizer, n, noise, seed in product(names, OPTIMIZERS, TRIALS, NOISE, SEEDS)
        if not (optimizer == "gp" and (n > 60 or name == "conditional"))
    ]


def problem_of(name: str) -> Problem:
    """The problem of a name."""
    return next(problem for problem in (make() for make in PROBLEMS) if problem.name == name)


def make_run(problem: Problem, optimizer: str, n: int, noise: float, seed: int) -> hx.Run:
    """The run of an optimizer on a problem, with noise."""
    rng = np.random.default_rng([seed, n, int(10 * noise)])
    if optimizer == "gp":
        return _skopt(problem, n, noise * problem.spread, seed, rng)
    return _optuna(problem, optimizer, n, noise * problem.spread, seed, rng)


def _optuna(
    problem: Problem, optimizer: str, n: int, noise: float, seed: int, rng: np.random.Generator
) -> hx.Run:
    import optuna
    from optuna.samplers import QMCSampler, RandomSampler, TPESampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = {
            "tpe": lambda: TPESampler(seed=seed),
            "random": lambda: RandomSampler(seed=seed),
            "qmc": lambda: QMCSampler(seed=seed, warn_independent_sampling=False),
        }[optimizer]()

    def objective(trial: optuna.Trial) -> float:
        config = {}
        for parameter in problem.space.parameters:
            conditions = (parameter.active_when or {}).items()
            if not all(config.get(name) in values for name, values in conditions):
                continue
            if isinstance(parameter, hx.CategoricalParameter):
                value = trial.suggest_categorical(parameter.name, list(parameter.choices))
            else:
                value = trial.suggest_float(parameter.name, parameter.low, parameter.high)
            config[parameter.name] = value
        return float(problem.cost(problem.space.encode(config))[0] + noise * rng.standard_normal())

    study = optuna.create_study(sampler=sampler)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(objective, n_trials=n)
    return hx.from_optuna(study, space=problem.space)


def _skopt(problem: Problem, n: int, noise: float, seed: int, rng: np.random.Generator) -> hx.Run:
    import skopt
    from skopt.space import Categorical, Real

    dimensions = [
        Categorical(list(p.choices), name=p.name)
        if isinstance(p, hx.CategoricalParameter)
        else Real(p.low, p.high, name=p.name)
        for p in problem.space.parameters
    ]

    def objective(values: list[object]) -> float:
        x = problem.space.encode(dict(zip(problem.space.names, values, strict=True)))
        return float(problem.cost(x)[0] + noise * rng.standard_normal())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = skopt.gp_minimize(
            objective, dimensions, n_calls=n, acq_optimizer="sampling", random_state=seed
        )
        return hx.from_skopt(result)
