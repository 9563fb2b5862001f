"""Our own trees are scikit-learn's, to the last split."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from hpo_explain.models._as_sklearn import forest_of
from hpo_explain.models._standard import Standard
from hpo_explain.models._trees import grown

ARRAYS = ("feature", "threshold", "children_left", "children_right")


def trials(n, p, levels):
    """Columns of which the last does not vary, rounded to some levels, and noisy objectives."""
    rng = np.random.default_rng(n)
    Z = np.rint(rng.random((n, p)) * levels) / levels
    Z[:, -1] = 0.5
    y = np.sin(5.0 * Z[:, 0]) + Z[:, 1] ** 2 + rng.normal(0.0, 0.05, n)
    return Z.astype(np.float32), Standard.of(y).values


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize(
    ("n", "p", "levels"), [(2, 3, 1e9), (40, 3, 4), (120, 8, 1e9), (300, 5, 9)]
)
def test_every_split_of_every_tree_is_that_of_scikit_learn(n, p, levels, size):
    Z, y = trials(n, p, levels)
    ours = grown(Z, y, n_trees=16, min_samples_leaf=size, seed=3)
    theirs = RandomForestRegressor(16, min_samples_leaf=size, random_state=3)
    theirs.fit(Z, y)
    for tree, estimator in zip(ours.trees, theirs.estimators_, strict=True):
        expected = estimator.tree_
        for name in ARRAYS:
            np.testing.assert_array_equal(
                getattr(tree, name), getattr(expected, name)
            )
        assert tree.max_depth == expected.max_depth
        np.testing.assert_allclose(tree.value, expected.value, atol=1e-14)
        np.testing.assert_allclose(
            tree.impurity, expected.impurity, atol=1e-14
        )
        np.testing.assert_array_equal(tree.apply(Z), expected.apply(Z))
    for bag, expected_bag in zip(
        ours.estimators_samples_, theirs.estimators_samples_, strict=True
    ):
        np.testing.assert_array_equal(bag, expected_bag)


def test_who_asks_for_one_of_scikit_learn_gets_one_that_predicts_the_same():
    Z, y = trials(120, 8, 1e9)
    ours = grown(Z, y, n_trees=16, min_samples_leaf=2, seed=3)
    theirs = RandomForestRegressor(16, min_samples_leaf=2, random_state=3)
    theirs.fit(Z, y)
    again = forest_of(ours)
    new = np.random.default_rng(1).random((50, 8))
    np.testing.assert_allclose(again.predict(new), theirs.predict(new))
    for bag, expected in zip(
        again.estimators_samples_, theirs.estimators_samples_, strict=True
    ):
        np.testing.assert_array_equal(bag, expected)
