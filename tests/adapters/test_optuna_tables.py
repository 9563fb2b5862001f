"""Trials read table by table are those that Optuna reads."""

import math

import numpy as np
import optuna
import pytest
from optuna.storages import RDBStorage
from optuna.trial import TrialState

from hpo_explain.adapters.optuna import _databases
from hpo_explain.adapters.optuna.storage import load_study
from hpo_explain.adapters.sources import as_run

ASTRAY = [math.nan, math.inf, -math.inf]


def two_objectives(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    kind = trial.suggest_categorical("kind", [None, True, 1.5, "a", 7])
    trial.suggest_int("n", 1, 64, log=True)
    if kind is None:
        # ranges change
        trial.suggest_float("of none", 0.1, 0.1 + trial.number)
    trial.set_user_attr("note", {"at": [trial.number, None]})
    trial.set_user_attr("another", "ä")
    trial.storage.set_trial_system_attr(trial._trial_id, "constraints", [-1.0, 0.5])
    if trial.number % 7 == 3:
        raise ValueError
    if trial.number % 7 == 5:
        raise optuna.TrialPruned
    return x, [1.0, math.inf, -math.inf][trial.number % 3]


def with_steps(trial):
    x = trial.suggest_float("x", 0.0, 1.0, step=0.25)
    for step in (3, 1, 2):
        trial.report([x, *ASTRAY][(trial.number + step) % 4], step)
    if trial.number % 4 == 2:
        raise optuna.TrialPruned
    return [x, math.nan, math.inf][trial.number % 3]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Two studies whose trials have their ids in turn, of all states and kinds of values."""
    address = f"sqlite:///{tmp_path_factory.mktemp('studies')}/s.db"
    two = optuna.create_study(
        storage=address,
        study_name="two",
        directions=["minimize", "maximize"],
        sampler=optuna.samplers.RandomSampler(seed=0),
    )
    steps = optuna.create_study(
        storage=address, study_name="steps", sampler=optuna.samplers.RandomSampler(seed=0)
    )
    two.set_user_attr("note", [1, None])
    two.set_metric_names(["loss", "accuracy"])
    two.enqueue_trial({"x": 0.5, "kind": None})
    for _ in range(4):
        two.optimize(two_objectives, n_trials=6, catch=(ValueError,))
        steps.optimize(with_steps, n_trials=4)
    steps.ask().suggest_float("x", 0.0, 1.0, step=0.25)
    two.enqueue_trial({"x": 0.25}, user_attrs={"why": "tried"})
    # of no hyperparameter
    steps.add_trial(optuna.trial.create_trial(value=1.0))
    optuna.create_study(
        storage=address, study_name="none", sampler=optuna.samplers.RandomSampler(seed=0)
    )
    return address


def contents(trial):
    """Everything a trial holds; NaN equals itself by its text."""
    return {name: repr(value) for name, value in vars(trial).items()}


@pytest.mark.parametrize("name", ["two", "steps", "none"])
@pytest.mark.parametrize("at_once", [3, 1000])
def test_all_that_trials_hold_is_read_as_optuna_reads_it(address, name, at_once, monkeypatch):
    monkeypatch.setattr(_databases, "_AT_ONCE", at_once)
    expected = optuna.load_study(study_name=name, storage=address)
    study = load_study(address, name)
    assert study.directions == expected.directions
    assert study.user_attrs == expected.user_attrs
    assert study.metric_names == expected.metric_names
    expected = expected.get_trials()
    # not by Optuna itself
    monkeypatch.setattr(RDBStorage, "_get_trials", None)
    found = study.get_trials(deepcopy=False)
    assert [*map(contents, found)] == [*map(contents, expected)]
    if name == "two":
        assert {trial.state for trial in found} == set(TrialState) - {TrialState.RUNNING}
        assert [*map(type, found[1].params.values())] == [*map(type, expected[1].params.values())]
    if name == "steps":
        assert {trial.state for trial in found} == set(TrialState) - {TrialState.WAITING}


def test_what_changed_since_is_read_by_a_second_look(address):
    study = load_study(address, "steps")
    before = len(study.get_trials(deepcopy=False))
    optuna.load_study(study_name="steps", storage=address).add_trial(
        optuna.trial.create_trial(value=2.0)
    )
    assert len(study.get_trials(deepcopy=False)) == before + 1
    assert study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))[0].params


def test_tables_of_another_optuna_are_left_to_it(address, monkeypatch):
    assert _databases.are_known()
    run = as_run(address, study_name="two", target=0)
    column = _databases.models.BaseModel.metadata.tables["trial_params"].c.param_value
    monkeypatch.setattr(column, "name", "parameter")
    assert not _databases.are_known()
    monkeypatch.undo()
    monkeypatch.setattr(_databases, "are_known", lambda: False)
    monkeypatch.setattr(_databases, "_trials", None)
    other = as_run(address, study_name="two", target=0)
    np.testing.assert_array_equal(other.X, run.X)
    np.testing.assert_array_equal(other.trials, run.trials)
