"""Minimize a function over a search space with Optuna."""

from __future__ import annotations

from collections.abc import Callable

import optuna

from hpo_explain.adapters.optuna._space import to_optuna
from hpo_explain.adapters.optuna.quiet import name_metrics
from hpo_explain.adapters.optuna.writing import write_study
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

    It is in memory, and written to `url` at the end, also of an interrupted one: to write
    every value there at once takes as long as small models do.

    Parameters
    ----------
    objective : callable
        Function from a configuration to the loss.
    space : SearchSpace
        The search space.
    url : str or None
        The storage that the study is written to; None for none.
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
        The study, in memory.
    """
    study = optuna.create_study(
        study_name=study_name, sampler=optuna.samplers.TPESampler(seed=seed), direction="minimize"
    )
    name_metrics(study, [metric_name])

    distributions = to_optuna(space)
    try:
        for _ in range(n_trials):
            trial = study.ask(distributions)
            study.tell(trial, objective(trial.params))
    finally:
        if url is not None:
            write_study(study, url)
    return study
