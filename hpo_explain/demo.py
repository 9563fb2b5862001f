"""A real model, a real data set and a real optimizer: what `hpo-explain demo` runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from hpo_explain._checks import check_count, check_option
from hpo_explain.run import Run
from hpo_explain.space import (
    CategoricalParameter,
    Config,
    FloatParameter,
    IntParameter,
    SearchSpace,
)

FRAMEWORKS = ("optuna", "skopt")
SAMPLERS = ("tpe", "random")
OBJECTIVE_NAME = "share of digits misread"


def demo_space() -> SearchSpace:
    """Return the search space of the demo: a multilayer perceptron's hyperparameters."""
    return SearchSpace(
        [
            FloatParameter("learning_rate", 1e-4, 0.3, log=True),
            IntParameter("batch_size", 16, 256, log=True),
            IntParameter("layers", 1, 4),
            IntParameter("units", 4, 128, log=True),
            CategoricalParameter("activation", ["relu", "tanh", "logistic"]),
            FloatParameter("weight_decay", 1e-6, 1.0, log=True),
            IntParameter("epochs", 3, 20),
        ]
    )


def demo_objective() -> Callable[[Config], float]:
    """Return the objective: train on 60 % of scikit-learn's digits, count misread ones of the rest.

    Returns
    -------
    callable
        Function from a configuration of `demo_space` to the share of validation digits misread,
        in [0, 1], to be minimized.
    """
    from sklearn.datasets import load_digits
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import train_test_split
    from sklearn.neural_network import MLPClassifier

    images, digits = load_digits(return_X_y=True)
    train, valid, digits_train, digits_valid = train_test_split(
        images / 16.0, digits, test_size=0.4, random_state=0, stratify=digits
    )

    def share_misread(config: Config) -> float:
        model = MLPClassifier(
            hidden_layer_sizes=(config["units"],) * config["layers"],
            activation=config["activation"],
            learning_rate_init=config["learning_rate"],
            batch_size=config["batch_size"],
            alpha=config["weight_decay"],
            max_iter=config["epochs"],
            random_state=0,
        )
        with warnings.catch_warnings():
            # stopping after a few epochs is a choice of the configuration
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(train, digits_train)
        return 1.0 - float(model.score(valid, digits_valid))

    return share_misread


def run_demo(
    folder: Path,
    *,
    framework: str = "optuna",
    sampler: str = "tpe",
    n_trials: int = 80,
    seed: int = 0,
    on_trial: Callable[[], None] = lambda: None,
) -> Run:
    """Tune the demo's model and return the run.

    Parameters
    ----------
    folder : pathlib.Path
        Where Optuna's SQLite file is written; must exist.
    framework : {"optuna", "skopt"}, default "optuna"
        What tunes.
    sampler : {"tpe", "random"}, default "tpe"
        Optuna's sampler; skopt's `gp_minimize` draws every trial ("random") or the first 10.
    n_trials : int, default 80
        Number of trials, at least 1.
    seed : int, default 0
        Seed of the optimizer.
    on_trial : callable, optional
        Called after every trial.

    Returns
    -------
    Run
        The finished run.

    Raises
    ------
    ValueError
        If an option is unknown or `n_trials` is below 1.
    """
    check_option("framework", framework, FRAMEWORKS)
    check_option("sampler", sampler, SAMPLERS)
    check_count("n_trials", n_trials)
    objective = demo_objective()

    def counted(config: Config) -> float:
        loss = objective(config)
        on_trial()
        return loss

    if framework == "optuna":
        from hpo_explain.adapters.optuna import from_optuna
        from hpo_explain.adapters.optuna.quiet import quiet_optuna
        from hpo_explain.adapters.optuna.tune import tune_with_optuna

        with quiet_optuna():
            study = tune_with_optuna(
                counted,
                demo_space(),
                storage=f"sqlite:///{(folder / 'study.db').resolve().as_posix()}",
                study_name="digits",
                metric_name=OBJECTIVE_NAME,
                sampler=sampler,
                n_trials=n_trials,
                seed=seed,
            )
        return from_optuna(study)
    from hpo_explain.adapters.skopt import from_skopt
    from hpo_explain.adapters.skopt.tune import tune_with_skopt

    result = tune_with_skopt(counted, demo_space(), sampler=sampler, n_trials=n_trials, seed=seed)
    return from_skopt(result)
