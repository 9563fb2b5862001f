"""How long a whole report takes, and how large it is: 200 trials of 10 hyperparameters.

    python -m pytest tests/benchmarks/test_report.py -o addopts= --benchmark-only -s

Aims: at most 30 s on two cores; at most 3 MB with 20 hyperparameters.
"""

import numpy as np
import pytest

import hpo_explain as hx


def run_of(d):
    space = hx.SearchSpace(
        [
            *(hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d - 3)),
            hx.IntParameter("k", 1, 20),
            hx.CategoricalParameter("c", list("abc")),
            hx.FloatParameter("lr", 1e-5, 1.0, log=True),
        ]
    )
    X = space.sample(200, seed=0)
    y = np.sin(5.0 * X[:, 0]) + (X**2) @ np.arange(1.0, d + 1.0) / d
    y += np.random.default_rng(0).normal(0.0, 0.05, len(y))
    return hx.Run(space, X, y, "minimize", proposals=range(20, 200))


@pytest.mark.parametrize("d", [10, 20])
def test_a_whole_report(benchmark, tmp_path, d):
    path = tmp_path / "report.html"
    benchmark.pedantic(hx.report, args=(run_of(d), path), kwargs={"progress": False}, rounds=1)
    megabytes = path.stat().st_size / 1e6
    benchmark.extra_info["megabytes"] = megabytes
    print(f"\n{d} hyperparameters: {benchmark.stats.stats.min:.1f} s, {megabytes:.2f} MB")
