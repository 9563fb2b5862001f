"""Which trials of a study count, with which value, and why the others do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._reading import not_finite, nothing_left
from hpo_explain.adapters.optuna._target import Target
from hpo_explain.space import Array

PRUNED = ("drop", "last")
INFEASIBLE = ("drop", "keep")

_STATES = {
    TrialState.FAIL: "failed",
    TrialState.RUNNING: "still running",
    TrialState.WAITING: "waiting to be started",
}
_PRUNED = 'pruned (pruned="last" reads the last value it reported)'
_INFEASIBLE = 'infeasible, as a constraint is above 0 (infeasible="keep" reads it)'


@dataclass(frozen=True, eq=False)
class Selection:
    """The trials that count, side by side with their objective; and why the others do not."""

    trials: list[FrozenTrial]
    objective: Array
    feasible: npt.NDArray[np.bool_]
    excluded: dict[int, str]
    notes: list[str]


def select_trials(
    trials: Sequence[FrozenTrial], target: Target, pruned: str, infeasible: str
) -> Selection:
    """Return the trials with a finite value, by the rules for states and constraints.

    Raises
    ------
    ValueError
        If no trial is left; the text says what there was.
    """
    kept: list[FrozenTrial] = []
    values: list[float] = []
    constraints: list[bool | None] = []
    excluded: dict[int, str] = {}
    for trial in trials:
        meets = _meets_constraints(trial) if trial.system_attrs else None
        value: float | None = None
        reason = _STATES.get(trial.state, "")
        if trial.state == TrialState.PRUNED and pruned == "drop":
            reason = _PRUNED
        elif not reason and meets is False and infeasible == "drop":
            reason = _INFEASIBLE
        elif not reason and not trial.params:
            reason = "it has no hyperparameter"
        elif not reason:
            value = target.value(trial)
            if value is None:
                reason = _no_value(trial, target)
        if reason or value is None:
            excluded[trial.number] = reason
            continue
        kept.append(trial)
        values.append(value)
        constraints.append(meets)
    objective = np.array(values)
    excluded |= not_finite(objective, [trial.number for trial in kept], target.name)
    finite = np.flatnonzero(np.isfinite(objective)).tolist()
    if not finite:
        raise ValueError(_nothing_left(excluded))
    kept, constraints = [kept[i] for i in finite], [constraints[i] for i in finite]
    feasible = np.array([meets is not False for meets in constraints])
    unconstrained = constraints.count(None)
    stopped = sum(trial.state == TrialState.PRUNED for trial in kept)
    notes = []
    if stopped:
        what = "the last value they reported" if target.function is None else "what target= returns"
        notes.append(f"pruned: {stopped} pruned trial(s) count with {what}")
    if not feasible.all():
        notes.append(
            f"infeasible: {int((~feasible).sum())} trial(s) that violate a constraint count as any "
            "other, but never as the incumbent"
        )
    if 0 < unconstrained < len(kept):
        notes.append(
            f"constraints: {unconstrained} trial(s) have none, unlike the others, "
            "and count as feasible"
        )
    return Selection(kept, objective[finite], feasible, dict(sorted(excluded.items())), notes)


def _no_value(trial: FrozenTrial, target: Target) -> str:
    if target.function is not None:
        return "target= returned None"
    if trial.state == TrialState.PRUNED:
        return "pruned before it reported a value"
    return "it has no value"


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


def _nothing_left(excluded: dict[int, str]) -> str:
    if not excluded:
        return "study has no trials yet. Run study.optimize first, or choose another study."
    return nothing_left("study", excluded)
