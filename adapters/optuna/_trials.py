"""Which trials of a study count, with which value, and why the others do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._reading import NO_HYPERPARAMETER, not_finite, nothing_left
from hpo_explain.adapters.optuna._target import Target
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.facts import Fact, fact
from hpo_explain.run import FAILED, NO_VALUE, RUNNING, WAITING, WAS_PRUNED
from hpo_explain.space import Array

PRUNED = ("drop", "last")
INFEASIBLE = ("drop", "keep")

_STATES = {
    TrialState.FAIL: FAILED,
    TrialState.RUNNING: RUNNING,
    TrialState.WAITING: WAITING,
}


@dataclass(frozen=True, eq=False)
class Selection:
    """The trials that count, side by side with their objective; and why the others do not."""

    trials: list[FrozenTrial]
    objective: Array
    feasible: npt.NDArray[np.bool_]
    excluded: dict[int, Fact]
    notes: list[Fact]


def select_trials(
    trials: Sequence[FrozenTrial], target: Target, pruned: str, infeasible: str
) -> Selection:
    """Return the trials with a finite value, by the rules for states and constraints.

    Raises
    ------
    NothingToExplain
        If no trial is left; the reason says what there was.
    """
    kept: list[FrozenTrial] = []
    values: list[float] = []
    constraints: list[bool | None] = []
    excluded: dict[int, Fact] = {}
    for trial in trials:
        meets = _meets_constraints(trial) if trial.system_attrs else None
        reason = _left_out(trial, meets, pruned, infeasible)
        value = target.value(trial) if reason is None else None
        if value is None:
            excluded[trial.number] = reason or _no_value(trial, target)
            continue
        kept.append(trial)
        values.append(value)
        constraints.append(meets)
    objective = np.array(values)
    excluded |= not_finite(objective, [trial.number for trial in kept], target.name)
    finite = np.flatnonzero(np.isfinite(objective)).tolist()
    if not finite:
        if not excluded:
            raise NothingToExplain(fact("study_empty"))
        raise nothing_left("study", excluded)
    kept, constraints = [kept[i] for i in finite], [constraints[i] for i in finite]
    feasible = np.array([meets is not False for meets in constraints])
    unconstrained = [t.number for t, meets in zip(kept, constraints, strict=True) if meets is None]
    numbers = np.array([trial.number for trial in kept])
    stopped = [trial.number for trial in kept if trial.state == TrialState.PRUNED]
    notes = []
    if stopped:
        by_target = target.function is not None
        notes.append(fact("pruned_counted", trials=stopped, by_target=by_target))
    if not feasible.all():
        notes.append(fact("infeasible_counted", trials=numbers[~feasible]))
    if 0 < len(unconstrained) < len(kept):
        notes.append(fact("unconstrained", trials=unconstrained))
    return Selection(kept, objective[finite], feasible, dict(sorted(excluded.items())), notes)


def _left_out(trial: FrozenTrial, meets: bool | None, pruned: str, infeasible: str) -> Fact | None:
    """Return why a trial does not count, whatever its value; None if it may."""
    if trial.state in _STATES:
        return _STATES[trial.state]
    if trial.state == TrialState.PRUNED and pruned == "drop":
        return WAS_PRUNED(readable=True)
    if meets is False and infeasible == "drop":
        return fact("infeasible")
    return None if trial.params else NO_HYPERPARAMETER()


def _no_value(trial: FrozenTrial, target: Target) -> Fact:
    if target.function is not None:
        return fact("target_returned_none")
    if trial.state == TrialState.PRUNED:
        return fact("pruned_without_value")
    return NO_VALUE


def _meets_constraints(trial: FrozenTrial) -> bool | None:
    """Say whether all constraints are at most 0; None where a trial has none."""
    # As optuna.trial.FrozenTrial.constraints, which is newer than the oldest supported version:
    # a list, or since 5.0 one attribute per constraint.
    listed = trial.system_attrs.get("constraints") or ()
    values = {str(i): value for i, value in enumerate(listed)}
    for key, value in trial.system_attrs.items():
        if key.startswith("constraints:"):
            values[key.removeprefix("constraints:")] = value
    return all(value <= 0 for value in values.values()) if values else None
