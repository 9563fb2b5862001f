"""The trials of a study that have no result: what they were to try, and who chose it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters.optuna._sampler import Choice
from hpo_explain.adapters.optuna._space import encode
from hpo_explain.facts import Fact
from hpo_explain.options import State
from hpo_explain.run import WithoutResult
from hpo_explain.space import SearchSpace

_STATES: dict[TrialState, State] = {
    TrialState.RUNNING: "running",
    TrialState.WAITING: "waiting",
    TrialState.FAIL: "failed",
    TrialState.PRUNED: "pruned",
}


def those_without_result(
    trials: Sequence[FrozenTrial], excluded: Mapping[int, Fact]
) -> list[FrozenTrial]:
    """Return the trials left out that run, wait, failed or were pruned."""
    return [t for t in trials if t.state in _STATES and t.number in excluded]


def read_without_result(
    trials: Sequence[FrozenTrial], space: SearchSpace, choice: Choice
) -> dict[int, WithoutResult]:
    """Return those of some trials whose values the space has.

    Hyperparameters that no finished trial has are passed over, as the run does not know them.
    """
    found = {}
    for trial in trials:
        x = np.full(len(space), np.nan)
        reasons: dict[int, Fact] = {}
        values = _values(trial)
        for j, parameter in enumerate(space):
            if parameter.name in values:
                x[[j]], why = encode(parameter, [values[parameter.name]])
                reasons |= why
        read = WithoutResult(
            _STATES[trial.state],
            x,
            choice.origins[trial.number],
            trial.number in choice.proposed_without_result,
        )
        if not reasons and read.agrees_with(space):
            found[trial.number] = read
    return found


def _values(trial: FrozenTrial) -> dict[str, Any]:
    """Return the values of a trial; of one that waits, those that were set for it."""
    if trial.state == TrialState.WAITING:
        return dict(trial.system_attrs.get("fixed_params") or {})
    return trial.params
