"""A model of the user's as a page carries it: as far from the model as it says."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.belief.carried import Carried
from hpo_explain.belief.draws import DrawnSurrogate
from hpo_explain.question import Question
from hpo_explain.reporting.panel import what_if


class Known:
    """A model with a closed form that is off by one number everywhere, whose size it knows."""

    def __init__(self, space, mean):
        self.space, self._mean = space, mean

    def predict(self, X):
        return self._mean(X), np.full(len(X), 0.2)

    def covariance_with(self, X, others):
        return np.full((len(X), len(others)), 0.04)

    def posterior_covariance(self, X):
        return self.covariance_with(X, X)

    def std_of_mean(self, X, members, values):
        return np.full(len(values), 0.2)


SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("x", 0.0, 1.0),
        hx.IntParameter("n", 1, 9),
        hx.CategoricalParameter("c", ["a", "b", "d"]),
    ]
)


def smooth(X):
    return 3.0 + np.sin(3.0 * X[:, 0]) + X[:, 0] * X[:, 1] + 0.5 * (X[:, 2] == 1)


def rough(X):
    return 3.0 + np.sign(np.sin(20_000.0 * X[:, 0]))


def run_of(mean):
    X = SPACE.sample(30, seed=1)
    run = hx.Run(SPACE, X, mean(X), "maximize", objective_name="score")
    return run.explained_by(Known(SPACE, mean))


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_copy_is_as_near_as_it_says(direction):
    draws = DrawnSurrogate(Known(SPACE, smooth), direction)
    carried = Carried.of(draws, SPACE.sample(20, seed=2), None)
    assert 0.0 < carried.off < 0.02
    assert not carried.constant.any()
    assert Carried.of(DrawnSurrogate(Known(SPACE, rough), direction), draws.X, None).off > 0.5


def test_the_profiler_moves_what_it_can_carry_and_draws_the_other_as_it_is():
    moved, still = (what_if(Question(run_of(mean))) for mean in (smooth, rough))
    assert 'type="application/json"' in moved.body
    assert "evaluates a copy of your model" in moved.body
    assert 'type="application/json"' not in still.body
    assert "cannot be moved" in still.body
    for content in (moved, still):
        assert content.body.count('class="profile-plot') == len(SPACE)
    assert "score" in still.finding
