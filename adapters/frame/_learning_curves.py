"""Tables with a row for each step of a trial: the row that counts, and the learning curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from hpo_explain.adapters.frame._results import read_numbers, read_objective
from hpo_explain.adapters.frame._roles import Roles, check_column
from hpo_explain.run import Curves
from hpo_explain.space import Array, SearchSpace

if TYPE_CHECKING:
    import pandas as pd


def last_of_each(
    table: pd.DataFrame, trial: str, fidelity: str, level: float | None
) -> pd.DataFrame:
    """Return one row for each trial (and instance) of a table of learning curves.

    That at the level, or where the trial did not reach it, its last one.
    """
    check_column("trial", trial, table)
    check_column("fidelity", fidelity, table)
    at = read_numbers(table[fidelity])
    wanted = np.nanmax(at) if level is None else level
    keys = table[trial].map(str)
    reached = {key for key, value in zip(keys, at, strict=True) if value == wanted}
    below = np.where(at > wanted, -np.inf, at)
    highest: dict[str, float] = {}
    for key, value in zip(keys, below.tolist(), strict=True):
        highest[key] = max(value, highest.get(key, -np.inf))
    last = [
        value == (wanted if key in reached else highest[key])
        for key, value in zip(keys, at.tolist(), strict=True)
    ]
    return table[last].reset_index(drop=True)


def read_curves(
    table: pd.DataFrame,
    roles: Roles,
    numbers: Mapping[str, int],
    encoded: Mapping[int, Array],
    level: float | None,
) -> Curves | None:
    """Return the learning curves of a table; None where no trial reported any.

    Parameters
    ----------
    table : pandas.DataFrame
        The table, with a row for each step.
    roles : Roles
        The columns that have a role.
    numbers : mapping of str to int
        The number of each trial, by what stands in its column.
    encoded : mapping of int to ndarray of shape (d,)
        The encoded configurations, by these numbers.
    level : float or None
        The step up to which they go; None for all.
    """
    found: dict[int, dict[float, float]] = {}
    columns = (
        table[roles.trial].map(str).tolist(),
        read_numbers(table[roles.fidelity]).tolist(),
        read_objective(table, roles.objective).tolist(),
    )
    for key, step, value in zip(*columns, strict=True):
        if key in numbers and not np.isnan(step) and (level is None or step <= level):
            found.setdefault(numbers[key], {})[step] = value
    return Curves.of(found, encoded, step_name=roles.fidelity)


def encoded_of(space: SearchSpace, cells: pd.DataFrame, trials: Iterable[int]) -> dict[int, Array]:
    """Return the encoded configurations of some trials, without those outside the space."""
    found = {}
    for trial in trials:
        try:
            found[trial] = space.encode(cells.loc[[trial]])[0]
        except ValueError:
            continue
    return found
