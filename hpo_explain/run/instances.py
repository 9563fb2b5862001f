"""The objective on each instance: fold by fold, data set by data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_array
from hpo_explain.base.errors import InputError
from hpo_explain.base.html import text_html
from hpo_explain.base.phrases import counted, printable
from hpo_explain.run._frozen import frozen, refreeze
from hpo_explain.space import Array

_MOST_NAMES = 10


@dataclass(frozen=True, eq=False, repr=False)
class Instances:
    """What configurations achieved on single instances (folds, data sets, seeds).

    Parameters
    ----------
    names : sequence
        The instances, k of them.
    X : ndarray of shape (m, d)
        Encoded configurations, one row per evaluation.
    index : ndarray of int, shape (m,)
        On which instance it was evaluated: a position in `names`.
    objective : ndarray of shape (m,)
        What came of it, in the user's units, finite.

    Raises
    ------
    InputError
        If shapes disagree, an objective is not finite, or there is no such instance.

    Examples
    --------
    >>> folds = Instances(["fold 1", "fold 2"], [[0.2], [0.2], [0.7]], [0, 1, 1], [3.0, 4.0, 1.0])
    >>> folds.objective[folds.index == 1].tolist()
    [4.0, 1.0]
    """

    names: Sequence[Any]
    X: Array
    index: npt.NDArray[np.int64]
    objective: Array

    def __post_init__(self) -> None:
        names = tuple(self.names)
        X = np.array(check_array("X", self.X))
        objective = np.array(check_array("objective", self.objective))
        index = check_array("index", self.index)
        for name, column in (("objective", objective), ("index", index)):
            if X.ndim != 2 or column.shape != (len(X),):
                problem = (
                    f"must have one value per row of X (n, d), but had shape {column.shape}, and "
                    f"X {X.shape}"
                )
                raise InputError(name, problem, column)
        unknown = index[~np.isin(index, np.arange(len(names)))]
        if len(unknown):
            problem = (
                f"must hold positions in names, 0 to {len(names) - 1}, but holds {unknown[0]:g}"
            )
            raise InputError("index", problem, float(unknown[0]), "Name every instance.")
        if not np.isfinite(objective).all():
            i = int(np.flatnonzero(~np.isfinite(objective))[0])
            problem = f"must be finite, but was {objective[i]} in row {i}"
            raise InputError("objective", problem, float(objective[i]), "Leave it out.")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "X", frozen(X))
        object.__setattr__(self, "index", frozen(index.astype(np.int64)))
        object.__setattr__(self, "objective", frozen(objective))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        refreeze(state)

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        return f"<Instances: {self}>"

    def __str__(self) -> str:
        shown = printable(", ".join(map(str, self.names[:_MOST_NAMES])))
        more = ", ..." if len(self.names) > _MOST_NAMES else ""
        return f"{counted(len(self), 'evaluation')} on {shown}{more}"

    def _repr_html_(self) -> str:
        return text_html(str(self))
