"""The L1-neighbourhood: distances by hand, over every kind of hyperparameter."""

import numpy as np
import pytest

from hpo_explain.methods._engines.background import l1_neighbourhood
from tests.analytic import space_of, unit_cube

SPACE = space_of(
    lr=(0.0001, 1.0, "log"),
    booster=["tree", "linear", "dart"],
    drop=(0.0, 1.0),
    when={"drop": {"booster": ["dart"]}},
)
ROWS = SPACE.encode(
    [
        {"lr": 1e-2, "booster": "tree"},  # 0
        {"lr": 1e-3, "booster": "tree"},  # 1/4 of the log range
        {"lr": 1e-2, "booster": "linear"},  # 1: another category
        {"lr": 1e-2, "booster": "dart", "drop": 0.1},  # 2: and what only it has
        {"lr": 1.0, "booster": "tree"},  # 1/2
    ]
)
CENTRE = {"lr": 1e-2, "booster": "tree"}


@pytest.mark.parametrize(
    ("n", "expected"), [(1, [0]), (2, [0, 1]), (3, [0, 1, 4]), (4, [0, 1, 2, 4])]
)
def test_the_closest_rows_are_those_by_hand(n, expected):
    assert l1_neighbourhood(SPACE, ROWS, CENTRE, n).tolist() == expected


def test_categories_are_all_equally_far_and_dart_is_closest_to_dart():
    dart = {"lr": 1e-2, "booster": "dart", "drop": 0.9}
    assert l1_neighbourhood(SPACE, ROWS, dart, 1).tolist() == [3]  # 0.8, others 2 and more
    assert l1_neighbourhood(SPACE, ROWS, dart, 3).tolist() == [0, 2, 3]


def test_what_is_left_out_does_not_count():
    assert l1_neighbourhood(SPACE, ROWS, CENTRE, 3, without="lr").tolist() == [0, 1, 4]
    assert l1_neighbourhood(SPACE, ROWS, CENTRE, 2, without=["booster", "drop"]).tolist() == [0, 2]


def test_latent_values_of_what_is_inactive_do_not_count():
    latent = np.where(np.isnan(ROWS), 0.3, ROWS)
    assert l1_neighbourhood(SPACE, latent, CENTRE, 4).tolist() == [0, 1, 2, 4]


def test_it_is_the_l1_norm_of_numbers():
    space = unit_cube(4)
    X = space.sample(50, seed=1)
    centre = space.decode(X[:1])[0]
    closest = np.argsort(np.abs(X - X[0]).sum(axis=1))[:7]
    np.testing.assert_array_equal(l1_neighbourhood(space, X, centre, 7), np.sort(closest))
