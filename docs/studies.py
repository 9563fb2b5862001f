"""The studies that the pages ask about, in one storage."""

import warnings
from pathlib import Path

import numpy as np
import optuna
from optuna.samplers import BaseSampler as Sampler
from optuna.samplers import RandomSampler, TPESampler
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_wine(return_X_y=True)


def accuracy(trial: optuna.Trial) -> float:
    """Return the accuracy of a support vector machine on the wine data."""
    svc = SVC(
        C=trial.suggest_float("C", 1e-3, 1e3, log=True),
        gamma=trial.suggest_float("gamma", 1e-5, 1e1, log=True),
        kernel=trial.suggest_categorical("kernel", ["rbf", "sigmoid"]),
    )
    return float(cross_val_score(make_pipeline(StandardScaler(), svc), X, y).mean())


def learning(trial: optuna.Trial) -> float:
    """Report a loss that falls step by step; stands for the training of a network."""
    rate = trial.suggest_float("learning_rate", 1e-4, 1.0, log=True)
    width = trial.suggest_int("width", 8, 128, log=True)
    noise = np.random.default_rng(trial.number).normal(0.0, 0.03, 20)
    end, speed = (np.log10(rate) + 1.5) ** 2 / 4 + 4 / width, 20 * rate**0.5
    for step in range(20):
        loss = end + np.exp(-speed * (step + 1) / 20) + noise[step]
        trial.report(loss, step)
    return float(loss)


def noisy(trial: optuna.Trial) -> float:
    """Return a loss that scatters the more, the larger the learning rate is."""
    rate = trial.suggest_float("learning_rate", 1e-4, 1.0, log=True)
    width = trial.suggest_int("width", 8, 128, log=True)
    scatter = np.random.default_rng(trial.number).normal(0.0, 0.3 * rate**0.5)
    return float((np.log10(rate) + 2) ** 2 / 4 + 4 / width + scatter)


def score_and_size(trial: optuna.Trial) -> tuple[float, float]:
    """Return the accuracy, and how many support vectors it takes at least."""
    accurate = accuracy(trial)
    C, gamma = trial.params["C"], trial.params["gamma"]
    model = make_pipeline(StandardScaler(), SVC(C=C, gamma=gamma, kernel=trial.params["kernel"]))
    return accurate, float(model.fit(X, y)[-1].n_support_.sum())


OBJECTIVES = {
    "svm": accuracy,
    "seed 0": accuracy,
    "seed 1": accuracy,
    "seed 2": accuracy,
    "networks": learning,
    "two objectives": score_and_size,
    "repeated": noisy,
}


def write(path: Path) -> None:
    """Tune what is to be explained, and write it as an SQLite storage."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    path.parent.mkdir(parents=True, exist_ok=True)
    memory, storage = optuna.storages.InMemoryStorage(), f"sqlite:///{path.as_posix()}"

    def tuned(name: str, sampler: Sampler, trials: int, **metrics: str) -> optuna.Study:
        study = optuna.create_study(
            storage=memory, study_name=name, sampler=sampler, directions=[*metrics.values()]
        )
        study.set_metric_names([*metrics])
        study.optimize(OBJECTIVES[name], n_trials=trials)
        return study

    for name, seed in {"svm": 0, "seed 0": 1, "seed 1": 2, "seed 2": 3}.items():
        tuned(name, TPESampler(seed=seed), 40, accuracy="maximize")
    tuned("networks", TPESampler(seed=0), 40, loss="minimize")
    both = {"accuracy": "maximize", "support_vectors": "minimize"}
    tuned("two objectives", TPESampler(seed=0), 40, **both)
    repeated = tuned("repeated", RandomSampler(seed=0), 20, loss="minimize")
    for trial in repeated.get_trials() * 2:
        repeated.enqueue_trial(trial.params)
    repeated.optimize(noisy, n_trials=40)
    for name in OBJECTIVES:
        optuna.copy_study(from_study_name=name, from_storage=memory, to_storage=storage)
