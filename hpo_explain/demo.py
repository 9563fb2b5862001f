"""A real model, a real data set and a real optimizer: what `hpo-explain demo` runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hpo_explain.base.checks import check_count, check_option
from hpo_explain.run import Run
from hpo_explain.space import (
    CategoricalParameter,
    Config,
    FloatParameter,
    IntParameter,
    SearchSpace,
)

TRIALS = {"optuna": 80, "skopt": 40}  # by framework: skopt fits a Gaussian process per trial
FRAMEWORKS = tuple(TRIALS)
SAMPLERS = ("tpe", "random")
NAME = "breast cancer"
OBJECTIVE_NAME = "log loss"


def demo_space() -> SearchSpace:
    """Return the search space of the demo: hyperparameters of gradient boosting."""
    return SearchSpace(
        [
            FloatParameter("learning_rate", 5e-3, 0.5, log=True),
            IntParameter("max_iter", 10, 100, log=True),
            IntParameter("max_leaf_nodes", 2, 64, log=True),
            IntParameter("min_samples_leaf", 1, 50, log=True),
            FloatParameter("max_features", 0.1, 1.0),
            FloatParameter("l2_regularization", 1e-3, 1e2, log=True),
            CategoricalParameter("interaction_cst", [None, "no_interactions"]),
        ]
    )


def demo_objective() -> Callable[[Config], float]:
    """Return the objective: gradient boosting on scikit-learn's breast cancer data.

    Returns
    -------
    callable
        Function from a configuration of `demo_space` to the mean log loss of three-fold
        cross-validation, in nats, to be minimized.
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import cross_val_score
    from threadpoolctl import threadpool_limits

    features, malignant = load_breast_cancer(return_X_y=True)

    def log_loss(config: Config) -> float:
        model = HistGradientBoostingClassifier(**config, random_state=0)
        # 569 rows are too few for several threads: they would only wait for each other
        with threadpool_limits(limits=1):
            scores = cross_val_score(model, features, malignant, cv=3, scoring="neg_log_loss")
        return -float(scores.mean())

    return log_loss


def run_demo(
    folder: Path,
    *,
    framework: str = "optuna",
    sampler: str = "tpe",
    n_trials: int = TRIALS["optuna"],
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
                study_name=NAME,
                metric_name=OBJECTIVE_NAME,
                sampler=sampler,
                n_trials=n_trials,
                seed=seed,
            )
        return from_optuna(study)
    from threadpoolctl import threadpool_limits

    from hpo_explain.adapters.skopt import from_skopt
    from hpo_explain.adapters.skopt.tune import tune_with_skopt

    with threadpool_limits(limits=1):  # many small fits: threads would only wait for each other
        result = tune_with_skopt(
            counted, demo_space(), sampler=sampler, n_trials=n_trials, seed=seed
        )
    return replace(from_skopt(result), objective_name=OBJECTIVE_NAME, name=NAME)
