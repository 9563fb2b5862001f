"""How long effects and formulas take, after the fit.

    python -m pytest tests/benchmarks/test_effects.py -o addopts= --benchmark-only -s

Of 10 hyperparameters and 100 trials: at most 1 s of processor time each.
"""

from functools import partial

import pytest

import hpo_explain as hx
from tests.benchmarks.test_around import run_of

accumulated = partial(hx.partial_dependence, kind="accumulated")
METHODS = {
    "ale": lambda run, kind: accumulated(run, "x0", surrogate=kind),
    "ale of a pair": lambda run, kind: accumulated(run, ["x0", "x1"], surrogate=kind),
}


@pytest.mark.parametrize("kind", ["gp", "forest"])
@pytest.mark.parametrize("method", METHODS)
def test_of_10_hyperparameters(benchmark, kind, method):
    run = run_of(10)
    # fits, and loads what is compiled
    hx.methods.local_importance(run, kind=kind)
    benchmark.pedantic(METHODS[method], args=(run, kind), rounds=2, warmup_rounds=1)


POSTERIORS = {
    "ale": lambda run: accumulated(run, "x0", surrogate="gp"),
    "H-statistic": lambda run: hx.methods.h_statistic(run, "x0", kind="gp"),
    "prediction": lambda run: hx.explain_prediction(run, kind="gp"),
    "interactions": lambda run: hx.methods.shapley_interactions(run, kind="gp", background=50),
    "sensitivity": lambda run: hx.methods.tunability(run, kind="sensitivity", surrogate="gp"),
}


@pytest.mark.parametrize("result", POSTERIORS)
def test_draws_of_a_result_take_no_time_beside_it(benchmark, result):
    """At most 0.1 s: what they need was computed with the result."""
    found = POSTERIORS[result](run_of(5))
    first, second, *_ = found.posterior.names
    benchmark.pedantic(found.probability, args=(first, second), rounds=3)
