"""Numbers that stand for a failure are failures with a note; bad values are values."""

import math
import sys

import numpy as np
import optuna
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.base.facts import fact
from hpo_explain.base.numbers import format_value
from hpo_explain.run import measured
from hpo_explain.run.failures import failures
from tests.noted import kinds, noted, the_note

N = 30
X = np.random.default_rng(0).random((N, 2))
LOSS = 0.1 + 0.8 * np.random.default_rng(1).random(N)


def table_of(values, name="loss"):
    return pd.DataFrame({"x": X[:, 0], "y": X[:, 1], name: values})


def with_values(value, places, values=LOSS):
    changed = np.array(values, dtype=float)
    changed[list(places)] = value
    return changed


def read(values, name="loss", direction="minimize", **options):
    return hx.from_frame(table_of(values, name), name, direction, **options)


# ---------------------------------------------------------------------- what is one


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize(
    "value", [1e3, 999.0, 9999.0, 1e6, 1e10, 1e23, 1e308, sys.float_info.max, 2.0**31 - 1]
)
@pytest.mark.parametrize("places", [[4], [0, 4, 17]], ids=len)
def test_a_round_number_far_beyond_all_others(direction, value, places):
    sign = 1.0 if direction == "minimize" else -1.0
    run = read(sign * with_values(value, places), direction=direction)
    assert [*run.excluded] == places
    assert failures(run).trials.tolist() == places
    np.testing.assert_allclose(failures(run).X[:, 0], run.space["x"].encode(X[places, 0]))
    assert len(run) == N - len(places)
    others = np.delete(np.arange(N), places)
    assert run.incumbent_trial == others[np.argmin(LOSS[others])]
    assert run.origin(4) is hx.base.Origin.UNKNOWN
    shown = format_value(sign * value)
    note = the_note(run.notes, f" with {shown} as loss, far beyond all others, count as failed")
    assert note.trials == tuple(places)
    assert "bounds=" in str(note)
    assert "diverged" not in kinds(run.notes)
    assert measured(run, "failed").objective.sum() == len(places)


def test_several_numbers_are_found_one_after_the_other():
    run = read(with_values(1e9, [3], with_values(1e5, [7, 8])))
    assert [*run.excluded] == [3, 7, 8]
    assert the_note(run.notes, " with 1e+09 and 1e+05 as loss, far beyond all others")


def test_any_value_that_several_configurations_share():
    run = read(with_values(1234.5, [3, 7]))
    assert [*run.excluded] == [3, 7]


def test_a_number_that_the_metric_cannot_have():
    accuracy = 1.0 - LOSS
    run = read(with_values(-1.0, [2, 5], accuracy), "accuracy", "maximize")
    assert [*run.excluded] == [2, 5]
    assert run.bounds == (0.0, 1.0)
    run = read(with_values(100.0, [2], LOSS), "loss", bounds=(0.0, 1.0))
    assert [*run.excluded] == [2]


# ---------------------------------------------------------------------- what is none


ACCURACY = np.random.default_rng(2).uniform(0.95, 0.97, N)
NO_SENTINELS = {
    "accuracy of 0": (with_values(0.0, [3, 8, 9], ACCURACY), "maximize"),
    "chance level": (with_values(0.1, [3, 8, 9], ACCURACY), "maximize"),
    "chance level in percent": (with_values(10.0, [3, 8, 9], 100 * ACCURACY), "maximize"),
    "chance level of a loss": (with_values(2.302585, [3, 8, 9], 0.1 * LOSS), "minimize"),
    "a capped loss": (with_values(10.0, [3, 8], LOSS), "minimize"),
    "a cap close to the others": (with_values(1e3, [3, 8], 900 * LOSS), "minimize"),
    "steps until a limit": (with_values(1e3, [3], np.round(90 * LOSS)), "minimize"),
    "diverged": (with_values(1.0374e6, [3], LOSS), "minimize"),
    "diverged twice": (with_values([1.0374e6, 3.1e4], [3, 9], LOSS), "minimize"),
    "a correlation of -1": (with_values(-1.0, [3, 8], LOSS), "maximize"),
    "by decades": (10.0 ** np.linspace(-3, 6, N).round(), "minimize"),
    "by squares of decades": (100.0 ** np.linspace(-2, 3, N).round(), "minimize"),
    "converged": ((np.linspace(1.0, 0.0, N) ** 8) * 1e5 + 1.0, "minimize"),
    "the best": (with_values(-1e6, [3], LOSS), "minimize"),
}


