"""What can be saved of the time of the best trial, on runs whose truth is known."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.explainers._savings import certain_saving_of_time
from hpo_explain.reporting.context import Context
from tests.reporting.pages import content_of

SPACE = hx.SearchSpace([hx.FloatParameter("lr", 0.0, 1.0), hx.FloatParameter("trees", 0.0, 1.0)])


def accuracy(X):
    return 0.95 - 0.2 * (X[:, 0] - 0.4) ** 2 - 0.05 * np.exp(-8.0 * X[:, 1])  # it saturates


def seconds(X):
    return 5.0 + 60.0 * X[:, 1]


def run_of(n=60, *, scale=1.0, noise=0.0, durations=True):
    X = SPACE.sample(n, seed=0)
    y = accuracy(X) + noise * np.random.default_rng(0).standard_normal(n)
    took = scale * seconds(X) if durations else None
    return hx.Run(SPACE, X, y, "maximize", durations=took, objective_name="accuracy")


def saving_of(run):
    return certain_saving_of_time(run, run.surrogate(), hx.trust(run))


def test_what_is_saved_and_lost_is_true():
    run = run_of()
    found = saving_of(run)
    best, instead = (run.row(trial) for trial in (found.best, found.instead))
    assert found.best == run.incumbent_trial
    lost = 1.0 - accuracy(run.X)[instead] / accuracy(run.X)[best]
    saved = 1.0 - seconds(run.X)[instead] / seconds(run.X)[best]
    assert lost <= found.loss == 0.001
    assert saved >= found.saved[1] > 0.1
    assert saved == pytest.approx(found.saved[0], abs=0.02)
    front = hx.pareto(run)
    both = [s for s in front.savings if s.objective == "accuracy"]
    assert [(s.instead, s.saved) for s in both] == [(found.instead, found.saved)]


@pytest.mark.parametrize(
    "changes",
    [{"scale": 1e-3}, {"durations": False}, {"noise": 0.05}],
    ids=["milliseconds", "no durations", "noise"],
)
def test_nothing_is_said_where_nothing_is_certain_or_worth_it(changes):
    assert saving_of(run_of(**changes)) is None


def test_nothing_is_modelled_where_no_faster_trial_is_known(monkeypatch):
    run = run_of()
    best = run.row(run.incumbent_trial)
    slow = np.where(np.arange(len(run)) == best, 10.0, 20.0)
    slower = hx.Run(SPACE, run.X, run.objective, "maximize", durations=slow)
    monkeypatch.delattr("hpo_explain.run.Objectives.of")
    assert saving_of(slower) is None


def test_the_report_says_it_around_the_best():
    run = run_of()
    found = Context(run).saving
    text = content_of("around", run).body
    assert f"Trial {found.instead} in place of trial {found.best}" in text
    assert "in place of" not in content_of("around", run_of(durations=False)).body
