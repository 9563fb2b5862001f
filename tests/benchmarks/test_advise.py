"""How long advice takes.

    python -m pytest tests/benchmarks/test_advise.py -o addopts= --benchmark-only -s

Aim: 1,000 trials of 20 hyperparameters in 10 s.
"""

import pytest

import hpo_explain as hx
from tests.benchmarks.measure import run_of


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    hx.advise(run_of(12, 3))  # imports, and compiled code is loaded


@pytest.mark.parametrize(("n", "d"), [(30, 3), (200, 10), (1000, 20)])
def test_advice(benchmark, n, d):
    benchmark.pedantic(hx.advise, setup=lambda: ((run_of(n, d),), {}), rounds=1)
