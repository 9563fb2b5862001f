"""The functions users type: the same answer from every source, and words that say whose it is."""

import numpy as np
import optuna
import pytest
import skopt

import hpo_explain as hx
from tests.noted import noted


def quadratic(x, y):
    return (x - 0.3) ** 2 + 0.1 * (y - 0.5) ** 2


@pytest.fixture(scope="module")
def study():
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(
        lambda t: quadratic(t.suggest_float("x", 0, 1), t.suggest_float("y", 0, 1)), n_trials=25
    )
    return study


@pytest.fixture(scope="module")
def result():
    dimensions = [skopt.space.Real(0.0, 1.0, name="x"), skopt.space.Real(0.0, 1.0, name="y")]
    return skopt.gp_minimize(
        lambda v: quadratic(*v),
        dimensions,
        n_calls=13,
        n_initial_points=8,
        random_state=0,
        acq_func="LCB",
        acq_optimizer="sampling",
        n_points=200,
    )


def test_a_study_and_its_run_give_the_same_explanation_by_tpes_own_densities(study):
    first = hx.explain_proposal(study, 20, background=60)
    second = hx.explain_proposal(hx.from_optuna(study), 20, background=60)
    np.testing.assert_array_equal(first.phi, second.phi)
    assert (first.trial, first.config) == (20, study.trials[20].params)
    assert not first.subject.assumed
    assert first.subject.acquisition == "log l − log g"
    assert first.subject.optimizer == "Optuna's TPESampler"
    assert first.terms == ("good", "bad")
    assert {claim.term for claim in first.claims} <= {"good", "bad", "objective"}


def test_a_skopt_result_is_explained_by_the_optimizers_own_acquisition(result):
    explanation = hx.explain_proposal(result, 9, background=60)
    assert not explanation.subject.assumed
    assert explanation.subject.optimizer == "skopt's gp_minimize"
    # what the stored model predicted when it chose the trial
    model = result.models[9 - 8]
    mean, std = model.predict([result.x_iters[9]], return_std=True)
    assert explanation.objective_prediction["mean"] == pytest.approx(mean[0], rel=1e-6)
    assert explanation.objective_prediction["std"] == pytest.approx(std[0], rel=1e-4)
    assert explanation.prediction["total"] == pytest.approx(-mean[0] + 1.96 * std[0], rel=1e-5)


@pytest.mark.parametrize(("trial", "running"), [(15, (13, 14)), (5, (4,)), (0, None)])
def test_the_trials_that_were_running_when_a_proposal_was_made_are_listed(trial, running):
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    # trial 0 was the last to start
    started = [30.0, *range(1, 21)]
    finished = [31.0, *(t + 1.5 if t < 10 else t + 2.5 for t in range(1, 21))]
    rows = np.linspace(0.0, 1.0, 21)[:, None]
    run = hx.Run(
        space, rows, (rows[:, 0] - 0.4) ** 2, "minimize", started=started, finished=finished
    )
    notes = hx.explain_proposal(run, trial, background=30).notes
    found = [n.trials for n in noted(notes, f"running when trial {trial} was proposed")]
    assert found == ([] if running is None else [running])
