"""What is explained: the model or acquisition, the configuration, the trial."""

from __future__ import annotations

from collections.abc import Mapping

from hpo_explain._checks import check_count
from hpo_explain.acquisition import Acquisition
from hpo_explain.explainers.proposals import acquisition_of
from hpo_explain.facts import Fact
from hpo_explain.run import Run
from hpo_explain.space import Config
from hpo_explain.surrogates import Surrogate


def model_of(
    run: Run, acquisition: str | Acquisition | None, before: int | None, kind: str, seed: int
) -> tuple[Surrogate | Acquisition, tuple[Fact, ...]]:
    """Return what is explained around a configuration, and what to say about it."""
    if acquisition is None:
        return run.surrogate(before=before, kind=kind, seed=seed), ()
    built, _, notes = acquisition_of(run, before, acquisition, seed)
    return built, notes


def config_of(run: Run, name: str, given: Config | int | None) -> Config:
    """Return a configuration: one given, that of a trial, or by default the incumbent."""
    if given is None:
        return run.incumbent
    if isinstance(given, Mapping):
        return given
    try:
        return run.config(check_count(name, given, minimum=0))
    except ValueError as error:
        raise ValueError(
            f"{name} must be a configuration (a dict) or the number of a trial: {error}"
        ) from None


def trial_of(run: Run, given: Config | int | None) -> int | None:
    """Return the number of the trial that was asked for, None for a configuration."""
    if isinstance(given, Mapping):
        return None
    return run.incumbent_trial if given is None else int(given)
