"""Reference sets: latent rows from the whole space, around a configuration, or given."""

import numpy as np
import pytest

from hpo_explain import CategoricalParameter, FloatParameter, SearchSpace
from hpo_explain.methods import (
    baseline_background,
    global_background,
    hybrid_background,
    local_background,
)
from hpo_explain.methods._engines.background import complete, hypercubes
from tests.analytic import nested_space, unit_cube

SPACE = nested_space()
ADAM = {"optimizer": "adam", "n_layers": 2, "units_0": 16, "units_1": 8, "dropout_1": 0.25}
# without momentum and nesterov, and warmup not given
ADAM = {**ADAM, "lr": 1e-3}
SGD = {"optimizer": "sgd", "momentum": 0.6, "nesterov": True, "n_layers": 1, "units_0": 64}
SGD = {**SGD, "lr": 1e-1, "warmup": 30}


def column(rows, name):
    return rows[:, SPACE.index(name)]


# ---------------------------------------------------------------------- the whole space


@pytest.mark.parametrize(
    ("n", "sizes"), [(1000, [100] * 10), (23, [3] * 3 + [2] * 7), (4, [1] * 4)]
)
def test_a_global_background_is_ten_hypercubes_of_nearly_equal_size(n, sizes):
    space = unit_cube(3)
    cubes = hypercubes(space, n, seed=3)
    assert [len(cube) for cube in cubes] == sizes
    for cube in cubes:
        for values in cube.T:
            assert sorted(np.floor(values * len(cube)).astype(int)) == list(range(len(cube)))
    np.testing.assert_array_equal(np.vstack(cubes), global_background(space, n, seed=3))


def test_latent_rows_hold_what_is_inactive():
    rows = global_background(SPACE, 200)
    absent = np.isnan(rows)
    assert not absent[:, :-1].any()  # all but the optional warmup
    assert column(absent, "warmup").mean() == pytest.approx(0.6, abs=10 / 200)
    assert SPACE.on_grid(rows).all()
    assert SPACE.is_valid(SPACE.project(rows)).all()


# ---------------------------------------------------------------------- around a configuration


@pytest.mark.parametrize("config", [ADAM, SGD], ids=["adam", "sgd"])
@pytest.mark.parametrize("radius", [0.1, 0.4])
def test_local_rows_lie_within_the_radius_on_their_grid(config, radius):
    rows = local_background(SPACE, config, 500, radius=radius, seed=1)
    assert rows.shape == (500, 9)
    assert SPACE.on_grid(rows).all()
    assert SPACE.is_valid(SPACE.project(rows)).all()
    centre = SPACE.encode(config)[0]
    for j, parameter in enumerate(SPACE):
        if np.isnan(centre[j]) or isinstance(parameter, CategoricalParameter):
            continue
        distance = np.abs(rows[:, j] - centre[j])
        assert distance.max() <= radius + 1e-9, parameter.name
        grid = parameter.grid()
        if grid is None:
            assert distance.max() > 0.9 * min(radius, max(centre[j], 1 - centre[j]))
        else:  # every value near, in proportion to its measure
            near = np.abs(grid[0] - centre[j]) <= radius + 1e-9
            shares = [(rows[:, j] == position).mean() for position in grid[0][near]]
            expected = grid[1][near] / grid[1][near].sum()
            np.testing.assert_allclose(shares, expected, atol=4 * np.sqrt(0.25 / 500))


def test_categories_and_absence_are_kept_with_probability_one_minus_radius():
    n, radius = 4000, 0.3
    rows = local_background(SPACE, ADAM, n, radius=radius, seed=2)
    error = 4 * np.sqrt(0.25 / n)
    adam = (column(rows, "optimizer") == 0).mean()
    assert adam == pytest.approx(1 - radius + radius / 3, abs=error)
    absent = np.isnan(column(rows, "warmup")).mean()
    assert absent == pytest.approx(1 - radius + radius * 0.6, abs=error)
    present = local_background(SPACE, SGD, n, radius=radius, seed=2)
    assert not np.isnan(column(present, "warmup")).any()


def test_what_is_inactive_at_the_configuration_is_drawn_from_the_whole_space():
    rows = local_background(SPACE, ADAM, 2000, radius=0.05, seed=3)
    values, counts = np.unique(column(rows, "momentum"), return_counts=True)
    np.testing.assert_allclose(values, [0, 1 / 3, 2 / 3, 1])
    assert np.ptp(counts) <= 20  # ten hypercubes of 200, each off by at most 1 per value


def test_a_hybrid_background_is_partly_local_and_partly_global():
    space = unit_cube(2)
    config = {"x1": 0.5, "x2": 0.5}
    rows = hybrid_background(space, config, 100, share=0.3, radius=0.05, seed=4)
    near = np.abs(rows - 0.5).max(axis=1) <= 0.05
    assert near[:30].all()
    assert near[30:].mean() < 0.1
    np.testing.assert_array_equal(rows[30:], global_background(space, 70, seed=4))
    local = local_background(space, config, 30, radius=0.05, seed=4)
    np.testing.assert_array_equal(rows[:30], local)


def test_the_parts_of_a_hybrid_background_are_drawn_apart():
    rows = hybrid_background(SPACE, ADAM, 200, share=0.5, seed=0)
    # inactive: from the whole space in both parts
    momentum = column(rows, "momentum")
    agreement = (momentum[:100] == momentum[100:]).mean()
    assert agreement == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / 100))


# ---------------------------------------------------------------------- given rows


def test_a_baseline_is_the_encoded_configuration():
    np.testing.assert_array_equal(baseline_background(SPACE, ADAM), SPACE.encode(ADAM))
    np.testing.assert_array_equal(
        baseline_background(SPACE, [ADAM, SGD]), SPACE.encode([ADAM, SGD])
    )


def test_given_rows_are_completed_where_a_coalition_may_need_a_value():
    rows = SPACE.encode([ADAM, SGD] * 50)
    kept = rows.copy()
    completed = complete(SPACE, rows, seed=1)
    np.testing.assert_array_equal(rows, kept)
    given = ~np.isnan(rows)
    np.testing.assert_array_equal(completed[given], rows[given])
    assert not np.isnan(completed[:, :-1]).any()
    assert SPACE.on_grid(completed).all()
    # the configurations stay what they were
    np.testing.assert_array_equal(SPACE.project(completed), rows)
    np.testing.assert_array_equal(completed, complete(SPACE, rows, seed=1))


def test_what_may_be_absent_stays_absent_where_it_could_be_active():
    space = SearchSpace(
        [
            CategoricalParameter("c", ["a", "b"]),
            FloatParameter("x", 0, 1, active_when={"c": ["a"]}, optional=0.5),
        ]
    )
    completed = complete(space, space.encode([{"c": "a"}] * 40 + [{"c": "b"}] * 40))
    assert np.isnan(completed[:40, 1]).all()
    # where it is inactive it is drawn from the measure: absent or not
    assert 5 < np.isnan(completed[40:, 1]).sum() < 35
