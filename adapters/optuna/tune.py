"""Minimize a function over a search space with Optuna."""

from __future__ import annotations

from collections.abc import Callable

import optuna

from hpo_explain.adapters.optuna._space import to_optuna
from hpo_explain.adapters.optuna.quiet import name_metrics
from hpo_explain.space import Config, SearchSpace


def tune_with_optuna(
    objective: Callable[[Config], float],
    space: SearchSpace,
    *,
    storage: str | optuna.storages.BaseStorage | None = None,
    study_name: str | None = None,
    metric_name: str | None = None,
    sampler: str = "tpe",
    n_trials: int = 100,
    seed: int = 0,
) -> optuna.Study:
    """Return a study that minimized `objective` over a space without conditions.

    An existing study of that name in the storage is continued.

    Parameters
    ----------
    objective : callable
        Function from a configuration to the loss.
    space : SearchSpace
        The search space.
    storage, study_name : str or optuna.storages.BaseStorage and str, optional
        Where Optuna keeps the study, and its name.
    metric_name : str, optional
        What the objective is called.
    sampler : {"tpe", "random"}, default "tpe"
        Optuna's sampler.
    n_trials : int, default 100
        Number of trials.
    seed : int, default 0
        Seed of the sampler.

    Returns
    -------
    optuna.Study
        The study.

    Examples
    --------
    >>> from hpo_explain import FloatParameter
    >>> verbosity = optuna.logging.get_verbosity()
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> space = SearchSpace([FloatParameter("x", -1.0, 1.0)])
    >>> study = tune_with_optuna(lambda config: config["x"] ** 2, space, n_trials=5)
    >>> len(study.trials)
    5
    >>> optuna.logging.set_verbosity(verbosity)
    """
    samplers = {"tpe": optuna.samplers.TPESampler, "random": optuna.samplers.RandomSampler}
    study = optuna.create_study(
        storage=storage,
        study_name=study_name,
        sampler=samplers[sampler](seed=seed),
        direction="minimize",
        load_if_exists=True,
    )
    if metric_name is not None:
        name_metrics(study, [metric_name])

    distributions = to_optuna(space)
    for _ in range(n_trials):
        trial = study.ask(distributions)
        study.tell(trial, objective(trial.params))
    return study
