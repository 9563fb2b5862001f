"""Studies for the tests of the adapter of Optuna, run by Optuna itself."""

import datetime as dt
import math

import optuna
from optuna.distributions import FloatDistribution
from optuna.samplers import RandomSampler
from optuna.trial import FrozenTrial, TrialState


def rate_drop_of_dart(trial):
    if trial.suggest_categorical("booster", ["gbtree", "dart"]) == "dart":
        return trial.suggest_float("rate_drop", 0.0, 1.0)
    return 0.5


def optimized(objective, n_trials=12, sampler=None, *, catch=(), **options):
    study = optuna.create_study(sampler=sampler or RandomSampler(seed=0), **options)
    study.optimize(objective, n_trials=n_trials, catch=catch)
    return study


def parabola(trial):
    return (trial.suggest_float("x", -1.0, 1.0) - 0.3) ** 2


def study_of(*trials, **options):
    """A study that holds these finished trials."""
    study = optuna.create_study(**options)
    study.add_trials(trials)
    return study


def finished(value=1.0, number=0, start=0.0, end=1.0, state=TrialState.COMPLETE, **params):
    """A trial of hyperparameters in [0, 1] that ran from `start` to `end`, in seconds."""
    day = dt.datetime(2024, 5, 17, 12, 0, 0, 500)
    return FrozenTrial(
        number=number,
        trial_id=number,
        state=state,
        value=value,
        datetime_start=day + dt.timedelta(seconds=start),
        datetime_complete=day + dt.timedelta(seconds=end),
        params=params or {"x": 0.5},
        distributions={name: FloatDistribution(0.0, 1.0) for name in params or ["x"]},
        user_attrs={},
        system_attrs={},
        intermediate_values={},
    )


def same_configurations(run, study):
    """The run's configurations are the study's parameters, types included."""
    configs = run.space.decode(run.X)
    params = [study.trials[number].params for number in run.trials]
    return all(
        config.keys() == given.keys() and all(close(config[name], given[name]) for name in given)
        for config, given in zip(configs, params, strict=True)
    )


def close(value, given):
    if isinstance(given, float) and not isinstance(given, bool):
        return math.isclose(value, given, rel_tol=1e-12, abs_tol=1e-12) or value is given
    return value == given and type(value) is type(given)
