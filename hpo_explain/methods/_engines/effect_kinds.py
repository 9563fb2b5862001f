"""The kinds of effects: averages, what is attainable, along the trials, marginals.

The attainable effect is what a value can reach if all other hyperparameters are at their best:
``a(v) = min over λ_C of f(v, λ_C)``, for each function that the trials allow, over rows that stand
for the space and rows around the best ones. A number with many values has it by its parts, from
whose middles it is interpolated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import Claim, Direction, Fact, Subject, fact, half_of_level
from hpo_explain.belief import PROBABLE, STRETCH, as_draws, least_in, std_of_draws
from hpo_explain.methods._engines.effect_result import Effect, Mask
from hpo_explain.methods._engines.rows_at import values_together
from hpo_explain.models import Surrogate
from hpo_explain.space import Array, supported_at


@dataclass(frozen=True, eq=False)
class Attainable:
    """The best objective that can be expected at each value of a hyperparameter.

    Attributes
    ----------
    mean, std : ndarray of shape (G,)
        Expected best and its standard deviation, in the objective's units; NaN where no
        configuration is valid, or feasible.
    draws : ndarray of shape (G, draws)
        The best in each function.
    configurations : tuple of mapping
        The predicted best configuration at each value; empty where there is none.
    """

    mean: Array
    std: Array
    draws: Array
    configurations: tuple[Mapping[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, without the draws."""
        return {"mean": self.mean, "std": self.std, "configurations": self.configurations}


