"""The values of all coalitions give the same numbers as KernelExplainer does."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as k

import hpo_explain as hx
from hpo_explain.base.errors import InputError
from hpo_explain.methods._engines.coalitions import shapley_weights
from tests.analytic import space_of
from tests.handmade import explained

MIXED = hx.SearchSpace(
    [
        hx.CategoricalParameter("booster", ["linear", "tree", "dart"]),
        hx.IntParameter("depth", 1, 3, active_when={"booster": ["tree", "dart"]}),
        hx.FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
        hx.IntParameter("n_layers", 1, 3),
        hx.FloatParameter("units_1", 0.0, 1.0, active_when={"n_layers": [2, 3]}),
        hx.FloatParameter("inner", 0.0, 1.0, active_when={"depth": [2, 3], "n_layers": [3]}),
        hx.CategoricalParameter("free", list("abcd")),
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.FloatParameter("maybe", 0.0, 1.0, optional=0.4),
        hx.IntParameter("same", 3, 3),
    ]
)
CONFIGS = {
    "flat": {"booster": "linear", "n_layers": 1, "free": "b", "lr": 0.01, "maybe": 0.3, "same": 3},
    "deep": {
        "booster": "dart",
        "depth": 2,
        "drop": 0.2,
        "n_layers": 3,
        "units_1": 0.9,
        "inner": 0.2,
        "free": "a",
        "lr": 0.5,
        "same": 3,
    },
}


def objective(X):
    filled = np.where(np.isnan(X), 0.4, X)
    return filled @ np.arange(1.0, 11.0) + filled[:, 7] * filled[:, 6] + filled[:, 3] * filled[:, 4]


def acquisitions(surrogate):
    return [
        hx.models.LowerConfidenceBound(surrogate),
        hx.models.ExpectedImprovement(surrogate, best=12.0, direction="maximize"),
    ]


def agree(acquisition, config, background):
    exact = hx.methods.ShapleyExplainer(acquisition, background=background, estimator="exact")
    kernel = hx.methods.ShapleyExplainer(acquisition, background=background, estimator="kernel")
    fast, slow = exact.explain(config), kernel.explain(config)
    assert str(fast.estimator).startswith("exact, all ")
    assert str(slow.estimator).startswith("KernelExplainer, all ")
    scale = np.abs(slow.phi).max()
    assert scale > 0
    np.testing.assert_allclose(fast.phi, slow.phi, rtol=1e-6, atol=1e-9 * scale)
    if slow.standard_error is not None:
        np.testing.assert_allclose(
            fast.standard_error, slow.standard_error, rtol=1e-6, atol=1e-9 * scale
        )
    assert max(map(abs, fast.efficiency_gap.values())) <= 1e-9 * scale


@pytest.mark.merge
@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize(
    "fit", [hx.models.GaussianProcessSurrogate.fit, hx.models.ForestSurrogate.fit]
)
def test_own_surrogates_agree_on_a_mixed_conditional_space(config, fit):
    X = MIXED.sample(90, seed=1)
    for acquisition in acquisitions(fit(MIXED, X, objective(X))):
        agree(acquisition, config, background=60)
        agree(acquisition, config, background=MIXED.sample(23, seed=5, latent=True))


@pytest.mark.parametrize(
    "kernel",
    [
        k.Matern([0.3, 0.7, 2.0], nu=0.5),
        k.Matern([0.3, 0.7, 2.0], nu=1.5) + k.WhiteKernel(0.1),
        k.ConstantKernel(2.0) * k.Matern([0.3, 0.7, 2.0], nu=2.5) + k.WhiteKernel(0.01),
        k.Matern(0.5, nu=np.inf),
        k.RBF([0.4, 0.5, 0.6]) * k.RationalQuadratic(0.8, alpha=0.7) + k.ConstantKernel(0.5),
        (k.RBF(0.4) + k.Matern(1.1, nu=1.5)) * k.ConstantKernel(3.0),
    ],
    ids=str,
)
def test_scikit_learns_kernels_agree(kernel):
    space = hx.SearchSpace([hx.FloatParameter(f"t{j}", 0.0, 1.0) for j in range(3)])
    X = space.sample(25, seed=2)
    gp = GaussianProcessRegressor(kernel, alpha=1e-6, optimizer=None, normalize_y=True)
    surrogate = hx.models.GaussianProcessSurrogate(
        space, gp.fit(X, 50 + X[:, 0] * X[:, 1] + X[:, 2])
    )
    agree(hx.models.LowerConfidenceBound(surrogate), {"t0": 0.1, "t1": 0.9, "t2": 0.4}, 30)


@pytest.mark.parametrize("make", [RandomForestRegressor, ExtraTreesRegressor])
def test_a_forest_of_ones_own_agrees_missing_values_included(make):
    space = space_of(n=range(1, 4), u=(0.0, 1.0), v=(0.0, 1.0), when={"u": {"n": [2, 3]}})
    X = space.sample(60, seed=3)
    y = 1e6 + np.nan_to_num(X[:, 1]) + X[:, 2]
    forest = make(n_estimators=12, min_samples_leaf=3, random_state=0).fit(X, y)
    agree(
        hx.models.LowerConfidenceBound(hx.models.ForestSurrogate(space, forest)),
        {"n": 2, "u": 0.2, "v": 0.7},
        40,
    )


def test_more_than_eleven_are_not_asked_for_exactly():
    space = hx.SearchSpace([hx.FloatParameter(f"t{j}", 0.0, 1.0) for j in range(12)])
    X = space.sample(15, seed=2)
    surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X @ np.arange(12.0))
    with pytest.raises(InputError, match="at most 11 hyper") as caught:
        explained(
            hx.models.LowerConfidenceBound(surrogate),
            space.decode(X[:1])[0],
            background=20,
            estimator="exact",
        )
    assert caught.value.value == "exact"
    assert "estimator='kernel'" in str(caught.value)


def test_weights_of_the_coalitions_by_hand():
    # φ_1 of three players: orders in which it comes first, second (after 2, or after 3), third
    codes = {0b000: -1 / 3, 0b010: -1 / 6, 0b100: -1 / 6, 0b110: -1 / 3}
    expected = {**codes, 0b001: 1 / 3, 0b011: 1 / 6, 0b101: 1 / 6, 0b111: 1 / 3}
    np.testing.assert_allclose(
        shapley_weights(3)[0], [expected[code] for code in range(8)], rtol=1e-15
    )
