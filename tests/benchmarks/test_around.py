"""How long the methods around one configuration take, after the fit.

    python -m pytest tests/benchmarks/test_around.py -o addopts= --benchmark-only -s

Changes, local importance and LIME of 10 hyperparameters: at most 2 s each on two cores; the
H-statistic of all pairs of 7 from 100 points: at most 5 s.
"""

import numpy as np
import pytest

import hpo_explain as hx

KINDS = (
    lambda name: hx.FloatParameter(name, 1e-3, 1.0, log=True),
    lambda name: hx.IntParameter(name, 1, 20),
    lambda name: hx.CategoricalParameter(name, list("abcdef")),
)


def run_of(d, trials=100):
    space = hx.SearchSpace([KINDS[j % 3](f"x{j}") for j in range(d)])
    X = space.sample(trials, seed=0)
    rng = np.random.default_rng(0)
    y = np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] ** 2 + rng.normal(0.0, 0.05, trials)
    return hx.Run(space, X, y, "minimize")


@pytest.fixture(scope="module", params=["gp", "forest"])
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def run(kind):
    run = run_of(10)
    # fits, and loads what is compiled
    hx.methods.local_importance(run, kind=kind)
    return run


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (hx.changes, {}),
        (hx.changes, {"acquisition": "ei"}),
        (hx.methods.local_importance, {}),
        (hx.methods.lime, {}),
        (hx.methods.lime, {"model": "tree"}),
    ],
    ids=["changes", "changes-ei", "local-importance", "lime", "lime-tree"],
)
def test_around_the_incumbent_of_10_hyperparameters(benchmark, run, kind, function, options):
    benchmark.pedantic(
        function, args=(run,), kwargs={"kind": kind, **options}, rounds=5, warmup_rounds=1
    )


def test_all_pairs_of_7(benchmark, kind):
    run = run_of(7)
    hx.methods.h_statistic(run, "x0", kind=kind)
    found = benchmark.pedantic(hx.methods.h_statistic, args=(run,), kwargs={"kind": kind}, rounds=3)
    assert len(found.sets) == 21
