"""Ask why, after an Optuna study: from its storage, without running anything again.

    python examples/post_hoc_optuna.py --storage sqlite:///study.db --study-name tuning

Without options a small study is made first.
"""

from __future__ import annotations

import argparse

import optuna

import hpo_explain as hx


def loss(trial: optuna.Trial) -> float:
    """Return the loss of one configuration, of which one hyperparameter is conditional."""
    booster = trial.suggest_categorical("booster", ["gbtree", "dart"])
    drop = trial.suggest_float("rate_drop", 0.0, 1.0) if booster == "dart" else 0.5
    eta = trial.suggest_float("eta", 1e-4, 1.0, log=True)
    return float((eta**0.25 - 0.5) ** 2 + 0.2 * (drop - 0.1) ** 2)


def main() -> None:
    """Explain a study."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--storage", help="as Optuna takes it")
    parser.add_argument("--study-name")
    options = parser.parse_args()
    if options.storage:
        study = optuna.load_study(study_name=options.study_name, storage=options.storage)
    else:
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
        study.optimize(loss, n_trials=40)

    run = hx.from_optuna(study)
    print(run)
    print(hx.trust(run))
    print(hx.importance(run, order=min(2, len(run.space))).sentence)
    print(hx.explain_proposal(run, "best").sentence)
    path = hx.methods.desirability_path(run, background=200)
    print(path.sentence)
    path.plot()


if __name__ == "__main__":
    main()
