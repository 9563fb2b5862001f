"""The trials of a study that have no result: what they were to try, and who chose it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._reading import fits_conditions
from hpo_explain.adapters.optuna._sampler import Choice
from hpo_explain.adapters.optuna._space import encode
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import State
from hpo_explain.run import WithoutResult
from hpo_explain.space import Array, SearchSpace

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
    trials: Sequence[FrozenTrial],
    X: Array,
    outside: Collection[int],
    space: SearchSpace,
    choice: Choice,
) -> dict[int, WithoutResult]:
    """Return those of some trials whose values the space has.

    Hyperparameters that no finished trial has are passed over, as the run does not know them.

    Parameters
    ----------
    trials : sequence of FrozenTrial
        The trials.
    X : ndarray of shape (n, d)
        What they chose, encoded.
    outside : collection of int
        Rows with a value outside the space.
    space : SearchSpace
        The run's search space.
    choice : Choice
        Who chose them.
    """
    outside, X = {*outside}, np.array(X)
    for i, trial in enumerate(trials):
        if trial.state == TrialState.WAITING:
            X[i], fits = _set_by_hand(trial, space)
            outside |= set() if fits else {i}
    fits_space = fits_conditions(space, X)
    return {
        trial.number: WithoutResult(
            _STATES[trial.state],
            X[i],
            choice.origins[trial.number],
            trial.number in choice.proposed_without_result,
        )
        for i, trial in enumerate(trials)
        if i not in outside and fits_space[i]
    }


def _set_by_hand(trial: FrozenTrial, space: SearchSpace) -> tuple[Array, bool]:
    """Return the values set for a trial that waits, encoded, and whether the space has them."""
    values: dict[str, Any] = trial.system_attrs.get("fixed_params") or {}
    x, misfits = np.full(len(space), np.nan), dict[int, Fact]()
    for j, parameter in enumerate(space):
        if parameter.name in values:
            x[[j]], why = encode(parameter, [values[parameter.name]])
            misfits |= why
    return x, not misfits
