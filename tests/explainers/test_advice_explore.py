"""Configurations that are advised to be explored: how far from all trials, and when at all."""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.explainers._advice.beware import failing
from hpo_explain.explainers._advice.explore import explore, total_effects
from hpo_explain.explainers._advice.prospects import Prospects
from hpo_explain.explanations.advice import Action
from hpo_explain.facade.advice import Analysed
from hpo_explain.run import on_log_tail

PLANE = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in ("x", "y", "z")])
NONE = failing(PLANE, ())


class Linear:
    """A model with known effects: a sum of weighted positions."""

    def __init__(self, space, weights):
        self.space, self._weights = space, np.array(weights)

    def predict(self, X):
        return X @ self._weights, np.zeros(len(X))


def crowded(n=40, seed=0):
    """Most trials about the optimum of a bowl of x and y, at 0.25 each; z does not matter."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.random((n // 4, 3)), np.clip(rng.normal(0.25, 0.05, (n, 3)), 0.0, 1.0)])
    return hx.Run(PLANE, X, np.sum((X[:, :2] - 0.25) ** 2, axis=1), "minimize")


def asked(run, attempted, avoid=NONE):
    return explore(Analysed(run), Prospects(run), attempted, avoid)


def tried(gain, configurations=({"x": 0.9, "y": 0.1, "z": 0.5},)):
    return Action("try", gain=gain, configurations=configurations)


AXIS = np.linspace(0.0, 1.0, 31)
GRID = np.stack(np.meshgrid(AXIS, AXIS, indexing="ij"), axis=-1).reshape(-1, 2)


def uncovered(weights, others):
    """The mean over the plane of the squared distance from the nearest of some rows."""
    apart = np.square(GRID[:, None] - np.asarray(others)[:, :2]) @ weights
    return float(apart.min(axis=1).mean())


def test_total_effects_of_a_sum_are_squared_weights_times_variances():
    effects = total_effects(Linear(PLANE, [1.0, -2.0, 0.0]), PLANE)
    np.testing.assert_allclose(effects, [0.25, 1.0, 0.0], atol=0.03)


def test_each_covers_as_much_of_what_matters_as_any_other_would():
    run = crowded()
    found = asked(run, None)
    assert found.evidence[1].names == ("x", "y")
    weights = total_effects(run.surrogate(), run.space)[:2]
    known = run.X[:, :2]
    for row in PLANE.encode([dict(config) for config in found.configurations])[:3, :2]:
        before, after = uncovered(weights, known), uncovered(weights, np.vstack([known, row]))
        best = min(uncovered(weights, np.vstack([known, other])) for other in GRID[::7])
        # places, and the mean over the plane, are those of a sample of 1000
        assert before - after > 0.75 * (before - best)
        known = np.vstack([known, row])


def test_the_distance_told_is_that_of_the_nearest_trial():
    run = crowded()
    found = asked(run, None)
    weights = total_effects(run.surrogate(), run.space)
    weights[2] = 0.0
    (row,) = PLANE.encode([dict(found.configurations[0])])
    nearest = np.sqrt((np.square(row - run.X) @ weights).min())
    assert found.evidence[1]["distance"] == pytest.approx(nearest, abs=1e-5)


def test_it_is_advised_where_the_model_expects_little_of_the_configurations_to_try_only():
    run = crowded()
    usual = float(np.std(on_log_tail(run)[0].objective))
    assert asked(run, tried(0.03 * usual)) is None
    found = asked(run, tried(0.01 * usual))
    assert found.evidence[0]["expected"] == pytest.approx(0.01 * usual)
    assert found.evidence[0]["spread"] == pytest.approx(usual)
    assert np.isnan(found.gain)
    assert not found.certain


def test_a_few_very_bad_results_do_not_make_an_improvement_small():
    run = crowded()
    worse = run.objective.copy()
    worse[np.argsort(worse)[-3:]] *= 1e6
    promising = tried(0.3 * float(np.std(run.objective)))
    assert asked(run, promising) is None
    assert asked(hx.Run(PLANE, run.X, worse, "minimize"), promising) is None


def test_nothing_is_explored_where_the_model_is_not_believed():
    X = PLANE.sample(30, seed=0)
    noise = hx.Run(PLANE, X, np.random.default_rng(0).standard_normal(30), "minimize")
    assert asked(noise, None) is None


def test_configurations_to_try_are_not_explored_again():
    run = crowded()
    first = asked(run, None).configurations[0]
    again = asked(run, tried(0.0, (first,))).configurations[0]
    assert np.abs(PLANE.encode([dict(again)]) - PLANE.encode([dict(first)]))[0, :2].max() > 0.1


def test_they_keep_away_from_what_fails():
    run = crowded()
    found = asked(run, None, lambda rows: rows[:, 0] > 0.5)
    assert all(config["x"] <= 0.5 for config in found.configurations)


def test_categories_and_inactive_hyperparameters_differ_or_not():
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("kind", ["a", "b", "c"]),
            hx.FloatParameter("x", 0.0, 1.0),
            hx.FloatParameter("only_c", 0.0, 1.0, active_when={"kind": ["c"]}),
        ]
    )
    X = space.sample(60, seed=0)
    X = X[X[:, 0] != 1]  # "b" was never tried
    y = np.where(X[:, 0] == 0, 0.0, 0.5) + (X[:, 1] - 0.2) ** 2
    found = asked(hx.Run(space, X, y, "minimize"), None)
    assert found.configurations[0]["kind"] == "b"


def test_what_is_applied_alternates_between_actions():
    run = crowded()
    actions = (
        tried(0.1, ({"x": 0.1, "y": 0.1, "z": 0.1}, {"x": 0.2, "y": 0.2, "z": 0.2})),
        Action("explore", configurations=({"x": 0.9, "y": 0.9, "z": 0.9},)),
    )
    advice = hx.Advice(subject=Subject.of(run), actions=actions, space=run.space)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study = advice.apply(study)
    study.optimize(lambda t: sum(t.suggest_float(n, 0.0, 1.0) for n in "xyz"), n_trials=3)
    assert [trial.params["x"] for trial in study.trials] == [0.1, 0.9, 0.2]
