"""What was decided about trials that a person reviewed, as their trials record it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial

from hpo_explain.run import Reviewed
from hpo_explain.space import Array, SearchSpace

RECORD = "hpo_explain:review"
"""The system attribute of a trial that holds what was decided."""


def set_by_person(trial: FrozenTrial) -> tuple[str, ...]:
    """Return the hyperparameters that a person set in place of the sampler."""
    values = (trial.system_attrs.get(RECORD) or {}).get("set", {})
    return tuple(name for name, value in values.items() if trial.params.get(name) == value)


def read_reviewed(trials: Sequence[FrozenTrial], space: SearchSpace) -> dict[int, Reviewed]:
    """Return what was decided about those of some trials that were changed or refused."""
    found = {}
    for trial in trials:
        record = trial.system_attrs.get(RECORD)
        if not record or "failed_trial" in trial.system_attrs:
            continue  # a retried trial has the attributes of the one that failed
        changed = set_by_person(trial)
        proposed = _encoded(record["proposed"], space)
        refused = [_encoded(config, space) for config in record["refused"]]
        if proposed is None or not (changed or refused):
            continue
        rows = [row for row in refused if row is not None]
        found[trial.number] = Reviewed(
            proposed, tuple(name for name in changed if name in space.names), rows
        )
    return found


def _encoded(config: Mapping[str, Any], space: SearchSpace) -> Array | None:
    """Return a configuration as an encoded row; None if the space has no such one."""
    x = np.full(len(space), np.nan)
    for j, parameter in enumerate(space):
        if parameter.name in config:
            try:
                x[j] = parameter.encode([config[parameter.name]])[0]
            except ValueError:
                return None
    return x if space.is_valid(x[None, :])[0] else None
