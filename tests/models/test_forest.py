"""The forest against brute force over its trees, and against scikit-learn."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

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
    ours = ForestSurrogate(SPACE, mirrored, negated=True)
    theirs = ForestSurrogate(SPACE, FORESTS["random forest"])
    for mine, other in zip(ours.predict(NEW), theirs.predict(NEW), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


# ---------------------------------------------------------------------- larger leaves


def larger(*, missed, size, n):
    """The size of leaves with the least error, doubled while it falls, where it falls by 2 %."""
    best, lowest = size, missed(size)
    while 2 * size * 6 <= n and (error := missed(2 * size)) <= lowest:
        size *= 2
        best, lowest = (size, error) if error < 0.98 * lowest else (best, lowest)
    return best


NOISY = X[:, 0] + np.random.default_rng(1).normal(0.0, 0.5, len(X))


def test_larger_leaves_are_chosen_by_what_trees_predict_out_of_bag():
    surrogate = ForestSurrogate.fit(SPACE, X, NOISY)
    order = surrogate.space.order
    target, back = standardized(NOISY)

    def missed(size):
        forest = RandomForestRegressor(
            64, min_samples_leaf=size, random_state=0, oob_score=True
        ).fit(X[:, order], target)
        return np.mean((NOISY - back(forest.oob_prediction_)) ** 2)

    tuned = surrogate.tuned()
    expected = larger(missed=missed, size=1, n=len(X))
    assert tuned.forest.min_samples_leaf == expected > 1
    assert surrogate.tuned() is tuned


def test_trials_of_a_repeated_configuration_are_held_out_together():
    """By five folds, each with as many trees as predict a trial out of bag: of 64 there are 24."""
    rows, y = np.concatenate([X, X[:40]]), np.concatenate([NOISY, NOISY[:40] + 0.1])
    surrogate = ForestSurrogate.fit(SPACE, rows, y)
    order = surrogate.space.order
    which = np.concatenate([np.arange(len(X)), np.arange(40)]) % 5

    def missed(size):
        errors = []
        for k in range(5):
            target, back = standardized(y[which != k])
            forest = RandomForestRegressor(24, min_samples_leaf=size, random_state=0)
            forest.fit(rows[which != k][:, order], target)
            errors += [*(y[which == k] - back(forest.predict(rows[which == k][:, order])))]
        return np.mean(np.square(errors))

    expected = larger(missed=missed, size=1, n=len(rows))
    assert surrogate.tuned().forest.min_samples_leaf == expected > 1


@pytest.fixture
def fitted(monkeypatch):
    """The forests that are fitted again."""
    found = []
    again = ForestSurrogate._refitted
    monkeypatch.setattr(
        ForestSurrogate,
        "_refitted",
        lambda self, *given, **settings: found.append(again(self, *given, **settings)) or found[-1],
    )
    return found


def test_of_many_trials_as_many_folds_are_held_out_as_hold_enough(monkeypatch, fitted):
    monkeypatch.setattr(forest_module, "_ENOUGH", 60)  # in three folds there are 72
    rows = np.concatenate([X[:60], X[:60]])
    ForestSurrogate.fit(SPACE, rows, Y, n_trees=8).tuned()
    leaves = [one.forest.min_samples_leaf for one in fitted]
    assert leaves[:4] == [1, 1, 1, 2]


@pytest.mark.parametrize(("categories", "trees"), [(2, 64), (3, 24)])
def test_where_an_order_of_categories_was_learned_no_tree_is_out_of_bag(fitted, categories, trees):
    space = SearchSpace([CategoricalParameter("c", range(categories)), FloatParameter("x", 0, 1)])
    rows = space.sample(40, seed=0)
    ForestSurrogate.fit(space, rows, rows.sum(axis=1)).tuned()
    assert len(fitted[0].forest.estimators_) == trees


def test_of_a_single_configuration_the_leaves_stay_as_they_are():
    forest = ForestSurrogate.fit(SPACE, np.repeat(X[:1], 19, axis=0), Y[:19])
    assert forest.tuned() is forest


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
