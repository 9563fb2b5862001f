"""How long the command line takes before it does anything: a whole process each time."""

import subprocess
import sys

import numpy as np
import optuna
import pytest

from tests.benchmarks.stored import store


def run_python(benchmark, code):
    command = [sys.executable, "-c", code]
    benchmark.pedantic(
        subprocess.run,
        (command,),
        {"check": True, "capture_output": True},
        rounds=20,
        warmup_rounds=2,
    )


@pytest.mark.benchmark(group="command line")
@pytest.mark.parametrize("arguments", [["--help"], ["report", "--help"], ["--version"]])
def test_help(benchmark, arguments):
    run_python(benchmark, f"from hpo_explain.cli import main; main({arguments!r})")


@pytest.mark.benchmark(group="command line")
def test_importing_the_package(benchmark):
    run_python(benchmark, "import hpo_explain")


@pytest.mark.benchmark(group="command line")
def test_python_alone(benchmark):
    run_python(benchmark, "")


@pytest.mark.benchmark(group="command line")
def test_importing_optuna_alone(benchmark):
    run_python(benchmark, "import optuna")


@pytest.mark.benchmark(group="command line")
@pytest.mark.parametrize("again", [False, True])
def test_importance_of_a_stored_study(benchmark, tmp_path, monkeypatch, again):
    """100 trials of 5 hyperparameters; or what was answered before about the same file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kind = optuna.distributions.FloatDistribution(0.0, 1.0)
    names = ["a", "b", "c", "d", "e"]
    X = np.random.default_rng(0).uniform(size=(100, len(names)))
    address = f"sqlite:///{tmp_path}/study.db"
    store(address, dict.fromkeys(names, kind), X, X[:, 0] + X[:, 1] * X[:, 2])
    arguments = ["importance", address, *["--no-cache"] * (not again)]
    run_python(benchmark, f"from hpo_explain.cli import main; main({arguments!r})")
