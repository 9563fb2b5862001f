"""A TPE sampler that notes what it computed for the candidates it chose."""

import math

import optuna
from optuna.samplers import TPESampler


class SpiedTPE(TPESampler):
    """TPE that notes, trial by trial, what it sampled together and its value at the choice."""

    def __init__(self, **options):
        super().__init__(**options)
        self.computed = {}
        self._latest = None

    def _compute_acquisition_func(self, samples, below, above):
        values = super()._compute_acquisition_func(samples, below, above)
        self._latest = float(values.max())
        return values

    def _sample(self, study, trial, search_space):
        chosen = super()._sample(study, trial, search_space)
        self.computed.setdefault(trial.number, []).append((frozenset(search_space), self._latest))
        return chosen

    def value_at(self, trial):
        """What it computed for the hyperparameters that the trial has."""
        return math.fsum(
            value for names, value in self.computed[trial.number] if names <= set(trial.params)
        )


def every_kind(trial):
    """Steps, log, log integers, 30 categories, and a hyperparameter of some trials only."""
    x = trial.suggest_float("x", -5.0, 5.0)
    y = trial.suggest_float("y", 1e-5, 1.0, log=True)
    k = trial.suggest_int("k", 1, 64, log=True)
    n = trial.suggest_int("n", 0, 20, step=4)
    q = trial.suggest_float("q", 0.0, 1.0, step=0.25)
    c = trial.suggest_categorical("c", [f"c{i}" for i in range(30)])
    value = x**2 + math.log(y) ** 2 + k / 10 + n + q
    if c < "c2":
        value += trial.suggest_float("z", 0.0, 1.0)
    if c < "c15":
        value += trial.suggest_int("w", 1, 3)
    return value


def spied_study(objective, n_trials, *, options=None, catch=(), n_jobs=1, **study_options):
    """A study run by a spied TPE sampler; and the sampler."""
    sampler = SpiedTPE(seed=1, **(options or {}))
    study = optuna.create_study(sampler=sampler, **study_options)
    study.optimize(objective, n_trials=n_trials, catch=catch, n_jobs=n_jobs)
    return study, sampler
