"""Configurations that are advised: where they lie, what they assume, and the code to paste."""

import numpy as np
import optuna
import pytest
import skopt

import hpo_explain as hx
from hpo_explain.methods.advice.advise_result import Action, changed_to
from hpo_explain.methods.advice.analyses import Analysed
from hpo_explain.methods.advice.prospects import Prospects
from hpo_explain.methods.advice.telling import failing
from hpo_explain.methods.advice.trying import _Given, batch_of, explore, total_effects
from hpo_explain.run import on_log_tail

MIXED = hx.SearchSpace(
    [
        hx.FloatParameter("x", -5.0, 5.0),
        hx.IntParameter("n", 1, 9, step=2),
        hx.CategoricalParameter("kind", ["a", "b", "c"]),
    ]
)


def mixed_run(n=30, direction="minimize", feasible=None):
    X = MIXED.sample(n, seed=1)
    sign = 1.0 if direction == "minimize" else -1.0
    y = (X[:, 0] - 0.3) ** 2 + (X[:, 1] - 0.5) ** 2 + np.array([0.0, 0.3, 0.1])[X[:, 2].astype(int)]
    return hx.Run(MIXED, X, sign * y, direction, feasible=feasible)


def distances(rows, others):
    return np.abs(rows[:, None] - others).max(axis=2)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_first_is_the_true_optimum_and_no_two_are_the_same(direction):
    run = mixed_run(direction=direction)
    rows = batch_of(run, run.surrogate(kind="gp"), (), 6)
    (config,) = MIXED.decode(rows[:1])
    assert config["kind"] == "a"
    assert config["n"] == 5
    assert abs(config["x"] + 2.0) < 0.5
    assert MIXED.is_valid(rows).all()
    assert distances(rows, run.X).min() > 0.0
    assert (distances(rows, rows) + np.eye(6)).min() > 0.0


def test_they_keep_to_the_space_advised_and_to_what_is_probably_feasible():
    run = mixed_run()
    within = [
        hx.FloatParameter("x", 0.0, 9.0),  # wider at one end
        hx.IntParameter("n", 7, 7),
        hx.CategoricalParameter("kind", ["b", "c"]),
    ]
    for config in MIXED.decode(batch_of(run, run.surrogate(kind="gp"), within, 5)):
        assert 0.0 <= config["x"] <= 5.0
        assert config["n"] == 7
        assert config["kind"] in ("b", "c")
    feasible = mixed_run(60).X[:, 0] > 0.6
    run = mixed_run(60, feasible=feasible)
    rows = batch_of(run, run.surrogate(kind="gp"), (), 4)
    assert (run.feasibility().probability(rows) >= 0.5).all()


def test_there_are_fewer_where_nothing_else_is_left():
    space = hx.SearchSpace([MIXED["n"], MIXED["kind"]])
    X = space.encode([{"n": n, "kind": kind} for n in (1, 3, 5, 7, 9) for kind in "abc"])
    run = hx.Run(space, X[:13], X[:13, 0], "minimize")
    rows = batch_of(run, run.surrogate(kind="gp"), (), 5)
    assert sorted(map(tuple, rows)) == sorted(map(tuple, X[13:]))


def test_what_is_assumed_lowers_the_uncertainty_as_another_trial_would():
    """Against a process of the same kernel with the trials and the assumed ones."""
    run = mixed_run()
    model = run.surrogate(kind="gp")
    added, X = MIXED.sample(3, seed=5), MIXED.sample(40, seed=6)
    joint = model.posterior_covariance(np.vstack([X, added]))
    for k in (42, 41, 40):  # one after the other, by elimination
        noise = model.noise_std**2
        joint = joint[:k, :k] - np.outer(joint[:k, k], joint[k, :k]) / (joint[k, k] + noise)
    expected = np.sqrt(np.maximum(joint.diagonal(), 0.0))
    scale = model.predict(X)[1].max()
    assert _Given(model, added).std(X) == pytest.approx(expected, abs=1e-3 * scale)
    assert (_Given(model, added).std(X) <= model.predict(X)[1] + 1e-9).all()


