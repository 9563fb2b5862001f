"""Runs of optimizers on problems whose truth is known."""

from __future__ import annotations

import hashlib
import pickle
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import optuna
import skopt

import hpo_explain as hx
from tests.claims.problem import Problem
from tests.claims.problems import problems

NOISE = 0.3
"""Standard deviation of noise where none is named, as a share of the function's own."""
TRIALS = {"random": (60, 100), "tpe": (60, 100, 150, 250), "gp": (50,), "skopt": (50,)}
"""How many trials each sampler makes; "gp" is Optuna's Gaussian process, which needs torch."""
FAILED = 1e6
"""What users of scikit-optimize return for what failed, since they must return a number."""
JUDGED_TRIALS = {"random": (60, 40), "tpe": (80, 50), "gp": (40, 40)}
"""The same on what judges: every other run has the one, or the other."""
AHEAD = 20
"""Further trials that are made of what judges, to see what they gain."""
SHUFFLED = 45  # seed of the order in which runs are made, so that some stand for all


class Setting(NamedTuple):
    """What a run is of.

    `nan` says that failures return NaN; else they raise. scikit-optimize always minimizes.
    """

    problem: Problem
    sampler: str
    n: int
    seed: int
    noise: float = NOISE
    maximize: bool = False
    nan: bool = False

    @property
    def label(self) -> str:
        """Its name."""
        way = "max" if self.maximize else "min"
        fails = " nan" if self.nan and self.problem.fails else ""
        return (
            f"{self.problem.name} {self.sampler} {self.n} {self.seed} "
            f"noise {self.noise:g} {way}{fails}"
        )


def settings(
    *,
    names: Sequence[str] = (),
    samplers: Sequence[str] = tuple(TRIALS),
    seeds: Sequence[int] = (0,),
) -> list[Setting]:
    """Return every problem with every sampler, number of trials, noise and seed, shuffled.

    The direction and how failures are told alternate from run to run instead of being crossed.
    """
    found = []
    for name, problem in problems().items():
        if names and name not in names and problem.family not in names:
            continue
        for sampler in samplers:
            if not can_run(problem, sampler):
                continue
            for n in TRIALS[sampler]:
                for noise in problem.noises:
                    for seed in seeds:
                        odd, other = len(found) % 2 == 1, len(found) % 4 > 1
                        maximize = odd and sampler != "skopt"
                        found.append(Setting(problem, sampler, n, seed, noise, maximize, other))
    return [found[i] for i in np.random.default_rng(SHUFFLED).permutation(len(found))]


