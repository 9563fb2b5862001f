"""How encoded rows become columns: distances of the kernel's, order of the trees'."""

import numpy as np
import pytest

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.models._squares import squared_distances
from hpo_explain.models.columns import KernelColumns, OrderedColumns
from tests.analytic import nested_space

NESTED = nested_space()
ROWS = NESTED.sample(200, seed=0)


def distances(space, configs):
    columns = KernelColumns(space)
    Z = columns(space.encode(configs))
    return np.sqrt(squared_distances(Z, Z, np.ones(len(columns.amid)), columns.amid))


# ---------------------------------------------------------------------- for kernels


@pytest.mark.parametrize("n_choices", [2, 3, 10])
def test_two_categories_are_as_far_apart_as_the_ends_of_a_column(n_choices):
    space = SearchSpace([CategoricalParameter("c", range(n_choices)), FloatParameter("x", 0, 7)])
    categories = distances(space, [{"c": c, "x": 2} for c in range(n_choices)])
    np.testing.assert_allclose(categories[np.triu_indices(n_choices, 1)], 1.0)
    ends = distances(space, [{"c": 0, "x": 0}, {"c": 0, "x": 7}])
    np.testing.assert_allclose(ends[0, 1], 1.0)


def test_an_inactive_number_stands_at_the_midpoint_and_an_inactive_category_amid_all():
    space = SearchSpace(
        [
            CategoricalParameter("parent", ["on", "off"]),
            FloatParameter("x", 1e-3, 10, log=True, active_when={"parent": ["on"]}),
            CategoricalParameter("c", ["a", "b", "c"], active_when={"parent": ["on"]}),
        ]
    )
    off, low, high = KernelColumns(space)(
        space.encode(
            [
                {"parent": "off"},
                {"parent": "on", "x": 1e-3, "c": "a"},
                {"parent": "on", "x": 10, "c": "b"},
            ]
        )
    )
    x, c, indicator = 1, 2, 3
    assert (low[x], off[x], high[x]) == (0.0, 0.5, 1.0)
    assert (low[c], off[c], high[c]) == (0.0, -1.0, 1.0)
    of_category = KernelColumns(space).amid[[c]]
    assert of_category == pytest.approx([1 / 3])  # |(1, 0, 0) - (1, 1, 1) / 3|² / 2
    for active in (low, high):
        found = squared_distances(off[None, [c]], active[None, [c]], np.ones(1), of_category)
        assert found == of_category
    assert (off[indicator], low[indicator], high[indicator]) == (0.0, 1.0, 1.0)


def test_rows_of_the_same_category_are_compared_as_each_alone():
    columns = KernelColumns(NESTED)
    Z, weight = columns(ROWS), np.linspace(0.5, 2.0, len(columns.amid))
    together = squared_distances(Z, Z[:50], weight, columns.amid)
    alone = [squared_distances(z[None], Z[:50], weight, columns.amid)[0] for z in Z]
    np.testing.assert_array_equal(together, alone)


def test_each_distinct_condition_has_one_indicator():
    columns = KernelColumns(NESTED)
    names = [tuple(NESTED.names[j] for j in member) for member in columns.members]
    assert names == [
        *[(name,) for name in NESTED.names],
        ("momentum", "nesterov"),  # both for sgd
        ("units_1",),
        ("dropout_1",),
        ("warmup",),
    ]
    sizes = [p.size if isinstance(p, CategoricalParameter) else 1 for p in NESTED]
    expected = [(1 - 1 / size) / 2 for size in sizes] + [0.0] * 4
    np.testing.assert_allclose(columns.amid, expected)
    indicators = columns(ROWS)[:, -4:]
    active = ~np.isnan(ROWS[:, [NESTED.index(name[0]) for name in names[-4:]]])
    assert indicators.tolist() == active.astype(float).tolist()


def test_a_hyperparameter_of_one_value_has_no_column_but_its_activity_may():
    space = SearchSpace(
        [
            IntParameter("k", 3, 3),
            CategoricalParameter("c", ["only"], active_when={"parent": [1]}),
            IntParameter("parent", 0, 1),
        ]
    )
    columns = KernelColumns(space)
    assert columns.members == ((2,), (1,))
    np.testing.assert_array_equal(
        columns(space.encode([{"k": 3, "parent": 0}, {"k": 3, "parent": 1, "c": "only"}])),
        [[0.0, 0.0], [1.0, 1.0]],
    )


# ---------------------------------------------------------------------- for trees


def test_categories_stand_in_the_order_of_their_mean_objective():
    space = SearchSpace([CategoricalParameter("c", ["a", "b", "c", "d"])])
    X = space.encode([{"c": c} for c in "aabbbd"])
    # a: 6, b: 2, d: 4; c, never tried: 22 / 6
    y = np.array([5.0, 7.0, 0.0, 3.0, 3.0, 4.0])
    columns = OrderedColumns(space, X, y)
    order = columns(space.encode([{"c": c} for c in "abcd"]))[:, 0]
    assert order.tolist() == [3.0, 0.0, 1.0, 2.0]


def test_numbers_keep_their_position_and_inactive_ones_stand_below_all():
    columns = OrderedColumns(NESTED, ROWS, np.arange(200.0))
    Z = columns(ROWS)
    numeric = [j for j, p in enumerate(NESTED) if not isinstance(p, CategoricalParameter)]
    active = ~np.isnan(ROWS)
    np.testing.assert_array_equal(
        Z[:, numeric][active[:, numeric]], ROWS[:, numeric][active[:, numeric]]
    )
    assert (Z[~active] == -1.0).all()
    assert (Z[active] >= 0.0).all()


def test_one_threshold_of_ordered_categories_is_the_best_of_all_subsets():
    """Fisher (1958), against every split of the categories into two subsets."""
    rng = np.random.default_rng(1)
    space = SearchSpace([CategoricalParameter("c", range(6))])
    X = space.sample(60, seed=4, method="uniform")
    y = rng.normal(size=60) + rng.normal(size=6)[X[:, 0].astype(int)]

    def squared_error(left):
        return sum(((y[part] - y[part].mean()) ** 2).sum() for part in (left, ~left))

    best = min(
        squared_error(np.isin(X[:, 0], [c for c in range(6) if code >> c & 1]))
        for code in range(1, 63)
    )
    ordered = OrderedColumns(space, X, y)(X)[:, 0]
    assert min(squared_error(ordered <= k) for k in range(5)) == pytest.approx(best, rel=1e-12)