def test_what_is_tried_is_expected_to_gain_what_independent_draws_gain_and_comes_before_going_on():
    run = mixed_run(20)
    advice = hx.advise(run)
    kinds = [action.kind for action in advice.actions]
    (tried,) = [action for action in advice.actions if action.kind == "try"]
    assert "go_on" not in kinds[: kinds.index("try")]
    scaled, _ = on_log_tail(run)
    model = scaled.surrogate(kind="gp")
    best = run.X[[int(np.argmin(model.predict(run.X)[0]))]]
    rows = np.vstack([best, MIXED.encode([dict(c) for c in tried.configurations])])
    rng = np.random.default_rng(7)
    covariance = model.posterior_covariance(rows)
    drawn = rng.multivariate_normal(model.predict(rows)[0], covariance, 20_000, "ignore")
    improved = np.maximum(drawn[:, 0] - drawn[:, 1:].min(axis=1), 0.0)
    assert tried.gain == pytest.approx(improved.mean(), rel=0.05)
    assert tried.interval[1] == pytest.approx(np.quantile(improved, 0.95), rel=0.1)


# ---------------------------------------------------------------------- explore

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


def test_they_keep_away_from_what_fails():
    run = crowded()
    found = asked(run, None, lambda rows: rows[:, 0] > 0.5)
    assert all(config["x"] <= 0.5 for config in found.configurations)


# ---------------------------------------------------------------------- code

PARAMETERS = [
    hx.FloatParameter("lr", 1e-4, 0.01234567, log=True),
    hx.IntParameter("depth", 2, 8, step=2),
    hx.CategoricalParameter("kind", ["a", None, True]),
    hx.FloatParameter("a name", 0.0, 0.5),
]
FIXED = [
    hx.FloatParameter("lr", 0.0123456789, 0.0123456789),
    hx.CategoricalParameter("kind", ["a"]),
]
CONFIG = {"lr": 0.001, "kind": None}


def executed(action, framework, **given):
    known = {"hpo_explain": hx, "optuna": optuna, "skopt": skopt, **given}
    exec(hx.Action(**{**action.__dict__, "framework": framework}).code, known)
    return known


@pytest.mark.parametrize("kind", ["narrow", "widen", "rescale", "branch", "beware"])
def test_optuna_searches_what_was_advised(kind):
    def objective(trial):
        found = executed(changed_to(kind, PARAMETERS), "optuna", trial=trial)
        assert (found["lr"], found["depth"]) == (trial.params["lr"], trial.params["depth"])
        return 0.0

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=1)
    found = study.trials[0].distributions
    assert found["lr"] == optuna.distributions.FloatDistribution(1e-4, 0.01235, log=True)
    assert found["depth"] == optuna.distributions.IntDistribution(2, 8, step=2)
    assert found["kind"].choices == ("a", None, True)
    assert found["a name"].high == 0.5


def test_optuna_fixes_and_enqueues():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    with pytest.warns(optuna.exceptions.ExperimentalWarning):  # PartialFixedSampler
        executed(changed_to("fix", FIXED), "optuna", study=study)
    executed(hx.Action("try", configurations=(CONFIG,)), "optuna", study=study)
    executed(hx.Action("repeat", configurations=(CONFIG, CONFIG), times=2), "optuna", study=study)

    def objective(trial):
        trial.suggest_categorical("kind", ["a", None])
        return trial.suggest_float("lr", 1e-4, 1.0)

    study.optimize(objective, n_trials=6)
    assert [trial.params["lr"] for trial in study.trials] == [0.001] * 5 + [0.0123456789]
    assert [trial.params["kind"] for trial in study.trials] == [None] * 5 + ["a"]


def test_any_other_run_gets_hyperparameters_and_values():
    found = executed(changed_to("narrow", PARAMETERS), "")
    assert found["lr"] == hx.FloatParameter("lr", 1e-4, 0.01235, log=True)
    assert [found["depth"], found["kind"], found["parameter"]] == PARAMETERS[1:]
    assert executed(changed_to("fix", FIXED), "")["fixed"] == {"lr": 0.0123456789, "kind": "a"}
    several = hx.Action("repeat", configurations=(CONFIG, {"lr": 1.0}), times=2)
    assert executed(several, "")["configs"] == [CONFIG, {"lr": 1.0}] * 2
    assert hx.Action("stop").code == ""
