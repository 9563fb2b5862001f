"""The kinds of effects: averages, what is attainable, along the trials, marginals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import Claim, Fact, Subject, fact, half_of_level
from hpo_explain.belief import STRETCH
from hpo_explain.methods._engines.attainable import Attainable
from hpo_explain.methods._engines.effect_result import Effect, Mask
from hpo_explain.methods._engines.rows_at import values_together
from hpo_explain.space import Array, supported_at

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
        As of `Effect`.
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
    """Accumulated along the configurations tried; of a pair what both do beyond their sum.

    Attributes
    ----------
    sample_size : int
        Number of configurations whose local effects are accumulated.
    partial : ndarray of shape (G,)
        Of a single hyperparameter: the partial dependence, centred likewise.
    names, grid, positions, mean, std, supported, draws, noise_std, feasible, tried, given
        As of `Effect`.
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
    def compared(self) -> bool:
        """Whether best values are named: not of a pair."""
        return not self.together

    @property
    def together(self) -> bool:
        """Whether it is what two do only together."""
        return len(self.names) == 2

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
        As of `Effect`.
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


def marginal_on(subject: Subject, names: Sequence[str], grid: Any, **held: Any) -> MarginalEffect:
    """Return the marginal of one or two hyperparameters at values of theirs."""
    members = [subject.space.index(name) for name in names]
    parameters = [subject.space.parameters[j] for j in members]
    return MarginalEffect(
        subject=subject,
        names=tuple(names),
        grid=grid[0] if len(members) == 1 else tuple(grid),
        positions=tuple(p.encode(values) for p, values in zip(parameters, grid, strict=True)),
        supported=supported_at(subject.support, tuple(names), grid),
        tried=values_together(subject.space, members, subject.tried),
        **held,
    )
