"""How long several objectives, several runs and pruning take.

    python -m pytest tests/benchmarks/test_several.py -o addopts= --benchmark-only -s

Processor time after the fits: three runs side by side, the games of three runs, and curves of 100
trials with 30 steps at most 1 s each (5 hyperparameters, 60 trials); the Pareto front of two
objectives, with what extends it, at most 3 s, the importance along all their weights at most 10 s.
"""

import optuna
import pytest

import hpo_explain as hx
from tests.benchmarks.test_around import run_of


def objective(trial):
    x, y = (trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0))
    for name in "abc":
        trial.suggest_float(name, 0.0, 1.0)
    return x + 0.1 * y, (1.0 - x) ** 2 + y


def curve(trial):
    rate = trial.suggest_float("rate", 0.01, 1.0, log=True)
    width = trial.suggest_int("width", 1, 9)
    for step in range(30):
        trial.report(1.0 / (1.0 + rate * step) + 0.01 * width, step)
    return 1.0 / (1.0 + 30.0 * rate) + 0.01 * width


@pytest.fixture(scope="module")
def study():
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        directions=["minimize", "minimize"], sampler=optuna.samplers.RandomSampler(seed=0)
    )
    study.optimize(objective, n_trials=60)
    return study


@pytest.fixture(scope="module")
def curves():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(curve, n_trials=100)
    return study


def test_two_objectives(benchmark, study):
    benchmark.pedantic(hx.pareto, args=(study,), rounds=1, warmup_rounds=1)


@pytest.mark.parametrize("method", [hx.compare, hx.methods.tunability])
def test_three_runs(benchmark, method):
    runs = {f"{n} trials": run_of(5, n) for n in (50, 60, 70)}
    default = () if method is hx.compare else (runs["50 trials"].config(0),)
    benchmark.pedantic(method, args=(runs, *default), rounds=1, warmup_rounds=1)


def test_pruning(benchmark, curves):
    benchmark.pedantic(hx.pruning, args=(curves,), rounds=2, warmup_rounds=1)
