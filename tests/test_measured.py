"""How long trials took, and which failed, as what is explained."""

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import optuna
import pandas as pd
import pytest
from optuna.distributions import FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.run import WithoutResult, measured

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])


def run_with_failures(probability, seed=0, n=120):
    """A run whose trials fail with a probability that depends on their configuration."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    fails = rng.random(n) < probability(X)
    kept, failed = np.flatnonzero(~fails), np.flatnonzero(fails)
    return hx.Run(
        SPACE,
        X[kept],
        X[kept, 1],
        "maximize",
        trials=kept,
        excluded={int(t): hx.base.fact(kind="failed") for t in failed},
        without_result={int(t): WithoutResult("failed", X[t]) for t in failed},
    )


def study_with_failures():
    """A real study: an objective that raises for large batches, with times that grow with depth."""
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    space = {"batch": IntDistribution(1, 64), "depth": IntDistribution(1, 9)}
    space["lr"] = FloatDistribution(1e-4, 1.0, log=True)
    rng, start = np.random.default_rng(0), datetime(2026, 1, 1)
    for number in range(60):
        params = {
            "batch": int(rng.integers(1, 65)),
            "depth": int(rng.integers(1, 10)),
            "lr": float(10 ** rng.uniform(-4, 0)),
        }
        failed = params["batch"] > 45
        end = start + timedelta(seconds=10.0 * params["depth"])
        value = -((np.log10(params["lr"]) + 2.0) ** 2)
        study.add_trial(
            FrozenTrial(
                number=number,
                trial_id=number,
                state=TrialState.FAIL if failed else TrialState.COMPLETE,
                value=None if failed else value,
                params=params,
                distributions=space,
                datetime_start=start,
                datetime_complete=end,
                user_attrs={},
                system_attrs={},
                intermediate_values={},
            )
        )
        start = end
    return study


def test_the_duration_is_that_from_start_to_finish_in_seconds():
    run = hx.Run(
        SPACE,
        [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]],
        [1.0, 2.0, 3.0],
        "maximize",
        started=[0.0, 5.0, 20.0],
        finished=[5.0, 20.0, np.nan],
    )
    found = measured(run, "duration")
    assert found.objective.tolist() == [5.0, 15.0]
    assert found.direction == "minimize"
    assert str(found.excluded[2]) == "it is not recorded how long it took"
    assert found.proposals == ()
    assert found.origin(0) is run.origin(0)


def test_trials_that_failed_are_1_and_those_that_finished_or_were_pruned_0():
    x = np.array([0.9, 0.9])
    run = hx.Run(
        SPACE,
        [[0.1, 0.2], [0.3, 0.4]],
        [1.0, 2.0],
        "maximize",
        trials=[0, 4],
        excluded={
            t: hx.base.fact(kind=why) for t, why in enumerate(["failed", "pruned", "failed"], 1)
        },
        without_result={
            1: WithoutResult("failed", x),
            2: WithoutResult("pruned", x / 2.0),
            3: WithoutResult("failed", [np.nan, 0.9]),
            5: WithoutResult("running", x / 3.0),
        },
    )
    found = measured(run, "failed")
    assert np.asarray(found.trials).tolist() == [0, 1, 2, 4]
    assert found.objective.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert [*found.without_result] == [3, 5]
    note = found.notes[0]
    assert note.trials == (1,)
    assert "1 trial (1) beside 2 finished trials and 1 pruned" in str(note)
    assert "the configuration cannot be read: 3, so" in str(note)


def test_the_forest_of_failures_is_a_classifier():
    """Scikit-learn's own classifier with the same settings predicts the same probabilities."""
    from sklearn.ensemble import RandomForestClassifier

    run = measured(run_with_failures(lambda X: 0.1 + 0.8 * (X[:, 0] > 0.6)), "failed")
    surrogate = run.surrogate()
    settings = surrogate.forest.get_params() | {"criterion": "gini"}
    classifier = RandomForestClassifier(**settings).fit(run.X, run.objective.astype(int))
    rows = SPACE.sample(500, seed=1)
    mean, _ = surrogate.predict(rows)
    assert ((mean >= 0.0) & (mean <= 1.0)).all()
    np.testing.assert_allclose(mean, classifier.predict_proba(rows)[:, 1], atol=0.02)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2))
def test_of_failures_by_chance_nothing_is_claimed(seed):
    run = run_with_failures(lambda X: np.full(len(X), 0.3), seed=seed)
    assert not any(
        claim.certain and claim.kind == "share"
        for claim in hx.importance(run, target="failed").claims
    )
    assert hx.trust(run, target="failed").level == "poor"


@pytest.mark.merge
def test_a_study_is_explained_by_its_times_and_its_failures():
    study = study_with_failures()
    slow = hx.importance(study, target="duration")
    assert slow.share("depth") > 0.9
    broken = hx.importance(study, target="failed")
    assert broken.share("batch") > 0.9
    found = hx.changes(study, {"depth": 3, "batch": 60, "lr": 0.01}, target="failed")
    assert found.subject.objective_name == "probability of failure"
    assert found.names[0] == "batch"
    assert found.values[0] > 0.5 > found.values[-1]
    with pytest.raises(hx.base.NothingToExplain, match="the optimizer saw another objective"):
        hx.explain_proposal(study, target="duration")


