"""Parallel coordinates: each trial is a line through its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hpo_explain.base import InputError, check_count, check_sequence, spans
from hpo_explain.methods._engines.trials import Trials, named, trials_of
from hpo_explain.methods.effects.effects import most_important
from hpo_explain.question import Question, explains
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


@explains(of="surrogate")
def parallel_coordinates(
    question: Question,
    names: str | Sequence[str] | None = None,
    *,
    most: int = 12,
    mark: Sequence[int] | None = None,
) -> ParallelCoordinates:
    """Draw each trial as a line through its values, the best ones or those of one stage marked.

    Drawn with plotly, a stretch of an axis that is dragged over leaves only the trials through it.

    Parameters
    ----------
    names : str or sequence of str, optional
        The hyperparameters, in their order; by default all, and of more than `most` those that
        explain most of the variance, by `importance` with the same model and seed.
    most : int, default 12
        How many hyperparameters, where none is named.
    mark : sequence of int, optional
        The trials to mark, such as ``range(40, 50)`` for the proposals of one stage; by default
        those that are among the best tenth.

    Returns
    -------
    ParallelCoordinates
        The trials and their places along each axis.

    Raises
    ------
    ValueError
        If a name is unknown, or a trial to mark has no configuration.

    References
    ----------
    .. [1] Inselberg, A. (1985). The plane with parallel coordinates. The Visual Computer 1.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3], "loss": [4.0, 9.0, 1.0, 2.0]})
    >>> found = hx.methods.parallel_coordinates(table, objective="loss", mark=[2, 3])
    >>> found.names, found.marked.tolist()
    (('x',), [2, 3])
    """
    run, names_of_space = question.run, question.run.space.names
    check_count("most", most)
    if names is not None:
        shown = named(run.space, names)
    elif len(names_of_space) <= most:
        shown = names_of_space
    else:
        singles, _ = most_important(question, most)
        shown = tuple(name for (name,) in singles)
    trials = trials_of(run)
    numbers = trials["trials"].tolist()
    marked = check_sequence("mark", () if mark is None else mark, "numbers of trials")
    for trial in marked:
        if isinstance(trial, bool) or trial not in numbers:
            raise InputError(
                "mark",
                f"must hold trials with a configuration, but has {trial!r}",
                mark,
                f"There are {spans(numbers)}.",
            )
    return ParallelCoordinates(
        **trials,
        names=shown,
        marked=np.array(sorted(marked), dtype=np.int64),
        left_out=tuple(name for name in names_of_space if name not in shown),
    )
