"""Contours: what is predicted for pairs of hyperparameters, and where the trials lie."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from hpo_explain.base import InputError, NothingToExplain, fact
from hpo_explain.methods._engines.trials import Trials, named, trials_of
from hpo_explain.methods.effects.effects import most_important, partial_dependence
from hpo_explain.methods.effects.partial_dependences_result import PartialDependences
from hpo_explain.models._tree_boxes import excluded_pair
from hpo_explain.question import Question, explains


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


@explains(of="surrogate")
def contours(question: Question, names: Sequence[str] | None = None, *, most: int = 4) -> Contours:
    """Show the prediction for each pair of hyperparameters, with the trials.

    It corresponds to Optuna's ``plot_contour`` and ``plot_rank``. Colors are the partial
    dependence, an average over all other hyperparameters, in place of an interpolation between
    trials. Do not rely on them where there are few trials.

    Parameters
    ----------
    names : sequence of str, optional
        The hyperparameters; by default those that explain most of the variance.
    most : int, default 4
        Number of hyperparameters if `names` is not given.

    Returns
    -------
    Contours
        The trials, and the partial dependence of each pair.

    Raises
    ------
    NothingToExplain
        If no two hyperparameters can be active together.
    ValueError
        If fewer than two trials are finished, or a name is unknown or the only one.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame(np.random.default_rng(0).random((20, 3)), columns=["x", "y", "z"])
    >>> table["loss"] = table.x + table.y
    >>> len(hx.methods.contours(table, ["x", "y", "z"], objective="loss").effects)
    3
    """
    space = question.run.space
    if names is None:
        singles, _ = most_important(question, most)
        shown = tuple(name for (name,) in singles)
    else:
        shown = named(space, names)
        if len(set(shown)) == 1:
            problem = f"must have two or more hyperparameters, but has {shown[0]!r} only"
            remedy = "Add another one, or call slices(), which shows each one alone."
            raise InputError("names", problem, names, remedy)
    pairs = [
        pair
        for pair in itertools.combinations(shown, 2)
        if excluded_pair(space, *map(space.index, pair)) is None
    ]
    if not pairs:
        never = "there are no two hyperparameters that can be active together"
        raise NothingToExplain(fact(never))
    effects = question.ask(partial_dependence, names=pairs)
    return Contours(**trials_of(question.run), names=shown, effects=effects, notes=effects.notes)
