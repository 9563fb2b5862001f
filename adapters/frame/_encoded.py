"""The search space of a table, given or inferred, and its trials in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters.frame._cells import is_empty
from hpo_explain.adapters.frame._columns import Chosen
from hpo_explain.adapters.frame._space import infer_space, switch_of, trials_of_ranges
from hpo_explain.adapters.frame._trials import Trials
from hpo_explain.base.facts import Fact
from hpo_explain.space import Array, SearchSpace

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Encoded:
    """The trials of a table in their search space.

    Attributes
    ----------
    space : SearchSpace
        The space.
    X : ndarray of shape (k, d)
        The configurations of the trials with a result.
    cells : pandas.DataFrame
        What all trials (g) have in the columns of the hyperparameters.
    ranges_from : mapping of str to sequence of int
        For each hyperparameter whose range was inferred the trials it is from.
    notes : tuple of Fact
        What was assumed.
    """

    space: SearchSpace
    X: Array
    cells: pd.DataFrame
    ranges_from: Mapping[str, Sequence[int]]
    notes: tuple[Fact, ...]


def encoded_in(space: SearchSpace, cells: pd.DataFrame, kept: npt.NDArray[np.int64]) -> Encoded:
    """Return the trials of a table in a given space."""
    return Encoded(space, space.encode(cells.iloc[kept]), cells, {}, ())


def encoded_by(
    chosen: Chosen,
    cells: pd.DataFrame,
    set_to_none: Mapping[str, npt.NDArray[np.bool_]],
    trials: Trials,
    kept: npt.NDArray[np.int64],
) -> Encoded:
    """Return the trials of a table in the space that is inferred from them.

    Parameters
    ----------
    chosen : Chosen
        The columns of the hyperparameters.
    cells : pandas.DataFrame
        What the g trials have there.
    set_to_none : mapping of str to ndarray of bool, shape (g,)
        In which of them None is a value that was set.
    trials : Trials
        The trials.
    kept : ndarray of int, shape (k,)
        The places of those with a result, in their order.
    """
    space, X, inferred = infer_space(
        cells,
        kept,
        trials.numbers[kept],
        sure=chosen.sure,
        given=chosen.given,
        set_to_none=set_to_none,
    )
    with_switches = _with_switches(cells, space)
    ranges = trials_of_ranges(space, with_switches.iloc[trials.order], trials.numbers[trials.order])
    return Encoded(
        space,
        X,
        with_switches,
        {name: of for name, of in ranges.items() if name not in chosen.given},
        tuple(inferred),
    )


def named_in(space: SearchSpace, chosen: Chosen, columns: Sequence[str]) -> list[Fact]:
    """Return the notes on the columns, which name the hyperparameters that turned out to be so."""
    names = tuple(name for name in space.names if name in columns)
    return [replace(n, names=names) if n is chosen.about else n for n in chosen.notes]


def _with_switches(cells: pd.DataFrame, space: SearchSpace) -> pd.DataFrame:
    """Return the cells of hyperparameters with those that say whether a number is set."""
    found = cells.copy()
    for name in cells.columns:
        switch = switch_of(str(name))
        if switch in space.names and switch not in cells:
            found[switch] = [None if is_empty(cell) else True for cell in cells[name].tolist()]
    return found
