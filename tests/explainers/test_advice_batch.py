"""The configurations that are advised to be tried: where they lie, and what they assume."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.explainers._advice.batch import _Given, batch_of
from hpo_explain.run import on_log_tail

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("x", -5.0, 5.0),
        hx.IntParameter("n", 1, 9, step=2),
        hx.CategoricalParameter("kind", ["a", "b", "c"]),
    ]
)


def run_of(n=30, direction="minimize", feasible=None):
    X = SPACE.sample(n, seed=1)
    sign = 1.0 if direction == "minimize" else -1.0
    y = (X[:, 0] - 0.3) ** 2 + (X[:, 1] - 0.5) ** 2 + np.array([0.0, 0.3, 0.1])[X[:, 2].astype(int)]
    return hx.Run(SPACE, X, sign * y, direction, feasible=feasible)


def distances(rows, others):
    return np.abs(rows[:, None] - others).max(axis=2)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_first_is_the_true_optimum_and_no_two_are_the_same(direction):
    run = run_of(direction=direction)
    rows = batch_of(run, run.surrogate(kind="gp"), (), 6)
    (config,) = SPACE.decode(rows[:1])
    assert config["kind"] == "a"
    assert config["n"] == 5
    assert abs(config["x"] + 2.0) < 0.5
    assert SPACE.is_valid(rows).all()
    assert distances(rows, run.X).min() > 0.0
    assert (distances(rows, rows) + np.eye(6)).min() > 0.0


def test_they_keep_to_the_space_advised_and_to_what_is_probably_feasible():
    run = run_of()
    within = [
        hx.FloatParameter("x", 0.0, 9.0),  # wider at one end
        hx.IntParameter("n", 7, 7),
        hx.CategoricalParameter("kind", ["b", "c"]),
    ]
    for config in SPACE.decode(batch_of(run, run.surrogate(kind="gp"), within, 5)):
        assert 0.0 <= config["x"] <= 5.0
        assert config["n"] == 7
        assert config["kind"] in ("b", "c")
    feasible = run_of(60).X[:, 0] > 0.6
    run = run_of(60, feasible=feasible)
    rows = batch_of(run, run.surrogate(kind="gp"), (), 4)
    assert (run.feasibility().probability(rows) >= 0.5).all()


def test_there_are_fewer_where_nothing_else_is_left():
    space = hx.SearchSpace([SPACE["n"], SPACE["kind"]])
    X = space.encode([{"n": n, "kind": kind} for n in (1, 3, 5, 7, 9) for kind in "abc"])
    run = hx.Run(space, X[:13], X[:13, 0], "minimize")
    rows = batch_of(run, run.surrogate(kind="gp"), (), 5)
    assert sorted(map(tuple, rows)) == sorted(map(tuple, X[13:]))


def test_what_is_assumed_lowers_the_uncertainty_as_another_trial_would():
    """Against a process of the same kernel with the trials and the assumed ones."""
    run = run_of()
    model = run.surrogate(kind="gp")
    added, X = SPACE.sample(3, seed=5), SPACE.sample(40, seed=6)
    joint = model.posterior_covariance(np.vstack([X, added]))
    for k in (42, 41, 40):  # one after the other, by elimination
        noise = model.noise_std**2
        joint = joint[:k, :k] - np.outer(joint[:k, k], joint[k, :k]) / (joint[k, k] + noise)
    expected = np.sqrt(np.maximum(joint.diagonal(), 0.0))
    scale = model.predict(X)[1].max()
    assert _Given(model, added).std(X) == pytest.approx(expected, abs=1e-3 * scale)
    assert (_Given(model, added).std(X) <= model.predict(X)[1] + 1e-9).all()


def test_what_is_tried_is_expected_to_gain_what_independent_draws_gain_and_comes_before_going_on():
    run = run_of(20)
    advice = hx.advise(run)
    kinds = [action.kind for action in advice.actions]
    (tried,) = [action for action in advice.actions if action.kind == "try"]
    assert "go_on" not in kinds[: kinds.index("try")]
    scaled, _ = on_log_tail(run)
    model = scaled.surrogate(kind="gp")
    best = run.X[[int(np.argmin(model.predict(run.X)[0]))]]
    rows = np.vstack([best, SPACE.encode([dict(c) for c in tried.configurations])])
    rng = np.random.default_rng(7)
    covariance = model.posterior_covariance(rows)
    drawn = rng.multivariate_normal(model.predict(rows)[0], covariance, 20_000, "ignore")
    improved = np.maximum(drawn[:, 0] - drawn[:, 1:].min(axis=1), 0.0)
    assert tried.gain == pytest.approx(improved.mean(), rel=0.05)
    assert tried.interval[1] == pytest.approx(np.quantile(improved, 0.95), rel=0.1)
