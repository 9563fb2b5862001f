"""Continue an Optuna study in the subspace of the hyperparameters that matter.

A support vector machine is tuned with random search, the smallest set of hyperparameters that
explains most of the variance of its accuracy is read off the trials, and the study goes on with
all others fixed at the incumbent's values (Hutter et al. 2014, Section 4.4).

Set as in the paper: the forest learns accuracies capped at the best quarter (`cap="25%"`, the
default; None caps nothing), and everything that is not in the set is fixed, `Subspace.others`;
`Subspace.fixed` is what certainly loses nothing.

    python examples/fanova_subspace.py --trials 60 --more 40
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass

import optuna
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import hpo_explain as hx


def accuracy(trial: optuna.Trial) -> float:
    """Return the cross-validated accuracy of one configuration."""
    X, y = load_wine(return_X_y=True)
    kernel = trial.suggest_categorical("kernel", ["rbf", "poly", "sigmoid"])
    svc = SVC(
        C=trial.suggest_float("C", 1e-3, 1e3, log=True),
        gamma=trial.suggest_float("gamma", 1e-5, 1e1, log=True),
        kernel=kernel,
        degree=trial.suggest_int("degree", 2, 5) if kernel == "poly" else 3,
        tol=trial.suggest_float("tol", 1e-5, 1e-2, log=True),
        shrinking=trial.suggest_categorical("shrinking", [True, False]),
    )
    return float(
        cross_val_score(
            make_pipeline(StandardScaler(), svc), X, y, cv=3
        ).mean()
    )


@dataclass(frozen=True, eq=False)
class Continued:
    """A study continued in its important subspace: the best accuracy before and after."""

    study: optuna.Study
    subspace: hx.methods.Subspace
    before: float
    after: float


def continued(trials: int, more: int, share: float) -> Continued:
    """Search the whole space, then the important subspace with all others fixed."""
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0)
    )
    study.optimize(accuracy, n_trials=trials)
    before = study.best_value
    # the paper's cap, and its forest of 64 trees with leaves of one trial
    subspace = hx.methods.subspace(
        study, share=share, n_trees=64, cap="25%", seed=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.sampler = optuna.samplers.PartialFixedSampler(
            subspace.others, optuna.samplers.TPESampler(seed=0)
        )
    study.optimize(accuracy, n_trials=more)
    return Continued(study, subspace, before, study.best_value)


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--trials", type=int, default=60, help="trials in the whole space"
    )
    parser.add_argument(
        "--more", type=int, default=40, help="trials in the subspace"
    )
    parser.add_argument(
        "--share",
        type=float,
        default=0.8,
        help="share of the variance to explain",
    )
    parser.add_argument("--quick", action="store_true", help="few trials")
    options = parser.parse_args()
    trials, more = (40, 8) if options.quick else (options.trials, options.more)

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    found = continued(trials, more, options.share)
    subspace = found.subspace
    print(
        f"whole space: best accuracy {found.before:.4f} after {trials} trials"
    )
    print(subspace.sentence)
    print(
        subspace.to_frame().to_string(
            index=False, float_format="{:.3f}".format
        )
    )
    # the paper fixes all others; `subspace.fixed` is what certainly loses nothing
    print(f"fixed as in the paper: {subspace.others}")
    print(f"can certainly stay fixed: {subspace.fixed}")
    for note in subspace.notes:
        print(f"note: {note}")
    print(
        f"subspace: best accuracy {found.after:.4f} after {more} more trials"
    )


if __name__ == "__main__":
    main()
