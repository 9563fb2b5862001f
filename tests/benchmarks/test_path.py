"""How long a desirability path takes, the refits of every iteration's surrogate included.

    python -m pytest tests/benchmarks/test_path.py -o addopts= --benchmark-only -s

Aims on two cores: 112 proposals of 7 hyperparameters on 7,000 background rows within 3 minutes and
1 GB; 64 proposals of 4 hyperparameters on 4,000 rows within 30 s.
"""

import resource

import numpy as np
import pytest

import hpo_explain as hx


def run_of(d, initial, proposals):
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d)])
    X = space.sample(initial + proposals, seed=0)
    y = np.sin(5.0 * X[:, 0]) + (X**2) @ np.arange(1.0, d + 1.0) / d
    return hx.Run(space, X, y, "minimize", proposals=range(initial, initial + proposals))


@pytest.mark.parametrize(
    ("d", "initial", "proposals", "rows"), [(7, 28, 112, 7000), (4, 16, 64, 4000)]
)
def test_a_whole_path(benchmark, d, initial, proposals, rows):
    run = run_of(d, initial, proposals)
    options = {"background": rows, "n_jobs": 2, "progress": False}
    path = benchmark.pedantic(
        lambda: hx.methods.desirability_path(run, **options), rounds=1, warmup_rounds=0
    )
    assert len(path) == proposals
    megabytes = sum(
        resource.getrusage(who).ru_maxrss / 1024.0
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    benchmark.extra_info["megabytes"] = megabytes
    print(benchmark.name, f"megabytes = {megabytes:.3g} (this process and the largest other)")
