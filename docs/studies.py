"""The studies that the pages ask about, in one storage."""

import warnings
from pathlib import Path

import numpy as np
import optuna
from optuna.samplers import RandomSampler, TPESampler
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_wine(return_X_y=True)
ACCURACY, LOSS = {"accuracy": "maximize"}, {"loss": "minimize"}


def machine(trial: optuna.Trial) -> tuple[float, float]:
    """Return the accuracy of a support vector machine, and how many support vectors it has."""
    svc = SVC(
        C=trial.suggest_float("C", 1e-3, 1e3, log=True),
        gamma=trial.suggest_float("gamma", 1e-5, 1e1, log=True),
        kernel=trial.suggest_categorical("kernel", ["rbf", "sigmoid"]),
    )
    model = make_pipeline(StandardScaler(), svc)
    accuracy = float(cross_val_score(model, X, y).mean())
    return accuracy, float(model.fit(X, y)[-1].n_support_.sum())


def network(trial: optuna.Trial) -> float:
    """Report a loss step by step, which scatters more with a larger rate; stands for a training."""
    rate = trial.suggest_float("learning_rate", 1e-4, 1.0, log=True)
    width = trial.suggest_int("width", 8, 128, log=True)
    scatter = np.random.default_rng(trial.number).normal(
        0.0, 0.3 * rate**0.5, 20
    )
    for step in range(20):
        falling = np.exp(-(step + 1) * rate**0.5)
        loss = (
            (np.log10(rate) + 2.0) ** 2 / 4
            + 4 / width
            + falling
            + scatter[step]
        )
        trial.report(loss, step)
    return float(loss)


STUDIES = {  # what is tuned, the metrics, the sampler
    **{
        name: (
            lambda trial: machine(trial)[0],
            ACCURACY,
            TPESampler(seed=seed),
        )
        for seed, name in enumerate(["svm", "seed 0", "seed 1", "seed 2"])
    },
    "two objectives": (
        machine,
        {**ACCURACY, "support_vectors": "minimize"},
        TPESampler(seed=0),
    ),
    "networks": (network, LOSS, TPESampler(seed=0)),
    "repeated": (network, LOSS, RandomSampler(seed=0)),
}


def write(path: Path) -> None:
    """Tune what is to be explained, and write it as an SQLite storage."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.filterwarnings(
        "ignore", category=optuna.exceptions.ExperimentalWarning
    )
    memory, storage = (
        optuna.storages.InMemoryStorage(),
        f"sqlite:///{path.as_posix()}",
    )
    for name, (tuned, metrics, sampler) in STUDIES.items():
        study = optuna.create_study(
            storage=memory,
            study_name=name,
            sampler=sampler,
            directions=[*metrics.values()],
        )
        study.set_metric_names([*metrics])
        study.optimize(tuned, n_trials=20)
        for trial in study.get_trials() * 2 if name == "repeated" else ():
            study.enqueue_trial(
                trial.params
            )  # the same again, with other noise
        study.optimize(tuned, n_trials=40 if name == "repeated" else 20)
        optuna.copy_study(
            from_study_name=name, from_storage=memory, to_storage=storage
        )
