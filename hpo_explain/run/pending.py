"""Trials without a result: what was chosen, and what has become of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_option
from hpo_explain.base.facts import Origin
from hpo_explain.base.options import STATES, State
from hpo_explain.run._frozen import frozen, refreeze
from hpo_explain.space import Array, SearchSpace

UNDER_WAY = ("running", "waiting")
"""States of trials that may still get a result, and hyperparameters."""


@dataclass(frozen=True, eq=False)
class WithoutResult:
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

    def __post_init__(self) -> None:
        check_option("state", self.state, STATES)
        object.__setattr__(self, "x", frozen(np.array(self.x, dtype=float)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        refreeze(state)

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
            by_choice = space.parameters[j].optional is not None and not self.under_way
            found[j] = self._possible(space, j, found) and (undecided or not by_choice)
        return tuple(name for name, missing in zip(space.names, found, strict=True) if missing)

    def _possible(self, space: SearchSpace, j: int, open_: npt.NDArray[np.bool_]) -> bool:
        """Return whether the parents that have a value let a hyperparameter be active."""
        for parent, codes in space.conditions[j]:
            if open_[parent]:
                continue
            x = self.x[[parent]]
            parameter: Any = space.parameters[parent]
            if np.isnan(x[0]) or int(parameter.codes(x)[0]) not in codes:
                return False
        return True
