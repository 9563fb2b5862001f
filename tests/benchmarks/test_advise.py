"""How long advice takes, alone and after the report has computed what both share.

    python -m pytest tests/benchmarks/test_advise.py -o addopts= --benchmark-only -s

Aim: 1,000 trials of 20 hyperparameters in 10 s.
"""

import pytest

import hpo_explain as hx
from hpo_explain.methods.advice.advise import AdviceExplainer
from hpo_explain.reporting.context import Context
from tests.benchmarks.test_report import run_of


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    hx.advise(run_of(12, 3))  # imports, and compiled code is loaded


@pytest.mark.parametrize(("n", "d"), [(30, 3), (200, 10), (1000, 20)])
def test_advice(benchmark, n, d):
    benchmark.pedantic(hx.advise, setup=lambda: ((run_of(n, d),), {}), rounds=1)


def test_advice_after_a_report(benchmark):
    context = Context(run_of(200, 10))
    shared = (context.trust, context.effects, context.recommended_space, context.subspace)
    assert all(shared)
    benchmark.pedantic(AdviceExplainer(context).explain, rounds=1)
