"""What was asked for: the model or acquisition, the configuration, the trial."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hpo_explain._words import spans
from hpo_explain.acquisition import Acquisition
from hpo_explain.errors import InputError
from hpo_explain.explainers._accepted import accepted_acquisition
from hpo_explain.facts import Fact
from hpo_explain.options import Criterion, Kind
from hpo_explain.run import Run
from hpo_explain.space import Config
from hpo_explain.surrogates import Surrogate


def model_of(
    run: Run, acquisition: Criterion | Acquisition | None, before: int | None, kind: Kind, seed: int
) -> tuple[Surrogate | Acquisition, tuple[Fact, ...]]:
    """Return what is explained around a configuration, and what was assumed."""
    if acquisition is None:
        return run.surrogate(before=before, kind=kind, seed=seed), ()
    chosen = run.chosen_acquisition(before, acquisition, seed=seed)
    return accepted_acquisition(chosen.acquisition), chosen.notes


def config_of(run: Run, name: str, given: Config | int | None) -> Config:
    """Return a configuration: one given, that of a trial, or by default the incumbent.

    Raises
    ------
    ValueError
        If it is neither a configuration nor the number of a finished trial.
    """
    if given is None:
        return run.incumbent
    if isinstance(given, Mapping):
        return given
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        wrong = f"was {given!r}"
    elif given in run.excluded:
        wrong = f"trial {given} was left out: {run.excluded[int(given)]}"
    elif given not in np.asarray(run.trials):
        wrong = f"trial {given} does not exist"
    else:
        return run.config(given)
    raise InputError(
        name,
        f"must be a configuration (a dict) or the number of a trial, but {wrong}",
        given,
        f"Finished trials: {spans(run.trials)}.",
    )


def trial_of(run: Run, given: Config | int | None) -> int | None:
    """Return the number of the trial that was asked for, None for a configuration."""
    if isinstance(given, Mapping):
        return None
    return run.incumbent_trial if given is None else int(given)
