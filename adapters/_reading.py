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
from hpo_explain.base.facts import Fact, Option, by_reason, fact
from hpo_explain.base.options import STATES, Direction, State, sign_of
from hpo_explain.base.phrases import abridged, counted, join_names, quoted
from hpo_explain.run import Instances, Run
from hpo_explain.space import Array, CategoricalParameter, Parameter, SearchSpace, holds

LEAST_KNOWN = 2
"""Finished trials that an assumed model needs to explain a trial that no model chose."""
_STATES: dict[str, State] = {
    "not_finite": "failed",
    "sentinel": "failed",
    "no_value": "failed",
    "pruned_without_value": "pruned",
}
_MOST = 10  # reasons and instances of a list

NO_HYPERPARAMETER = fact("it has no hyperparameter")


def only_left_out(names: Sequence[str]) -> Fact:
    """Return a note on hyperparameters of no trial that counts."""
    text = f"{join_names(names)}: only in trials that were left out, so not in the space"
    return fact(text, names=names, role="check")


def outside_space(why: Fact) -> Fact:
    """Return that a trial has a value outside the space, which another space may hold."""
    kind = "outside_read_space"
    return fact(why, " (a wider ", Option("space"), " reads this trial)", kind=kind, why=why)


def mean_over_instances(objective: str, column: str, instances: Sequence[Any]) -> Fact:
    """Return a note on the instances whose mean is the objective of a trial."""
    return fact(
        f"instances: the {objective} of a trial is its mean over "
        f"{counted(len(instances), 'value')} of {column} ({abridged(instances)}); "
        "run.instances holds them one by one"
    )


def not_finite(
    objective: Array, trials: Sequence[int] | npt.NDArray[np.int64], name: str = "objective"
) -> dict[int, Fact]:
    """Return the trials whose objective is NaN or infinite, with the reason to leave them out."""
    return {
        int(trials[i]): failed_as(f"its {name} is {objective[i]}")
        for i in np.flatnonzero(~np.isfinite(objective)).tolist()
    }


def failed_as(text: str) -> Fact:
    """Return that a trial failed, as it ended without a finite value."""
    return fact(text, kind="not_finite", text=text)  # which tells it from others of the kind


def state_of(reason: Fact) -> State | None:
    """Return what has become of a trial that was left out; None where it has a result.

    A trial that ended without a finite value failed.

    Examples
    --------
    >>> state_of(failed_as("its loss is nan"))
    'failed'
    """
    kind: Any = reason.kind
    return kind if kind in STATES else _STATES.get(kind)


def nothing_left(source: str, excluded: Mapping[int, Fact]) -> NothingToExplain:
    """Return the error that no trial can be read: how many were left out, and why."""
    reasons = sorted(by_reason(excluded).items(), key=lambda entry: -len(entry[1]))
    parts: list[Fact | str] = []
    for why, trials in reasons[:_MOST]:
        parts += ["; ", f"{len(trials)} x ", why]
    none = f"{source} has no trial that can be read: of its {counted(len(excluded), 'trial')}, "
    remedy = (
        ". A run needs a finished trial with a finite value: run more trials, or choose another "
        f"{source}."
    )
    return NothingToExplain(fact(none, *parts[1:], remedy))


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
    return [
        fact(
            f"best: trial {best} ({value:.4g}) is better than every trial that is read, and left "
            "out: ",
            why["why"] if why.kind == "outside_read_space" else why,  # the remedy is said once
            "; a wider ",
            Option("space"),
            " reads it",
            kind="best_outside_range",
            trials=[best],
            role="check",
        )
    ]


def repeated(X: Array) -> list[Fact]:
    """Note how many rows are equal to an earlier one."""
    again = len(X) - len({row.tobytes() for row in X})
    how = "1 trial repeats" if again == 1 else f"{again} trials repeat"
    return [fact(f"repeated: {how} an earlier configuration; each one counts")] if again else []


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
    has = f"{parameter.name} = {quoted(value)} is"
    if isinstance(parameter, CategoricalParameter):
        return fact(f"{has} not one of its choices {[*parameter.choices]!r}")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return fact(f"{has} not a number")
    if isinstance(value, (bool, np.bool_)):
        return fact(f"{has} not a number")
    low, high, step = parameter.low, parameter.high, parameter.step
    if step and low <= number <= high:
        return fact(f"{has} not on its grid {low!r}, {low + step}, ...")
    return fact(f"{has} outside its range [{low!r}, {high!r}]")


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
        name, in_space = parameter.name, (" in ", Option("space"))
        but = f"but {space.condition_text(name)}"
        for i in np.flatnonzero(given & ~allowed).tolist():
            reasons.setdefault(i, fact(f"{name} is set, {but}", *in_space))
        if parameter.optional == 1.0:
            for i in np.flatnonzero(allowed & ~given).tolist():
                reasons.setdefault(i, fact(f"{name} is missing, {but}", *in_space))
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
        return {int(trials[i]): self._reason(float(self.fidelity[i])) for i in self.others.tolist()}

    def _reason(self, value: float) -> Fact:
        names, kind = [self.name], "another_fidelity"
        if np.isnan(value):
            return fact(f"its {self.name} is not known", kind=kind, names=names, value=None)
        text = f"its {self.name} is {value:g}, not {self.value:g}"
        return fact(text, kind=kind, names=names, value=value)

    def notes(self) -> list[Fact]:
        """Return a note on how many evaluations each level has; none where there is one level."""
        if not len(self.others):
            return []
        levels, counts = np.unique(self.fidelity[~np.isnan(self.fidelity)], return_counts=True)
        pairs = zip(levels.tolist(), counts.tolist(), strict=True)
        others = ", ".join(f"{n} at {level:g}" for level, n in pairs if level != self.value)
        return [
            fact(
                f"fidelity: only results at {self.name} = {self.value:g} count; left out, as they "
                f"are not comparable with these: {others}; ",
                Option("level"),
                " chooses",
                role="check",
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