@pytest.mark.parametrize(("values", "direction"), NO_SENTINELS.values(), ids=NO_SENTINELS.keys())
def test_bad_values_are_values(values, direction):
    run = read(values, "y value", direction)
    assert run.excluded == {}
    assert not noted(run.notes, "far beyond all others")


def test_a_configuration_that_was_evaluated_again_is_no_sentinel():
    again = table_of(with_values(1234.5, [3, 7]))
    again.loc[7, ["x", "y"]] = again.loc[3, ["x", "y"]]
    assert hx.from_frame(again, "loss").excluded == {}


def test_what_true_divergence_gives_is_clipped():
    run = read(with_values(1.0374e6, [13]))
    assert the_note(run.notes, "diverged").trials == (13,)


def test_bounds_say_that_it_is_a_value():
    run = read(with_values(1e6, [3, 8]), bounds=(0.0, 1e6))
    assert run.excluded == {}
    assert run.objective.max() == 1e6


def test_too_few_others_tell_nothing():
    few = pd.DataFrame({"x": [0.1, 0.2, 0.3], "loss": [0.5, 0.5, 1e6]})
    assert hx.from_frame(few, "loss").excluded == {}


# ---------------------------------------------------------------------- readers


@pytest.mark.thorough
def test_a_result_of_skopt():
    from skopt import gp_minimize

    def objective(point):
        return 1e6 if point[0] > 0.7 else (point[0] - 0.3) ** 2 + point[1]

    space = [(0.0, 1.0), (0.0, 1.0)]
    result = gp_minimize(objective, space, n_calls=14, n_initial_points=10, random_state=0)
    run = hx.from_skopt(result)
    bad = [t for t, point in enumerate(result.x_iters) if point[0] > 0.7]
    assert bad == [*run.excluded] == failures(run).trials.tolist()
    assert run.proposals == tuple(t for t in range(10, 14) if t not in bad)
    assert run.objective.max() < 2.0
    # its own models took these for results
    mean, std = run.surrogate().predict(run.X)
    assert np.abs(mean - run.objective).max() < 1.0 > std.max()


def test_a_study():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        return 1e6 if trial.number in (5, 12) else x

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=15)
    run = hx.from_optuna(study)
    assert [*run.excluded] == [5, 12] == failures(run).trials.tolist()
    assert run.without_result[12].proposed
    assert not run.without_result[5].proposed
    assert 12 not in run.proposals
    assert run.proposals == (10, 11, 13, 14)
    assert run.started.shape == run.finished.shape == (13,)
    assert {5, 12} == {*run.excluded_times}
    assert hx.from_optuna(study, bounds=(0.0, 1e6)).excluded == {}


def test_a_mean_over_folds_is_none_where_one_fold_failed():
    folds = pd.concat(
        [table_of(LOSS).assign(fold="a"), table_of(with_values(1e6, [4], LOSS)).assign(fold="b")]
    )
    run = hx.from_frame(folds, "loss", instance="fold")
    assert [*run.excluded] == [4] == failures(run).trials.tolist()
    assert len(run.instances) == 2 * (N - 1)


def test_a_search_with_an_error_score():
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV

    class Fails(Ridge):
        def fit(self, X, y):
            if self.alpha > 50.0:
                raise ValueError
            return super().fit(X, y)

    alphas = {"alpha": [0.5, 1.0, 2.0, 4.0, 8.0, 60.0, 70.0]}
    search = GridSearchCV(Fails(), alphas, cv=2, error_score=-1e6)
    data = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.warns(match="fits failed"):
        search.fit(data, data[:, 0] + data[:, 1] ** 2)
    run = hx.from_sklearn(search)
    assert [*run.excluded] == [5, 6] == failures(run).trials.tolist()


def test_evaluations_of_any_framework():
    values = with_values(1e6, [4, 9], LOSS)
    rows = {
        t: Evaluation({"x": x, "y": y}, value)
        for t, ((x, y), value) in enumerate(zip(X.tolist(), values.tolist(), strict=True))
    }
    rows[20] = Evaluation(rows[20].config, math.nan)
    run = run_of(rows, None, Source("trials", "an optimizer", objective_name="loss"))
    assert [*run.excluded] == [4, 9, 20] == failures(run).trials.tolist()
    assert run.excluded[4] == fact(kind="sentinel", names=["loss"], value=1e6)
