"""Which trials of a study count, with which value, and why the others do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from optuna import Study
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._domain import number
from hpo_explain.adapters._reading import NO_HYPERPARAMETER, not_finite, nothing_left
from hpo_explain.base.checks import check_count, check_direction, unknown_name
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Option, Text, fact
from hpo_explain.base.options import MEASURED, Direction
from hpo_explain.base.phrases import counted_trials
from hpo_explain.run import FAILED, NO_VALUE, PRUNED_READABLE, RUNNING, WAITING
from hpo_explain.run.metrics import likelier_direction

TargetLike: TypeAlias = (
    int | str | Mapping[str, float] | Callable[[FrozenTrial], float | None] | None
)


_DIRECTION_ASSUMED = fact(
    "direction: minimize, assumed, as ",
    Option("target"),
    " is a function; give ",
    Option("direction", "maximize"),
    " if larger is better",
    kind="direction_assumed",
    role="check",
)
_INFEASIBLE = fact(
    "infeasible, as a constraint is above 0 (",
    Option("infeasible", "keep"),
    " reads it)",
    kind="infeasible",
)
_PRUNED_EARLY = fact("pruned before it reported a value", kind="pruned_without_value")
PRUNED = ("drop", "last")
INFEASIBLE = ("drop", "keep")
_STATES = {TrialState.FAIL: FAILED, TrialState.RUNNING: RUNNING, TrialState.WAITING: WAITING}


@dataclass(frozen=True, eq=False)
class Target:
    """The objective of the run: one of the study's own, or what a function returns.

    `value` returns it of a trial, the last one reported where it was pruned; None if there is none.
    """

    name: str
    direction: Direction | None
    value: Callable[[FrozenTrial], float | None]
    is_own: bool = True
    notes: list[Fact] = field(default_factory=list)


def numbers_of(attributes: Mapping[str, Any]) -> dict[str, float]:
    """Return the attributes of a trial that are numbers."""
    return {
        name: float(value)
        for name, value in attributes.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def _attribute(name: str, trial: FrozenTrial) -> float | None:
    return numbers_of(trial.user_attrs).get(name)


def _own_value(index: int, trial: FrozenTrial) -> float | None:
    if trial.state == TrialState.PRUNED:
        reported = trial.intermediate_values
        return reported[max(reported)] if reported else None
    return float(trial.values[index]) if trial.values else None


def _called(target: Callable[[FrozenTrial], float | None], trial: FrozenTrial) -> float | None:
    remedy = "It must take a finished trial and return a number, or None where there is none."
    try:
        value = target(trial)
    except Exception as error:
        problem = f"raised {type(error).__name__} ({error}) for trial {trial.number}"
        raise InputError("target", problem, target, remedy) from error
    try:
        # text is not a number, even if it reads like one
        return None if value is None else float(value + 0)
    except TypeError:
        problem = f"returned {value!r} for trial {trial.number}"
        raise InputError("target", problem, value, remedy) from None


def _of_attribute(study: Study, target: str, way: Direction | None, named: Sequence[str]) -> Target:
    """Return the user attribute that `target` names.

    Raises
    ------
    InputError
        If no trial has such a number.
    """
    trials = study.get_trials(deepcopy=False)
    recorded = dict.fromkeys(name for trial in trials for name in numbers_of(trial.user_attrs))
    if target not in recorded:
        there = [*named, *recorded, *MEASURED]
        unknown = unknown_name("target", target, there, "objective or a user attribute")
        remedy = "" if named else " The objectives have no names: give an index."
        raise InputError("target", unknown.problem, target, unknown.remedy + remedy)
    value = partial(_attribute, target)
    if way is not None:
        return Target(target, way, value, is_own=False)
    way = likelier_direction(target)
    says = fact(
        f"direction: {way}, by the name of {target!r}; ",
        Option("direction"),
        " changes it",
        kind="direction_by_name",
        role="check",
    )
    return Target(target, way, value, is_own=False, notes=[says])


def resolve_target(study: Study, target: TargetLike, direction: str | None) -> Target:
    """Return the objective that `target` names.

    Raises
    ------
    InputError
        If there are several and none is named, there is no such one, or `direction` contradicts
        the study.
    """
    directions = [entry.name.lower() for entry in study.directions]
    names = study.metric_names
    way = None if direction is None else check_direction(direction)
    if callable(target):
        name = getattr(target, "__name__", "<lambda>")
        name = "target" if name == "<lambda>" else name
        return Target(name, way, partial(_called, target), is_own=False)
    objectives = ", ".join(
        f"{i}{f' ({names[i]!r})' if names else ''}: {way}" for i, way in enumerate(directions)
    )
    if target is None and len(directions) > 1:
        problem = f"must be given, as study has {len(directions)} objectives ({objectives})"
        remedy: Text = (
            "Choose one with ",
            Option("target"),
            ": an index, a name set by set_metric_names, or a function of the trial.",
        )
        raise InputError("target", problem, remedy=remedy)
    if isinstance(target, str):
        named = names or []
        if target not in named:
            return _of_attribute(study, target, way, named)
        index = named.index(target)
    else:
        index = 0 if target is None else check_count("target", target, minimum=0)
    if index >= len(directions):
        problem = (
            f"must be below {len(directions)}, the number of the study's objectives "
            f"({objectives}), but was {index}"
        )
        raise InputError("target", problem, index)
    if direction not in (None, directions[index]):
        problem = f"was {direction!r}, but the study says {directions[index]!r} for this objective"
        remedy = "Leave it out: it is for a target that is a function."
        raise InputError("direction", problem, direction, remedy)
    default = "objective value" if len(directions) == 1 else f"objective {index}"
    notes = []
    if len(directions) > 1:
        one = f"target: one of {len(directions)} objectives ({objectives})"
        kind = "one_of_several_objectives"
        notes = [fact(f"{one}; the sampler weighed all of them", kind=kind)]
    name = names[index] if names else default
    value = partial(_own_value, index)
    return Target(name, check_direction(directions[index]), value, notes=notes)


@dataclass(frozen=True)
class Outcome:
    """What came of a trial: its value, or why it does not count; whether it met constraints.

    `feasible` is None where it has none.
    """

    value: float
    reason: Fact | None
    feasible: bool | None

    @property
    def counts(self) -> bool:
        """Whether it has a finite value."""
        return not self.reason and math.isfinite(self.value)


def outcomes_of(
    trials: Sequence[FrozenTrial], target: Target, pruned: str, infeasible: str
) -> list[Outcome]:
    """Return what came of trials, by the rules for states and constraints.

    Raises
    ------
    NothingToExplain
        If no trial has a finite value; the reason says what there was.
    """
    outcomes = []
    for trial in trials:
        meets = _meets_constraints(trial) if trial.system_attrs else None
        reason = _left_out(trial, meets, pruned, infeasible)
        value = None if reason else target.value(trial)
        if value is None:
            reason = reason or _no_value(trial, target)
        outcomes.append(Outcome(number(value), reason, meets))
    if not outcomes:
        empty = "study has no trials yet. Run study.optimize first, or choose another study."
        raise NothingToExplain(fact(empty))
    if not any(outcome.counts for outcome in outcomes):
        values = np.array([outcome.value for outcome in outcomes])
        numbers = [trial.number for trial in trials]
        reasons = {
            number: outcome.reason
            for number, outcome in zip(numbers, outcomes, strict=True)
            if outcome.reason
        }
        excluded = not_finite(values, numbers, target.name) | reasons
        raise nothing_left("study", excluded)
    return outcomes


def settle_direction(
    target: Target, study: Study, trials: Sequence[FrozenTrial], outcomes: Sequence[Outcome]
) -> Target:
    """Return the target with its direction, which for a function may have to be found out."""
    if target.direction:
        return target
    known = [
        (trial.values, outcome.value)
        for trial, outcome in zip(trials, outcomes, strict=True)
        if outcome.counts
    ]
    for k, entry in enumerate(study.directions):
        if all(own and len(own) > k and own[k] == value for own, value in known):
            direction = check_direction(entry.name.lower())
            note = fact(
                f"direction: {direction}, as ",
                Option("target"),
                f" returns the values of the study's objective {k}",
                kind="direction_of_objective",
            )
            return replace(target, direction=direction, notes=[note])
    return replace(target, direction="minimize", notes=[_DIRECTION_ASSUMED])


def about_outcomes(
    trials: Sequence[FrozenTrial], outcomes: Sequence[Outcome], target: Target
) -> list[Fact]:
    """Note which trials count though they were pruned, are infeasible or have no constraint."""
    counted = [
        (trial, outcome) for trial, outcome in zip(trials, outcomes, strict=True) if outcome.counts
    ]
    stopped = [t.number for t, _ in counted if t.state == TrialState.PRUNED]
    broken = [t.number for t, outcome in counted if outcome.feasible is False]
    unconstrained = [t.number for t, o in counted if o.feasible is None]
    notes = []
    if stopped:
        by_target = ("what ", Option("target"), " returns")
        counted_as = ("the last value reported",) if target.is_own else by_target
        which = f": {counted_trials(stopped)}"
        pruned = "pruned, but counted with "
        notes.append(fact(pruned, *counted_as, which, kind="pruned_counted", trials=stopped))
    if broken:
        text = f"infeasible, but counted, except as the incumbent: {counted_trials(broken)}"
        notes.append(fact(text, kind="infeasible_counted", trials=broken))
    if 0 < len(unconstrained) < len(counted):
        without = "without constraints, unlike the others, and counted as feasible"
        text = f"{without}: {counted_trials(unconstrained)}"
        notes.append(fact(text, trials=unconstrained))
    return notes


def _left_out(trial: FrozenTrial, meets: bool | None, pruned: str, infeasible: str) -> Fact | None:
    """Return why a trial does not count, whatever its value; None if it may."""
    if trial.state in _STATES:
        return _STATES[trial.state]
    if trial.state == TrialState.PRUNED and pruned == "drop":
        return PRUNED_READABLE
    if meets is False and infeasible == "drop":
        return _INFEASIBLE
    return None if trial.params else NO_HYPERPARAMETER


def _no_value(trial: FrozenTrial, target: Target) -> Fact:
    if not target.is_own:
        return fact(Option("target"), " returned None")
    if trial.state == TrialState.PRUNED:
        return _PRUNED_EARLY
    return NO_VALUE


def _meets_constraints(trial: FrozenTrial) -> bool | None:
    """Say whether all constraints of a trial, if it has any, are at most 0."""
    # As optuna.trial.FrozenTrial.constraints, which is newer than the oldest supported version:
    # a list, or since 5.0 one attribute per constraint.
    listed = trial.system_attrs.get("constraints") or ()
    values = {str(i): value for i, value in enumerate(listed)}
    for key, value in trial.system_attrs.items():
        if key.startswith("constraints:"):
            values[key.removeprefix("constraints:")] = value
    return all(value <= 0 for value in values.values()) if values else None
