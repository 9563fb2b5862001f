"""Explain a study."""

from __future__ import annotations

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    """Return the loss of one configuration."""
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    depth = trial.suggest_int("depth", 1, 8)
    return (rate**0.1 - 0.5) ** 2 + 0.02 * (depth - 3) ** 2


hub = optunahub.load_module(package="visualization/hpo_explain")

study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
study.optimize(objective, n_trials=30)

print(hub.summary(study))
hub.importance(study, order=2).plot()
hub.report(study, "report.html")
