"""Of no rows, no spread and no weight there is an answer, or an error that says so."""

import contextlib

import numpy as np
import optuna
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hpo_explain as hx
from hpo_explain.base import numbers
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.belief import draws as belief_draws
from hpo_explain.belief import noise, scales
from hpo_explain.models import pathwise
from hpo_explain.run.repeats import Repeats

pytestmark = pytest.mark.usefixtures("few_draws")


def table(n, d, *, sparse=False):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((n, d)), columns=[f"x{i}" for i in range(d)])
    kind = np.resize(["a", "b"], n)
    inside = X.where(rng.random((n, d)) < 0.1) if sparse else X.assign(kind=kind)
    return inside.assign(loss=rng.random(n))


RUNS = {"few": (12, 2), "many": (40, 80), "sparse": (40, 80)}


@pytest.fixture(scope="module", params=RUNS)
def run(request):
    read = table(*RUNS[request.param], sparse=request.param == "sparse")
    return hx.from_frame(read, "loss", "minimize", optimizer="a GP", initial=5)


def test_models_at_no_rows(run):
    d = len(run.space)
    none = np.empty((0, d))
    belief = run.belief()
    k = len(belief.draws(run.X))
    assert belief.draws(none).shape == (k, 0)
    assert belief.costs(none).shape == (k, 0)
    assert belief.own_costs(np.empty((k, 0, d))).shape == (k, 0)
    assert belief.noise_at(none).shape == (0,)
    assert belief.posterior_covariance(none).shape == (0, 0)
    assert belief.costs_at(none, [0], np.array([[0.5], [0.2]])).shape == (2, k, 0)
    assert belief.costs_at(run.X, [0], np.empty((0, 1))).shape == (0, k, len(run))
    for model in (belief, run.surrogate(kind="gp"), run.surrogate(kind="forest")):
        assert [part.shape for part in model.predict(none)] == [(0,), (0,)]
    for kind in ("gp", "forest"):
        draws = belief_draws.as_draws(run.surrogate(kind=kind), "minimize")
        k = len(draws.costs(run.X))
        assert draws.costs(none).shape == (k, 0)
        assert draws.own_costs(np.empty((k, 0, d))).shape == (k, 0)
        assert draws.costs_at(run.X, [0], np.empty((0, 1))).shape == (0, k, len(run))
    assert all(term.shape == (0,) for term in run.acquisition().terms(none).values())


def test_no_blocks_of_no_rows():
    for d in (1, 100):
        blocks = [*pathwise.blocks(np.empty((0, d)), np.zeros(d, dtype=int), 5)]
        assert sum(len(block.rows.X) for block in blocks) == 0
        assert blocks  # a function of none is asked, and says how many draws it has


@pytest.mark.merge
def test_a_sparse_table_with_more_hyperparameters_than_trials():
    read = table(40, 80, sparse=True)
    for ask in (hx.optimum, hx.summary):
        assert str(ask(read, objective="loss", direction="minimize"))


# ---------------------------------------------------------------------- objectives

ODD = [0.0, -0.0, 1.0, 2.0, -1e300, 1e300, 1e-300, 5e-324, 1e17, 1.0 + 1e-15]
OBJECTIVES = st.lists(st.sampled_from(ODD), max_size=12).map(np.array)


@given(OBJECTIVES)
@settings(max_examples=300)
def test_numbers_of_objectives_without_spread(values):
    values = values.astype(float)
    assert np.isfinite(numbers.unit_of(values))
    assert len(numbers.mean_ranks(values)) == len(values)
    rows = np.zeros((len(values), 1))
    repeats = Repeats.of(rows, np.zeros(len(values), dtype=int), values)
    assert np.isfinite(repeats.pooled()).all()
    assert np.isfinite(repeats.std).all()
    if len(values):
        assert np.isfinite(noise.step_of(values))
        assert np.isfinite(noise.resolution(values))
        scaled = (values - np.median(values)) / numbers.unit_of(values)
        for scale in (scales.identity, scales.half_rank, scales.logarithm, scales.clipped):
            assert np.isfinite(scale(scaled).z).all()


def study(levels, feasible, n):
    """A study whose objectives and constraints take a few values in turn."""
    rng = np.random.default_rng(0)
    made = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    kind = optuna.distributions.FloatDistribution(0, 1)
    for i in range(n):
        x = float(rng.random())
        made.add_trial(
            optuna.create_trial(
                params={"x": x},
                distributions={"x": kind},
                value=float(levels[i % len(levels)]),
                system_attrs={"constraints": [-1.0 if feasible[i % len(feasible)] else 1.0]},
            )
        )
    return made


CASES = {
    "equal": ([1.0], [True]),
    "equal where feasible": ([1.0, 1.0, 7.0], [True, True, False]),
    "huge and equal": ([1e300], [True, False]),
    "huge": ([-1e300, 1e-5, 2.0], [True]),
    "one feasible": ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [True, *[False] * 6]),
    "tiny": ([0.0, 5e-324], [True]),
}


@pytest.mark.parametrize("case", CASES)
def test_advice_on_objectives_without_spread(case):
    source = study(*CASES[case], n=7)
    for ask in (hx.advise, hx.optimum, hx.summary):
        with contextlib.suppress(NothingToExplain):
            assert str(ask(source))
