"""The numbers of a result for each function drawn from the posterior of a Gaussian process."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hpo_explain.base.checks import check_fraction, unknown_name
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

DRAWS = 1000
"""Draws of runs, with a function of each."""

Order = Literal["largest", "smallest", "farthest from 0"]


@dataclass(frozen=True, eq=False)
class PosteriorDraws:
    """A result's numbers for each function that the trials allow.

    Each row is about one function as a whole, so that numbers of one row may be compared: what two
    of them have in common does not count as uncertainty of their difference.

    Attributes
    ----------
    names : tuple
        What each column is about: hyperparameters, values of one, or steps of a path.
    values : ndarray of shape (number of draws, number of names)
        The numbers, in the units of the result.
    first : {"largest", "smallest", "farthest from 0"}
        Which of several numbers comes first.

    Examples
    --------
    >>> found = PosteriorDraws(("lr", "depth"), np.array([[0.6, 0.4], [0.3, 0.7], [0.8, 0.2]]))
    >>> round(found.probability("lr", "depth"), 2), len(found)
    (0.67, 3)
    """

    names: tuple[Hashable, ...]
    values: Array
    first: Order = "largest"

    def __len__(self) -> int:
        return len(self.values)

    def _index(self, argument: str, name: Hashable) -> int:
        if name not in self.names:
            raise unknown_name(argument, name, self.names, "name")
        return self.names.index(name)

    def probability(self, first: Hashable, second: Hashable | None = None) -> float:
        """Return how probable it is that one comes before another, or before all others.

        The share of the draws in which it does; where several are equal, each as often.

        Parameters
        ----------
        first : name
            What comes first: the more important hyperparameter, the better value, the step that
            gains more.
        second : name, optional
            What it is compared with; by default all others.

        Raises
        ------
        InputError
            If there is no such name.
        """
        ahead = self.values
        if self.first != "largest":
            ahead = -ahead if self.first == "smallest" else np.abs(ahead)
        i = self._index("first", first)
        if second is not None:
            other = ahead[:, self._index("second", second)]
            return float(((ahead[:, i] > other) + 0.5 * (ahead[:, i] == other)).mean())
        leads = ahead == ahead.max(axis=1, keepdims=True)
        return float((leads[:, i] / leads.sum(axis=1)).mean())

    def interval(self, name: Hashable, level: float = 0.95) -> tuple[float, float]:
        """Return between which numbers so much of the draws lies, in the middle.

        Raises
        ------
        InputError
            If there is no such name, or `level` is not between 0 and 1.
        """
        tail = (1.0 - check_fraction("level", level)) / 2.0
        low, high = np.quantile(self.values[:, self._index("name", name)], [tail, 1.0 - tail])
        return float(low), float(high)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per draw and a column per name."""
        import pandas as pd

        index = pd.RangeIndex(len(self), name="draw")
        return pd.DataFrame(self.values, columns=pd.Index(self.names), index=index)
