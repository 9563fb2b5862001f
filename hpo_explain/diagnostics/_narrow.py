"""Trust in narrower models: of the trials of a branch, and in densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hpo_explain.base.facts import Fact
from hpo_explain.diagnostics import told
from hpo_explain.diagnostics._skill import limit_of_rank, r2_of, rank_correlation
from hpo_explain.diagnostics._trust import R2, Trust, Verdict, level_of, limits_of
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.densities.ratio import DensityRatio
from hpo_explain.models.protocols import SupportsHeldOut, Surrogate
from hpo_explain.space.support import Support

FEWEST = 15
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
        return self.trials >= FEWEST and self.r2 >= R2[1]

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


_DRAWS = 40
_FEWEST = 4  # trials that a draw must leave out to count
LOWER_RANK = (0.3, 0.0)  # good from, poor below


def trust_of_densities(acquisition: Acquisition) -> Trust | None:
    """Return whether the densities that chose proposals tell good trials from others.

    Trials are drawn with replacement, good and other ones apart. The densities of those drawn rank
    those left out, and the ranks are compared with what came of them: the mean rank correlation
    over draws, with the lower 95 % limit of one over all trials. Of chance it is 0. There is no
    model of the objective to be judged beyond that.

    Parameters
    ----------
    acquisition : Acquisition
        What chose the proposals.

    Returns
    -------
    Trust, or None
        None where the acquisition function has no densities to draw again.
    """
    if not isinstance(acquisition, DensityRatio):
        return None
    no_model = Verdict("unknown", (told.NO_MODEL(),))
    reason, n = _reason(acquisition)
    nothing = float("nan")
    proposals = Verdict(reason["level"], (reason,))
    return Trust(no_model, no_model, nothing, nothing, n, "bootstrap", proposals)


def _reason(acquisition: DensityRatio) -> tuple[Fact, int]:
    draws = acquisition.bootstrap(_DRAWS)
    if draws is None:
        return told.DENSITIES_UNKNOWN(level="unknown"), 0
    n, found = draws.trials, []
    for left in draws.left:
        known = np.isfinite(left.cost)
        if known.sum() >= _FEWEST and np.ptp(left.cost[known]) > 0.0:
            found.append(rank_correlation(-left.cost[known], left.utility[known])[0])
    if not found:
        return told.DENSITIES_FEW(level="unknown"), n
    value = float(np.mean(found))
    lower = limit_of_rank(value, n)
    level = level_of(lower, LOWER_RANK)
    return (told.DENSITIES(value=value, lower=lower, level=level, **limits_of(LOWER_RANK)), n)
