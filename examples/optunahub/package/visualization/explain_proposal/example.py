"""Say why a sampler proposed a trial."""

from __future__ import annotations

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    """Return the loss of one configuration."""
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    depth = trial.suggest_int("depth", 1, 8)
    dropout = trial.suggest_float("dropout", 0.0, 0.5)
    return (rate**0.1 - 0.5) ** 2 * depth / 4 + 0.002 * (depth - 3) ** 2 + 0.05 * dropout


hub = optunahub.load_module(package="visualization/explain_proposal")

study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
study.optimize(objective, n_trials=40)

print(hub.explain_proposal(study, trial=30))
hub.plot_proposal(study, trial=30).write_html("proposal.html")

waiting = study.ask(study.best_trial.distributions)  # asked for, not evaluated yet
print(hub.explain_proposal(study, trial=waiting))
