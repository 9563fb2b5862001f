"""What a result of skopt says about how it was made: by what, and with which criterion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import Direction, sign_of
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

_NOT_RECORDED = fact("the result does not record its acquisition function")
_LOW = (
    "; it ranks high under none: skopt rounds integers and categories after its search, and moves "
    "away from points it has tried"
)
HEDGE = "gp_hedge"
KAPPA = 1.96  # skopt's defaults
XI = 0.01

_SAMPLED = 4000  # of the 10,000 candidates that skopt draws where it follows no gradient
_GLOBAL = 1000
_LOCAL = 250
_RADII = (0.1, 0.01)
_HIGH = 0.05  # share of the candidates
_MINIMIZERS = {
    "DUMMY": "dummy_minimize",
    "GP": "gp_minimize",
    "GAUSSIANPROCESSREGRESSOR": "gp_minimize",
    "ET": "forest_minimize",
    "RF": "forest_minimize",
    "EXTRATREESREGRESSOR": "forest_minimize",
    "RANDOMFORESTREGRESSOR": "forest_minimize",
    "GBRT": "gbrt_minimize",
    "GRADIENTBOOSTINGQUANTILEREGRESSOR": "gbrt_minimize",
}


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
        Why it cannot be rebuilt, if so.
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
        return Criterion("", unknown=_NOT_RECORDED)
    settings = {**arguments, **(arguments.get("acq_func_kwargs") or {})}
    kappa, xi = (float(settings.get("kappa", KAPPA)), float(settings.get("xi", XI)))
    if name in ("EIps", "PIps"):
        return Criterion(name, unknown=fact(f"{name} also weighs the time of an evaluation"))
    if name not in ("LCB", "EI", "PI", HEDGE):
        unknown = fact(f"{name} is not a function of mean and std at one point")
        return Criterion(name, unknown=unknown)
    if not np.isfinite(kappa) and name in ("LCB", HEDGE):
        return Criterion(name, unknown=fact(f"with kappa = {kappa} LCB is the std alone"))
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
    sign = sign_of(direction)
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
    listed = ", ".join(f"{criterion} {rank}" for criterion, rank in ranks.items())
    note = fact(
        f"gp_hedge does not record which criterion it used; {name} is inferred, under which the "
        f"proposal ranks best among {len(m) - 1} candidates (ranks: {listed})"
        + ("" if ranks[name] <= _HIGH * len(m) else _LOW)
    )
    return Criterion(name, kappa=hedge.kappa, xi=hedge.xi), note


@dataclass(frozen=True)
class Specs:
    """The specification of a result.

    Attributes
    ----------
    optimizer : str
        What made it, as in "skopt's gp_minimize".
    criterion : Criterion
        The acquisition function.
    random : bool
        Whether the search was random: a dummy search, or initial points only.
    initial : int or None
        Number of initial points, those given included, if it is recorded.
    given : int
        Number of points given by the user, which come first.
    told : bool
        Whether they were given with their objective.
    queue_size : float
        How many models were kept at most; infinite for all.
    """

    optimizer: str
    criterion: Criterion
    random: bool
    initial: int | None
    given: int
    told: bool
    queue_size: float


def read_specs(result: Any) -> Specs:
    """Return the specification of a result; one that it lost says nothing."""
    specs = getattr(result, "specs", None) or {}
    arguments = specs.get("args", {})
    base = arguments.get("base_estimator", "")
    kind = (base if isinstance(base, str) else type(base).__name__).upper()
    if specs.get("function") == "Optimizer":
        optimizer = "skopt's Optimizer"
    else:  # every minimizer records the function that all of them call
        minimizer = _MINIMIZERS.get(kind)
        optimizer = f"skopt's {minimizer}" if minimizer else "scikit-optimize"
    # the older name, which wins where it is given
    asked = arguments.get("n_random_starts")
    asked = arguments.get("n_initial_points") if asked is None else asked
    given, told = _given(arguments.get("x0")), arguments.get("y0") is not None
    calls = arguments.get("n_calls", math.inf)  # an Optimizer has no such number
    only_initial = asked is not None and asked + (0 if told else given) >= calls
    queue_size = arguments.get("model_queue_size")
    return Specs(
        optimizer,
        read_criterion(arguments),
        random=kind == "DUMMY" or only_initial,
        initial=None if asked is None else int(asked) + given,
        given=given,
        told=told,
        queue_size=math.inf if queue_size is None else queue_size,
    )


def _given(x0: Any) -> int:
    """Return how many points were given at the start: none, one, or a list of them."""
    if x0 is None or not len(x0):
        return 0
    return len(x0) if isinstance(x0[0], (list, tuple)) else 1
