"""Models of large runs learn from some of the trials, and say so; what grows is not squared."""

import re

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods.proposals.explainable import explainable, why_unexplained
from hpo_explain.models import ForestSurrogate
from hpo_explain.run import fits as limits
from hpo_explain.run.fits import learned_rows
from tests.noted import the_note

SPACE = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "abc"])
MANY = hx.SearchSpace(
    [hx.CategoricalParameter("choice", [f"v{i}" for i in range(400)]), *SPACE.parameters]
)


def run_of(n, *, noise=0.05, seed=0, **changes):
    X = SPACE.sample(n, seed=seed)
    y = np.sin(5.0 * X[:, 0]) + X[:, 1] ** 2 + np.random.default_rng(seed).normal(0.0, noise, n)
    return hx.Run(SPACE, X, y, "minimize", **changes)


@pytest.fixture
def small_limits(monkeypatch):
    monkeypatch.setattr(limits, "MOST_TRIALS", {"gp": 60, "forest": 400})
    monkeypatch.setattr(limits, "MOST_BEFORE", 200)


def test_rows_learned_hold_the_best_those_around_it_the_latest_and_a_spread():
    run = run_of(3000)
    rows = learned_rows(SPACE, run.X, run.cost, 500, seed=3)
    assert len(np.unique(rows)) == 500
    assert (np.diff(rows) > 0).all()
    best = int(np.argmin(run.cost))
    apart = np.sqrt(((run.X - run.X[best]) ** 2).sum(axis=1))
    nearest = np.argsort(apart)[:50]
    assert best in rows
    assert np.isin(nearest, rows).all()
    assert np.isin(np.arange(2950, 3000), rows).all()
    # the rest is spread: one of each 400th part of the others
    others = np.setdiff1d(rows, [*nearest, *range(2945, 3000)])
    assert np.abs(np.bincount(others // 295, minlength=10) - 40).max() <= 4
    np.testing.assert_array_equal(rows, learned_rows(SPACE, run.X, run.cost, 500, seed=3))
    assert not np.array_equal(rows, learned_rows(SPACE, run.X, run.cost, 500, seed=4))


@pytest.mark.parametrize(("kind", "learned"), [("gp", 60), ("forest", 400)])
def test_a_model_of_some_trials_says_so_in_every_result(small_limits, kind, learned):
    run = run_of(900, proposals=[700])
    effect = hx.partial_dependence(run, "a", surrogate=kind, sample=20, grid_size=3)
    told = the_note(effect.notes, "some trials: the model")
    assert f"learns from {learned} of 900 trials" in str(told)
    parts = re.findall(r"\(([\d,]+)[);]", str(told))
    assert sum(int(part.replace(",", "")) for part in parts) == learned
    if kind == "forest":
        surrogate = run.surrogate(kind=kind)
        assert len(surrogate.forest.estimators_samples_[0]) == learned
        assert surrogate.learned_from(run.X[[run.row(run.incumbent_trial)]]).all()
        assert surrogate.tuned().notes == surrogate.notes


def test_trust_and_importance_and_proposals_say_from_how_many(small_limits):
    run = run_of(1100, proposals=[1050])
    found = hx.importance(run, n_trees=8)
    assert "learns from 400 of" in str(the_note(found.notes, "some trials: the model"))
    proposal = hx.explain_proposal(run, 1050, background=50)
    told = the_note(proposal.notes, "some trials: the model")
    assert "learns from 200 of 1,050 trials" in str(told)  # what was known before


def test_shares_of_some_trials_are_about_the_true_ones(monkeypatch):
    """Of sin(5a) + b²: Var sin(5a) is 1/2 - sin(10)/20 - ((1 - cos 5)/5)², Var b² is 4/45."""
    monkeypatch.setattr(limits, "MOST_TRIALS", {"gp": 400, "forest": 400})
    some = hx.importance(run_of(1200), n_trees=16)
    assert "learns from 400 of" in str(the_note(some.notes, "some trials: the model"))
    first = 0.5 - np.sin(10.0) / 20.0 - ((1.0 - np.cos(5.0)) / 5.0) ** 2
    true = np.array([first, 4.0 / 45.0, 0.0])
    shares = some.importance["importance"].loc[["a", "b", "c"]]
    np.testing.assert_allclose(shares, true / true.sum(), atol=0.03)


def test_which_proposals_can_be_explained_is_as_if_each_were_asked():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(40) < 12, 1.0, rng.random(40))
    y[15] = 1e200
    started = rng.permutation(40) * 1.0
    for times in ({}, {"started": started, "finished": started + 3.5}):
        run = hx.Run(SPACE, SPACE.sample(40, seed=0), y, "minimize", **times)
        alone = [number for number in range(40) if why_unexplained(run, number) is None]
        assert explainable(run)[0] == alone
        constant = [
            np.ptp(run.learned_cost(t)) > 0.0 if len(run.known_before(t)) > 1 else False
            for t in range(40)
        ]
        assert alone == np.flatnonzero(constant).tolist()


def test_many_categories_cost_no_more_than_some_and_those_left_out_are_told():
    X = MANY.sample(60, seed=0)
    X[:30, 0] = 7.0
    y = (X[:, 0] == 7.0) + X[:, 1]
    run = hx.Run(MANY, X, y, "maximize")
    assert isinstance(run.surrogate(n_trees=2), ForestSurrogate)
    effect = hx.partial_dependence(run, "choice", sample=20)
    assert len(effect.grid) == 50
    assert {"v7", run.incumbent["choice"]} <= {*effect.grid}
    told = "50 of the 400 values of choice are looked at: those tried most"
    assert told in [str(note) for note in effect.notes]
    assert effect.mean[effect.grid.index("v7")] == effect.mean.max()
