"""Support: which values and configurations were tried."""

from __future__ import annotations

import numpy as np
import pytest

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.space.distances import among, gower_distances, nearest
from hpo_explain.space.support import FEW, Support
from tests.analytic import unit_cube

X = FloatParameter("x", 0.0, 1.0)
Y = FloatParameter("y", 0.0, 1.0)


def test_only_the_part_where_trials_are_was_tried() -> None:
    space = SearchSpace([X, Y])
    tried = space.sample(60, seed=1)
    tried[:, 0] *= 0.45
    support = Support(space, tried)
    assert support.at("x", [0.2, 0.7, 1.0]).tolist() == [True, False, False]
    assert support.at("y", [0.05, 0.5, 0.95]).all()


def test_counts_are_those_of_brute_force() -> None:
    space = SearchSpace([X])
    tried = space.sample(100, seed=3, method="uniform")
    values = np.linspace(0.05, 0.95, 19)
    expected = [np.sum(np.abs(tried[:, 0] - value) <= 0.05) for value in values]
    assert Support(space, tried).near("x", values.tolist()).tolist() == expected


@pytest.mark.parametrize("n", [30, 60, 300])
def test_evenly_spread_trials_have_tried_nearly_everything(n: int) -> None:
    space = SearchSpace([X, Y])
    shares = [
        Support(space, space.sample(n, seed=seed, method="uniform"))
        .at("x", np.linspace(0.005, 0.995, 100).tolist())
        .mean()
        for seed in range(20)
    ]
    assert np.mean(shares) > 0.9


def test_a_branch_counts_its_own_trials_alone() -> None:
    space = SearchSpace(
        [
            CategoricalParameter("model", ["svm", "tree"]),
            FloatParameter("gamma", 1e-3, 1e3, log=True, active_when={"model": ["svm"]}),
        ]
    )
    configs = [{"model": "tree"}] * 50 + [{"model": "svm", "gamma": 1.0}] * (FEW - 1)
    support = Support(space, space.encode(configs))
    assert support.at("model", ["tree", "svm"]).tolist() == [True, False]
    assert not support.at("gamma", [1.0]).any()
    more = Support(space, space.encode([*configs, {"model": "svm", "gamma": 1.0}]))
    assert more.at("gamma", [1.0, 1e3]).tolist() == [True, False]


def test_every_value_of_a_small_integer_counts_for_itself() -> None:
    space = SearchSpace([IntParameter("layers", 1, 5)])
    support = Support(space, space.encode([{"layers": v} for v in (1, 1, 1, 3, 3, 3, 4)]))
    assert support.near("layers", [1, 2, 3, 4, 5]).tolist() == [3, 0, 3, 1, 0]


def test_without_trials_nothing_was_tried() -> None:
    space = SearchSpace([X])
    assert not Support(space, np.empty((0, 1))).at("x", [0.5]).any()


def test_a_pair_was_tried_where_a_trial_has_both_near():
    space = unit_cube(2)
    X = space.sample(200, seed=0)
    # nothing has both above the middle
    X = X[(X[:, 0] < 0.5) | (X[:, 1] < 0.5)]
    found = Support(space, X).at_pairs(space.names, ([0.1, 0.9], [0.1, 0.5, 0.9]))
    assert found.tolist() == [[True, True, True], [True, True, False]]
    assert Support(space, X * [0.5, 1.0]).at_pairs(space.names, ([0.9], [0.1])).tolist() == [
        [False]
    ]


def test_rows_among_others_are_those_at_no_distance():
    space = SearchSpace(
        [
            CategoricalParameter("c", ["a", "b"]),
            FloatParameter("x", 0.0, 1.0),
            FloatParameter("z", 0.0, 1.0, active_when={"c": ["a"]}),
        ]
    )
    rows = space.sample(60, seed=0)
    others = np.concatenate([rows[::3], space.sample(20, seed=1)])
    others[:, 1] += 1e-14
    distances = nearest(space, rows, others)
    same = among(space, rows, others)
    assert same.sum() >= 20
    np.testing.assert_array_equal(same, distances < 1e-9)
    assert not among(space, rows, others[:0]).any()


@pytest.mark.parametrize("size", [3, 200])
@pytest.mark.parametrize("conditional", [False, True])
def test_the_nearest_of_many_rows_is_as_far_as_in_the_table_of_all_distances(
    size: int, conditional: bool
) -> None:
    kind = CategoricalParameter("kind", [f"k{i}" for i in range(size)])
    branch = {"kind": ["k0"]} if conditional else None
    space = SearchSpace(
        [kind, FloatParameter("x", 0.0, 1.0, active_when=branch), IntParameter("k", 1, 9)]
    )
    X = space.sample(700, seed=0)
    others = space.sample(400, seed=1)
    expected = gower_distances(space, X, others).min(axis=1)
    np.testing.assert_allclose(nearest(space, X, others), expected, rtol=1e-12, atol=1e-15)
