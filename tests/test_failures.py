"""What is known of trials that gave no result, as every reader brings it in."""

import math

import numpy as np
import optuna
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain import FloatParameter, SearchSpace
from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.run import FAILED, NO_VALUE, PRUNED, RUNNING, Curves, WithoutResult
from hpo_explain.run.failures import failures
from tests.analytic import unit_cube

SPACE = unit_cube(1)


def test_only_known_configurations_that_ended_without_a_value_failed():
    states = {
        3: WithoutResult("failed", [0.3]),
        4: WithoutResult("failed", [np.nan]),
        5: WithoutResult("pruned", [0.5]),
        6: WithoutResult("running", [0.6]),
        7: WithoutResult("waiting", [0.7]),
        8: WithoutResult("pruned", [0.8], reported=True),
    }
    run = hx.Run(SPACE, [[0.0], [0.1]], [1.0, 2.0], "minimize", without_result=states)
    found = failures(run)
    assert found.trials.tolist() == [3, 5]
    assert found.X.tolist() == [[0.3], [0.5]]
    assert len(found.pruned) == 0
    assert found.X_pruned.shape == (0, 1)


def test_without_any_failure_it_is_empty():
    found = failures(hx.Run(SPACE, [[0.0], [0.1]], [1.0, 2.0], "minimize"))
    assert len(found) == 0
    assert found.X.shape == (0, 1)


def test_what_ended_later_was_not_known():
    """By times where they are known, as `known_before`, else by number."""
    run = hx.Run(
        SPACE,
        [[0.0], [0.1], [0.2]],
        [1.0, 2.0, 3.0],
        "minimize",
        trials=[0, 3, 5],
        started=[0.0, 30.0, 50.0],
        finished=[10.0, 40.0, 60.0],
        excluded=dict.fromkeys((1, 2, 4), "failed"),
        excluded_times={1: (10.0, 45.0), 2: (20.0, 25.0)},
        without_result={t: WithoutResult("failed", [t / 10]) for t in (1, 2, 4)},
    )
    assert failures(run, 3).trials.tolist() == [2]
    assert failures(run, 5).trials.tolist() == [1, 2, 4]
    assert failures(run).trials.tolist() == [1, 2, 4]


# ---------------------------------------------------------------------- pruned with a value


def pruned_run(direction, value, steps=1):
    """Four finished trials with curves of two steps, and one pruned at a step with a value."""
    sign = 1.0 if direction == "minimize" else -1.0
    rows = {t: [t / 10] for t in range(5)}
    reported = {t: {1: sign * (10.0 + t), 3: sign * (t + 1.0)} for t in range(4)}
    reported[4] = {1: sign * 10.5, steps: sign * value}
    final = sign * np.array([1.0, 2.0, 3.0, 4.0])
    return hx.Run(
        SPACE,
        [rows[t] for t in range(4)],
        final,
        direction,
        excluded={4: "pruned"},
        without_result={4: WithoutResult("pruned", rows[4])},
        curves=Curves.of(reported, rows),
    )


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize(
    ("value", "cost"),
    [(9.0, 2.5), (11.5, 2.5), (12.5, 3.25), (99.0, 4.0)],
    ids=["better than all", "in the middle", "worse than three", "worse than all"],
)
def test_a_pruned_trial_is_ranked_among_finished_ones_at_its_step(direction, value, cost):
    """Its rank r = 0, 2/4, 3/4, 1 gives the quantile max(r, 1/2) of the costs 1, 2, 3, 4."""
    found = failures(pruned_run(direction, value))
    assert found.trials.tolist() == []
    assert found.pruned.tolist() == [4]
    np.testing.assert_allclose(found.cost_pruned, [cost])
    np.testing.assert_allclose(found.X_pruned, [[0.4]])


def test_the_last_step_in_common_counts_where_no_finished_trial_reported_at_its_own():
    # of 10.5, at step 1: one is better
    found = failures(pruned_run("minimize", 99.0, steps=2))
    np.testing.assert_allclose(found.cost_pruned, [2.5])


def test_nothing_is_known_of_a_pruned_trial_without_peers():
    run = pruned_run("minimize", 9.0)
    alone = run.curves.trials == 4
    curves = Curves([4], run.curves.X[alone], run.curves.steps, run.curves.values[alone])
    others = hx.Run(
        SPACE,
        run.X,
        run.objective,
        "minimize",
        without_result={4: WithoutResult("pruned", [0.4])},
        curves=curves,
    )
    assert len(failures(others).pruned) == len(failures(others)) == 0
    assert len(failures(hx.run.thinned(run, 2))) == 0  # it has no curves, but did report


# ---------------------------------------------------------------------- readers


def of_study():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.set_user_attr("x", x)
        match trial.number:
            case 3:
                return math.inf
            case 4:
                raise RuntimeError
            case 5:
                return math.nan
            case 6:
                raise optuna.TrialPruned
            case 7:
                trial.report(2.0, 1)
                raise optuna.TrialPruned
        trial.report(x, 1)
        return x

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=10, catch=RuntimeError)
    return study


def test_a_study():
    study = of_study()
    run = hx.from_optuna(study)
    found = failures(run)
    assert found.trials.tolist() == [3, 4, 5, 6]
    np.testing.assert_allclose(found.X[:, 0], [study.trials[t].params["x"] for t in (3, 4, 5, 6)])
    assert found.pruned.tolist() == [7]
    np.testing.assert_allclose(found.cost_pruned, run.objective.max())
    of_function = hx.from_optuna(study, target=lambda trial: trial.value, direction="minimize")
    assert failures(of_function).trials.tolist() == [3, 4, 5, 6]  # 7 did report


