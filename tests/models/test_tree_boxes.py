"""The leaves of trees as boxes: against a tree by hand, and scikit-learn's own predictions."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from hpo_explain import FloatParameter, SearchSpace
from hpo_explain.models import ForestSurrogate
from hpo_explain.models.box_sums import bounds
from tests.analytic import nested_space, unit_cube
from tests.models.forests import SPACES, fitted, fitted_with_missing

KINDS = {
    "ordered columns": fitted,
    "extra trees": lambda space, **options: fitted(space, extra=True, **options),
    "missing values": fitted_with_missing,
}
ALL_SPACES = {**SPACES, "every kind": nested_space()}


def five_nodes():
    """x < 1/2: 0; else y < 1/4: 10; else 20. The thresholds are midpoints of the rows."""
    X = np.array([[0.25, 0.1], [0.25, 0.9], [0.75, 0.125], [0.75, 0.375]])
    forest = RandomForestRegressor(1, bootstrap=False, random_state=0)
    return ForestSurrogate(unit_cube(2), forest.fit(X, [0.0, 0.0, 10.0, 20.0]))


def box_of(boxes, u):
    """For latent points (n, d): which box each lies in, found by looking at every one."""
    d = len(boxes.first) - 1
    low, high = bounds(boxes, range(d))
    inside = ((low[None] <= u[:, None]) & (u[:, None] < high[None])).all(axis=2)
    assert (inside.sum(axis=1) == 1).all()  # disjoint, and none is missing
    return inside.argmax(axis=1)


def rows_of(surrogate, space, U):
    """The configurations of latent points, whose categories stand in the order of the trees."""
    rows = space.from_latent(U)
    for j, ranks in surrogate.category_ranks().items():
        active = ~np.isnan(rows[:, j])
        rows[active, j] = np.argsort(ranks)[rows[active, j].astype(int)]
    return space.project(rows)


def test_a_tree_of_five_nodes_has_three_boxes_of_known_volume():
    (boxes,) = five_nodes().boxes()
    assert sorted(zip(boxes.value, boxes.volume, strict=True)) == [
        (0.0, 0.5),
        (10.0, 0.125),
        (20.0, 0.375),
    ]
    assert boxes.cuts.tolist() == [0.0, 0.5, 1.0, 0.0, 0.25, 1.0]
    assert boxes.first.tolist() == [0, 3, 6]
    low, high = bounds(boxes, [0, 1])
    by_value = np.argsort(boxes.value)
    assert low[by_value].tolist() == [[0.0, 0.0], [0.5, 0.0], [0.5, 0.25]]
    assert high[by_value].tolist() == [[0.5, 1.0], [1.0, 0.25], [1.0, 1.0]]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("space", ALL_SPACES.values(), ids=ALL_SPACES)
def test_boxes_are_disjoint_fill_the_cube_and_predict_as_the_tree(space, kind):
    surrogate, columns, trees = kind(space)
    U = np.random.default_rng(1).random((3000, len(space)))
    rows = rows_of(surrogate, space, U)
    seen = (rows if columns is None else columns(rows)).astype(np.float32)
    for boxes, tree in zip(surrogate.boxes(), trees, strict=True):
        np.testing.assert_allclose(boxes.volume.sum(), 1.0, rtol=1e-12)
        np.testing.assert_array_equal(boxes.value[box_of(boxes, U)], tree.predict(seen).ravel())
        low, high = bounds(boxes, range(len(space)))
        np.testing.assert_allclose(boxes.volume, np.prod(high - low, axis=1), rtol=1e-12)


def test_a_forest_of_the_negated_objective_has_boxes_of_the_objective():
    surrogate, _, _ = fitted(SPACES["mixed"])
    mirrored = ForestSurrogate(
        SPACES["mixed"], surrogate.forest, columns=surrogate._columns, negated=True
    )
    for ours, theirs in zip(mirrored.boxes(), surrogate.boxes(), strict=True):
        np.testing.assert_array_equal(ours.value, -theirs.value)
        np.testing.assert_array_equal(ours.volume, theirs.volume)


def test_columns_that_are_no_hyperparameters_give_no_boxes():
    space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    X = space.sample(20, seed=0)
    forest = RandomForestRegressor(3, random_state=0).fit(np.hstack([X, X**2]), X[:, 0])
    surrogate = ForestSurrogate(space, forest, columns=lambda x: np.hstack([x, x**2]))
    assert surrogate.boxes() is None
