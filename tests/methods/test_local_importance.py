"""Local importance: closed forms, forests by brute force, conditions, words and figure."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import hpo_explain as hx
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube


def variance_of(polynomial):
    """The variance of a polynomial of x, uniform on [0, 1]."""

    def mean(p):
        return p.integ()(1.0) - p.integ()(0.0)

    return mean(polynomial**2) - mean(polynomial) ** 2


def test_shares_of_a_quadratic_function_are_its_closed_form():
    weights, centres, together = [3.0, -2.0, 0.5], [0.2, 0.9, 0.5], 4.0
    surrogate = AnalyticSurrogate(
        unit_cube(3),
        lambda X: ((X - centres) ** 2) @ np.array(weights) + together * X[:, 0] * X[:, 1],
    )
    theta = {"x1": 0.3, "x2": 0.6, "x3": 0.1}
    found = hx.methods.LocalImportanceExplainer(surrogate).explain(theta)
    lines = [Polynomial([-c, 1.0]) ** 2 * w for w, c in zip(weights, centres, strict=True)]
    lines[0] += Polynomial([0.0, together * theta["x2"]])
    lines[1] += Polynomial([0.0, together * theta["x1"]])
    expected = np.array([variance_of(line) for line in lines])
    np.testing.assert_allclose(found.variance, expected, rtol=1e-10)
    np.testing.assert_allclose(found.importance, expected / expected.sum(), rtol=1e-10)
    assert np.isnan(found.std).all()
    assert found.importance.sum() == pytest.approx(1.0)


def test_integers_and_categories_weigh_by_the_measure():
    space = hx.SearchSpace(
        [
            hx.IntParameter("k", 1, 8, log=True),
            hx.CategoricalParameter("c", list("abc")),
            hx.FloatParameter("s", 0.0, 1.0, step=0.5),
        ]
    )
    effect = np.array([0.0, 1.0, 5.0])
    surrogate = AnalyticSurrogate(
        space, lambda X: 8.0 ** X[:, 0] + effect[X[:, 1].astype(int)] + X[:, 2]
    )
    found = hx.methods.LocalImportanceExplainer(surrogate).explain({"k": 2, "c": "a", "s": 0.5})
    k = np.arange(1, 9)
    weights = np.log((k + 0.5) / (k - 0.5)) / np.log(8.5 / 0.5)
    expected = [weights @ (k - weights @ k) ** 2, effect.var(), np.var([0.0, 0.5, 1.0])]
    np.testing.assert_allclose(found.variance, expected)


def test_what_another_value_switches_on_is_averaged():
    space = space_of(
        booster=["tree", "dart"],
        drop=(0.0, 1.0),
        lr=(0.0, 1.0),
        when={"drop": {"booster": ["dart"]}},
    )
    surrogate = AnalyticSurrogate(
        space, lambda X: X[:, 2] + np.where(X[:, 0] == 1, 10.0 * np.nan_to_num(X[:, 1]), 0.0)
    )
    found = hx.methods.LocalImportanceExplainer(surrogate, sample=200).explain(
        {"booster": "tree", "lr": 0.5}
    )
    assert str(found.notes[0]).startswith("shares have no intervals")
    assert str(found.notes[1]).startswith("hyperparameters that another value activates")
    assert found.notes[-1].names == ("drop",)
    # dart: 0.5 + the mean of 10 drop = 5.5; tree: 0.5
    np.testing.assert_allclose(found.variance, [2.5**2, 0.0, 1.0 / 12.0], rtol=1e-2)
    assert found.importance[1] == 0.0
    assert found.varied.tolist() == [True, False, True]
    inside = hx.methods.LocalImportanceExplainer(surrogate).explain(
        {"booster": "dart", "drop": 0.2, "lr": 0.5}
    )
    np.testing.assert_allclose(inside.variance, [1.0, 100.0 / 12.0, 1.0 / 12.0])


def test_the_absence_of_an_optional_hyperparameter_is_a_value():
    space = hx.SearchSpace(
        [hx.IntParameter("warmup", 1, 2, optional=0.4), hx.FloatParameter("lr", 0.0, 1.0)]
    )
    surrogate = AnalyticSurrogate(
        space, lambda X: np.where(np.isnan(X[:, 0]), 7.0, X[:, 0]) + 0.0 * X[:, 1]
    )
    values, weights = np.array([7.0, 0.0, 1.0]), np.array([0.6, 0.2, 0.2])
    expected = weights @ (values - weights @ values) ** 2
    for config in ({"lr": 0.5}, {"lr": 0.5, "warmup": 2}):
        found = hx.methods.LocalImportanceExplainer(surrogate).explain(config)
        np.testing.assert_allclose(found.variance, [expected, 0.0], atol=1e-12)
        np.testing.assert_allclose(found.importance, [1.0, 0.0], atol=1e-12)


def test_a_forest_is_integrated_exactly_tree_by_tree():
    space = unit_cube(2)
    X = space.sample(30, seed=3)
    forest = hx.models.ForestSurrogate.fit(space, X, np.sin(5 * X[:, 0]) + X[:, 1], n_trees=6)
    theta = np.array([0.4, 0.7])
    found = hx.methods.LocalImportanceExplainer(forest).explain({"x1": 0.4, "x2": 0.7})
    shares, means = np.zeros((6, 2)), []
    for t, tree in enumerate(forest.forest.estimators_):
        variance = []
        for j in range(2):
            cuts = np.unique([0.0, 1.0, *tree.tree_.threshold[tree.tree_.feature == j]])
            rows = np.tile(theta, (len(cuts) - 1, 1))
            rows[:, j] = (cuts[1:] + cuts[:-1]) / 2
            values, weights = tree.predict(rows), np.diff(cuts)
            variance.append(weights @ (values - weights @ values) ** 2)
        shares[t] = np.array(variance) / np.sum(variance)
    for j in range(2):  # the shares are those of the mean prediction, on a grid that is fine enough
        line = np.tile(theta, (200_001, 1))
        line[:, j] = (np.arange(len(line)) + 0.5) / len(line)
        means.append(forest.predict(line)[0].var())
    np.testing.assert_allclose(found.importance, np.array(means) / np.sum(means), rtol=1e-4)
    np.testing.assert_allclose(found.std, shares.std(axis=0), rtol=1e-6)
    assert str(*found.notes) == "std is that of a share over the trees, not a confidence interval"
    leading = found.claims[0]
    j = int(np.argmax(found.importance))
    assert (leading.kind, leading.hyperparameters) == ("share", (space.names[j],))
    assert leading.estimate == pytest.approx(found.importance[j])
    assert (leading.interval, leading.certain) == (None, False)


def test_a_share_is_certain_where_the_functions_agree_that_it_matters():
    space = unit_cube(2)
    X, rng = space.sample(30, seed=1), np.random.default_rng(0)
    belief = hx.Run(space, X, X[:, 0] + 0.02 * rng.standard_normal(30), "minimize").belief()
    found = hx.methods.LocalImportanceExplainer(belief).explain({"x1": 0.5, "x2": 0.5})
    np.testing.assert_allclose(found.importance, found.draws.mean(axis=0))
    (claim,) = found.claims
    assert (claim.kind, claim.hyperparameters, claim.certain) == ("share", ("x1",), True)
    assert claim.interval[0] > 0.8


def test_the_std_of_a_process_shrinks_with_what_it_knows():
    space = unit_cube(2)
    spread = []
    for n in (6, 60):
        X = space.sample(n, seed=1)
        surrogate = hx.models.GaussianProcessSurrogate.fit(
            space, X, X[:, 0] + 0.5 * np.sin(4 * X[:, 1])
        )
        explainer = hx.methods.LocalImportanceExplainer(surrogate, seed=4)
        found = explainer.explain({"x1": 0.5, "x2": 0.5})
        again = hx.methods.LocalImportanceExplainer(surrogate, seed=4).explain(
            {"x1": 0.5, "x2": 0.5}
        )
        np.testing.assert_array_equal(found.std, again.std)
        spread.append(found.std.max())
    assert spread[1] < 0.5 * spread[0]


@pytest.mark.parametrize("kind", [hx.models.GaussianProcessSurrogate, hx.models.ForestSurrogate])
def test_every_kind_of_hyperparameter_has_a_share(kind):
    space = nested_space()
    X = space.sample(40, seed=1)
    surrogate = kind.fit(space, X, np.nan_to_num(X, nan=0.3).sum(axis=1))
    for config in space.decode(X[:4]):
        found = hx.methods.LocalImportanceExplainer(surrogate, sample=10).explain(config)
        assert found.importance.sum() == pytest.approx(1.0)
        assert (found.std >= 0).all()
        inactive = [j for j, n in enumerate(space.names) if n not in config and n != "warmup"]
        assert not found.importance[inactive].any()


def test_an_acquisition_is_explained_in_place_of_the_objective():
    space = unit_cube(2)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0], lambda X: X[:, 1])
    acquisition = hx.models.LowerConfidenceBound(surrogate, kappa=2.0)
    found = hx.methods.LocalImportanceExplainer(acquisition).explain({"x1": 0.5, "x2": 0.5})
    np.testing.assert_allclose(found.importance, [0.2, 0.8])
    assert found.subject.acquisition == acquisition.label
    assert not found.subject.lower_is_better


def test_nothing_matters_to_a_constant():
    found = hx.methods.LocalImportanceExplainer(AnalyticSurrogate(unit_cube(2), 4.0)).explain(
        {"x1": 0.5, "x2": 0.5}
    )
    np.testing.assert_array_equal(found.importance, 0.0)
    assert [(claim.kind, claim.estimate) for claim in found.claims] == [("share", 0.0)]
    assert found.sentence.startswith(
        "Around this configuration no hyperparameter alone changes the predicted objective."
    )
    assert found.described().bars[0].end == 0.0


def test_the_figure_has_a_bar_for_each_share_the_largest_on_top_and_folds_many():
    def explained(weights):
        surrogate = AnalyticSurrogate(unit_cube(len(weights)), lambda X: X @ weights)
        names = surrogate.space.names
        return hx.methods.LocalImportanceExplainer(surrogate).explain(dict.fromkeys(names, 0.5))

    few = replace(explained(np.array([1.0, 3.0])), std=np.array([0.2, 0.1]))
    figure = few.described()
    assert figure.labels == [("x2", "= 0.5"), ("x1", "= 0.5")]
    np.testing.assert_allclose(
        [(bar.end, bar.half) for bar in figure.bars], [[0.9, 0.1], [0.1, 0.2]]
    )
    assert "over the trees" in figure.footer
    many = explained(np.arange(1.0, 31.0)).described()
    assert many.labels[-1][0] == "11 others (sum)"
    assert sum(bar.end for bar in many.bars) == pytest.approx(1.0)


@pytest.mark.thorough
def test_of_noise_alone_nothing_is_certain_around_a_trial():
    """Of one hyperparameter it is all of the variance of whatever varies at all."""
    space = unit_cube(1)
    for seed in range(4):
        X = space.sample(40, seed=seed)
        y = np.random.default_rng(seed).standard_normal(40)
        found = hx.methods.local_importance(hx.Run(space, X, y, "minimize"))
        assert not any(claim.certain for claim in found.claims)
    signal = hx.methods.local_importance(hx.Run(space, X, X[:, 0] + 0.1 * y, "minimize"))
    assert [claim.certain for claim in signal.claims] == [True]


def test_both_columns_are_means_over_the_functions_that_the_trials_allow():
    space = unit_cube(3)
    X = space.sample(25, seed=0)
    noise = 0.2 * np.random.default_rng(0).normal(size=25)
    run = hx.Run(space, X, 2.0 * X[:, 0] + X[:, 1] + noise, "minimize")
    config = {"x1": 0.3, "x2": 0.6, "x3": 0.5}
    found = hx.methods.local_importance(run, config)
    at, weights = np.polynomial.legendre.leggauss(20)
    at, weights = (at + 1.0) / 2.0, weights / 2.0
    rows = np.tile(space.encode([config]), (60, 1))
    for j in range(3):
        rows[20 * j : 20 * (j + 1), j] = at
    values = run.belief().draws(rows).reshape(-1, 3, 20)
    centred = values - (values @ weights)[..., None]
    variances = centred**2 @ weights
    np.testing.assert_allclose(found.variance, variances.mean(axis=0))
    shares = variances / variances.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.importance, shares.mean(axis=0))
    # x3 does nothing: by the mean prediction alone its share would be a fraction of this
    ratio = found.variance[2] / found.variance.sum()
    assert ratio == pytest.approx(found.importance[2], rel=0.5)


def test_the_probability_beside_a_small_share_says_of_what_it_is():
    draws = np.tile([0.85, 0.139, 0.011], (200, 1))
    draws[:2] = [0.85, 0.12, 0.03]
    space = unit_cube(3)
    found = hx.methods.LocalImportanceExplainer(
        AnalyticSurrogate(space, lambda X: X[:, 0])
    ).explain({"x1": 0.3, "x2": 0.6, "x3": 0.5})
    found = replace(found, draws=draws, importance=np.array([0.0, 0.0, 0.7]))
    (claim,) = found.claims
    assert not claim.certain
    assert claim.probability == pytest.approx(0.01)
    assert found.caution == ("Not certain: x3 explains over 2% of the variance (probability 1%).")
