"""Where results come from: borders, failures at random, and who asks."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.belief.feasibility import Feasibility

SPACE = hx.SearchSpace([hx.FloatParameter(f"x{i}", 0.0, 1.0) for i in range(3)])


def fitted(fails, n=80, seed=0):
    X = SPACE.sample(n, seed=seed)
    return Feasibility.fit(SPACE, X, ~fails(X, np.random.default_rng(seed)), seed=0)


def test_a_sharp_border_is_found():
    found = fitted(lambda X, rng: X[:, 0] > 0.6)
    rows = SPACE.sample(1000, seed=5)
    wrong = found.probable(rows) != (rows[:, 0] <= 0.6)
    assert wrong.mean() < 0.1
    assert (np.abs(rows[wrong, 0] - 0.6) < 0.2).all()


@pytest.mark.parametrize("seed", range(4))
def test_failures_at_random_make_no_hole(seed):
    found = fitted(lambda X, rng: rng.random(len(X)) < 0.15, seed=seed)
    assert found.probable(SPACE.sample(1000, seed=5)).mean() > 0.97


def test_all_alike_is_the_rule_of_succession():
    found = Feasibility.fit(SPACE, SPACE.sample(8), np.ones(8, bool))
    np.testing.assert_allclose(found.probability(SPACE.sample(3)), 0.9)


def test_probabilities_are_least_squares_on_the_labels():
    """With one setting of the kernel, the mean of a Gaussian process on 0 and 1."""
    X = SPACE.sample(40, seed=1)
    label = (X[:, 1] < 0.5).astype(float)
    found = Feasibility.fit(SPACE, X, label > 0.5, seed=0)
    residual = found.probability(X) - label
    assert np.sqrt((residual**2).mean()) < 0.2


def test_the_order_of_trials_changes_no_probability():
    X = SPACE.sample(40, seed=1)
    feasible = X[:, 1] + X[:, 0] ** 2 < 0.8
    rows = SPACE.sample(30, seed=2)
    other = np.random.default_rng(0).permutation(40)
    expected = Feasibility.fit(SPACE, X, feasible).probability(rows)
    found = Feasibility.fit(SPACE, X[other], feasible[other])
    np.testing.assert_array_equal(found.probability(rows), expected)


def test_where_everything_fails_nothing_is_proposed():
    """Accuracy rises with x0, and beyond 0.5 every trial fails."""
    X = SPACE.sample(90, seed=2)
    failed = X[:, 0] > 0.5
    run = hx.Run(
        SPACE,
        X[~failed],
        X[~failed, 0] + 0.1 * X[~failed, 1],
        "maximize",
        trials=np.flatnonzero(~failed).tolist(),
        without_result={
            int(t): hx.run.WithoutResult("failed", X[t]) for t in np.flatnonzero(failed)
        },
        excluded={int(t): "crashed" for t in np.flatnonzero(failed)},
    )
    land = run.belief().at_best.landscape
    rows = land.all_rows[land.possible_values.argmin(axis=1)]
    assert (rows[:, 0] <= 0.55).mean() > 0.95
