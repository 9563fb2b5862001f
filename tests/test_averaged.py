"""Instances: a model first, then the average over all of them, against what is known exactly."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.run import average_instances
from tests.analytic import unit_cube


def with_instances(X, evaluated, objective, direction="minimize"):
    """A run of configurations X; `evaluated` (n, k) says where `objective` (n, k) is known."""
    rows, index = np.nonzero(evaluated)
    mean = np.array(
        [objective[i, seen].mean() for i, seen in enumerate(evaluated)]
    )
    instances = hx.run.Instances(
        [*range(evaluated.shape[1])], X[rows], index, objective[rows, index]
    )
    return hx.Run(
        unit_cube(X.shape[1]), X, mean, direction, instances=instances
    )


def where_it_is_easy():
    """y = x2 + 10 on the hard instance, which is missing where x1 is high: x1 has no effect."""
    X = unit_cube(2).sample(200, seed=1)
    objective = X[:, [1]] + np.array([[0.0, 0.0, 10.0]])
    evaluated = np.ones((200, 3), dtype=bool)
    evaluated[X[:, 0] > 0.5, 2] = False
    return X, evaluated, objective


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["minimize", "maximize"])
def test_missing_instances_do_not_make_a_hyperparameter_important(sign):
    X, evaluated, objective = where_it_is_easy()
    run = with_instances(
        X, evaluated, sign * objective, "minimize" if sign > 0 else "maximize"
    )
    plain = hx.importance(
        hx.Run(run.space, run.X, run.objective, run.direction), n_trees=16
    )
    assert plain.share("x1") > 0.9  # what the plain mean would say
    result = hx.importance(run, n_trees=16)
    assert result.share("x2") > 0.95
    assert result.share("x1") < 0.02


def test_the_average_is_over_all_instances_whatever_was_evaluated():
    X, evaluated, objective = where_it_is_easy()
    averaged = average_instances(with_instances(X, evaluated, objective))
    # E over instances of y is x2 + 10/3; a leaf of one trial is within the gap to its neighbours
    np.testing.assert_allclose(
        averaged.objective, X[:, 1] + 10.0 / 3.0, atol=0.05
    )
    assert averaged.instances is None


def evaluated_on_some(seed, n=60):
    rng = np.random.default_rng(seed)
    X = unit_cube(2).sample(n, seed=seed)
    evaluated = rng.random((n, 4)) < 0.6
    evaluated[:, 0] = True
    return X, evaluated, rng


def test_what_is_predicted_of_pure_noise_is_not_trusted():
    for seed in range(2):
        X, evaluated, rng = evaluated_on_some(seed)
        run = with_instances(X, evaluated, rng.normal(size=evaluated.shape))
        assert hx.trust(run).level == "poor"
        assert not [
            claim for claim in hx.importance(run).claims if claim.certain
        ]
