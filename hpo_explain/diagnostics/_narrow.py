"""How well the trials of a branch are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hpo_explain.diagnostics._skill import r2_of
from hpo_explain.models.protocols import SupportsHeldOut, Surrogate
from hpo_explain.space.support import Support

FEWEST, _R2 = 15, 0.3
"""Fewer trials of a branch say nothing certain about it."""


@dataclass(frozen=True)
class Branch:
    """The trials in which conditional hyperparameters are active.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters.
    trials : int
        Number of trials in which all of them are active.
    r2 : float
        R² on these trials when they are held out; NaN if unknown.

    Examples
    --------
    >>> Branch(("svm_gamma",), trials=14, r2=0.8).enough
    False
    """

    names: tuple[str, ...]
    trials: int
    r2: float

    @property
    def enough(self) -> bool:
        """Whether the branch was tried enough, and the model predicts its trials."""
        return self.trials >= FEWEST and self.r2 >= _R2

    def to_dict(self) -> dict[str, Any]:
        """Return the branch as plain values that JSON can hold."""
        r2 = self.r2 if np.isfinite(self.r2) else None
        return {"names": list(self.names), "trials": self.trials, "r2": r2}


def branch_of(surrogate: Surrogate, support: Support | None, names: Sequence[str]) -> Branch | None:
    """Return the branch of hyperparameters, or None where all are always active.

    Parameters
    ----------
    surrogate : Surrogate
        The model, fitted on the trials of `support`.
    support : Support or None
        Where trials were made; None where that is unknown.
    names : sequence of str
        The hyperparameters.
    """
    conditional = tuple(name for name in names if surrogate.space.is_conditional(name))
    if support is None or not conditional:
        return None
    active = np.all([support.branch(name) for name in conditional], axis=0)
    return Branch(conditional, int(active.sum()), _r2(surrogate, conditional, active))


def _r2(
    surrogate: Surrogate, names: tuple[str, ...], active: np.ndarray[Any, np.dtype[np.bool_]]
) -> float:
    if not isinstance(surrogate, SupportsHeldOut):
        return float("nan")
    try:
        held_out = surrogate.held_out()
    except ValueError:
        return float("nan")
    if held_out.rows is not None:  # of many trials some are held out
        columns = [surrogate.space.index(name) for name in names]
        active = np.asarray(~np.isnan(held_out.rows[:, columns]).any(axis=1))
    elif len(held_out.observed) != len(active):  # it was fitted on other trials
        return float("nan")
    y = held_out.observed[active]
    if not len(y) or np.ptp(y) == 0.0:
        return float("nan")
    std = held_out.std[active]
    return r2_of(replace(held_out, observed=y, mean=held_out.mean[active], std=std, rows=None))[0]
