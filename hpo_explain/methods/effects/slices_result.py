"""The trials of a run along single hyperparameters, and what is reachable there."""

from __future__ import annotations

from dataclasses import dataclass

from hpo_explain.methods._engines.trials import Trials
from hpo_explain.methods.effects.partial_dependences_result import PartialDependences


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Slices(Trials):
    """What trials reached along each hyperparameter, and the best that is expected there.

    Attributes
    ----------
    trials, X, objective, states
        The trials that have a configuration, those without a result included.
    names : tuple of str
        The hyperparameters.
    effects : PartialDependences
        Their effects: what is attainable at each value with the others at their best.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame(np.random.default_rng(0).random((20, 2)), columns=["x", "y"])
    >>> table["loss"] = table.x + 0.6 * table.y
    >>> found = hx.methods.slices(table, ["x"], objective="loss")
    >>> found.effects.effect("x").attainable.mean.shape
    (20,)
    """

    effects: PartialDependences
