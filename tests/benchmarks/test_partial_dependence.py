"""Partial dependence in time: against scikit-learn's, and all hyperparameters with their trees.

Run with ``pytest tests/benchmarks/test_partial_dependence.py --benchmark-only``. Aims, at n = 1000
rows, 20 grid points and 200 trials: Eq. 4 at least 15 times faster than `return_cov`; a curve with
its band no slower than scikit-learn's mean alone; all 7 hyperparameters within 2 s on two cores,
their trees to depth 6 within 0.5 s more.
"""

import numpy as np
import pytest
from sklearn.inspection import partial_dependence as sklearn_partial_dependence

import hpo_explain as hx
from tests.analytic import unit_cube
from tests.models.as_sklearn import regressor_of

GRID = np.linspace(0.0, 1.0, 20)
SPACE = unit_cube(7)
SAMPLE = SPACE.sample(1000, seed=3)


@pytest.fixture(scope="module")
def surrogate():
    X = SPACE.sample(200, seed=0)
    return hx.models.GaussianProcessSurrogate.fit(SPACE, X, np.sin(5 * X[:, 0]) + X[:, 1] * X[:, 2])


def at(value):
    rows = SAMPLE.copy()
    rows[:, 0] = value
    return rows


@pytest.mark.benchmark(group="Eq. 4 along a grid")
def test_scikit_learns_covariance_at_every_grid_point(benchmark, surrogate):
    def variances():
        return [regressor_of(surrogate.gp).predict(at(x), return_cov=True)[1].mean() for x in GRID]

    found = benchmark.pedantic(variances, rounds=3, warmup_rounds=1)
    assert len(found) == 20


@pytest.mark.benchmark(group="Eq. 4 along a grid")
def test_the_standard_deviation_of_the_mean(benchmark, surrogate):
    found = benchmark(surrogate.std_of_mean, SAMPLE, np.array([0]), GRID[:, None])
    gp = regressor_of(surrogate.gp)
    theirs = [gp.predict(at(x), return_cov=True)[1].mean() for x in GRID]
    prior = float(gp.kernel_.diag(SAMPLE[:1])[0]) * float(gp._y_train_std) ** 2
    np.testing.assert_allclose(found**2, theirs, rtol=0, atol=1e-9 * prior)


@pytest.mark.benchmark(group="one curve")
def test_scikit_learns_mean_alone(benchmark, surrogate):
    benchmark(
        sklearn_partial_dependence, regressor_of(surrogate.gp), SAMPLE, [0], custom_values={0: GRID}
    )


@pytest.mark.parametrize("variance", ["average", "covariance"])
@pytest.mark.benchmark(group="one curve")
def test_a_curve_with_its_band_and_the_curves_it_averages(benchmark, surrogate, variance):
    explainer = hx.methods.PartialDependenceExplainer(surrogate, sample=SAMPLE, variance=variance)
    effect = benchmark(explainer.explain, "x1")
    theirs = sklearn_partial_dependence(surrogate.gp, SAMPLE, [0], custom_values={0: GRID})
    np.testing.assert_allclose(effect.mean, theirs["average"][0], rtol=1e-10)


@pytest.mark.benchmark(group="all hyperparameters")
def test_the_curves_of_all_hyperparameters(benchmark, surrogate):
    explainer = hx.methods.PartialDependenceExplainer(surrogate)
    effects = benchmark(lambda: [explainer.explain(name) for name in SPACE.names])
    assert [effect.ice_std.shape for effect in effects] == [(1000, 20)] * 7


@pytest.mark.benchmark(group="all hyperparameters")
def test_the_curves_of_all_hyperparameters_and_their_trees_to_depth_6(benchmark, surrogate):
    explainer = hx.methods.RegionalPartialDependenceExplainer(
        surrogate, max_depth=6, min_leaf=2, min_improvement=0.0
    )
    results = benchmark(lambda: [explainer.explain(name) for name in SPACE.names])
    assert max(node.depth for node in results[0].tree) == 6
