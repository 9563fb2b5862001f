"""Which columns of a table are hyperparameters, and which have another role, all of them together.

A column alone shows most (`_kinds`). What follows from others, what configurations are repeated on,
and what is left where everything seems to be something else is decided here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hpo_explain.adapters.frame import _names as names_of
from hpo_explain.adapters.frame._cells import is_empty
from hpo_explain.adapters.frame._kinds import (
    Column,
    derived,
    is_budget,
    is_instance,
    joint_codes,
    kind_alone,
    results_among,
)
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

# Where no other column is left, the least sure of them are hyperparameters after all.
_LEAST_SURE = ("metric", "copy", "number", "duration", "constant")
_FEW_MODELS = 20


@dataclass(frozen=True)
class Taken:
    """What columns were taken for.

    Attributes
    ----------
    hyperparameters : tuple of str
        The columns of hyperparameters.
    left_out : mapping of str to str
        The kind of each other column.
    roles : mapping of str to str
        The columns with a role: of trial, status, instance, fidelity and duration.
    """

    hyperparameters: tuple[str, ...]
    left_out: Mapping[str, str]
    roles: Mapping[str, str]


def take(
    table: pd.DataFrame,
    objective: Array,
    *,
    named: Sequence[str],
    settings: Sequence[str],
    candidates: Sequence[str],
    is_complete: bool,
    without: Collection[str] = (),
) -> Taken:
    """Return what columns are.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    objective : ndarray of shape (n,)
        The objective; NaN where there is none.
    named : sequence of str
        Columns that the user named as hyperparameters.
    settings : sequence of str
        Columns that are hyperparameters by their prefix, unless they never vary.
    candidates : sequence of str
        The columns of which nothing is known.
    is_complete : bool
        Whether the hyperparameters are known, so that candidates are none, but for the models of
        which they are the settings.
    without : collection of str
        Roles that no column is to have.
    """
    columns = {
        name: Column.of(table, name)
        for name in (*named, *settings, *candidates)
    }
    kinds: dict[str, str] = {}
    for name in settings:
        if columns[name].n_different < 2:
            kinds[name] = _constant(columns[name])
    for name in candidates:
        kind = kind_alone(columns[name], objective)
        if kind is not None:
            kinds[name] = (
                _constant(columns[name]) if kind == "constant" else kind
            )
    varying = [name for name in (*named, *settings) if name not in kinds]
    open_ = [name for name in candidates if name not in kinds]
    if is_complete:
        varied = [columns[name] for name in varying]
        open_ = [n for n in open_ if _has_settings(columns[n], varied)]
    else:
        kinds |= results_among([columns[n] for n in open_], objective)
        inputs = [columns[n] for n in open_ if n not in kinds]
        kinds |= dict.fromkeys(derived(inputs), "derived")
    hyperparameters = [
        name for name in (*varying, *open_) if name not in kinds
    ]
    if not hyperparameters:
        hyperparameters = _after_all([*settings, *candidates], kinds)
        for name in hyperparameters:
            del kinds[name]
    roles = _repeated_on(
        [n for n in columns if n not in named and n not in settings],
        columns,
        hyperparameters,
        kinds,
        without,
    )
    hyperparameters = [n for n in hyperparameters if n not in roles.values()]
    for name in candidates:
        if name not in hyperparameters:
            kinds.setdefault(name, "beside")
    roles |= _single_roles(columns, hyperparameters, kinds, roles)
    ordered = tuple(n for n in table.columns if n in hyperparameters)
    unnamed = tuple(n for n in ordered if n not in named)
    left_out = {n: kinds[n] for n in table.columns if n in kinds}
    return Taken(unnamed, left_out, roles)


def _constant(column: Column) -> str:
    return "constant" if column.present else "empty"


def _after_all(names: Sequence[str], kinds: Mapping[str, str]) -> list[str]:
    """Return the columns that are hyperparameters where no other one is."""
    for kind in _LEAST_SURE:
        found = [name for name in names if kinds.get(name) == kind]
        if found:
            return found
    return []


def _has_settings(column: Column, settings: Sequence[Column]) -> bool:
    """Say whether a column names models that differ in which settings they have."""
    texts = column.present
    if not all(isinstance(cell, str) for cell in texts):
        return False
    if column.n_different > min(_FEW_MODELS, len(texts) / 2):
        return False
    if names_of.is_called_model(column.name):
        return True
    return any(_decides_presence(column, other) for other in settings)


def _decides_presence(column: Column, other: Column) -> bool:
    there = np.array([not is_empty(cell) for cell in other.cells])
    if there.all():
        return False
    rows = np.unique(np.column_stack([column.codes, there]), axis=0)
    return len(rows) == column.n_different


def _repeated_on(
    names: Sequence[str],
    columns: Mapping[str, Column],
    hyperparameters: Sequence[str],
    kinds: Mapping[str, str],
    without: Collection[str],
) -> dict[str, str]:
    """Return the columns of budgets and of instances, on which configurations were repeated."""
    roles: dict[str, str] = {}
    settings = [columns[name] for name in hyperparameters]
    for role, is_repeated in (
        ("fidelity", is_budget),
        ("instance", is_instance),
    ):
        others = [c for c in settings if c.name not in roles.values()]
        possible = [
            name
            for name in names
            if kinds.get(name) in (None, "number", "seed", "id")
        ]
        found = [n for n in possible if is_repeated(columns[n], others)]
        if found and role not in without:
            roles[role] = found[0]
    return roles


def _single_roles(
    columns: Mapping[str, Column],
    hyperparameters: Sequence[str],
    kinds: Mapping[str, str],
    repeated: Mapping[str, str],
) -> dict[str, str]:
    """Return the columns of the trials' numbers, states and durations."""
    of_kind = {
        kind: [name for name, found in kinds.items() if found == kind]
        for kind in ("number", "id", "status", "duration")
    }
    roles: dict[str, str] = {}
    if repeated:
        settings = [columns[name] for name in hyperparameters]
        possible = [
            name
            for name in (*of_kind["number"], *of_kind["id"])
            if name not in repeated.values()
            and _numbers_configurations(columns[name], settings)
        ]
    else:
        possible = [n for n in of_kind["number"] if columns[n].is_unique]
    possible.sort(key=lambda name: not names_of.words_of(name))
    states = of_kind["status"]
    durations = [
        name
        for name in of_kind["duration"]
        if names_of.is_in_seconds(name) and _are_durations(columns[name])
    ]
    for role, found in (
        ("trial", possible),
        ("status", states),
        ("duration", durations),
    ):
        if found:
            roles[role] = found[0]
    return roles


def _numbers_configurations(
    column: Column, settings: Sequence[Column]
) -> bool:
    """Say whether rows have the same number where, and only where, they are set alike."""
    configuration = joint_codes(settings, len(column.cells))
    pairs = np.unique(np.column_stack([column.codes, configuration]), axis=0)
    return len(pairs) == column.n_different == int(configuration.max()) + 1


def _are_durations(column: Column) -> bool:
    numbers = column.numbers
    return numbers is not None and bool(
        (numbers[~np.isnan(numbers)] >= 0).all()
    )