def judged(
    problems: Sequence[Problem],
    *,
    samplers: Sequence[str] = tuple(JUDGED_TRIALS),
    seeds: Sequence[int] = (0, 1),
) -> list[Setting]:
    """Return a run of each problem for each seed; sampler, trials, noise and direction alternate.

    Three seeds have every sampler on each problem, six every sampler and level of noise.
    """
    found = []
    for seed in seeds:
        for i, problem in enumerate(problems):
            sampler = samplers[(i + seed) % len(samplers)]
            if not can_run(problem, sampler):
                continue
            n = JUDGED_TRIALS[sampler][(i // len(samplers) + seed) % 2]
            noise = problem.noises[(i + seed) // 3 % len(problem.noises)]
            maximize = problem.maximize
            if maximize is None:
                maximize = (i + seed) % 2 == 1
            found.append(Setting(problem, sampler, n, seed, noise, maximize))
    return found


def interleaved(
    problems: Sequence[Problem],
    noises: Sequence[float],
    samplers: Iterable[str],
    trials: Sequence[int],
    seeds: Sequence[int],
    names: Sequence[str] = (),
) -> list[Setting]:
    """Return all combinations with the problems in turn, so that every so many have each of them.

    Some problems only, where they or their families are named. The direction alternates. As each
    run is asked little, there are two for each seed.
    """
    some = [
        problem for problem in problems if not names or {problem.name, problem.family} & {*names}
    ]
    both = [2 * seed + k for seed in seeds for k in (0, 1)]
    crossed = product(both, noises, trials, samplers, some)
    return [
        Setting(problem, sampler, n, seed, noise, maximize=i % 2 == 1)
        for i, (seed, noise, n, sampler, problem) in enumerate(crossed)
    ]


def can_run(problem: Problem, sampler: str) -> bool:
    """Whether a sampler is at hand and can search the problem's space."""
    if sampler == "gp":
        return has_gp()
    declared = any(p.active_when for p in problem.space.parameters)
    return sampler != "skopt" or not (declared or problem.asked)


def has_gp() -> bool:
    """Whether Optuna's Gaussian process is at hand, which needs torch."""
    return find_spec("torch") is not None


@lru_cache(maxsize=1)  # several questions are asked of one run
def make_run(setting: Setting, cache: Path | None = None) -> hx.Run:
    """Optimize, and read what came of it; runs are kept in a folder, if there is one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = _optimized(setting, cache)
        if setting.sampler == "skopt":
            return hx.from_skopt(made)
        space = None if setting.problem.asked else setting.problem.space
        return hx.from_optuna(_first_of(made, setting.n), space=space)


def trials_ahead(setting: Setting, cache: Path | None = None) -> np.ndarray:
    """Return the encoded rows of the trials that follow a run of what judges, (AHEAD, d)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        later = _optimized(setting, cache).trials[setting.n :]
    return np.vstack([setting.problem.row_of(trial.params) for trial in later])


def _first_of(study: optuna.Study, n: int) -> optuna.Study:
    """Return a study of the first trials; the study itself where there are no others."""
    if len(study.trials) <= n:
        return study
    begun = optuna.create_study(direction=study.direction, sampler=study.sampler)
    begun.add_trials(study.trials[:n])
    return begun


@lru_cache(maxsize=1)  # what follows a run is asked after the run
def _optimized(setting: Setting, cache: Path | None) -> Any:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    optimize = _by_skopt if setting.sampler == "skopt" else _by_optuna
    if cache is None:
        return optimize(setting)
    name = hashlib.sha1(setting.label.encode()).hexdigest()[:16]
    path = cache / f"{name}.pickle"
    if path.exists():
        return pickle.loads(path.read_bytes())
    made = optimize(setting)
    cache.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(made))
    return made


class CrashError(Exception):
    """An evaluation crashed."""


class _Evaluations:
    """One evaluation after another of a problem."""

    def __init__(self, setting: Setting) -> None:
        self.setting, self.problem = setting, setting.problem
        self.rng = np.random.default_rng([setting.seed, setting.n])
        self.made = 0

    def cost(self, row: np.ndarray) -> float:
        """Return the cost that is seen at an encoded row (1, d)."""
        problem, setting = self.problem, self.setting
        drift = problem.drift * problem.scale * self.made / setting.n if problem.drift else 0.0
        self.made += 1
        if problem.fails is not None and self.rng.random() < problem.fails(row)[0]:
            raise CrashError
        return problem.evaluate(row[0], setting.noise, self.rng) + drift


def _by_optuna(setting: Setting) -> optuna.Study:
    problem, evaluations = setting.problem, _Evaluations(setting)
    sign = -1.0 if setting.maximize else 1.0

    def objective(trial: optuna.Trial) -> float:
        row = problem.row_of(suggested(trial, problem))
        if problem.constraint is not None:
            trial.set_user_attr("constraint", float(problem.constraint(row)[0]))
        try:
            return sign * evaluations.cost(row)
        except CrashError:
            if setting.nan:
                return float("nan")
            raise

    known: dict[str, Any] = {"seed": setting.seed}
    if problem.constraint is not None and setting.sampler != "random":
        known["constraints_func"] = constraint_of
    sampler = {
        "random": optuna.samplers.RandomSampler,
        "tpe": optuna.samplers.TPESampler,
        "gp": optuna.samplers.GPSampler,
    }[setting.sampler](**known)
    study = optuna.create_study(
        sampler=sampler, direction="maximize" if setting.maximize else "minimize"
    )
    ahead = AHEAD if problem.judges else 0
    study.optimize(objective, n_trials=setting.n + ahead, catch=(CrashError,))
    if problem.constraint is not None and setting.sampler == "random":
        return _with_constraints(study)
    return study


def constraint_of(trial: optuna.trial.FrozenTrial) -> tuple[float]:
    """Return what must be at most 0."""
    return (trial.user_attrs["constraint"],)


def _with_constraints(study: optuna.Study) -> optuna.Study:
    """Return a study whose trials have their constraints, which a random sampler does not store."""
    told = optuna.create_study(direction=study.direction, sampler=study.sampler)
    for trial in study.trials:
        trial.system_attrs["constraints"] = constraint_of(trial)
        told.add_trial(trial)
    return told


def suggested(trial: optuna.Trial, problem: Problem) -> dict[str, Any]:
    """Return the configuration that a trial is asked for."""
    config: dict[str, Any] = {}
    for i, p in enumerate(problem.space.parameters):
        if not all(k in config and config[k] in some for k, some in (p.active_when or {}).items()):
            continue
        if problem.asked is not None and not problem.asked(p.name, config):
            continue
        if isinstance(p, hx.CategoricalParameter):
            config[p.name] = trial.suggest_categorical(p.name, list(p.choices))
        elif isinstance(p, hx.IntParameter):
            config[p.name] = trial.suggest_int(p.name, p.low, p.high, step=p.step or 1, log=p.log)
        else:
            low, high = problem.tried if i == 0 and problem.tried != (0.0, 1.0) else (p.low, p.high)
            config[p.name] = trial.suggest_float(p.name, low, high, step=p.step, log=p.log)
    return config


def _by_skopt(setting: Setting) -> Any:
    problem, evaluations = setting.problem, _Evaluations(setting)

    def objective(x: list[Any]) -> float:
        row = problem.row_of(dict(zip(problem.space.names, x, strict=True)))
        if problem.constraint is not None and problem.constraint(row)[0] > 0.0:
            return FAILED
        try:
            return evaluations.cost(row)
        except CrashError:
            return FAILED

    found = skopt.gp_minimize(
        objective,
        _dimensions(problem),
        n_calls=setting.n,
        random_state=setting.seed,
        n_restarts_optimizer=1,  # a fifth of the time
    )
    found.specs["args"].pop("func")  # which cannot be stored
    return found


def _dimensions(problem: Problem) -> list[Any]:
    """Return the dimensions of scikit-optimize; as it has no steps, few values are categories."""
    space = skopt.space
    found = []
    for p in problem.space.parameters:
        if isinstance(p, hx.CategoricalParameter):
            found.append(space.Categorical(list(p.choices), name=p.name))
        elif p.step not in (None, 1):
            values = p.decode(p.from_latent((np.arange(p.size) + 0.5) / p.size))
            found.append(space.Categorical(values, name=p.name))
        else:
            kind = space.Integer if isinstance(p, hx.IntParameter) else space.Real
            prior = "log-uniform" if p.log else "uniform"
            found.append(kind(p.low, p.high, prior=prior, name=p.name))
    return found
