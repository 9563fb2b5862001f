"""The rows of Optuna's own table that have no result: what they were to try."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._reading import encode_value, fits_conditions
from hpo_explain.adapters.frame._cells import is_empty
from hpo_explain.base.facts import Fact, Origin
from hpo_explain.run import WithoutResult
from hpo_explain.space import Array, Parameter, SearchSpace

if TYPE_CHECKING:
    import pandas as pd


def read_without_result(
    configs: pd.DataFrame,
    reasons: Mapping[int, Fact],
    space: SearchSpace,
    by_model: Collection[int],
    *,
    known: bool,
) -> dict[int, WithoutResult]:
    """Return the trials of some rows, those with a value outside the space left out.

    Parameters
    ----------
    configs : pandas.DataFrame
        Their hyperparameters, indexed by the trials' numbers.
    reasons : mapping of int to Fact
        Why they have no result; its kind is their state.
    space : SearchSpace
        The run's search space.
    by_model : collection of int
        Trials that a model chose.
    known : bool
        Whether it is known which these are.
    """
    rows = configs.loc[list(reasons)]
    X = np.full((len(rows), len(space)), np.nan)
    fits = np.ones(len(rows), dtype=bool)
    for j, parameter in enumerate(space):
        cells = rows[parameter.name].tolist()
        full = [i for i, cell in enumerate(cells) if not is_empty(cell)]
        positions = _positions(parameter, [cells[i] for i in full])
        X[full, j], fits[full] = positions, fits[full] & ~np.isnan(positions)
    fits &= fits_conditions(space, X)
    return {
        trial: _read(why, x, by_model=trial in by_model, known=known)
        for (trial, why), x, fitting in zip(reasons.items(), X, fits.tolist(), strict=True)
        if fitting
    }


def _positions(parameter: Parameter, cells: Sequence[Any]) -> Array:
    """Return the positions of cells, NaN where the hyperparameter cannot have the value."""
    try:
        return parameter.encode(cells)
    except ValueError:  # some do not fit: one after the other
        found = [encode_value(parameter, cell) for cell in cells]
    return np.array([np.nan if isinstance(entry, Fact) else entry for entry in found])


def _read(why: Fact, x: Array, *, by_model: bool, known: bool) -> WithoutResult:
    state: Any = why.kind
    if state == "waiting":
        return WithoutResult(state, x, Origin.ENQUEUED, False)
    other = Origin.INITIAL if known else Origin.UNKNOWN
    return WithoutResult(state, x, Origin.MODEL if by_model else other, by_model)
