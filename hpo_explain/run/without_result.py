"""Trials without a result, and proposals that a person reviewed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpo_explain.base import Frozen, Option, Origin, State, check_option, fact, set_fields
from hpo_explain.base.options import STATES
from hpo_explain.space import Array, Bools, SearchSpace, holds

UNDER_WAY = ("running", "waiting")
"""States of trials that may still get a result, and hyperparameters."""

# why a trial does not count, in every framework
FAILED = fact("failed", kind="failed")
RUNNING = fact("still running", kind="running")
WAITING = fact("waiting to be started", kind="waiting")
NO_VALUE = fact("it has no value", kind="no_value")
PRUNED = fact("pruned", kind="pruned")
PRUNED_READABLE = fact(
    "pruned (", Option("pruned", "last"), " reads the last value it reported)", kind="pruned"
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
        set_fields(self, x=np.array(self.x, dtype=float))

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
        missing = np.zeros(len(space), dtype=bool)
        for j in space.parents_first:
            if not np.isnan(self.x[j]):
                continue
            parents = [parent for parent, _ in space.conditions[j]]
            is_optional = space.parameters[j].optional < 1.0
            by_choice = is_optional and not self.under_way
            missing[j] = self._possible(space, j, missing) and (
                missing[parents].any() or not by_choice
            )
        return tuple(space.names[j] for j in np.flatnonzero(missing))

    def _possible(self, space: SearchSpace, j: int, missing: Bools) -> bool:
        """Return whether the parents that have a value let a hyperparameter be active."""
        return all(
            missing[parent] or holds(space.parameters[parent], values, self.x[[parent]]).all()
            for parent, values in space.conditions[j]
        )


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
        refused = np.array(self.refused, dtype=float).reshape(-1, len(proposed))
        set_by_person = tuple(self.set_by_person)
        set_fields(self, proposed=proposed, refused=refused, set_by_person=set_by_person)
