"""The forest against brute force over its trees, and against scikit-learn."""

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
    forest = RandomForestRegressor(60, random_state=0, oob_score=True).fit(X, NOISY)

    def missed(size):
        other = clone(forest).set_params(min_samples_leaf=size).fit(X, NOISY)
        return np.mean((NOISY - other.oob_prediction_) ** 2)

    surrogate = ForestSurrogate(SPACE, forest, data=(X, NOISY))
    tuned = surrogate.tuned()
    expected = larger(missed=missed, size=1, n=len(X))
    assert tuned.forest.min_samples_leaf == expected > 1
    assert surrogate.tuned() is tuned


@pytest.mark.parametrize("repeated", [False, True])
def test_larger_leaves_are_chosen_by_five_folds_where_no_tree_is_out_of_bag(repeated):
    """Without bootstrap; trials of a configuration are held out together."""
    again = 40 if repeated else 0
    rows, y = np.concatenate([X, X[:again]]), np.concatenate([NOISY, NOISY[:again] + 0.1])
    forest = ExtraTreesRegressor(20, random_state=0).fit(rows, y)
    which = np.concatenate([np.arange(len(X)), np.arange(again)]) % 5
    folds = [(np.flatnonzero(which != k), np.flatnonzero(which == k)) for k in range(5)]

    def missed(size):
        other = clone(forest).set_params(min_samples_leaf=size)
        return np.mean((y - cross_val_predict(other, rows, y, cv=folds)) ** 2)

    tuned = ForestSurrogate(SPACE, forest, data=(rows, y)).tuned()
    expected = larger(missed=missed, size=1, n=len(rows))
    assert tuned.forest.min_samples_leaf == expected > 1


def test_of_many_trials_as_many_folds_are_held_out_as_hold_enough(monkeypatch):
    fitted = []
    refitted = ForestSurrogate.refitted
    monkeypatch.setattr(
        ForestSurrogate,
        "refitted",
        lambda self, X, y, **s: fitted.append(s) or refitted(self, X, y, **s),
    )
    monkeypatch.setattr(forest_module, "_ENOUGH", 60)  # in three folds there are 72
    ForestSurrogate(SPACE, FORESTS["extra trees"], data=(X, Y)).tuned()
    assert [s["min_samples_leaf"] for s in fitted[:3]] == [3] * 3 != fitted[3]["min_samples_leaf"]


@pytest.mark.parametrize(("categories", "trees"), [(2, 64), (3, 24)])
def test_where_an_order_of_categories_was_learned_no_tree_is_out_of_bag(
    monkeypatch, categories, trees
):
    """A fold has as many trees as predict a trial out of bag: of 64 bootstraps 64 / e."""
    space = SearchSpace([CategoricalParameter("c", range(categories)), FloatParameter("x", 0, 1)])
    rows = space.sample(40, seed=0)
    forest = ForestSurrogate.fit(space, rows, rows.sum(axis=1))
    fitted = []
    refitted = ForestSurrogate.refitted
    monkeypatch.setattr(
        ForestSurrogate,
        "refitted",
        lambda self, *given, **s: fitted.append(refitted(self, *given, **s)) or fitted[-1],
    )
    forest.tuned()
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