def test_a_table_of_a_study():
    table = of_study().trials_dataframe()
    found = failures(hx.from_frame(table, direction="minimize"))
    assert found.trials.tolist() == [3, 4, 5, 6]


TABLE = pd.DataFrame(
    {
        "x": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0],
        "loss": [0.5, math.nan, 0.3, math.inf, 0.2, 0.4, -math.inf],
    }
)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_row_without_a_finite_objective_is_a_failed_trial(direction):
    run = hx.from_frame(TABLE, "loss", direction)
    assert [*run.excluded] == [1, 3, 6]
    assert failures(run).trials.tolist() == [1, 3, 6]
    np.testing.assert_allclose(failures(run).X[:, 0], [0.1, 0.3, 1.0])


def test_a_row_without_a_configuration_is_no_known_failure():
    lr = [1.0, None, 0.3, 0.25, 0.2, 0.17, 0.14]
    table = TABLE.assign(x=[0.0, None, 0.2, 0.3, 0.4, 0.5, 1.0], lr=lr)
    assert 1 not in failures(hx.from_frame(table, "loss")).trials
    partly = hx.from_frame(table.assign(lr=np.linspace(0.1, 1.0, 7)), "loss")
    found = failures(partly)
    assert 1 in found.trials
    assert partly.space.is_valid(found.X).all()  # what is missing is drawn


def test_a_row_that_still_runs_has_not_failed():
    table = TABLE.assign(start=range(7), end=[1, None, 3, 4, 5, 6, 7])
    run = hx.from_frame(table, "loss", time=("start", "end"))
    assert failures(run).trials.tolist() == [3, 6]


def test_a_status_and_a_fold_tell():
    states = ["finished", "failed", "finished", "pruned", "finished", "running", "pruned"]
    values = [0.5, 0.4, 0.3, math.nan, 0.2, 0.4, 0.3]
    run = hx.from_frame(TABLE.assign(status=states, loss=values), "loss", status="status")
    assert failures(run).trials.tolist() == [1, 3]  # 6 was pruned with a value
    folds = pd.concat([TABLE[:4].assign(fold="a"), TABLE[:4].assign(fold="b", loss=1.0)])
    assert failures(hx.from_frame(folds, "loss", instance="fold")).trials.tolist() == [1, 3]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:.*non-finite")
def test_a_grid_search():
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV

    class Fails(Ridge):
        def fit(self, X, y):
            if self.alpha == 2.0:
                raise ValueError
            return super().fit(X, y)

    X = np.random.default_rng(0).normal(size=(20, 2))
    search = GridSearchCV(Fails(), {"alpha": [0.5, 1.0, 2.0, 4.0]}, cv=2, error_score=np.nan)
    search.fit(X, X[:, 0])
    run = hx.from_sklearn(search)
    assert failures(run).trials.tolist() == [2]
    assert run.config(2) == {"alpha": 2.0}


@pytest.mark.merge
def test_a_result_of_skopt():
    from skopt import forest_minimize

    options = {"base_estimator": "RF", "n_initial_points": 4, "random_state": 0}
    result = forest_minimize(lambda x: x[0], [(0.0, 1.0)], n_calls=8, **options)
    result.func_vals[3] = math.inf
    found = failures(hx.from_skopt(result))
    assert found.trials.tolist() == [3]
    np.testing.assert_allclose(found.X[0], result.x_iters[3])
    assert hx.from_skopt(result).origin(3) is hx.base.Origin.INITIAL


def test_evaluations_of_any_framework():
    """As Ax, FLAML, Hyperopt, KerasTuner, Ray and SMAC are read."""
    no_value, pruned = {5: NO_VALUE}, PRUNED
    reasons = no_value | {2: FAILED, 3: RUNNING, 6: pruned, 7: pruned, 8: pruned}
    values = {4: math.inf, 7: 0.4} | dict.fromkeys((2, 3, 5, 6, 8), math.nan)
    trials = {
        t: Evaluation(
            {"x": t / 10},
            values.get(t, t / 10),
            reasons.get(t),
            curve={1.0: t / 10} if t in (0, 1, 8, 9) else {},
        )
        for t in range(10)
    }
    run = run_of(trials, SearchSpace([FloatParameter("x", 0.0, 1.0)]), Source("trials", "it"))
    found = failures(run)
    assert found.trials.tolist() == [2, 4, 5, 6]  # 7 and 8 were pruned with a value
    np.testing.assert_allclose(found.X[:, 0], [0.2, 0.4, 0.5, 0.6])
    assert found.pruned.tolist() == [8]
    np.testing.assert_allclose(found.cost_pruned, np.quantile([0.0, 0.1, 0.9], 2 / 3))


@pytest.mark.parametrize(
    "read",
    [
        lambda: hx.from_frame(TABLE.assign(loss=math.nan), "loss"),
        lambda: hx.from_frame(TABLE[:0], "loss"),
    ],
)
def test_where_everything_failed_there_is_nothing_to_explain(read):
    with pytest.raises(NothingToExplain):
        read()
    with pytest.raises(NothingToExplain, match="no finished feasible trial"):
        hx.Run(SPACE, [[0.5]], [1.0], "minimize", feasible=[False]).incumbent  # noqa: B018
