"""What the adapters have in common: trials that do not count, values as rows, folds, fidelities.

Results at different fidelities (samples, epochs, iterations or other budgets) are not results of
the same objective: those of one level count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Text, by_reason
from hpo_explain.base.options import STATES, Direction, State, sign_of
from hpo_explain.base.phrases import counted
from hpo_explain.base.text import declared_fact, separated
from hpo_explain.run import Instances, Run
from hpo_explain.space import Array, CategoricalParameter, Parameter, SearchSpace, holds

LEAST_KNOWN = 2
"""Finished trials that an assumed model needs to explain a trial that no model chose."""
_STATES: dict[str, State] = {
    "not_finite": "failed",
    "not_finite_on_instance": "failed",
    "sentinel": "failed",
    "no_value": "failed",
    "pruned_without_value": "pruned",
}
_MOST_REASONS = 10
_MOST_INSTANCES = 10


def _reasons(fact: Fact) -> Text:
    found = sorted(fact["reasons"], key=lambda entry: -entry[1])[:_MOST_REASONS]
    return separated([(f"{n} x ", why) for why, n in found], "; ")


NOT_FINITE = declared_fact("not_finite", "its {names} is {value}")
NOT_FINITE_ON_INSTANCE = declared_fact(
    "not_finite_on_instance",
    "its {objective} is {value} where {column} is {instance}",
    objective=lambda fact: fact.names[0],
    column=lambda fact: fact.names[1],
)
_NOTHING_READABLE = declared_fact(
    "nothing_readable",
    "{source} has no trial that can be read: of its {count}, {reasons}. A run needs a finished "
    "trial with a finite value: run more trials, or choose another {source}.",
    count=lambda fact: counted(len(fact.trials), "trial"),
    reasons=_reasons,
)
_REPEATED = declared_fact(
    "repeated",
    "repeated: {how} an earlier configuration; each one counts",
    how=lambda fact: "1 trial repeats" if fact["count"] == 1 else f"{fact['count']} trials repeat",
)
ONLY_LEFT_OUT = declared_fact(
    "only_left_out", "{names}: only in trials that were left out, so not in the space"
)
NO_HYPERPARAMETER = declared_fact("no_hyperparameter", "it has no hyperparameter")
_SET = declared_fact("set_though_inactive", "{names} is set, but {condition} in {space=}")
_MISSING = declared_fact("missing_though_active", "{names} is missing, but {condition} in {space=}")
OUTSIDE = declared_fact("outside_read_space", "{why} (a wider {space=} reads this trial)")
BEST_OUTSIDE = declared_fact(
    "best_outside_range",
    "best: trial {trials} ({value:.4g}) is better than every trial that is read, and left out: "
    "{why}; a wider {space=} reads it",
)
_NO_CHOICE = declared_fact(
    "no_choice",
    "{names} = {value!r} is not one of its choices {choices}",
    choices=lambda fact: repr(list(fact["choices"])),
)
_NO_NUMBER = declared_fact("no_number", "{names} = {value!r} is not a number")
_OUTSIDE_RANGE = declared_fact(
    "outside_range", "{names} = {value!r} is outside its range [{low!r}, {high!r}]"
)
_OFF_GRID = declared_fact(
    "off_grid",
    "{names} = {value!r} is not on its grid {low!r}, {second}, ...",
    second=lambda fact: str(fact["low"] + fact["step"]),
)
_ANOTHER_LEVEL = declared_fact(
    "another_fidelity",
    "its {names} is {differs}",
    differs=lambda fact: (
        "not known" if fact["value"] is None else f"{fact['value']:g}, not {fact['level']:g}"
    ),
)


def _instances(fact: Fact) -> str:
    shown = fact["instances"][:_MOST_INSTANCES]
    more = ", ..." if len(fact["instances"]) > _MOST_INSTANCES else ""
    values = counted(len(fact["instances"]), "value")
    return f"{values} of {fact.names[1]} ({', '.join(map(str, shown))}{more})"


MEAN_OVER_INSTANCES = declared_fact(
    "mean_over_instances",
    "instances: the {objective} of a trial is its mean over {instances}; run.instances holds them "
    "one by one",
    objective=lambda fact: fact.names[0],
    instances=_instances,
)


def _others(fact: Fact) -> str:
    counts = zip(fact["levels"], fact["counts"], strict=True)
    return ", ".join(f"{n} at {at:g}" for at, n in counts if at != fact["level"])


_LEVEL = declared_fact(
    "fidelity_level",
    "fidelity: only results at {names} = {at} count; left out, as they are not comparable with "
    "these: {others}; {level=} chooses",
    at=lambda fact: f"{fact['level']:g}",
    others=_others,
)


def not_finite(
    objective: Array, trials: Sequence[int] | npt.NDArray[np.int64], name: str = "objective"
) -> dict[int, Fact]:
    """Return the trials whose objective is NaN or infinite, with the reason to leave them out."""
    return {
        # as text: NaN does not equal itself, and trials are listed by reason
        int(trials[i]): NOT_FINITE(names=[name], value=str(objective[i]))
        for i in np.flatnonzero(~np.isfinite(objective)).tolist()
    }


def state_of(reason: Fact) -> State | None:
    """Return what has become of a trial that was left out; None where it has a result.

    A trial that ended without a finite value failed.

    Examples
    --------
    >>> state_of(NOT_FINITE(names=["loss"], value="nan"))
    'failed'
    """
    kind: Any = reason.kind
    return kind if kind in STATES else _STATES.get(kind)


def nothing_left(source: str, excluded: Mapping[int, Fact]) -> NothingToExplain:
    """Return the error that no trial can be read: how many were left out, and why."""
    reasons = {reason: len(trials) for reason, trials in by_reason(excluded).items()}
    return NothingToExplain(
        _NOTHING_READABLE(trials=excluded, source=source, reasons=tuple(reasons.items()))
    )


def best_outside(
    outside: Mapping[int, tuple[float, Fact]], objective: Array, direction: Direction
) -> list[Fact]:
    """Note where the best trial is one that is left out as the space lacks its values.

    Parameters
    ----------
    outside : mapping of int to (float, Fact)
        By the number of a trial that is left out so its objective, and the reason.
    objective : ndarray of shape (n,)
        The objective of the trials that are read.
    direction : {"minimize", "maximize"}
        Which way is better.
    """
    sign = sign_of(direction)
    finite = [t for t, (value, _) in outside.items() if np.isfinite(value)]
    if not finite or not len(objective):
        return []
    best = min(finite, key=lambda trial: sign * outside[trial][0])
    value, why = outside[best]
    if sign * value >= float((sign * objective).min()):
        return []
    # the remedy is said once
    reason = why["why"] if why.kind == "outside_read_space" else why
    return [BEST_OUTSIDE(trials=[best], value=value, why=reason)]


def repeated(X: Array) -> list[Fact]:
    """Note how many rows are equal to an earlier one."""
    again = len(X) - len({row.tobytes() for row in X})
    return [_REPEATED(count=again)] if again else []


def instances_of(X: Array, scores: Array) -> Instances | None:
    """Return what configurations achieved on each fold; None for fewer than two folds.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Encoded configurations.
    scores : ndarray of shape (n, k)
        Their scores; NaN where a fold has none.
    """
    k = scores.shape[1]
    if k < 2:
        return None
    row, fold = np.nonzero(np.isfinite(scores))
    return Instances([f"fold {i}" for i in range(k)], X[row], fold, scores[row, fold])


# ---------------------------------------------------------------------- values


def positions(parameter: Parameter, values: Sequence[Any]) -> tuple[Array, dict[int, Fact]]:
    """Return the positions of values, and for those that do not fit (NaN) the reason, by index."""
    try:
        return parameter.encode(values), {}
    except ValueError:  # some do not fit: one after the other
        found = [encode_value(parameter, value) for value in values]
    reasons = {i: why for i, why in enumerate(found) if isinstance(why, Fact)}
    return np.array([np.nan if isinstance(one, Fact) else one for one in found]), reasons


def encode_value(parameter: Parameter, value: Any) -> float | Fact:
    """Return the position of a value, or why the hyperparameter cannot have it."""
    try:
        return float(parameter.encode([value])[0])
    except ValueError:
        return _misfit(parameter, value)


def _misfit(parameter: Parameter, value: Any) -> Fact:
    names = [parameter.name]
    if isinstance(parameter, CategoricalParameter):
        return _NO_CHOICE(names=names, value=value, choices=parameter.choices)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return _NO_NUMBER(names=names, value=value)
    if isinstance(value, (bool, np.bool_)):
        return _NO_NUMBER(names=names, value=value)
    if parameter.low <= number <= parameter.high:
        return _OFF_GRID(names=names, value=value, low=parameter.low, step=parameter.step)
    return _OUTSIDE_RANGE(names=names, value=value, low=parameter.low, high=parameter.high)


def fits_conditions(space: SearchSpace, X: Array) -> npt.NDArray[np.bool_]:
    """Return for each encoded row whether no value of a parent rules a value of a child out.

    Parents without a value rule nothing out: rows need not be complete.
    """
    fits = np.ones(len(X), dtype=bool)
    for j, rules in enumerate(space.conditions):
        for parent, values in rules:
            both = np.flatnonzero(~np.isnan(X[:, [j, parent]]).any(axis=1))
            of_parent = space.parameters[parent]
            fits[both] &= holds(of_parent, values, X[both, parent])
    return fits


def against_conditions(space: SearchSpace, X: Array) -> dict[int, Fact]:
    """Return for each encoded row that the conditions of a given space rule out the reason."""
    reasons: dict[int, Fact] = {}
    for j, parameter in enumerate(space):
        given, allowed = ~np.isnan(X[:, j]), space.allowed(X, j)
        about = {"names": [parameter.name], "condition": space.condition_text(parameter.name)}
        for i in np.flatnonzero(given & ~allowed).tolist():
            reasons.setdefault(i, _SET(**about))
        if parameter.optional is None:
            for i in np.flatnonzero(allowed & ~given).tolist():
                reasons.setdefault(i, _MISSING(**about))
    return reasons


# ---------------------------------------------------------------------- fidelities


@dataclass(frozen=True, eq=False)
class Level:
    """The fidelity that is analysed.

    Attributes
    ----------
    name : str
        What the fidelity is called.
    value : float
        The level: that of every evaluation that counts.
    fidelity : ndarray of shape (n,)
        The fidelity of each evaluation; NaN where it is not known.
    """

    name: str
    value: float
    fidelity: Array

    @property
    def others(self) -> npt.NDArray[np.int64]:
        """The evaluations at another level."""
        return np.flatnonzero(self.fidelity != self.value)

    def reasons(self, trials: npt.NDArray[np.int64]) -> dict[int, Fact]:
        """Return why evaluations at another level do not count, by their numbers (n,)."""
        return {
            int(trials[i]): _ANOTHER_LEVEL(
                names=[self.name],
                value=None if np.isnan(self.fidelity[i]) else float(self.fidelity[i]),
                level=self.value,
            )
            for i in self.others.tolist()
        }

    def notes(self) -> list[Fact]:
        """Return a note on how many evaluations each level has; none where there is one level."""
        levels, counts = np.unique(self.fidelity[~np.isnan(self.fidelity)], return_counts=True)
        if not len(self.others):
            return []
        return [
            _LEVEL(
                names=[self.name],
                level=self.value,
                levels=tuple(levels.tolist()),
                counts=tuple(counts.tolist()),
            )
        ]


def level_of(name: str, fidelity: Array, finished: npt.NDArray[np.bool_], level: object) -> Level:
    """Return the level that is analysed.

    Parameters
    ----------
    name : str
        What the fidelity is called.
    fidelity : ndarray of shape (n,)
        The fidelity of each evaluation.
    finished : ndarray of bool, shape (n,)
        Whether it has a result; the highest level is that of the finished ones.
    level : float or None
        The level; None for the highest.

    Raises
    ------
    InputError
        If no evaluation has the level.
    """
    known = np.unique(fidelity[finished & ~np.isnan(fidelity)])
    if not len(known):
        known = np.unique(fidelity[~np.isnan(fidelity)])
    if level is None:
        return Level(name, float(known[-1]) if len(known) else np.nan, fidelity)
    if isinstance(level, bool) or not isinstance(level, Real) or float(level) not in known:
        levels = ", ".join(f"{value:g}" for value in known)
        problem = f"must be a level of {name} with a result, but was {level!r}"
        raise InputError("level", problem, level, f"Levels: {levels}.")
    return Level(name, float(level), fidelity)


def with_default(run: Run, values: Mapping[str, Any]) -> Run:
    """Return a run that knows a default, if its values are those of a configuration."""
    space = run.space
    try:
        row = [float(p.encode([values[p.name]])[0]) for p in space]
    except (InputError, KeyError):
        return run
    return replace(run, default=space.decode(space.project([row]))[0])
