"""Hundreds of hyperparameters: contributions, paths, and what is left out."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods.around.changes import AblationExplainer
from tests.analytic import AnalyticSurrogate
from tests.noted import the_note


def forest_of(d, n=60, *, seed=0):
    space = hx.SearchSpace(
        [
            *(hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d - 1)),
            hx.CategoricalParameter("c", list("abcd")),
        ]
    )
    X = space.sample(n, seed=seed)
    y = X[:, 0] * X[:, 1] + np.sin(5.0 * X[:, 2]) + 0.3 * X[:, -1]
    return hx.models.ForestSurrogate.fit(space, X, 1e4 + y, n_trees=8), X


def test_a_prediction_of_200_hyperparameters_is_divided_efficiently():
    model, X = forest_of(200)
    found = hx.methods.PredictionExplainer(model, background=X[:20]).explain(
        model.space.decode(X[[30]])[0]
    )
    assert str(found.estimator).startswith("KernelExplainer")
    assert abs(found.efficiency_gap) < 1e-8
    assert found.phi.sum() == pytest.approx(found.prediction - found.baseline, abs=1e-8)


def test_an_ablation_of_200_hyperparameters_ends_at_its_target():
    model, X = forest_of(200)
    source, target = model.space.decode(X[:2])
    found = AblationExplainer(model).explain(source, target)
    ends = model.predict(X[:2])[0]
    assert found.gains.sum() == pytest.approx(ends[0] - ends[1], abs=1e-8)
    assert found.contributions.sum() == pytest.approx(ends[0] - ends[1], abs=1e-8)


def test_of_many_trials_some_are_explained_and_told(monkeypatch):
    model, X = forest_of(4, 300)
    run = hx.Run(model.space, X, X[:, 0], "minimize").explained_by(model)
    monkeypatch.setattr("hpo_explain.question.question._ALL", 200)
    monkeypatch.setattr("hpo_explain.question.question._SOME", 50)
    found = hx.methods.explain_predictions(run, background=5)
    assert the_note(found.notes, "50 of 300 trials are explained")
    assert run.incumbent_trial in found.trials
    assert len(found.trials) == 50


def test_pairs_of_many_hyperparameters_are_of_those_that_matter_most_alone():
    """Four of 70 matter, and two of them act together: these are looked at."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(70)])

    def f(X):
        return 9.0 * X[:, 50] * X[:, 51] + 3.0 * X[:, 3] + 2.0 * X[:, 7]

    explainer = hx.methods.InteractionExplainer(AnalyticSurrogate(space, f))
    found = explainer.explain()
    assert the_note(found.notes, "60 of 70 hyperparameters are considered")
    looked_at = {name for name in space.names if not np.isnan(found.total[space.index(name)])}
    assert {"x50", "x51", "x3", "x7"} <= looked_at
    assert len(looked_at) == 60
    assert found.to_frame().index[0] == "x50 × x51"
    assert len(found.to_frame()) == 60 * 59 / 2
    other = next(name for name in space.names if name not in looked_at)
    with pytest.raises(hx.base.InputError, match="not considered"):
        found.strength(other)
    with pytest.raises(hx.base.NothingToExplain, match=f"{other} is not one of them"):
        explainer.explain(other)
    assert len(explainer.explain("x50").to_frame()) == 59
