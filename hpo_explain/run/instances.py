"""The objective on each of several instances, and its average over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hpo_explain.base import (
    Frozen,
    InputError,
    abridged,
    check_array,
    counted,
    printable,
    set_fields,
    text_html,
)
from hpo_explain.models._repeats import different_rows, rows_among
from hpo_explain.run.repeats import Repeats
from hpo_explain.space import Array, Bools, CategoricalParameter, Ints, SearchSpace

_MOST_NAMES = 10


@dataclass(frozen=True, eq=False, repr=False)
class Instances(Frozen):
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
    index: Ints
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
        for place in index[~np.isin(index, np.arange(len(names)))].tolist():
            problem = f"must hold positions in names, 0 to {len(names) - 1}, but holds {place:g}"
            raise InputError("index", problem, place, "Name every instance.")
        for i in np.flatnonzero(~np.isfinite(objective)).tolist():
            value = float(objective[i])
            problem = f"must be finite, but was {value} in row {i}"
            raise InputError("objective", problem, value, "Leave it out.")
        set_fields(self, names=names, X=X, index=index.astype(np.int64), objective=objective)

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        return f"<Instances: {self}>"

    def __str__(self) -> str:
        names = printable(abridged(self.names, _MOST_NAMES))
        return f"{counted(len(self), 'evaluation')} on {names}"

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def of(self, X: Array) -> Instances:
        """Return the evaluations of configurations X (n, d), on the same instances."""
        rows = rows_among(self.X, X)
        return replace(self, X=self.X[rows], index=self.index[rows], objective=self.objective[rows])

    @cached_property
    def levels(self) -> Array:
        """What each instance adds for every configuration, (k,); 0 where none can be compared."""
        levels = Repeats.of(self.X, self.index, self.objective).levels
        return np.append(levels, np.zeros(len(self.names) - len(levels)))

    def averages(self, X: Array) -> tuple[Array, Bools]:
        """Return the objective of configurations on average over all instances.

        A configuration that was evaluated on some only would look good if these were the easy ones:
        what instance j adds for every configuration is taken off, as least squares find it among
        the configurations that were evaluated on several.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Configurations, encoded.

        Returns
        -------
        averages : ndarray of shape (n,)
            In the objective's units; NaN where there is no evaluation.
        complete : ndarray of bool, shape (n,)
            Whether the configuration was evaluated on every instance: its average is the plain
            mean then.

        References
        ----------
        .. [1] Searle, S. R., Speed, F. M. and Milliken, G. A. (1980). Population marginal means in
           the linear model: an alternative to least squares means. American Statistician 34 (4).

        Examples
        --------
        >>> folds = Instances(["easy", "hard"], [[0.2], [0.2], [0.7]], [0, 1, 0], [1.0, 9.0, 2.0])
        >>> averages, complete = folds.averages(np.array([[0.2], [0.7]]))
        >>> averages.round(9).tolist(), complete.tolist()
        ([5.0, 6.0], [True, False])
        """
        _, which = different_rows(np.concatenate([self.X, X]))
        evaluated = which[: len(self)]
        wanted = which[len(self) :]
        shape = int(which.max(initial=-1)) + 1, len(self.names)
        cells = evaluated, self.index
        counts = np.zeros(shape)
        sums = np.zeros(shape)
        np.add.at(counts, cells, 1.0)
        np.add.at(sums, cells, self.objective - self.levels[self.index])
        evaluated_on: Bools = np.asarray(counts > 0.0)
        means = np.where(evaluated_on, sums / np.maximum(counts, 1.0), 0.0)
        with np.errstate(invalid="ignore"):
            averages = means.sum(axis=1) / evaluated_on.sum(axis=1)
        complete: Bools = np.asarray(evaluated_on.all(axis=1))
        return averages[wanted], complete[wanted]

    def averaged(
        self, X: Array, objective: Array, bounds: tuple[float, float] | None = None
    ) -> Array:
        """Return objectives (n,) of configurations X (n, d) as averages over all instances.

        Of configurations that were evaluated on every instance, or on none, it is as given. None
        leaves the objective's natural range, if there is one.
        """
        averages, complete = self.averages(X)
        if bounds is not None:
            averages = np.clip(averages, *bounds)
        as_given = complete | np.isnan(averages)
        return np.where(as_given, objective, averages)

    def as_hyperparameter(self, space: SearchSpace) -> tuple[SearchSpace, Array]:
        """Return a space with the instance as a further hyperparameter, and its rows."""
        name = "instance"
        while name in space.names:
            name += "_"
        instance = CategoricalParameter(name, self.names)
        both = SearchSpace([*space.parameters, instance])
        return both, np.column_stack([self.X, self.index])
