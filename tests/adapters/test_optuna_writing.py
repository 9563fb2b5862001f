"""A study that is written at once is the one that Optuna copies trial by trial."""

import math

import optuna
import pytest

from hpo_explain.adapters.optuna.writing import write_study

pytestmark = pytest.mark.usefixtures("quiet_optuna")
SEEN = (
    "number state values params distributions intermediate_values user_attrs "
    "system_attrs datetime_start datetime_complete"
).split()


def tune(trial):
    """Finish, be pruned, fail or diverge; report numbers of all kinds; have conditions."""
    x = trial.suggest_float("x", 1e-3, 1.0, log=True)
    kind = trial.suggest_categorical("kind", ["a", None, 3])
    depth = trial.suggest_int("depth", 1, 9) if kind == "a" else 0
    numbers = [x, math.inf, -math.inf, math.nan]
    for step, value in enumerate(numbers):
        trial.report(value, step)
    trial.set_user_attr("seen", [x, {"kind": kind}])
    if trial.number % 5 == 1:
        raise optuna.TrialPruned
    if trial.number % 5 == 2:
        raise FloatingPointError
    return math.inf if trial.number % 5 == 3 else x + depth


def tune_two(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    return x, -x


@pytest.mark.parametrize("several", [False, True])
def test_every_value_is_that_of_optunas_own_copy(tmp_path, several):
    directions = ["minimize", "maximize"] if several else ["minimize"]
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(
        storage=storage,
        study_name="mine",
        directions=directions,
        sampler=optuna.samplers.TPESampler(seed=0),
    )
    study.set_user_attr("of", {"whom": None})
    study.optimize(tune_two if several else tune, n_trials=12, catch=FloatingPointError)
    study.ask()  # runs
    study.enqueue_trial({"x": 0.5})  # waits
    ours, theirs = (f"sqlite:///{tmp_path}/{n}.db" for n in ("ours", "theirs"))
    write_study(study, ours)
    optuna.copy_study(from_study_name="mine", from_storage=storage, to_storage=theirs)
    ours, theirs = (optuna.load_study(study_name="mine", storage=url) for url in (ours, theirs))
    assert ours.directions == theirs.directions
    assert ours.user_attrs == theirs.user_attrs
    for mine, other in zip(ours.trials, theirs.trials, strict=True):
        for name in SEEN:
            # NaN is not equal to itself
            assert repr(getattr(mine, name)) == repr(getattr(other, name))
    ours.optimize(tune_two if several else tune, n_trials=1)
    # it goes on with what waits
    assert ours.trials[-1].params["x"] == 0.5


def test_two_studies_are_in_one_storage(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    for name in ("first", "second"):
        study = optuna.create_study(study_name=name, sampler=optuna.samplers.RandomSampler(seed=0))
        study.optimize(lambda trial: trial.suggest_int("n", 1, 9), n_trials=3)
        write_study(study, url)
        stored = optuna.load_study(study_name=name, storage=url)
        assert [trial.value for trial in stored.trials] == [trial.value for trial in study.trials]
    with pytest.raises(optuna.exceptions.DuplicatedStudyError):
        write_study(study, url)
