"""Keep a report up to date while an Optuna study runs.

The callback has `report.html` drawn every 20 trials by a process of its own, as soon as that fits
into 5 % of the optimization's own time, and once more at the end. Open the file meanwhile and
reload it as you like: a reader never sees half a report. For skopt:
`from hpo_explain.adapters.skopt import ExplanationCallback`.

    python examples/callback.py --trials 60 --out report.html
"""

from __future__ import annotations

import argparse
from pathlib import Path

import optuna

from hpo_explain.adapters.optuna import ExplanationCallback


def loss(trial: optuna.Trial) -> float:
    """Return the loss of one configuration; stands for a training that takes its time."""
    rate = trial.suggest_float("learning_rate", 1e-5, 1e-1, log=True)
    layers = trial.suggest_int("layers", 1, 6)
    dropout = trial.suggest_float("dropout", 0.0, 0.6)
    return float((rate**0.1 - 0.5) ** 2 + 0.02 * (layers - 3) ** 2 + 0.1 * dropout)


def main() -> None:
    """Run a study with the callback."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path("report.html"))
    options = parser.parse_args()
    callback = ExplanationCallback(
        options.out, every=20, on_update=lambda path: print("new:", path)
    )
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(loss, n_trials=options.trials, callbacks=[callback])
    print(f"best loss {study.best_value:.4f}; last report: {callback.finish(study)}")


if __name__ == "__main__":
    main()
