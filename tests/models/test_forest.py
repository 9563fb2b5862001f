"""The forest against brute force over its trees, and against scikit-learn's out-of-bag values."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.model_selection import cross_val_predict

from hpo_explain import CategoricalParameter, FloatParameter, SearchSpace
from hpo_explain.models import ForestSurrogate
from hpo_explain.models import forest as forest_module
from hpo_explain.models.columns import OrderedColumns
from tests.analytic import nested_space, unit_cube
from tests.models.forests import standardized

SPACE = unit_cube(3)
X = SPACE.sample(120, seed=1)
Y = 10.0 * X[:, 0] + np.sin(6 * X[:, 1]) + np.random.default_rng(0).normal(0, 0.1, 120)
NEW = SPACE.sample(80, seed=2)

FORESTS = {
    "random forest": RandomForestRegressor(20, random_state=0),
    "leaves of five": RandomForestRegressor(20, min_samples_leaf=5, random_state=0),
    "half of the columns": RandomForestRegressor(20, max_features=0.5, random_state=0),
    "extra trees": ExtraTreesRegressor(20, min_samples_leaf=3, random_state=0),
    "one tree": RandomForestRegressor(1, max_depth=2, random_state=0),
}
for _forest in FORESTS.values():
    _forest.fit(X, Y)


def leaf_of(tree, row):
    """The training rows' weights of the leaf into which a row falls, found step by step."""
    node = 0
    while tree.children_left[node] != -1:
        left = np.float32(row[tree.feature[node]]) <= tree.threshold[node]
        node = (tree.children_left if left else tree.children_right)[node]
    return node


def brute_force(forest, rows):
    """Mean and std by the law of total variance, from the training rows in every leaf."""
    means = np.empty((len(rows), len(forest.estimators_)))
    variances = np.empty_like(means)
    for t, estimator in enumerate(forest.estimators_):
        drawn = forest.estimators_samples_[t] if forest.bootstrap else np.arange(len(Y))
        train_leaf = np.array([leaf_of(estimator.tree_, row) for row in X[drawn]])
        for i, row in enumerate(rows):
            y = Y[drawn][train_leaf == leaf_of(estimator.tree_, row)]
            means[i, t], variances[i, t] = y.mean(), y.var()
    return means.mean(axis=1), np.sqrt(means.var(axis=1) + variances.mean(axis=1))


# ---------------------------------------------------------------------- predictions


@pytest.mark.parametrize("forest", FORESTS.values(), ids=FORESTS)
def test_predictions_follow_the_law_of_total_variance(forest):
    surrogate = ForestSurrogate(SPACE, forest)
    mean, std = surrogate.predict(NEW)
    expected_mean, expected_std = brute_force(forest, NEW)
    np.testing.assert_allclose(mean, expected_mean, rtol=1e-12)
    # scikit-learn computes a leaf's variance as a difference of squares of about 100
    np.testing.assert_allclose(std, expected_std, atol=1e-6)
    np.testing.assert_allclose(mean, forest.predict(NEW), rtol=1e-12)
    by_tree = np.stack([tree.predict(NEW) for tree in forest.estimators_], axis=1)
    np.testing.assert_array_equal(surrogate.predict_trees(NEW), by_tree)


def test_a_leaf_has_at_least_the_minimal_variance():
    forest = FORESTS["random forest"]
    means = np.stack([tree.predict(NEW) for tree in forest.estimators_])
    _, std = ForestSurrogate(SPACE, forest, min_variance=0.25).predict(NEW)
    # leaves of one trial have none of their own
    np.testing.assert_allclose(std, np.sqrt(means.var(axis=0) + 0.25), rtol=1e-9)


def test_a_forest_of_the_negated_objective_predicts_the_objective():
    mirrored = RandomForestRegressor(20, random_state=0).fit(X, -Y)
    ours = ForestSurrogate(SPACE, mirrored, data=(X, Y), negated=True)
    theirs = ForestSurrogate(SPACE, FORESTS["random forest"], data=(X, Y))
    for mine, other in zip(ours.predict(NEW), theirs.predict(NEW), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)
    np.testing.assert_allclose(ours.held_out().mean, theirs.held_out().mean, rtol=1e-12)
    assert ours.held_out().observed.tolist() == Y.tolist()


# ---------------------------------------------------------------------- held-out trials


