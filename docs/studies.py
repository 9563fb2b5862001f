"""The studies that the pages ask about, in one storage: ``python -m docs.studies FILE``."""

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import optuna
from optuna.samplers import RandomSampler, TPESampler
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_wine(return_X_y=True)
ACCURACY, LOSS = {"accuracy": "maximize"}, {"loss": "minimize"}


def scaled(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the columns and the classes of training and test rows, scaled by the former."""
    scaler = StandardScaler().fit(X[train])
    return (scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test])


FOLDS = [scaled(*fold) for fold in StratifiedKFold(5).split(X, y)]
EVERY = np.arange(len(X))
ALL = scaled(EVERY, EVERY)[:2]


def machine(trial: optuna.Trial) -> tuple[float, float]:
    """Return the accuracy of a support vector machine, and how many support vectors it has."""
    svc = SVC(
        C=trial.suggest_float("C", 1e-3, 1e3, log=True),
        gamma=trial.suggest_float("gamma", 1e-5, 1e1, log=True),
        kernel=trial.suggest_categorical("kernel", ["rbf", "sigmoid"]),
    )
    scores = [svc.fit(train, classes).score(test, true) for train, classes, test, true in FOLDS]
    return float(np.mean(scores)), float(svc.fit(*ALL).n_support_.sum())


def network(trial: optuna.Trial) -> float:
    """Report a loss step by step, which scatters more with a larger rate; stands for a training."""
    rate = trial.suggest_float("learning_rate", 1e-4, 1.0, log=True)
    width = trial.suggest_int("width", 8, 128, log=True)
    scatter = np.random.default_rng(trial.number).normal(0.0, 0.3 * rate**0.5, 20)
    for step in range(20):
        falling = np.exp(-(step + 1) * rate**0.5)
        loss = (np.log10(rate) + 2.0) ** 2 / 4 + 4 / width + falling + scatter[step]
        trial.report(loss, step)
    return float(loss)


STUDIES = {  # what is tuned, the metrics, the sampler
    **{
        name: (lambda trial: machine(trial)[0], ACCURACY, TPESampler(seed=seed))
        for seed, name in enumerate(["svm", "seed 0", "seed 1", "seed 2"])
    },
    "two objectives": (machine, {**ACCURACY, "support_vectors": "minimize"}, TPESampler(seed=0)),
    "networks": (network, LOSS, TPESampler(seed=0)),
    "repeated": (network, LOSS, RandomSampler(seed=0)),
}


def write(path: Path, names: Sequence[str] = tuple(STUDIES)) -> None:
    """Tune what is to be explained, or some of it, and write it as an SQLite storage."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    for name in names:
        tuned, metrics, sampler = STUDIES[name]
        memory = optuna.storages.InMemoryStorage()  # in a file each trial would wait for the disk
        study = optuna.create_study(
            storage=memory, study_name=name, sampler=sampler, directions=[*metrics.values()]
        )
        study.set_metric_names([*metrics])
        study.optimize(tuned, n_trials=20)
        for trial in study.get_trials() * 2 if name == "repeated" else ():
            study.enqueue_trial(trial.params)  # the same again, with other noise
        study.optimize(tuned, n_trials=40 if name == "repeated" else 20)
        file = f"sqlite:///{path.as_posix()}"
        optuna.copy_study(from_study_name=name, from_storage=memory, to_storage=file)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
