"""The search space: encoding, conditions, and the measure, against brute force."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.space import Range, common, still_possible
from hpo_explain.space.searches import brought_inside
from tests.analytic import nested_space, unit_cube

SPACE = nested_space()


# ---------------------------------------------------------------------- brute force


def values_that_activate(parent):
    """Values of a parent in a list, or in a range where they are numbers."""
    if parent.is_category:
        return st.lists(st.sampled_from(parent.choices), min_size=1)
    # as wide as to end on values of a grid, between them and beyond them
    ends = st.sampled_from([-np.inf, 0.5, 1.2, 2.0, 2.5, 3.0, np.inf])
    ranges = (
        st.tuples(ends, ends)
        .filter(lambda e: max(e[0], parent.low) < min(e[1], parent.high))
        .map(lambda e: Range(*e))
    )
    if isinstance(parent, FloatParameter):
        return ranges
    values = parent.decode(parent.grid()[0])
    return ranges | st.lists(st.sampled_from(values), min_size=1)


@st.composite
def spaces(draw):
    """Spaces of up to seven hyperparameters of any kind, with parents before or after."""
    parameters = []
    for i in range(draw(st.integers(1, 7))):
        conditions = {}
        for parent in (
            draw(st.lists(st.sampled_from(parameters), unique_by=id, max_size=2))
            if (parameters)
            else []
        ):
            conditions[parent.name] = draw(values_that_activate(parent))
        options = {
            "active_when": conditions or None,
            "optional": draw(st.sampled_from([1.0, 1.0, 1.0, 0.3, 0.8])),
        }
        kind = draw(st.sampled_from(["float", "step", "log", "int", "int_log", "category"]))
        name = f"{kind}_{i}"
        if kind in ("float", "step", "log"):
            extra = {"step": 0.5} if kind == "step" else {"log": kind == "log"}
            parameters.append(FloatParameter(name, 0.5, 3.0, **extra, **options))
        elif kind in ("int", "int_log"):
            high = draw(st.integers(2, 5))
            parameters.append(IntParameter(name, 2, high, log=kind == "int_log", **options))
        else:
            choices = draw(st.sampled_from([["a", "b", "c"], [True, 1, "1"], ["x"]]))
            parameters.append(CategoricalParameter(name, choices, **options))
    return SearchSpace(draw(st.permutations(parameters)))


def holds(space, latent, name):
    """Whether a hyperparameter is active where each has a value or None: by its definition."""
    parameter = space[name]
    if latent[name] is None:
        return False
    return all(
        holds(space, latent, parent)
        and (
            values.low <= latent[parent] < values.high
            if isinstance(values, Range)
            else any(type(v) is type(latent[parent]) and v == latent[parent] for v in values)
        )
        for parent, values in (parameter.active_when or {}).items()
    )


def values_of(space, row):
    """The value of each hyperparameter of one latent row, None where it has none."""
    return {
        p.name: None if np.isnan(row[j]) else p.decode(row[[j]])[0]
        for j, p in enumerate(space.parameters)
    }


@given(spaces(), st.integers(0, 2**32))
def test_projected_latent_rows_are_what_the_conditions_say(space, seed):
    latent = space.sample(20, seed=seed, method="uniform", latent=True)
    before = latent.copy()
    projected = space.project(latent)
    np.testing.assert_array_equal(latent, before)
    for row, result in zip(latent, projected, strict=True):
        values = values_of(space, row)
        active = [holds(space, values, name) for name in space.names]
        assert (~np.isnan(result)).tolist() == active
        np.testing.assert_array_equal(result[active], row[active])
    np.testing.assert_array_equal(space.project(projected), projected)


@given(spaces(), st.integers(0, 2**32))
def test_sampled_configurations_are_valid_and_survive_the_round_trip(space, seed):
    X = space.sample(20, seed=seed)
    assert space.is_valid(X).all()
    configs = space.decode(X)
    np.testing.assert_allclose(space.encode(configs), X, rtol=0, atol=1e-12)
    assert [set(config) for config in configs] == [
        {name for name, x in zip(space.names, row, strict=True) if not np.isnan(x)} for row in X
    ]


def is_configuration(space, row):
    """Whether an encoded row is a configuration: by its definition, one value after the other."""
    for j, p in enumerate(space.parameters):
        if np.isnan(row[j]):
            continue
        allowed = np.array([0.0, 1.0]) if p.grid() is None else p.grid()[0]
        inside = allowed[0] <= row[j] <= allowed[-1] if p.grid() is None else row[j] in allowed
        if not inside:
            return False
    values = values_of(space, row)
    for j, p in enumerate(space.parameters):
        # activity as if the value were given; an optional one may be absent although it could be
        could = holds(space, {**values, p.name: "anything"}, p.name)
        if not np.isnan(row[j]) and not could:
            return False
        if np.isnan(row[j]) and could and p.optional == 1.0:
            return False
    return True


@given(spaces(), st.integers(0, 2**32), st.data())
def test_a_corrupted_row_is_valid_only_where_it_is_still_a_configuration(space, seed, data):
    X = space.sample(6, seed=seed)
    for i in range(1, len(X)):
        for _ in range(data.draw(st.integers(1, 2))):
            j = data.draw(st.integers(0, len(space) - 1))
            X[i, j] = data.draw(
                st.sampled_from([np.nan, 0.0, 1.0, 2.0, 0.5, 0.37, -1.0, 3.0, np.inf, -np.inf])
            )
    assert space.is_valid(X).tolist() == [is_configuration(space, row) for row in X]


def test_the_first_position_that_stands_for_no_value_is_named():
    with pytest.raises(ValueError, match=r"of x2 \(row 0: 1.5\)"):
        unit_cube(2).decode([[0.0, 1.5], [2.5, 0.0]])


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"x1": 5.0}, "source does not fit the search space: x1 "),
        ({"x1": 0.5, "z": 1}, "source names 'z'"),
    ],
)
def test_what_is_no_configuration_is_told_of_the_argument_that_was_given(config, told):
    with pytest.raises(ValueError, match=told):
        unit_cube(1).row(config, "source")


@pytest.mark.parametrize(("number", "more"), [(6, ""), (7, ", ..."), (8, ", ..."), (9, ", ...")])
def test_of_many_hyperparameters_the_first_are_named(number, more):
    space = unit_cube(number)
    assert repr(space).endswith(f"(x1, x2, x3, x4, x5, x6{more})>")
    shown = ", ".join(space.names[:8]) + (", ..." if number > 8 else "")
    with pytest.raises(ValueError, match=re.escape(f"one column per hyperparameter ({shown})")):
        space.decode(np.zeros((1, number + 1)))


# ---------------------------------------------------------------------- the order of columns


def test_spaces_of_the_same_hyperparameters_are_equal_in_whatever_order_they_are_gone_through():
    X = SPACE.sample(30, seed=1)
    ordered = SPACE.in_order_of(X)
    assert ordered == SPACE
    assert hash(ordered) == hash(SPACE)
    assert SearchSpace(list(SPACE)) == SPACE
    assert SearchSpace(list(SPACE)[::-1]) != SPACE
    assert SPACE != list(SPACE)
    assert ordered.ordered(X[::-1]) is ordered
    assert SPACE.ordered(X).order_key == ordered.order_key


def test_places_are_the_order_of_the_values_beside_which_categories_were_tried():
    space = SearchSpace([CategoricalParameter("c", list("abc")), FloatParameter("x", 0.0, 1.0)])
    X = np.array([[2.0, 0.5], [0.0, 0.1], [np.nan, 0.1], [2.0, 0.5], [1.0, 0.9], [0.0, 0.05]])
    ordered = space.in_order_of(np.nan_to_num(X))
    np.testing.assert_array_equal(ordered.places(0, X[:, 0]), [1, 0, np.nan, 1, 2, 0])
    np.testing.assert_allclose(ordered.places(1, X[:, 1]), X[:, 1], rtol=1e-11)
    different = ordered.distinct(X)
    assert len(different) == 5
    keys = [ordered.places(j, different[:, j]) for j in ordered.order.tolist()]
    rows = np.nan_to_num(np.stack(keys, axis=1), nan=-1.0).tolist()
    assert rows == sorted(rows)


def gone_through(space, X, cost):
    """Rows as draws and fits see them, in an order of their own."""
    columns = space.in_order_of(X, cost).in_own_order(X)
    columns = np.nan_to_num(columns, nan=-1.0)
    return columns[np.lexsort(columns.T)]


@given(spaces(), st.integers(0, 10**6))
def test_no_order_of_rows_columns_or_categories_changes_what_is_gone_through(space, seed):
    rng = np.random.default_rng(seed)
    X = space.sample(9, seed=seed, method="uniform")
    cost = rng.random(9)
    order = rng.permutation(len(space))
    parameters = [space.parameters[j] for j in order]
    other, values = SearchSpace(parameters), X[:, order]
    for j, parameter in enumerate(parameters):
        if isinstance(parameter, CategoricalParameter):
            codes = rng.permutation(parameter.size)
            parameters[j] = replace(parameter, choices=[parameter.choices[c] for c in codes])
            present = ~np.isnan(values[:, j])
            places = values[present, j].astype(int)
            values[present, j] = np.argsort(codes)[places]
    other = SearchSpace(parameters)
    rows = rng.permutation(9)
    np.testing.assert_array_equal(
        gone_through(space, X, cost), gone_through(other, values[rows], cost[rows])
    )


def test_where_rows_of_a_grid_differ_by_their_cost_alone_it_decides():
    space = unit_cube(2)
    X = np.array([[0.2, 0.7], [0.7, 0.2]])
    cost = np.array([1.0, 2.0])
    first = space.in_order_of(X, cost).order.tolist()
    assert space.in_order_of(X[::-1], cost[::-1]).order.tolist() == first
    assert space.in_order_of(X, cost[::-1]).order.tolist() == first[::-1]


def test_the_unit_of_a_hyperparameter_changes_no_order():
    def ordered(high):
        space = SearchSpace([FloatParameter("a", 0.0, high), FloatParameter("b", 0.0, 7.0)])
        configs = [
            {"a": share * high, "b": 7.0 * other}
            for share, other in ((0.1, 0.9), (0.3, 0.2), (0.7, 0.4))
        ]
        X = space.encode(configs)
        space = space.in_order_of(X)
        return space.order.tolist(), space.in_own_order(X).tolist()

    assert ordered(1.0) == ordered(1000.0 / 3.0) == ordered(0.001)


# ---------------------------------------------------------------------- the measure


def test_each_stratum_of_a_hypercube_is_hit_once():
    n = 137
    X = unit_cube(4).sample(n, seed=3)
    for column in X.T:
        assert np.floor(column * n).astype(int).tolist() != list(range(n))  # not in order
        assert sorted(np.floor(column * n).astype(int)) == list(range(n))


def test_the_shares_of_active_hyperparameters_are_those_of_the_product_measure():
    n = 40_000
    active = dict(zip(SPACE.names, (~np.isnan(SPACE.sample(n, seed=2))).mean(axis=0), strict=True))
    expected = {
        "optimizer": 1.0,
        "momentum": 1 / 3,
        "nesterov": 1 / 3,
        "n_layers": 1.0,
        "units_0": 1.0,
        "units_1": 2 / 3,
        "dropout_1": 2 / 3 * 1 / 3,
        "lr": 1.0,
        "warmup": 0.4,
    }
    for name, share in expected.items():
        # four standard errors of independent draws, which hypercubes stay below
        assert active[name] == pytest.approx(share, abs=4 * np.sqrt(0.25 / n)), name


def test_latent_rows_keep_what_is_inactive_and_optional_absence_is_a_value():
    latent = SPACE.sample(500, seed=0, latent=True)
    absent = np.isnan(latent)
    assert not absent[:, :-1].any()
    assert absent[:, -1].mean() == pytest.approx(0.6, abs=1 / 500)
    np.testing.assert_array_equal(SPACE.project(latent), SPACE.sample(500, seed=0))


@pytest.mark.parametrize("method", ["lhs", "uniform"])
def test_the_same_seed_gives_the_same_rows_and_zero_is_a_seed(method):
    first = SPACE.sample(50, seed=0, method=method)
    np.testing.assert_array_equal(first, SPACE.sample(50, seed=0, method=method))
    assert not np.array_equal(first, SPACE.sample(50, seed=1, method=method), equal_nan=True)


# ---------------------------------------------------------------------- encoding


def test_a_dict_a_list_and_a_frame_encode_alike():
    configs = SPACE.decode(SPACE.sample(40, seed=7))
    X = SPACE.encode(configs)
    np.testing.assert_array_equal(np.vstack([SPACE.encode(config) for config in configs]), X)
    # whole numbers with gaps become floats, gaps become NaN
    frame = pd.DataFrame(configs)
    np.testing.assert_array_equal(SPACE.encode(frame), X)
    np.testing.assert_array_equal(SPACE.encode(frame[frame.columns[::-1]]), X)
    # gaps become NA
    np.testing.assert_array_equal(SPACE.encode(frame.convert_dtypes()), X)


NONE_IS_A_CHOICE = SearchSpace(
    [
        CategoricalParameter("max_features", ["sqrt", "log2", None]),
        CategoricalParameter("booster", ["gbtree", "dart"]),
        CategoricalParameter("policy", ["a", None], active_when={"booster": ["dart"]}),
    ]
)


def test_none_is_a_choice_also_where_a_table_writes_it_as_nan():
    configs = [
        {"max_features": None, "booster": "dart", "policy": None},
        {"max_features": "sqrt", "booster": "dart", "policy": "a"},
        {"max_features": "log2", "booster": "gbtree"},
    ]
    X = np.array([[2, 1, 1], [0, 1, 0], [1, 0, np.nan]], dtype=float)
    np.testing.assert_array_equal(NONE_IS_A_CHOICE.encode(configs), X)
    frame = pd.DataFrame(configs)
    np.testing.assert_array_equal(NONE_IS_A_CHOICE.encode(frame), X)
    np.testing.assert_array_equal(NONE_IS_A_CHOICE.encode(frame.astype(object)), X)
    assert NONE_IS_A_CHOICE.decode(X) == configs


def test_nan_as_a_choice_is_not_a_gap():
    space = SearchSpace([CategoricalParameter("c", [1.0, float("nan")])])
    assert space.encode([{"c": float("nan")}, {"c": 1}]).tolist() == [[1.0], [0.0]]
    assert np.isnan(space.decode(np.array([[1.0]]))[0]["c"])


def test_of_an_optional_hyperparameter_nan_is_its_absence_and_none_a_choice():
    space = SearchSpace([CategoricalParameter("c", ["a", None], optional=0.5)])
    X = space.encode([{"c": None}, {"c": float("nan")}, {}])
    np.testing.assert_array_equal(X, [[1.0], [np.nan], [np.nan]])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lr", "always active"),
        ("momentum", "active when optimizer = sgd"),
        ("units_1", "active when n_layers in {2, 3}"),
        ("dropout_1", "active when n_layers in {2, 3} and optimizer = adam"),
        ("warmup", "active, at a frequency of 0.4"),
    ],
)
def test_conditions_are_told_in_words(name, text):
    assert SPACE.condition_text(name) == text
    assert SPACE.is_conditional(name) == (name != "lr")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (Range(high=0.5), "c < 0.5"),
        (Range(0.25), "c >= 0.25"),
        (Range(0.25, 0.5), "0.25 <= c < 0.5"),
        (Range(), "any c"),
    ],
    ids=repr,
)
def test_a_range_of_a_parent_is_told_in_words_and_read_from_its_text(values, text):
    child = FloatParameter("x", 0.0, 1.0, active_when={"c": values})
    space = SearchSpace([FloatParameter("c", 0.0, 1.0), child])
    assert space.condition_text("x") == f"active when {text}"
    assert eval(repr(values)) == values


def test_branches_of_a_number_share_no_configuration_and_leave_none_out():
    c = FloatParameter("c", 1e-4, 1.0, log=True)
    branches = [Range(high=0.01), Range(0.01, 0.3), Range(0.3)]
    children = [
        FloatParameter(f"x{i}", 0.0, 1.0, active_when={"c": values})
        for i, values in enumerate(branches)
    ]
    space = SearchSpace([c, *children])
    at = c.encode([1e-4, np.nextafter(0.01, 0.0), 0.01, 0.3, 1.0])
    rows = np.column_stack([at, np.full((5, 3), 0.5)])
    active = ~np.isnan(space.project(rows)[:, 1:])
    assert active.argmax(axis=1).tolist() == [0, 0, 1, 2, 2]
    assert (active.sum(axis=1) == 1).all()


def test_values_that_two_conditions_have_in_common_are_those_that_meet_both():
    k, c = IntParameter("k", 1, 9), FloatParameter("c", 0.0, 1.0)
    codes = np.array([1, 2, 5])
    assert common(k, codes, Range(2, 5.5)).tolist() == [2, 5]
    assert common(k, Range(2, 5), codes).tolist() == [2]
    assert common(k, codes, np.array([2, 3])).tolist() == [2]
    assert common(k, codes, Range(6)) is None
    assert common(c, Range(high=0.5), Range(0.2)) == Range(0.2, 0.5)
    assert common(c, Range(high=0.5), Range(0.5)) is None


def test_what_a_narrower_parent_never_activates_is_left_out():
    c = FloatParameter("c", 0.0, 0.5)
    low = FloatParameter("low", 0.0, 1.0, active_when={"c": Range(high=0.5)})
    high = FloatParameter("high", 0.0, 1.0, active_when={"c": Range(0.5)})
    deep = FloatParameter("deep", 0.0, 1.0, active_when={"high": Range(0.1)})
    assert still_possible([c, low, high, deep]) == ([c, low], ["high", "deep"])


def test_rows_brought_inside_are_the_same_in_whichever_order_categories_are():
    whole = CategoricalParameter("c", list("abcd"))
    other = CategoricalParameter("c", list("cbda"))
    inside = [CategoricalParameter("c", ["a", "b", "d"])]
    tried = list("dbca")

    def brought(parameter):
        space = SearchSpace([parameter])
        X = space.encode([{"c": value} for value in tried])
        space = space.in_order_of(X, np.arange(4.0))
        return space.decode(brought_inside(space, inside, X))

    assert brought(whole) == brought(other)


def test_different_rows_are_those_of_numpy_in_the_same_order():
    space = SearchSpace([FloatParameter(name, 0.0, 1.0) for name in "abc"])
    rng = np.random.default_rng(0)
    X = rng.choice([-0.1, -0.0, 0.0, 2.0**-20, 0.3, 1.0, np.nan], (300, 3))
    keys = np.nan_to_num(X, nan=-1.0)
    _, expected = np.unique(keys, axis=0, return_index=True)
    np.testing.assert_array_equal(space.distinct_places(X), expected)
