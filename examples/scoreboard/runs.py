"""The runs: which sampler makes how many trials of which problem, and the folder of stored runs."""

from __future__ import annotations

import pickle
import time
import warnings
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import optuna

from examples.scoreboard.problems import at_hand, noise_of
from hpo_explain.base.cache_folder import cache_folder
from tests.claims.problem import Problem
from tests.claims.runs import suggested

SAMPLERS = {
    "Random": optuna.samplers.RandomSampler,
    "TPE": optuna.samplers.TPESampler,
    "GPSampler": optuna.samplers.GPSampler,
}
SIZES = (50, 100, 200)
MOST = {"GPSampler": 100}  # trials: 200 of it take a minute and more
SEEDS = (0, 1, 2, 3, 4)
REPEATS = 2
MANY = 2000  # uniform evaluations: the ceiling


class Setting(NamedTuple):
    """Which run it is; `repeat` counts the seeds of a problem with a sampler."""

    problem: str
    sampler: str
    n: int
    seed: int
    repeat: int = 0


class Stored(NamedTuple):
    """A run, and the CPU seconds that it took."""

    study: optuna.Study
    seconds: float


def settings(profile: str) -> list[Setting]:
    """Return the runs of a profile.

    Full: each problem with each sampler, sizes in turn so that each problem has each size, and two
    seeds. Quick: one of them for each problem, samplers and sizes in turn.
    """
    samplers = [name for name in SAMPLERS if name != "GPSampler" or find_spec("torch")]
    found = []
    for i, problem in enumerate(at_hand()):
        for s, sampler in enumerate(samplers):
            for repeat in range(REPEATS):
                seed = SEEDS[(i + s + repeat) % len(SEEDS)]
                n = min(SIZES[(i + s) % 3], MOST.get(sampler, max(SIZES)))
                found.append(Setting(problem, sampler, n, seed, repeat))
    if profile == "full":
        return found
    return [found[i * len(samplers) * REPEATS + i % 3 * REPEATS] for i in range(len(at_hand()))]


def run_of(setting: Setting) -> Stored:
    """Return a run, from the user's cache if it is there."""
    folder = cache_folder("scoreboard")
    name = " ".join(map(str, setting[:4]))
    path = folder and folder / f"{name} of optuna {optuna.__version__}.pickle"
    if path is not None and path.exists():
        return pickle.loads(path.read_bytes())
    begun = time.process_time()
    study = optimized(at_hand()[setting.problem], setting)
    made = Stored(study, time.process_time() - begun)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(made))
    return made


def optimized(problem: Problem, setting: Setting) -> optuna.Study:
    """Return the study of a run."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rng, std = np.random.default_rng([setting.seed, setting.n]), noise_of(problem)

    def objective(trial: optuna.Trial) -> float:
        row = problem.row_of(suggested(trial, problem))
        return float(problem.cost(row)[0] + std * rng.standard_normal())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(sampler=SAMPLERS[setting.sampler](seed=setting.seed))
        study.optimize(objective, n_trials=setting.n)
    return study


if __name__ == "__main__":  # makes and stores all runs
    for one in settings("full"):
        print(one, f"{run_of(one).seconds:.0f} s", flush=True)
