"""Slices: what the trials reached along each hyperparameter, and what is reachable there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hpo_explain.methods._engines.trials import Trials, named, trials_of
from hpo_explain.methods.effects.effects import partial_dependence
from hpo_explain.methods.effects.partial_dependences_result import PartialDependences
from hpo_explain.question import Question, explains


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


@explains(of="surrogate")
def slices(
    question: Question, names: str | Sequence[str] | None = None, *, most: int = 6
) -> Slices:
    """Show the trials along each hyperparameter, with the best objective expected at each value.

    It corresponds to Optuna's ``plot_slice``, and adds failed and pruned trials. The curve is what
    `partial_dependence` expects with all other hyperparameters at their best. Trials of the first,
    second and last third of the run look different, and their height is their rank.

    Parameters
    ----------
    names : str or sequence of str, optional
        The hyperparameters; by default those that explain most of the variance.
    most : int, default 6
        Number of hyperparameters if `names` is not given.

    Returns
    -------
    Slices
        The trials, and the effects of the hyperparameters.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or a name is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame(np.random.default_rng(0).random((20, 2)), columns=["x", "y"])
    >>> table["loss"] = table.x + 0.6 * table.y
    >>> hx.methods.slices(table, objective="loss").names
    ('x', 'y')
    """
    wanted = None
    if names is not None:
        # a name in brackets is one effect; two beside each other would be those of a pair
        wanted = [(name,) for name in named(question.run.space, names)]
    effects = question.ask(partial_dependence, names=wanted, most=most)
    return Slices(
        **trials_of(question.run),
        names=tuple(name for (name,) in effects.names),
        effects=effects,
        notes=effects.notes,
    )
