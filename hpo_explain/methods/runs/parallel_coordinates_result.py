"""The trials of a run along parallel axes, one a hyperparameter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.methods._engines.trials import Trials
from hpo_explain.space import Array, Ints


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ParallelCoordinates(Trials):
    """Where trials stand along each hyperparameter, from their configuration to their objective.

    Attributes
    ----------
    trials, X, objective, states
        The trials that have a configuration, those without a result included.
    names : tuple of str
        The hyperparameters that have an axis, from top to bottom.
    marked : ndarray of int, shape (k,)
        The trials that are marked in place of the best ones; empty where none were named.
    left_out : tuple of str
        The hyperparameters without an axis.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"lr": [1e-4, 1e-2, 1e-3], "loss": [4.0, 9.0, 1.0]})
    >>> found = hx.methods.parallel_coordinates(table, objective="loss", log=["lr"])
    >>> found.positions.round(3).tolist(), found.ranks.tolist()
    ([[0.0], [1.0], [0.5]], [2.0, 3.0, 1.0])
    """

    marked: Ints
    left_out: tuple[str, ...] = ()

    @property
    def positions(self) -> Array:
        """Where each trial stands along each axis, from 0 to 1 on its own scale, (n, axes).

        Categories are equally far apart; NaN where a hyperparameter is inactive.
        """
        space = self.subject.space
        members = [space.index(name) for name in self.names]
        at = np.array(self.X[:, members])
        for k, j in enumerate(members):
            parameter = space.parameters[j]
            if parameter.is_category:
                at[:, k] /= max((parameter.size or 1) - 1, 1)
        return at