@pytest.mark.parametrize("name", ["random forest", "leaves of five"])
def test_out_of_bag_predictions_are_scikit_learns(name):
    forest = RandomForestRegressor(**{**FORESTS[name].get_params(), "n_estimators": 60})
    forest.set_params(oob_score=True).fit(X, Y)
    held_out = ForestSurrogate(SPACE, forest, data=(X, Y)).held_out()
    assert held_out.method == "out-of-bag"
    assert held_out.observed.tolist() == Y.tolist()
    np.testing.assert_allclose(held_out.mean, forest.oob_prediction_, rtol=1e-12)
    # the law of total variance over the trees that did not see the trial
    for i in (0, 17, 119):
        out = [t for t, drawn in enumerate(forest.estimators_samples_) if i not in drawn]
        leaves = [leaf_of(forest.estimators_[t].tree_, X[i]) for t in out]
        trees = [forest.estimators_[t].tree_ for t in out]
        means = [tree.value[leaf, 0, 0] for tree, leaf in zip(trees, leaves, strict=True)]
        within = [tree.impurity[leaf] for tree, leaf in zip(trees, leaves, strict=True)]
        assert held_out.std[i] == pytest.approx(np.sqrt(np.var(means) + np.mean(within)))


def test_without_bootstrap_each_fifth_is_predicted_by_a_forest_of_the_others():
    forest = FORESTS["extra trees"]
    held_out = ForestSurrogate(SPACE, forest, data=(X, Y)).held_out()
    folds = [
        (np.flatnonzero(np.arange(120) % 5 != k), np.flatnonzero(np.arange(120) % 5 == k))
        for k in range(5)
    ]
    assert held_out.method == "five-fold cross-validation"
    # splits that part the trials alike are tied, not rounded
    target, back = standardized(Y)
    expected = back(cross_val_predict(forest, X, target, cv=folds))
    np.testing.assert_allclose(held_out.mean, expected)
    assert (held_out.std > 0).all()


def test_of_many_trials_as_many_folds_are_held_out_as_hold_enough(monkeypatch):
    surrogate = ForestSurrogate(SPACE, FORESTS["extra trees"], data=(X, Y))
    whole = ForestSurrogate(SPACE, FORESTS["extra trees"], data=(X, Y)).held_out()
    monkeypatch.setattr(forest_module, "_ENOUGH", 60)
    held_out = surrogate.held_out()
    assert held_out.method == "five-fold cross-validation, 3 of the folds"
    out = np.arange(120) % 5 < 3  # 72 trials
    np.testing.assert_array_equal(held_out.mean, whole.mean[out])
    np.testing.assert_array_equal(held_out.std, whole.std[out])
    np.testing.assert_array_equal(held_out.observed, Y[out])
    np.testing.assert_array_equal(held_out.rows, X[out])


def test_what_larger_leaves_predict_is_known_before_the_forest_is_fitted():
    space = SearchSpace([CategoricalParameter("c", range(4)), FloatParameter("x", 0, 1)])
    rows = space.sample(60, seed=0)
    y = rows[:, 1] + np.random.default_rng(0).normal(0.0, 0.3, 60)
    forest = ForestSurrogate.fit(space, rows, y, n_trees=8)
    before, fit = forest.with_leaves(4)
    own = forest.refitted(rows, y, min_samples_leaf=4)
    np.testing.assert_array_equal(before.mean, own.held_out().mean)
    assert fit().held_out() is before
    np.testing.assert_array_equal(fit().predict(rows), own.predict(rows))


def test_noise_is_not_predictable_from_the_order_of_many_categories():
    """An order learned from a trial itself would make pure noise look explained."""
    space = SearchSpace([CategoricalParameter("c", range(50)), FloatParameter("x", 0, 1)])
    for seed in range(3):
        rows = space.sample(60, seed=seed)
        noise = np.random.default_rng(seed).normal(size=60)
        held_out = ForestSurrogate.fit(space, rows, noise, seed=seed).held_out()
        r2 = 1 - ((noise - held_out.mean) ** 2).sum() / ((noise - noise.mean()) ** 2).sum()
        assert r2 < 0.1


