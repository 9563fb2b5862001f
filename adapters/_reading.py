"""What the adapters have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.facts import Fact, by_reason, fact
from hpo_explain.space import (
    LARGEST_WHOLE,
    Array,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Parameter,
    SearchSpace,
)

LEAST_KNOWN = 2
"""Finished trials that an assumed model needs to explain a trial that no model chose."""


def not_finite(
    objective: Array, trials: Sequence[int] | npt.NDArray[np.int64], name: str = "objective"
) -> dict[int, Fact]:
    """Return the trials whose objective is NaN or infinite, with the reason to leave them out."""
    return {
        # as text: NaN does not equal itself, and trials are listed by reason
        int(trials[i]): fact("not_finite", names=[name], value=str(objective[i]))
        for i in np.flatnonzero(~np.isfinite(objective)).tolist()
    }


def nothing_left(source: str, excluded: Mapping[int, Fact]) -> NothingToExplain:
    """Return the error that no trial can be read: how many were left out, and why."""
    reasons = {reason: len(trials) for reason, trials in by_reason(excluded).items()}
    return NothingToExplain(
        fact("nothing_readable", trials=excluded, source=source, reasons=tuple(reasons.items()))
    )


def fits_conditions(space: SearchSpace, X: Array) -> npt.NDArray[np.bool_]:
    """Return for each encoded row whether no value of a parent rules a value of a child out.

    Parents without a value rule nothing out: rows need not be complete.
    """
    fits = np.ones(len(X), dtype=bool)
    for j, rules in enumerate(space.conditions):
        for parent, codes in rules:
            both = np.flatnonzero(~np.isnan(X[:, [j, parent]]).any(axis=1))
            parameter: Any = space.parameters[parent]
            fits[both] &= np.isin(parameter.codes(X[both, parent]), codes)
    return fits


def against_conditions(space: SearchSpace, X: Array) -> dict[int, Fact]:
    """Return for each encoded row that the conditions of a given space rule out the reason."""
    reasons: dict[int, Fact] = {}
    for j, parameter in enumerate(space):
        given, allowed = ~np.isnan(X[:, j]), space.allowed(X, j)
        names, condition = [parameter.name], space.condition_text(parameter.name)
        for i in np.flatnonzero(given & ~allowed).tolist():
            reasons.setdefault(i, fact("set_though_inactive", names=names, condition=condition))
        if parameter.optional is None:
            for i in np.flatnonzero(allowed & ~given).tolist():
                reasons.setdefault(
                    i, fact("missing_though_active", names=names, condition=condition)
                )
    return reasons


def repeated(X: Array) -> list[Fact]:
    """Note how many rows are equal to an earlier one."""
    again = len(X) - len({row.tobytes() for row in X})
    return [fact("repeated", count=again)] if again else []


def whole_numbers(
    name: str, low: int, high: int, *, log: bool = False, step: int = 1
) -> tuple[IntParameter | FloatParameter, list[Fact]]:
    """Return a hyperparameter of integers, and a note where there are too many to be counted."""
    if max(abs(low), abs(high)) <= LARGEST_WHOLE:
        return IntParameter(name, low, high, log=log, step=step), []
    note = fact("huge_integers", names=[name])
    return FloatParameter(name, float(low), float(high), log=log), [note]


def encode_value(parameter: Parameter, value: Any) -> float | Fact:
    """Return the position of a value, or why the hyperparameter cannot have it."""
    try:
        return float(parameter.encode([value])[0])
    except ValueError:
        return _misfit(parameter, value)


def _misfit(parameter: Parameter, value: Any) -> Fact:
    names = [parameter.name]
    if isinstance(parameter, CategoricalParameter):
        return fact("no_choice", names=names, value=value, choices=parameter.choices)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return fact("no_number", names=names, value=value)
    if isinstance(value, (bool, np.bool_)):
        return fact("no_number", names=names, value=value)
    if parameter.low <= number <= parameter.high:
        return fact("off_grid", names=names, value=value, low=parameter.low, step=parameter.step)
    return fact("outside_range", names=names, value=value, low=parameter.low, high=parameter.high)
