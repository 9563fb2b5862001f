"""Which acquisition function skopt maximized when it chose a trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import Direction
from hpo_explain.methods._engines.background import local_background
from hpo_explain.models.acquisition.criteria import log_expected_improvement, lower_confidence_bound
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.acquisition.surrogate_based import (
    ExpectedImprovement,
    LowerConfidenceBound,
    ProbabilityOfImprovement,
)
from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array

HEDGE = "gp_hedge"
KAPPA = 1.96  # skopt's defaults
XI = 0.01

_SAMPLED = 4000  # of the 10,000 candidates that skopt draws where it follows no gradient
_GLOBAL = 1000
_LOCAL = 250
_RADII = (0.1, 0.01)
_HIGH = 0.05  # share of the candidates


@dataclass(frozen=True)
class Criterion:
    """skopt's criterion and its settings, as the result records them.

    Attributes
    ----------
    name : str
        skopt's name of it: "LCB", "EI", "PI", "gp_hedge", ...
    kappa, xi : float
        Weight of the standard deviation in LCB; improvement asked for at least in EI and PI.
    sampled : bool
        Whether it was maximized over drawn candidates only, without following its gradient.
    unknown : Fact or None
        Why it cannot be rebuilt; None where it can.
    """

    name: str
    kappa: float = KAPPA
    xi: float = XI
    sampled: bool = False
    unknown: Fact | None = None

    def on(self, surrogate: Surrogate, best: float, direction: Direction) -> Acquisition:
        """Return it as an acquisition on a surrogate; `best` in the user's units."""
        if self.name == "LCB":
            return LowerConfidenceBound(surrogate, kappa=self.kappa, direction=direction)
        criterion = ExpectedImprovement if self.name == "EI" else ProbabilityOfImprovement
        return criterion(surrogate, best=best, xi=self.xi, direction=direction)


def read_criterion(arguments: Mapping[str, Any]) -> Criterion:
    """Return the criterion that the arguments of a minimizer or an Optimizer ask for."""
    name = arguments.get("acq_func")
    if name is None:
        return Criterion("", unknown=fact("criterion_not_recorded"))
    settings = {**arguments, **(arguments.get("acq_func_kwargs") or {})}
    kappa, xi = float(settings.get("kappa", KAPPA)), float(settings.get("xi", XI))
    if name in ("EIps", "PIps"):
        return Criterion(name, unknown=fact("criterion_per_second", names=[name]))
    if name not in ("LCB", "EI", "PI", HEDGE):
        return Criterion(name, unknown=fact("criterion_not_pointwise", names=[name]))
    if not np.isfinite(kappa) and name in ("LCB", HEDGE):
        return Criterion(name, unknown=fact("criterion_of_std", kappa=str(kappa)))
    sampled = (
        arguments.get("acq_optimizer") == "sampling"
        or arguments.get("space_constraint") is not None
    )
    return Criterion(name, kappa=kappa, xi=xi, sampled=sampled)


def infer_criterion(
    hedge: Criterion,
    surrogate: Surrogate,
    row: Array,
    best: float,
    direction: Direction,
    *,
    local: bool,
) -> tuple[Criterion, Fact]:
    """Return the criterion that a hedge seems to have used for a proposal, and its rank.

    A hedge draws one of LCB, EI and PI at random for every trial and does not record which. The
    one it used was maximized, so the proposal should rank first under it among candidates drawn
    from the whole space and, where skopt followed a gradient to it, around the proposal.

    Parameters
    ----------
    hedge : Criterion
        The settings.
    surrogate : Surrogate
        The model that was used.
    row : ndarray of shape (d,)
        The proposal, encoded.
    best : float
        The best objective so far, in the user's units.
    direction : {"minimize", "maximize"}
        Direction of the objective.
    local : bool
        Whether skopt followed a gradient.

    Returns
    -------
    criterion : Criterion
        The one under which the proposal ranks best; of equals LCB, then EI.
    note : Fact
        The three ranks.
    """
    space = surrogate.space
    config = space.decode(row[None, :])[0]
    rows = [row[None, :], space.sample(_GLOBAL if local else _SAMPLED, seed=0)]
    if local:
        rows += [
            local_background(space, config, _LOCAL, radius=radius, seed=k)
            for k, radius in enumerate(_RADII)
        ]
    mean, std = surrogate.predict(np.vstack(rows))
    sign = 1.0 if direction == "minimize" else -1.0
    m, f = sign * mean, sign * best
    gain = f - hedge.xi - m
    # log EI and z order candidates as EI and PI do, also where those underflow
    utilities = {
        "LCB": np.add(*lower_confidence_bound(m, std, hedge.kappa)),
        "EI": log_expected_improvement(m, std, f, hedge.xi),
        "PI": np.divide(gain, std, out=np.where(gain > 0, np.inf, -np.inf), where=std > 0),
    }
    ranks = {name: 1 + int((u[1:] > u[0]).sum()) for name, u in utilities.items()}
    name = min(ranks, key=lambda key: ranks[key])
    note = fact(
        "hedge_inferred",
        names=[name],
        ranks=tuple(ranks.items()),
        candidates=len(m) - 1,
        high=ranks[name] <= _HIGH * len(m),
    )
    return Criterion(name, kappa=hedge.kappa, xi=hedge.xi), note
