"""What a run may hold beside its trials: those without a result, reviews, instances, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_array, check_option
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Origin
from hpo_explain.base.html import text_html
from hpo_explain.base.options import STATES, State
from hpo_explain.base.phrases import counted, printable
from hpo_explain.base.text import declared_fact
from hpo_explain.space import Array, Bools, Ints, SearchSpace


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array itself, which can no longer be written to."""
    array.setflags(write=False)
    return array


def refreeze(state: dict[str, Any]) -> None:
    """Freeze the arrays of an unpickled object: pickle forgets that an array is read-only."""
    for value in state.values():
        if isinstance(value, np.ndarray):
            frozen(value)


class Frozen:
    """What stays frozen when it is unpickled."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        refreeze(state)


UNDER_WAY = ("running", "waiting")
"""States of trials that may still get a result, and hyperparameters."""

# why a trial does not count, in every framework
FAILED = declared_fact("failed", "failed")()
RUNNING = declared_fact("running", "still running")()
WAITING = declared_fact("waiting", "waiting to be started")()
NO_VALUE = declared_fact("no_value", "it has no value")()
WAS_PRUNED = declared_fact(
    "pruned",
    {
        False: "pruned",
        True: "pruned ({pruned='last'} reads the last value it reported)",
    },
)


@dataclass(frozen=True, eq=False)
class WithoutResult(Frozen):
    """A trial that runs, waits to be started, failed or was pruned.

    What was known when it was chosen is ``run.known_before(trial)`` and ``run.running_at(trial)``,
    as for any trial.

    Attributes
    ----------
    state : {"running", "waiting", "failed", "pruned"}
        What has become of it.
    x : ndarray of shape (d,)
        Its configuration, encoded: NaN where a hyperparameter is inactive or was not chosen.
    origin : Origin
        Who chose it.
    proposed : bool
        Whether it counts as a proposal, as the finished trials in `Run.proposals` do.
    reported : bool
        Whether it reported a value on its way: one that was pruned then did not crash.

    Examples
    --------
    >>> import numpy as np
    >>> trial = WithoutResult("running", np.array([0.5, np.nan]))
    >>> trial.origin, trial.under_way
    (<Origin.MODEL: 'model'>, True)
    """

    state: State
    x: Array
    origin: Origin = Origin.MODEL
    proposed: bool = True
    reported: bool = False

    def __post_init__(self) -> None:
        check_option("state", self.state, STATES)
        object.__setattr__(self, "x", frozen(np.array(self.x, dtype=float)))

    @property
    def under_way(self) -> bool:
        """Whether it may still get a result."""
        return self.state in UNDER_WAY

    @property
    def explainable(self) -> bool:
        """Whether it is a proposal, and has a value."""
        return self.proposed and not bool(np.isnan(self.x).all())

    def not_chosen(self, space: SearchSpace) -> tuple[str, ...]:
        """Return the hyperparameters that have no value, though they may be active.

        An optional one that has none counts as left out by choice once the trial has ended.

        Parameters
        ----------
        space : SearchSpace
            The run's search space.

        Examples
        --------
        >>> import numpy as np
        >>> from hpo_explain import CategoricalParameter, FloatParameter, SearchSpace
        >>> space = SearchSpace([
        ...     CategoricalParameter("booster", ["gbtree", "dart"]),
        ...     FloatParameter("rate_drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
        ... ])
        >>> WithoutResult("running", np.array([np.nan, np.nan])).not_chosen(space)
        ('booster', 'rate_drop')
        >>> WithoutResult("running", np.array([0.0, np.nan])).not_chosen(space)
        ()
        """
        found = np.zeros(len(space), dtype=bool)
        for j in space.parents_first:
            if not np.isnan(self.x[j]):
                continue
            undecided = any(found[parent] for parent, _ in space.conditions[j])
            by_choice = (
                space.parameters[j].optional is not None and not self.under_way
            )
            found[j] = self._possible(space, j, found) and (
                undecided or not by_choice
            )
        return tuple(
            name
            for name, missing in zip(space.names, found, strict=True)
            if missing
        )

    def _possible(self, space: SearchSpace, j: int, open_: Bools) -> bool:
        """Return whether the parents that have a value let a hyperparameter be active."""
        for parent, codes in space.conditions[j]:
            if open_[parent]:
                continue
            x = self.x[[parent]]
            parameter: Any = space.parameters[parent]
            if np.isnan(x[0]) or int(parameter.codes(x)[0]) not in codes:
                return False
        return True


@dataclass(frozen=True, eq=False)
class Reviewed(Frozen):
    """What a person decided about the proposal for a trial.

    Attributes
    ----------
    proposed : ndarray of shape (d,)
        What the optimizer proposed at last, encoded.
    set_by_person : tuple of str
        The hyperparameters that a person set in place of the optimizer; empty if none.
    refused : ndarray of shape (n, d)
        Proposals that were refused before, encoded.

    Examples
    --------
    >>> import numpy as np
    >>> Reviewed(np.array([0.5, 0.1]), ("lr",)).refused.shape
    (0, 2)
    """

    proposed: Array
    set_by_person: Sequence[str] = ()
    refused: npt.ArrayLike = ()

    def __post_init__(self) -> None:
        proposed = np.array(self.proposed, dtype=float)
        refused = np.array(self.refused, dtype=float).reshape(
            -1, len(proposed)
        )
        object.__setattr__(self, "proposed", frozen(proposed))
        object.__setattr__(self, "refused", frozen(refused))
        object.__setattr__(self, "set_by_person", tuple(self.set_by_person))


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
        unknown = index[~np.isin(index, np.arange(len(names)))]
        if len(unknown):
            problem = (
                f"must hold positions in names, 0 to {len(names) - 1}, but holds "
                f"{unknown[0]:g}"
            )
            raise InputError(
                "index", problem, float(unknown[0]), "Name every instance."
            )
        if not np.isfinite(objective).all():
            i = int(np.flatnonzero(~np.isfinite(objective))[0])
            problem = f"must be finite, but was {objective[i]} in row {i}"
            raise InputError(
                "objective", problem, float(objective[i]), "Leave it out."
            )
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "X", frozen(X))
        object.__setattr__(self, "index", frozen(index.astype(np.int64)))
        object.__setattr__(self, "objective", frozen(objective))

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
        numbers, X = (
            check_array("trials", self.trials),
            check_array("X", self.X),
        )
        steps, values = (
            check_array("steps", self.steps),
            check_array("values", self.values),
        )
        shape = len(numbers), len(steps)
        if X.ndim != 2 or len(X) != len(numbers) or values.shape != shape:
            problem = (
                f"must have shape {shape}, a row per trial and a column per step, but had shape "
                f"{values.shape}, and X {X.shape}"
            )
            raise InputError("values", problem, values)
        if not (np.diff(steps) > 0.0).all() or not np.isfinite(steps).all():
            raise InputError(
                "steps", "must be finite and ascend", steps, "Sort them."
            )
        if len(np.unique(numbers)) < len(numbers):
            raise InputError(
                "trials",
                "must be different numbers",
                numbers,
                "Join their curves.",
            )
        columns = {
            "trials": numbers.astype(np.int64),
            "X": X,
            "steps": steps,
            "values": values,
        }
        for name, column in columns.items():
            object.__setattr__(self, name, frozen(np.array(column)))

    def __len__(self) -> int:
        return len(self.trials)

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
        known = {
            trial: {
                float(s): float(v) for s, v in curve.items() if not np.isnan(v)
            }
            for trial, curve in sorted(reported.items())
            if trial in rows
        }
        known = {trial: curve for trial, curve in known.items() if curve}
        if not known:
            return None
        steps = np.array(
            sorted({step for curve in known.values() for step in curve})
        )
        place = {step: i for i, step in enumerate(steps.tolist())}
        values = np.full((len(known), len(steps)), np.nan)
        for i, curve in enumerate(known.values()):
            values[i, [place[step] for step in curve]] = [*curve.values()]
        X = np.array([rows[trial] for trial in known], dtype=float)
        return cls(
            np.array([*known], dtype=np.int64),
            X,
            steps,
            values,
            step_name,
        )

    def held(self) -> Array:
        """Return the values with gaps filled, (m, S): the last one reported holds until the next.

        NaN before the first value of a trial and after its last one.

        Examples
        --------
        >>> Curves([0], [[0.5]], [1, 2, 3, 4], [[0.9, np.nan, 0.5, np.nan]]).held().tolist()
        [[0.9, 0.9, 0.5, nan]]
        """
        there = ~np.isnan(self.values)
        last = np.maximum.accumulate(
            np.where(there, np.arange(len(self.steps)), 0), axis=1
        )
        filled = np.take_along_axis(self.values, last, axis=1)
        ended = there[:, ::-1].cumsum(axis=1)[:, ::-1] == 0
        return np.where(ended, np.nan, filled)