_MAY_FAIL = fact("configurations that may fail are left out, and may be better")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AverageEffect(Effect):
    """The average over all others: partial dependence.

    Attributes
    ----------
    ice_mean, ice_std : ndarray of shape (n, G) or (n, G1, G2)
        Prediction and its std of each configuration of the sample; NaN where it is not valid.
    variance : {"average", "covariance"}
        Whether std² averages pointwise variances (Eq. 5) or is that of the average (Eq. 4).
    exact : bool
        Whether the mean integrates over the space exactly rather than over the sample.
    attainable : Attainable or None
        The best over all others at each value, where it was asked for.
    names, grid, positions, mean, std, supported, draws, noise_std, feasible, tried, given
        As in `Effect`.
    """

    kind: ClassVar[Literal["average"]] = "average"

    ice_mean: Array
    ice_std: Array
    variance: str
    exact: bool
    attainable: Attainable | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """Those of every effect, and what is attainable."""
        best = self.attainable
        if best is None:
            return super().columns
        reached = {"attainable": best.mean, "attainable_std": best.std}
        return {**super().columns, **reached}

    def _half(self, level: float) -> Array:
        if self.variance == "average":
            return half_of_level(level) * self.std
        return super()._half(level)

    @property
    def first(self) -> Effect:
        """What is reachable with the others at their best, where that is known; else itself."""
        return self.reached or self

    @property
    def reached(self) -> AttainableEffect | None:
        """The same with all others at their best, where that was asked for."""
        best = self.attainable
        if best is None or np.isnan(best.mean).all():
            return None
        held = {one.name: getattr(self, one.name) for one in fields(Effect)}
        held |= {"mean": best.mean, "std": best.std, "draws": best.draws}
        return AttainableEffect(**held)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Those of every effect, then of what is attainable."""
        return (*super().claims, *(self.reached.claims if self.reached else ()))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AttainableEffect(Effect):
    """What a value can reach with all others at their best; attributes are those of `Effect`."""

    kind: ClassVar[Literal["attainable"]] = "attainable"
    opening: ClassVar[str] = "With all others at their best the"
    # of minima: with 0.95 one in ten such ranges was wrong
    mass: ClassVar[float] = 0.985
    stretch: ClassVar[float] = STRETCH["attainable"]
    term: ClassVar[str] = "attainable"

    def _never_tried(self, place: int, masks: list[Mask]) -> tuple[Fact, ...]:
        unseen = super()._never_tried(place, masks)
        # the best lies at a border as a rule: 9 of 20 such ranges missed it
        return unseen if self.feasible is None else (*unseen, _MAY_FAIL)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AccumulatedEffect(Effect):
    """Accumulated along the configurations tried.

    Attributes
    ----------
    sample_size : int
        Number of configurations whose local effects are accumulated.
    partial : ndarray of shape (G,)
        The partial dependence, centred likewise.
    names, grid, positions, mean, std, supported, draws, noise_std, feasible, tried, given
        As in `Effect`.
    """

    kind: ClassVar[Literal["accumulated"]] = "accumulated"
    opening: ClassVar[str] = "Along the trials, relative to their average, the"

    sample_size: int
    partial: Array | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """Those of every effect, and the partial dependence."""
        columns = super().columns
        feasible = {"feasible": columns.pop("feasible")}
        return {**columns, "partial_dependence": self.partial, **feasible}

    @property
    def _bounds(self) -> tuple[float, float]:
        return -np.inf, np.inf


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MarginalEffect(Effect):
    """The exact average of a forest, or of functions drawn.

    Attributes
    ----------
    activity : tuple of float
        The share of the space in which each is active.
    rows : {"trees", "draws"}
        What its std is over.
    names, grid, positions, mean, std, supported, draws, noise_std, feasible, tried, given
        As in `Effect`.
    """

    kind: ClassVar[Literal["marginal"]] = "marginal"
    opening: ClassVar[str] = "On average the predicted"

    activity: tuple[float, ...]
    rows: str

    @property
    def columns(self) -> dict[str, Any]:
        """The average and its standard deviation."""
        return {"mean": self.mean, "std": self.std}

    @property
    def compared(self) -> bool:
        """Whether best values are named."""
        return False


def on_axes(
    subject: Subject, members: Sequence[int], positions: Sequence[Array], grid: Sequence[Any]
) -> dict[str, Any]:
    """Return what every effect on a grid knows of it and of the trials."""
    names = tuple(subject.space.names[j] for j in members)
    return {
        "subject": subject,
        "names": names,
        "grid": grid[0] if len(members) == 1 else tuple(grid),
        "positions": tuple(positions),
        "supported": supported_at(subject.support, names, grid),
        "tried": values_together(subject.space, members, subject.tried),
    }


def attainable(
    surrogate: Surrogate,
    j: int,
    positions: Array,
    direction: Direction,
    *,
    feasible: Callable[[Array], Array] | None = None,
    seed: int = 0,
) -> Attainable:
    """Return the attainable effect of a hyperparameter.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    j : int
        The hyperparameter's column.
    positions : ndarray of shape (G,)
        Its encoded values.
    direction : {"minimize", "maximize"}
        Which way is better.
    feasible : callable, optional
        Probability of being feasible, (n,), of encoded rows (n, d); less probable ones than 0.5
        are no candidates.
    seed : int, default 0
        Seed of the rows and, of a model that is none, of its draws.

    Returns
    -------
    Attainable
        Expected best at each value, with its uncertainty.
    """
    draws = as_draws(surrogate, direction, seed=seed).at_best
    land = draws.landscape
    axis, level = land.axes[j], land.level[:, j]
    allowed = land.possible
    if feasible is not None:
        allowed = allowed & (feasible(land.all_rows) >= PROBABLE)
    masks = [allowed & (level == i) for i in range(len(axis.centers))]
    least = np.stack([least_in(land, inside) for inside in masks])  # (L, k)
    least[np.isinf(least)] = np.nan
    if axis.category:
        costs = least[axis.level(positions)]
    else:
        each = [np.interp(positions, axis.centers, of_one) for of_one in least.T]
        costs = np.stack(each, axis=-1)
    mean = land.all_values.mean(axis=0)
    rows = [int(np.argmin(np.where(inside, mean, np.inf))) for inside in masks]
    configurations: list[Mapping[str, Any]] = []
    for position, at in zip(positions, axis.level(positions).tolist(), strict=True):
        best = land.all_rows[[rows[at]]].copy()
        best[:, j] = position
        there = masks[at].any()
        configurations.append(draws.space.decode(draws.space.project(best))[0] if there else {})
    objective = draws.sign * costs
    return Attainable(
        mean=objective.mean(axis=-1),
        std=std_of_draws(objective.T),
        draws=objective,
        configurations=tuple(configurations),
    )
