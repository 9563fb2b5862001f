"""The rows of Optuna's own table that have no result: what they were to try."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._reading import encode_value
from hpo_explain.adapters.frame._cells import is_empty
from hpo_explain.facts import Fact, Origin
from hpo_explain.run import WithoutResult
from hpo_explain.space import SearchSpace

if TYPE_CHECKING:
    import pandas as pd


def read_without_result(
    configs: pd.DataFrame, reasons: Mapping[int, Fact], space: SearchSpace, initial: Collection[int]
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
    initial : collection of int
        Trials that no model chose.
    """
    found = {}
    for trial, why in reasons.items():
        x, fits = np.full(len(space), np.nan), True
        for j, parameter in enumerate(space):
            cell: Any = configs.loc[trial, parameter.name]
            if is_empty(cell):
                continue
            position = encode_value(parameter, cell)
            fits &= not isinstance(position, Fact)
            x[j] = np.nan if isinstance(position, Fact) else position
        waits = why.kind == "waiting"
        origin = Origin.ENQUEUED if waits else Origin.MODEL
        by_model = not waits and trial not in initial
        state: Any = why.kind
        read = WithoutResult(state, x, origin if by_model or waits else Origin.INITIAL, by_model)
        if fits and read.agrees_with(space):
            found[trial] = read
    return found
