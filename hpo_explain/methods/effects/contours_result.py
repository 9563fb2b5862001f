"""The trials of a run by pairs of hyperparameters, and what is predicted there."""

from __future__ import annotations

from dataclasses import dataclass

from hpo_explain.methods._engines.trials import Trials
from hpo_explain.methods.effects.partial_dependences_result import PartialDependences


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Contours(Trials):
    """Where trials lie in pairs of hyperparameters, by rank, and what is predicted on average.

    Attributes
    ----------
    trials, X, objective, states
        The trials that have a configuration, those without a result included.
    names : tuple of str
        The hyperparameters.
    effects : PartialDependences
        The partial dependence of each pair of them that can be active together.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame(np.random.default_rng(0).random((20, 2)), columns=["x", "y"])
    >>> table["loss"] = table.x + 0.6 * table.y
    >>> found = hx.methods.contours(table, objective="loss")
    >>> found.effects.names, int(found.best_ones.sum())
    ((('x', 'y'),), 2)
    """

    effects: PartialDependences
