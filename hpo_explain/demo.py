"""A real model, a real data set and Optuna: what `hpo-explain demo` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from os import cpu_count
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hpo_explain.base.workers import Workers, may_have_workers
from hpo_explain.run import Run
from hpo_explain.space import (
    CategoricalParameter,
    Config,
    FloatParameter,
    IntParameter,
    SearchSpace,
)

Indices = npt.NDArray[np.intp]


def demo_space() -> SearchSpace:
    """Return the search space of the demo: hyperparameters of gradient boosting."""
    return SearchSpace(
        [
            FloatParameter("learning_rate", 5e-3, 0.5, log=True),
            IntParameter("max_iter", 10, 40, log=True),
            IntParameter("max_leaf_nodes", 2, 32, log=True),
            IntParameter("min_samples_leaf", 1, 50, log=True),
            FloatParameter("max_features", 0.1, 1.0),
            FloatParameter("l2_regularization", 1e-3, 1e2, log=True),
            CategoricalParameter("interaction_cst", [None, "no_interactions"]),
        ]
    )


def demo_objective() -> Callable[[Config], float]:
    """Return the objective: gradient boosting on ten columns of scikit-learn's breast cancer data.

    Returns
    -------
    callable
        Function from a configuration of `demo_space` to the mean log loss of three-fold
        cross-validation, in nats, to be minimized.
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold
    from threadpoolctl import ThreadpoolController

    every, malignant = load_breast_cancer(return_X_y=True)
    features = every[:, :10]  # their means; the rest takes twice the time
    folds = list(StratifiedKFold(3).split(features, malignant))
    threads = ThreadpoolController()

    def loss_on(config: Config, train: Indices, test: Indices) -> float:
        # of 380 rows, more bins take a fifth longer and tell nothing else apart
        model = HistGradientBoostingClassifier(**config, max_bins=32, random_state=0)
        model.fit(features[train], malignant[train])
        chances = model.predict_proba(features[test])
        of_truth = chances[np.arange(len(test)), malignant[test]]
        return float(-np.log(of_truth).mean())

    # `cross_val_score` and its scorer check the same again for each fold, for a third of the time
    def log_loss(config: Config) -> float:
        # 569 rows are too few for several threads: they would only wait for each other
        with threads.limit(limits=1):
            return float(np.mean([loss_on(config, *fold) for fold in folds]))

    return log_loss


def run_demo(folder: Path, n_trials: int, on_trial: Callable[[], None] = lambda: None) -> Run:
    """Tune the demo's model with Optuna, and return the run.

    Parameters
    ----------
    folder : pathlib.Path
        Where the study's SQLite file is written; must exist.
    n_trials : int
        Number of trials, at least 1.
    on_trial : callable, optional
        Called after every trial.

    Returns
    -------
    Run
        The finished run.
    """
    from hpo_explain.adapters.optuna import from_optuna
    from hpo_explain.adapters.optuna.quiet import quiet_optuna
    from hpo_explain.adapters.optuna.tune import tune_with_optuna

    objective = demo_objective()

    def counted(config: Config) -> float:
        loss = objective(config)
        on_trial()
        return loss

    with quiet_optuna():
        study = tune_with_optuna(
            counted,
            demo_space(),
            url=f"sqlite:///{(folder / 'study.db').resolve().as_posix()}",
            study_name="breast cancer",
            metric_name="log loss",
            n_trials=n_trials,
        )
    return from_optuna(study)


@contextmanager
def compiling_meanwhile() -> Iterator[None]:
    """Have a second process compile what a report computes with, and wait for it at the end.

    A new installation has nothing compiled, and while the model is tuned a core is idle. What is
    compiled is kept on disk, where this process finds it.
    """
    if cpu_count() == 1 or not may_have_workers():
        yield
        return
    workers = Workers(1)
    try:
        compiled = workers.submit(explain_briefly)
        yield
        wait([compiled])
    finally:
        workers.end()


def explain_briefly() -> None:
    """Explain a tiny run, for which nearly all that a report compiles is compiled.

    The trees of a forest are left to the report: their compilation takes as long as all else, and
    would be waited for.
    """
    from hpo_explain.methods.importance.importance import importance

    space = SearchSpace([FloatParameter("x", 0.0, 1.0), FloatParameter("y", 0.0, 1.0)])
    X = space.sample(12, seed=0)
    importance(Run(space, X, X[:, 0] ** 2, "minimize"))