@pytest.mark.thorough
def test_of_infeasibility_trials_that_failed_or_broke_a_constraint_are_1():
    run = run_with_failures(lambda X: X[:, 0] > 0.8)
    run = replace(run, feasible=run.X[:, 0] < 0.5)
    found = measured(run, "infeasible")
    np.testing.assert_array_equal(found.objective == 1.0, found.X[:, 0] >= 0.5)
    note = found.notes[0]
    assert len(note.trials) == found.objective.sum()
    assert note["finished"] == (found.objective == 0.0).sum()
    assert found.bounds == (0.0, 1.0)
    assert hx.importance(run, target="infeasible").share("x") > 0.9
    feasible = hx.Run(SPACE, run.X, run.objective, "maximize")
    with pytest.raises(hx.base.NothingToExplain, match="failed or broke a constraint"):
        measured(feasible, "infeasible")


def test_some_trials_are_read_by_their_numbers():
    study = study_with_failures()
    run = as_run(study)
    numbers = np.asarray(run.trials)
    late = as_run(study, trials=slice(30, None))
    np.testing.assert_array_equal(late.trials, numbers[numbers >= 30])
    np.testing.assert_array_equal(late.objective, run.objective[numbers >= 30])
    assert {str(why) for t, why in late.excluded.items() if t < 30} == {
        "not one of the trials that were chosen"
    }
    assert {t for t in run.without_result if t >= 30} == {*late.without_result}
    np.testing.assert_array_equal(as_run(run, trials=slice(-30, None)).trials, late.trials)
    few = numbers[[4, 1]].tolist()
    assert as_run(run, trials=few).trials.tolist() == sorted(few)
    failed = as_run(study, trials=slice(30, None), target="failed")
    assert failed.trials.tolist() == list(range(30, 60))
    assert hx.history(study, trials=slice(30, None)).trials.tolist() == late.trials.tolist()


@pytest.mark.parametrize("trials", [[999], [], ["x"], [True], "x", 3, slice(900, None)])
def test_trials_that_do_not_exist_are_refused(trials):
    with pytest.raises(hx.base.InputError) as caught:
        as_run(study_with_failures(), trials=trials)
    assert caught.value.argument == "trials"


def test_the_curves_and_instances_of_some_trials_are_theirs():
    X = SPACE.sample(3, seed=0)
    curves = hx.run.Curves.of({t: {1: 1.0 + t, 2: 0.5} for t in range(3)}, dict(enumerate(X)))
    instances = hx.run.Instances(["a", "b"], np.repeat(X, 2, axis=0), [0, 1] * 3, np.arange(6.0))
    run = hx.Run(SPACE, X, [0.5, 2.5, 4.5], "minimize", curves=curves, instances=instances)
    some = as_run(run, trials=[0, 2])
    assert some.curves.trials.tolist() == [0, 2]
    assert some.curves.values[:, 0].tolist() == [1.0, 3.0]
    assert some.instances.objective.tolist() == [0.0, 1.0, 4.0, 5.0]


def test_a_table_names_its_columns():
    table = pd.DataFrame(
        {
            "x": [0.1, 0.2, 0.9, 0.8, 0.5],
            "loss": [1.0, 2.0, 1e6, np.nan, 3.0],
            "seconds": ["1 days", "00:00:02", "3", "", "4"],
            "state": ["Finished", "ok", "TIMEOUT", "out of memory", "pruned"],
        }
    )
    reading = {"objective": "loss", "duration": "seconds", "status": "state"}
    run = hx.from_frame(table, **reading)
    assert run.space.names == ("x",)
    assert run.durations.tolist() == [86400.0, 2.0]
    assert {t: why.kind for t, why in run.excluded.items()} == {
        2: "failed",
        3: "failed",
        4: "pruned",
    }
    assert as_run(table, target="failed", **reading).objective.tolist() == [0, 0, 1, 1, 0]
    with pytest.raises(hx.base.InputError, match="status 'x' must say whether a trial finished"):
        hx.from_frame(table, objective="loss", status="x", hyperparameters=["seconds"])
    with pytest.raises(hx.base.InputError, match="duration 'state' must hold seconds"):
        hx.from_frame(table, objective="loss", duration="state", hyperparameters=["x"])


def test_what_was_not_recorded_is_said_with_the_remedy():
    table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
    with pytest.raises(hx.base.InputError, match="name its column with duration="):
        hx.importance(table, objective="loss", target="duration")
    with pytest.raises(hx.base.NothingToExplain, match="none of the run's trials failed: 3 trials"):
        hx.importance(table, objective="loss", target="failed")
    with pytest.raises(hx.base.InputError, match="direction cannot be given with target='failed'"):
        hx.from_optuna(study_with_failures(), target="failed", direction="maximize")
