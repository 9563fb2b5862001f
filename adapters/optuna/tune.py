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
    url: str | None,
    study_name: str,
    metric_name: str,
    n_trials: int = 100,
    seed: int = 0,
) -> optuna.Study:
    """Return a study that minimized `objective` with TPE over a space without conditions.

    Parameters
    ----------
    objective : callable
        Function from a configuration to the loss.
    space : SearchSpace
        The search space.
    url : str or None
        The storage of the study; None for one in memory.
    study_name : str
        Its name there, which must be new.
    metric_name : str
        What the objective is called.
    n_trials : int, default 100
        Number of trials.
    seed : int, default 0
        Seed of the sampler.

    Returns
    -------
    optuna.Study
        The study.
    """
    sampler = optuna.samplers.TPESampler(seed=seed)
    study = optuna.create_study(storage=url, study_name=study_name, sampler=sampler)
    name_metrics(study, [metric_name])
    distributions = to_optuna(space)
    # A database commits every value of a trial that it asks for, and a finished trial once.
    in_memory = optuna.create_study(sampler=sampler)
    for _ in range(n_trials):
        trial = in_memory.ask(distributions)
        study.add_trial(in_memory.tell(trial, objective(trial.params)))
    return study
