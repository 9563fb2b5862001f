"""Studies that older releases of Optuna pickled, as this one has them."""

from __future__ import annotations

import optuna
from optuna.distributions import BaseDistribution

from hpo_explain.adapters.optuna.quiet import made


def renewed(study: optuna.Study) -> optuna.Study:
    """Return a study with the attributes that it has in this release, and the same trials.

    Parameters
    ----------
    study : optuna.Study
        What was unpickled; its sampler may be a stand-in.
    """
    storage = study._storage
    for trial in study.get_trials(deepcopy=False):
        trial.distributions = {n: _renewed(d) for n, d in trial.distributions.items()}
    name = storage.get_study_name_from_id(study._study_id)
    return optuna.load_study(study_name=name, storage=storage, sampler=study.sampler)


def _renewed(distribution: BaseDistribution) -> BaseDistribution:
    """Return a range of numbers of Optuna 2, which kept neither a step nor whether it is log."""
    if "log" in vars(distribution) or not hasattr(distribution, "low"):
        return distribution
    return made(type(distribution), **vars(distribution))