@pytest.mark.parametrize("forest", ["random forest", "extra trees"])
def test_trials_of_a_repeated_configuration_are_held_out_together(forest):
    rows, y = (np.concatenate([X[:40], X[:9], X[:3]]), np.concatenate([Y[:40], Y[:9], Y[:3] + 0.1]))
    fitted = clone(FORESTS[forest]).fit(rows, y)
    held_out = ForestSurrogate(SPACE, fitted, data=(rows, y)).held_out()
    assert held_out.method == "five-fold cross-validation, repeated configurations together"
    which = np.concatenate([np.arange(40), np.arange(9), np.arange(3)]) % 5
    folds = [(np.flatnonzero(which != k), np.flatnonzero(which == k)) for k in range(5)]
    if forest == "extra trees":  # the order of tied splits of the other one is the scale's
        np.testing.assert_allclose(held_out.mean, cross_val_predict(fitted, rows, y, cv=folds))
    else:  # of 20 bootstraps 20 / e leave a trial out on average
        surrogate = ForestSurrogate(SPACE, fitted)
        for train, test in folds:
            fold = surrogate.refitted(rows[train], y[train], n_estimators=8)
            np.testing.assert_array_equal(held_out.mean[test], fold.predict(rows[test])[0])


@pytest.mark.parametrize(
    ("categories", "method"), [(2, "out-of-bag"), (3, "five-fold cross-validation")]
)
def test_where_an_order_of_categories_was_learned_no_tree_is_out_of_bag(categories, method):
    space = SearchSpace([CategoricalParameter("c", range(categories)), FloatParameter("x", 0, 1)])
    rows = space.sample(40, seed=0)
    assert ForestSurrogate.fit(space, rows, rows.sum(axis=1)).held_out().method == method


def test_of_a_single_configuration_nothing_can_be_held_out():
    held_out = ForestSurrogate.fit(SPACE, np.repeat(X[:1], 9, axis=0), Y[:9]).held_out()
    assert [len(part) for part in (held_out.observed, held_out.mean, held_out.std)] == [0, 0, 0]


# ---------------------------------------------------------------------- fitting


def test_our_own_fit_is_the_documented_forest():
    space = nested_space()
    rows = space.sample(100, seed=3)
    y = np.nan_to_num(rows, nan=0.3) @ np.arange(1.0, 10.0)
    surrogate = ForestSurrogate.fit(space, rows, y, n_trees=16, seed=5)
    target, back = standardized(y)
    columns, order = (OrderedColumns(surrogate.space, rows, target), surrogate.space.order)
    expected = RandomForestRegressor(
        16, bootstrap=True, min_samples_leaf=1, max_features=1.0, random_state=5
    ).fit(columns(rows)[:, order], target)
    new = space.sample(50, seed=4)
    mean = back(expected.predict(columns(new)[:, order]))
    np.testing.assert_allclose(surrogate.predict(new)[0], mean, rtol=1e-7)
    spread = np.ptp(y) / 2.0
    np.testing.assert_allclose(
        surrogate.predict(new)[1],
        spread * np.std([e.predict(columns(new)[:, order]) for e in expected.estimators_], axis=0),
        atol=1e-7 * spread,
    )
    assert np.isfinite(surrogate.predict(new)[1]).all()
    assert len(surrogate.forest.estimators_) == 16


def test_a_refit_does_not_depend_on_the_order_of_the_hyperparameters():
    """Half of the columns is drawn at each split: by number, in the order of the trials."""
    found = []
    for turn in (1, -1):
        space = SearchSpace(SPACE.parameters[::turn]).in_order_of(X[:, ::turn])
        forest = clone(FORESTS["half of the columns"]).fit(X[:, ::turn], Y)
        refitted = ForestSurrogate(space, forest).refitted(X[:, ::turn], Y)
        found.append(refitted.predict(NEW[:, ::turn])[0])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("rows", "y"),
    [(X, np.full(120, 0.1)), (np.repeat(X[:1], 120, axis=0), Y), (X[:2], Y[:2])],
    ids=["constant", "one row", "two trials"],
)
def test_degenerate_trials_give_finite_predictions(rows, y):
    mean, std = ForestSurrogate.fit(SPACE, rows, y, n_trees=16).predict(NEW)
    assert ((y.min() - 1e-12 <= mean) & (mean <= y.max() + 1e-12)).all()
    assert np.isfinite(std).all()


def test_fits_leave_the_filters_of_warnings_alone():
    import warnings

    space = SearchSpace([FloatParameter(name, 0.0, 1.0) for name in "abc"])
    X = space.sample(60, seed=0)
    before = list(warnings.filters)
    for seed in range(20):  # threads race: rarely do they leave none behind
        ForestSurrogate.fit(space, X, X[:, 0], n_trees=32, seed=seed)
    assert warnings.filters == before
