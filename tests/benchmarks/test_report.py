"""How long a whole report takes, how large it is, and how much memory it needs.

    python -m pytest tests/benchmarks/test_report.py -o addopts= --benchmark-only -s

Each report is made in a process of its own, after its imports, with a worker per core. The
yardstick is Optuna's `FanovaImportanceEvaluator` on 1,000 trials of 10 hyperparameters in the same
run.

Aims: 200 trials of 10 hyperparameters in .15 of the yardstick, 400 of 20 in .35, 30 of 3 in 3 s; at
most 1.5 MB and 700 MB of memory.
"""

import json
import subprocess
import sys
import time

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from tests.source_tree import ROOT

optuna.logging.set_verbosity(optuna.logging.ERROR)
SIZES = {"30 x 3": (30, 3, None), "200 x 10": (200, 10, 0.15), "400 x 20": (400, 20, 0.35)}


def run_of(n, d):
    space = hx.SearchSpace(
        [
            *(hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d - 2)),
            hx.CategoricalParameter("c", list("abc")),
            hx.FloatParameter("lr", 1e-5, 1.0, log=True),
        ]
    )
    X = space.sample(n, seed=0)
    y = np.sin(5.0 * X[:, 0]) + (X**2) @ np.arange(1.0, d + 1.0) / d
    y += np.random.default_rng(0).normal(0.0, 0.05, len(y))
    return hx.Run(space, X, y, "minimize", proposals=range(min(20, n // 2), n))


def made(n, d, path):
    """Write a report in this process; tell its seconds, its megabytes, and the memory."""
    import resource

    hx.report(run_of(12, 3), path, progress=False)  # imports, and compiled code is loaded
    start = time.perf_counter()
    hx.report(run_of(n, d), path, n_jobs=-1, progress=False)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps([seconds, path.stat().st_size / 1e6, memory]))


@pytest.fixture(scope="module")
def yardstick():
    """Seconds that Optuna's evaluator takes for 1,000 trials of 10 hyperparameters."""
    rng = np.random.default_rng(0)
    X = rng.random((1000, 10))
    y = np.sin(5.0 * X[:, 0]) + X**2 @ np.arange(1, 11) / 10 + rng.normal(0.0, 0.05, 1000)
    names = [f"x{j}" for j in range(10)]
    distributions = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in names}
    study = optuna.create_study()
    for row, value in zip(X.tolist(), y.tolist(), strict=True):
        params = dict(zip(names, row, strict=True))
        study.add_trial(
            optuna.trial.create_trial(params=params, distributions=distributions, value=value)
        )
    start = time.perf_counter()
    optuna.importance.FanovaImportanceEvaluator(seed=0).evaluate(study)
    return time.perf_counter() - start


@pytest.mark.parametrize("size", SIZES)
def test_a_whole_report(benchmark, tmp_path, yardstick, size):
    n, d, aim = SIZES[size]
    code = (
        "from pathlib import Path; from tests.benchmarks.test_report import made; "
        f"made({n}, {d}, Path({str(tmp_path / 'report.html')!r}))"
    )

    def report():
        found = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
        )
        return json.loads(found.stdout.splitlines()[-1])

    seconds, megabytes, memory = benchmark.pedantic(report, rounds=1)
    benchmark.extra_info |= {"seconds": seconds, "megabytes": megabytes, "memory": memory}
    share = f"{seconds / yardstick:.2f} of the yardstick" + (f" (aim {aim})" if aim else "")
    print(f"\n{size}: {seconds:.1f} s, {share}; {megabytes:.2f} MB, {memory:.0f} MB of memory")
