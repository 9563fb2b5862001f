"""How long Shapley interactions and the games of tuning take, after the fit.

    python -m pytest tests/benchmarks/test_games.py -o addopts= --benchmark-only -s

All coalitions of 10 hyperparameters, 100 trials: at most 3 s each on two cores.
"""

import pytest

import hpo_explain as hx
from tests.benchmarks.test_around import run_of

GAMES = {
    "prediction": lambda run, kind: hx.methods.shapley_interactions(run, kind=kind),
    "tunability": lambda run, kind: hx.methods.tunability(run, surrogate=kind),
    "sensitivity": lambda run, kind: hx.methods.tunability(run, kind="sensitivity", surrogate=kind),
    "optimizer bias": lambda run, kind: hx.methods.tunability(
        run, kind="optimizer_bias", surrogate=kind
    ),
}


@pytest.fixture(scope="module")
def run():
    return run_of(10)


@pytest.mark.parametrize("kind", ["gp", "forest"])
@pytest.mark.parametrize("game", GAMES)
def test_all_coalitions_of_10_hyperparameters(benchmark, run, kind, game):
    # fits, and loads what is compiled
    hx.methods.local_importance(run, kind=kind)
    benchmark.pedantic(GAMES[game], args=(run, kind), rounds=2, warmup_rounds=1)
