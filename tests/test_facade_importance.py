"""Importance that knows noise: shares whose truth is known, and which model answers."""

from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.explanations.fanova import ShareIntervals
from tests.analytic import unit_cube
from tests.claims.problems import additive, categorical


def noisy(problem, n, noise, seed=0):
    """A run on random configurations, with noise relative to the signal's spread."""
    X = problem.space.sample(n, seed=seed, method="uniform")
    rng = np.random.default_rng(seed)
    y = problem.cost(X) + noise * problem.spread * rng.standard_normal(n)
    return hx.Run(problem.space, X, y, "minimize")


def test_noise_is_not_told_as_interaction():
    """Additive, noise as large as the signal: a forest's own shares say 57 % for the mains."""
    run = noisy(additive(), 300, 1.0)
    result = hx.importance(run)
    _, lower, upper = result.intervals.mains
    assert result.subject.model == "a GP"
    assert lower > 0.75
    assert upper > 0.995
    assert "the rest" not in result.sentence
    forest = run.surrogate(kind="forest")
    own = hx.FanovaExplainer(forest).explain().shares.sum(axis=1).mean()
    tuned = hx.importance(run, kind="forest")
    assert own < 0.7 < tuned.intervals.mains[0]


def test_intervals_hold_the_truth_as_often_as_they_should():
    """The goal is 85 % over all problems; a 95 % interval may miss single shares."""
    problem = additive()
    inside = []
    for seed in range(5):
        found = hx.importance(noisy(problem, 100, 1.0, seed), kind="gp").intervals
        truth = np.array([problem.shares[name,] for name in problem.space.names])
        inside += ((found.lower - 0.005 <= truth) & (truth <= found.upper + 0.005)).tolist()
    assert np.mean(inside) >= 0.85


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_an_irrelevant_category_of_twenty_levels_gets_no_certain_share(kind):
    result = hx.importance(noisy(categorical(), 100, 0.5), kind=kind)
    assert result.importance.loc["irrelevant", "lower"] < 0.01
    certain = {name for c in result.claims if c.certain for name in c.hyperparameters}
    named = [c for c in result.claims if c.kind == "importance" and c.certain]
    assert all("irrelevant" not in claim.hyperparameters for claim in named)
    assert result.importance["importance"].idxmax() == "kernel"
    assert certain <= set(result.names)


def test_what_only_a_forest_answers_is_not_asked_of_a_process():
    run = noisy(additive(), 30, 0.1)
    for asked in ({"n_trees": 8}, {"cap": "50%"}, {"given": {"x0": [0.0, 0.5]}}, {"order": 4}):
        with pytest.raises(ValueError, match=r"asks for a forest\. Leave one of them out"):
            hx.importance(run, kind="gp", **asked)
    assert hx.importance(run, n_trees=8).subject.model == "a forest"
    with pytest.raises(ValueError, match="kind must be one of"):
        hx.importance(run, kind="tree")


def test_where_models_disagree_beyond_their_intervals_that_comes_first():
    space = unit_cube(2)
    X = space.sample(40, seed=0)
    mine = hx.importance(hx.Run(space, X, X[:, 0], "minimize"))
    seen = ShareIntervals(np.array([0.2, 0.7]), np.zeros(2), np.array([0.4, 1.0]), (0.9, 0.8, 1.0))
    other = replace(mine, intervals=seen, subject=replace(mine.subject, model="a forest"))
    both = mine.compared(other)
    assert [(d.name, d.model, d.importance) for d in both.differences] == [("x1", "a forest", 0.2)]
    first, *rest = both.claims
    assert (first.kind, first.hyperparameters, first.certain) == ("models_differ", ("x1",), False)
    assert both.sentence.startswith("Two models disagree: a forest predicts held-out trials about")
    assert not any(claim.certain for claim in rest if "x1" in claim.hyperparameters)
    assert mine.compared(mine).differences == ()


def test_larger_leaves_are_taken_where_trials_are_noisy():
    exact = noisy(additive(), 60, 0.0).surrogate(kind="forest", n_trees=16)
    assert exact.tuned() is exact
    rough = noisy(additive(), 100, 2.0).surrogate(kind="forest", n_trees=16)
    assert rough.tuned().forest.min_samples_leaf > 1
