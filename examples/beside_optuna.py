"""Ask Optuna's default importances and hpo_explain's what an accuracy depends on, and compare both.

The same studies of TPE are explained by both. What is true is estimated from configurations that
are drawn uniformly, without any model. Optuna's default asks for more than it seems: what decides
whether a trial is among the best of the study.

python examples/beside_optuna.py --seeds 5 --out beside_optuna.svg
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import optuna
import pandas as pd
from matplotlib.figure import Figure
from optuna.samplers import BaseSampler, RandomSampler, TPESampler
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import hpo_explain as hx

OURS, OPTUNA = "hx.importance", "Optuna's default"
_GROUPS = 6  # of the values of a number
X, y = load_digits(return_X_y=True)
TRAIN, TEST, TRAIN_LABELS, TEST_LABELS = train_test_split(
    StandardScaler().fit_transform(X), y, train_size=300, random_state=0
)


def accuracy(trial: optuna.Trial) -> float:
    """Return the accuracy of a linear classifier of digits, trained by gradient descent."""
    model = SGDClassifier(
        loss=trial.suggest_categorical("loss", ["log_loss", "hinge", "modified_huber"]),
        penalty="elasticnet",
        alpha=trial.suggest_float("alpha", 1e-6, 1.0, log=True),
        l1_ratio=trial.suggest_float("l1_ratio", 0.0, 1.0),
        eta0=trial.suggest_float("eta0", 1e-5, 10.0, log=True),
        learning_rate=trial.suggest_categorical("schedule", ["constant", "invscaling", "adaptive"]),
        power_t=trial.suggest_float("power_t", 0.1, 0.9),
        max_iter=trial.suggest_int("epochs", 1, 10),
        average=trial.suggest_categorical("average", [False, True]),
        tol=None,
        random_state=0,
    )
    return float(model.fit(TRAIN, TRAIN_LABELS).score(TEST, TEST_LABELS))


def tuned(sampler: BaseSampler, n_trials: int) -> optuna.Study:
    """Return a study of the classifier."""
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(accuracy, n_trials=n_trials)
    return study


def share_alone(values: Sequence[object], objective: np.ndarray) -> float:
    """Return the share of the variance between groups of values, free of what chance adds."""
    column = pd.Series(values)
    if pd.api.types.is_float_dtype(column):
        column = pd.qcut(column, _GROUPS, labels=False)
    groups = pd.Series(objective).groupby(column.to_numpy())
    within = groups.var(ddof=0).mul(groups.size()).sum()
    noise = within / (len(objective) - len(groups))
    return float(1.0 - noise / np.var(objective, ddof=1))


def true_shares(n_trials: int) -> pd.Series:
    """Return what each hyperparameter explains alone, by uniform configurations; largest first."""
    study = tuned(RandomSampler(seed=99), n_trials)
    objective = np.array([trial.value for trial in study.trials])
    shares = {
        name: share_alone([trial.params[name] for trial in study.trials], objective)
        for name in study.trials[0].params
    }
    return pd.Series(shares).sort_values(ascending=False)


def explained(seeds: int, n_trials: int) -> dict[str, pd.DataFrame]:
    """Return the shares by both, a row per hyperparameter and a column per seed."""
    ours, default = {}, {}
    for seed in range(seeds):
        study = tuned(TPESampler(seed=seed), n_trials)
        ours[seed] = hx.importance(study).importance["importance"]
        default[seed] = optuna.importance.get_param_importances(study)
    return {OURS: pd.DataFrame(ours), OPTUNA: pd.DataFrame(default)}


def drawn(truth: pd.Series, shares: dict[str, pd.DataFrame]) -> Figure:
    """Draw the truth beside what both say: a bar is the mean of the seeds, a point one of them."""
    figure = Figure(figsize=(9.0, 3.0), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    rows = np.arange(len(truth))
    axes[0].barh(rows, truth.clip(lower=0.0), color="#555555")
    axes[0].set_title("true share of the variance", fontsize=10)
    for axis, (name, table) in zip(axes[1:], shares.items(), strict=True):
        table = table.loc[truth.index]
        axis.barh(rows, table.mean(axis=1), color="#9ecae1")
        for values in table.to_numpy().T:
            axis.plot(values, rows, "o", color="#08519c", markersize=4)
        axis.set_title(name, fontsize=10)
    axes[0].set_yticks(rows, truth.index)
    axes[0].invert_yaxis()
    for axis in axes:
        axis.set_xlim(0.0, None)
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    """Compare both, and say where each ranks what is truly first."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--uniform", type=int, default=300)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    truth = true_shares(options.uniform)
    shares = explained(options.seeds, options.trials)
    first = truth.index[0]
    print(f"First in truth: {first}, {truth.iloc[0]:.0%} of the variance.")
    for name, table in shares.items():
        ranks = table.rank(ascending=False).loc[first].astype(int)
        print(f"Its rank by {name}: {', '.join(map(str, ranks))}.")
    if options.out is not None:
        drawn(truth, shares).savefig(options.out)


if __name__ == "__main__":
    main()
