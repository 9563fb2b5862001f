"""Runs of optimizers on problems whose truth is known."""

from __future__ import annotations

import pickle
import warnings
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import hpo_explain as hx
from tests.claims.problems import PROBLEMS, Problem

OPTIMIZERS = ("tpe", "gp", "random", "qmc")
TRIALS = (30, 60, 200)
NOISE = (0.0, 0.3, 1.0)
"""Standard deviation of the noise, as a share of the signal's."""
SEEDS = (0, 1, 2)


class Setting(NamedTuple):
    """What a run is of: problem, optimizer, number of trials, noise, seed."""

    problem: str
    optimizer: str
    n: int
    noise: float
    seed: int

    @property
    def label(self) -> str:
        """Its name, as of a file."""
        return (
            f"{self.problem.replace(' ', '-')}_{self.optimizer}_{self.n}_{self.noise}_{self.seed}"
        )


def all_settings() -> list[Setting]:
    """Every problem, optimizer, number of trials, noise and seed."""
    settings = [
        Setting(make().name, *others)
        for make in PROBLEMS
        for others in product(OPTIMIZERS, TRIALS, NOISE, SEEDS)
    ]
    return [setting for setting in settings if _possible(setting)]


def _possible(setting: Setting) -> bool:
    if setting.noise == 0.0 and setting.problem in ("pure noise", "failures over noise"):
        return False
    if setting.optimizer == "gp":
        # a Gaussian process per trial takes minutes for 200 trials; it knows no conditions, and
        # skopt's space is what it tries
        return setting.n <= 60 and setting.problem not in ("conditional", "a tenth tried")
    return True


def problem_of(name: str) -> Problem:
    """The problem of a name, as in a setting or in a file's name."""
    return _problems()[name.replace("-", " ")]


@cache
def _problems() -> dict[str, Problem]:
    return {problem.name.replace("-", " "): problem for problem in (make() for make in PROBLEMS)}


def make_run(setting: Setting, folder: Path | None = None) -> hx.Run:
    """The run of a setting.

    A folder holds what the framework returned (or a Run), so that a run is made once and is read
    anew by every version of the package.
    """
    path = None if folder is None else folder / f"{setting.label}.pkl"
    if path is not None and path.exists():
        made = pickle.loads(path.read_bytes())
    else:
        made = _optimized(setting)
        if path is not None:
            path.write_bytes(pickle.dumps(made))
    if isinstance(made, hx.Run):
        return made
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if setting.optimizer == "gp":
            return hx.from_skopt(made)
        return hx.from_optuna(made, space=problem_of(setting.problem).space)


def _optimized(setting: Setting) -> Any:
    rng = np.random.default_rng([setting.seed, setting.n, int(10 * setting.noise)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (_skopt if setting.optimizer == "gp" else _optuna)(setting, rng)


def _observed(setting: Setting, config: dict[str, Any], rng: np.random.Generator) -> float:
    problem = problem_of(setting.problem)
    x = problem.space.encode(config)
    noise = setting.noise * problem.scale * rng.standard_normal()
    if problem.exact is not None and problem.exact(x)[0]:
        noise = 0.0
    return float(problem.cost(x)[0] + noise)


def _optuna(setting: Setting, rng: np.random.Generator) -> Any:
    import optuna
    from optuna.samplers import QMCSampler, RandomSampler, TPESampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    problem, seed = problem_of(setting.problem), setting.seed
    sampler = {
        "tpe": lambda: TPESampler(seed=seed),
        "random": lambda: RandomSampler(seed=seed),
        "qmc": lambda: QMCSampler(seed=seed, warn_independent_sampling=False),
    }[setting.optimizer]()

    def objective(trial: optuna.Trial) -> float:
        config: dict[str, Any] = {}
        for parameter in problem.space.parameters:
            conditions = (parameter.active_when or {}).items()
            if not all(config.get(name) in values for name, values in conditions):
                continue
            if isinstance(parameter, hx.CategoricalParameter):
                value = trial.suggest_categorical(parameter.name, list(parameter.choices))
            else:
                ends = problem.tried.get(parameter.name, (parameter.low, parameter.high))
                value = trial.suggest_float(parameter.name, *ends)
            config[parameter.name] = value
        return _observed(setting, config, rng)

    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=setting.n)
    return study


def _skopt(setting: Setting, rng: np.random.Generator) -> Any:
    import skopt
    from skopt.space import Categorical, Real

    space = problem_of(setting.problem).space
    dimensions = [
        Categorical(list(p.choices), name=p.name)
        if isinstance(p, hx.CategoricalParameter)
        else Real(p.low, p.high, name=p.name)
        for p in space.parameters
    ]

    def objective(values: list[object]) -> float:
        return _observed(setting, dict(zip(space.names, values, strict=True)), rng)

    result = skopt.gp_minimize(
        objective,
        dimensions,
        n_calls=setting.n,
        acq_optimizer="sampling",
        random_state=setting.seed,
    )
    result.specs["args"].pop("func", None)  # a closure cannot be pickled
    return result
