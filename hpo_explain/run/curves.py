"""What trials reported step by step."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hpo_explain.base import Frozen, InputError, check_array, set_fields
from hpo_explain.space import Array, Ints


@dataclass(frozen=True, eq=False)
class Curves(Frozen):
    """The values of the objective that trials reported step by step.

    Trials that were pruned or ended early are among them: they have a configuration and values,
    but no final one.

    Parameters
    ----------
    trials : ndarray of int, shape (m,)
        The numbers of the trials, each once.
    X : ndarray of shape (m, d)
        Their configurations, encoded.
    steps : ndarray of shape (S,)
        The steps at which something was reported, in ascending order.
    values : ndarray of shape (m, S)
        What was reported, in the objective's units; NaN where nothing was.
    step_name : str, default "step"
        What a step is called.

    Raises
    ------
    InputError
        If shapes disagree, steps do not ascend, or a trial has two curves.

    Examples
    --------
    >>> curves = Curves.of({3: {1: 0.9, 2: 0.5}, 4: {1: 0.8}}, {3: [0.2], 4: [0.7]})
    >>> curves.steps.tolist(), curves.values.tolist()
    ([1.0, 2.0], [[0.9, 0.5], [0.8, nan]])
    """

    trials: Ints
    X: Array
    steps: Array
    values: Array
    step_name: str = "step"

    def __post_init__(self) -> None:
        numbers = check_array("trials", self.trials)
        X = check_array("X", self.X)
        steps = check_array("steps", self.steps)
        values = check_array("values", self.values)
        shape = len(numbers), len(steps)
        if X.ndim != 2 or len(X) != len(numbers) or values.shape != shape:
            problem = (
                f"must have shape {shape}, a row per trial and a column per step, but had shape "
                f"{values.shape}, and X {X.shape}"
            )
            raise InputError("values", problem, values)
        if not (np.diff(steps) > 0.0).all() or not np.isfinite(steps).all():
            raise InputError("steps", "must be finite and ascend", steps, "Sort them.")
        if len(np.unique(numbers)) < len(numbers):
            raise InputError("trials", "must be different numbers", numbers, "Join their curves.")
        set_fields(
            self,
            trials=numbers.astype(np.int64),
            X=np.array(X),
            steps=np.array(steps),
            values=np.array(values),
        )

    def __len__(self) -> int:
        return len(self.trials)

    def of_trials(self, trials: Collection[int]) -> Curves:
        """Return the curves of some trials."""
        rows = np.isin(self.trials, [*trials])
        return replace(self, trials=self.trials[rows], X=self.X[rows], values=self.values[rows])

    @classmethod
    def of(
        cls,
        reported: Mapping[int, Mapping[float, float]],
        rows: Mapping[int, npt.ArrayLike],
        *,
        step_name: str = "step",
    ) -> Curves | None:
        """Return the curves of the trials that reported something, if any did.

        Parameters
        ----------
        reported : mapping of int to mapping of float to float
            For each trial the value at each step.
        rows : mapping of int to array of shape (d,)
            The configurations, encoded. Trials without one are passed over.
        step_name : str, default "step"
            What a step is called.
        """
        points = [
            (trial, float(step), float(value))
            for trial, curve in sorted(reported.items())
            for step, value in curve.items()
            if trial in rows and not np.isnan(value)
        ]
        if not points:
            return None
        trial, step, value = np.array(points).T
        trials, row = np.unique(trial.astype(np.int64), return_inverse=True)
        steps, column = np.unique(step, return_inverse=True)
        values = np.full((len(trials), len(steps)), np.nan)
        values[row, column] = value
        X = np.array([rows[t] for t in trials.tolist()], dtype=float)
        return cls(trials, X, steps, values, step_name)

    def held(self) -> Array:
        """Return the values with gaps filled, (m, S): the last one reported holds until the next.

        NaN before the first value of a trial and after its last one.

        Examples
        --------
        >>> Curves([0], [[0.5]], [1, 2, 3, 4], [[0.9, np.nan, 0.5, np.nan]]).held().tolist()
        [[0.9, 0.9, 0.5, nan]]
        """
        there = ~np.isnan(self.values)
        last = np.maximum.accumulate(np.where(there, np.arange(len(self.steps)), 0), axis=1)
        filled = np.take_along_axis(self.values, last, axis=1)
        ended = there[:, ::-1].cumsum(axis=1)[:, ::-1] == 0
        return np.where(ended, np.nan, filled)
