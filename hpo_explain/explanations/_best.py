"""What can be said of an average effect: where it is best, what differs, and what is flat.

A claim is certain if the model's uncertainty allows it (`Contrasts`), if the model predicts trials
that it has not seen (over the whole space, and within the branch of a conditional hyperparameter),
and if the values it rules out were tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.diagnostics import Branch
from hpo_explain.explanations._contrasts import Contrasts
from hpo_explain.explanations.claims import Claim, between
from hpo_explain.facts import Fact, fact
from hpo_explain.space import Array, CategoricalParameter, Parameter

FLAT = 0.2
"""A range of means below this share of the prediction's std makes no difference: with effects
spread evenly, less than 0.4 % of the variance."""
PROBABLE = 0.5
"""Least probability of being feasible of what is called the best."""
_ROUNDING = 1e-12  # of the level: below, no value is better than another
_NORMAL_95 = 1.96


@dataclass(frozen=True, eq=False)
class Curve:
    """Means on a grid of one or two hyperparameters, and what is known of their certainty.

    Attributes
    ----------
    parameters : tuple of Parameter
        The hyperparameters.
    axes : tuple of tuple
        Values of each, in the user's units.
    positions : tuple of ndarray
        The encoded values.
    mean, std : ndarray of shape (G,) or (G1, G2)
        In the objective's units; NaN where there is none.
    lower_is_better : bool
        Whether smaller means are better.
    covariance : ndarray of shape (K, K) or None
        Covariance of the means at the K places of the grid; None where it is not known.
    supported : ndarray of bool
        Where trials were made; of the shape of `mean`.
    gaps : tuple of (name, gaps)
        What of each hyperparameter was not tried.
    feasible : ndarray of the shape of `mean`, or None
        Highest probability of being feasible at each place; None without constraints.
    scale : float
        Standard deviation of the prediction over the space.
    doubts : tuple of Fact
        Why nothing that the model says of the whole space is certain; empty where it is.
    branch : Branch or None
        The trials of the branch of a conditional hyperparameter.
    term : str
        What the means are of, beside the average.
    """

    parameters: tuple[Parameter, ...]
    axes: tuple[tuple[Any, ...], ...]
    positions: tuple[Array, ...]
    mean: Array
    std: Array
    lower_is_better: bool
    covariance: Array | None
    supported: npt.NDArray[np.bool_]
    gaps: tuple[tuple[str, tuple[Any, ...]], ...]
    feasible: Array | None
    scale: float
    doubts: tuple[Fact, ...]
    branch: Branch | None
    term: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters."""
        return tuple(parameter.name for parameter in self.parameters)

    @cached_property
    def contrasts(self) -> Contrasts:
        """Differences between the places of the grid; without any spread if it is not known.

        A place that was tried and is probably infeasible is no candidate.
        """
        k = self.mean.size
        cost = self.mean.ravel() if self.lower_is_better else -self.mean.ravel()
        covariance = np.zeros((k, k)) if self.covariance is None else self.covariance
        tried = self.supported.ravel()
        if self.feasible is not None and self.may_be_best.any():
            out = tried & ~self.may_be_best
            cost = np.where(out, np.nan, cost)
            covariance = np.where(out[:, None] | out, np.nan, covariance)
        return Contrasts(cost, covariance, tried)

    @property
    def may_be_best(self) -> npt.NDArray[np.bool_]:
        """Which places are rather feasible than not, (K,)."""
        if self.feasible is None:
            return np.ones(self.mean.size, dtype=bool)
        return np.asarray(self.feasible.ravel() >= PROBABLE)

    @property
    def best(self) -> npt.NDArray[np.bool_]:
        """Which places cannot be told from the best, (K,); without a covariance only itself."""
        if self.covariance is None:
            return np.asarray(np.arange(self.mean.size) == self.contrasts.place)
        return self.contrasts.best

    def claims(self) -> tuple[Claim, ...]:
        """Return what can be said, the most important first."""
        contrasts = self.contrasts
        level = float(self.mean.ravel()[contrasts.place])
        names = self.names
        doubts = self.doubted
        spread = float(np.nanmax(self.mean) - np.nanmin(self.mean))
        if spread <= _ROUNDING * abs(level):
            return (self._flat(names, level, 0.0, doubts),)
        if self.covariance is not None and contrasts.widest <= FLAT * self.scale:
            return (self._flat(names, level, contrasts.widest, doubts),)
        kept = self._kept(self.best.reshape(self.mean.shape))
        excludes = any(not all(inside) for inside in kept)
        because = doubts if excludes else (fact("no_value_ruled_out"), *doubts)
        found = Claim(
            "best_at",
            names,
            tuple(self._range(i, inside) for i, inside in enumerate(kept)),
            estimate=level,
            interval=between(level, _NORMAL_95 * self._error()),
            certain=excludes and not doubts,
            because=(*because, *self._basis()),
            term=self.term,
        )
        contrast = self._contrast(names, contrasts, doubts)
        return (found,) if contrast is None else (found, contrast)

    def _error(self) -> float:
        """Return the standard deviation of the best mean: Eq. 4's where it is known, else ŝ_S."""
        place = self.contrasts.place
        if self.covariance is None:
            return float(self.std.ravel()[place])
        return float(np.sqrt(max(self.covariance[place, place], 0.0)))

    def _flat(
        self, names: tuple[str, ...], level: float, within: float, doubts: tuple[Fact, ...]
    ) -> Claim:
        gone = bool((~self.supported & ~np.isnan(self.mean)).any())
        basis = (fact("flat_within", bound=within),) if within else ()
        return Claim(
            "flat",
            names,
            estimate=level,
            interval=between(level, within),
            certain=not doubts and not gone,
            because=(*basis, *doubts, *self._basis()),
            term=self.term,
        )

    def _contrast(
        self, names: tuple[str, ...], contrasts: Contrasts, doubts: tuple[Fact, ...]
    ) -> Claim | None:
        """Return by how much the best value is better than the worst that was tried."""
        if self.covariance is None or not contrasts.tried.any():
            return None
        known = np.where(contrasts.tried, contrasts.cost, -np.inf)
        worst = int(np.nanargmax(known))
        gap, half = contrasts.against_best(worst)
        if gap <= 0.0:
            return None
        sign = -1.0 if self.lower_is_better else 1.0
        return Claim(
            "contrast",
            names,
            tuple(zip(self._at(contrasts.place), self._at(worst), strict=True)),
            estimate=sign * gap,
            interval=between(sign * gap, half),
            certain=gap > half and not doubts,
            because=(*doubts, *self._basis()),
            term=self.term,
        )

    def contrast(self, first: int, second: int) -> Claim:
        """Return by how much the mean at one place of the grid exceeds that at another."""
        estimate = float(self.mean.ravel()[first] - self.mean.ravel()[second])
        doubts, half = self.doubted, None
        if self.covariance is not None:
            own = self.covariance[[first, second], [first, second]]
            variance = own.sum() - 2.0 * self.covariance[first, second]
            half = _NORMAL_95 * float(np.sqrt(max(variance, 0.0)))
        if not self.supported.ravel()[[first, second]].all():
            doubts += (fact("value_not_tried", names=self.names),)
        return Claim(
            "contrast",
            self.names,
            tuple(zip(self._at(first), self._at(second), strict=True)),
            estimate=estimate,
            interval=between(estimate, half),
            certain=half is not None and abs(estimate) > half and not doubts,
            because=(*doubts, *self._basis()),
            term=self.term,
        )

    # ------------------------------------------------------------------ why it is not certain

    @property
    def doubted(self) -> tuple[Fact, ...]:
        """Why no claim is certain; empty where they may be."""
        found = list(self.doubts)
        if self.covariance is None:
            found.append(fact("uncertainty_unknown"))
        if self.branch is not None and not self.branch.enough:
            found.append(fact("branch_too_small", **_told(self.branch)))
        if not self.may_be_best.any():
            found.append(fact("nothing_feasible"))
        if not self.supported.any():
            found.append(fact("value_not_tried", names=self.names))
        return tuple(found)

    def _basis(self) -> tuple[Fact, ...]:
        """Return what the claims rest on."""
        found = [fact("hardly_tried", names=[name], gaps=gaps) for name, gaps in self.gaps if gaps]
        if len(self.axes) == 1 and not self.may_be_best.all():
            values = [v for v, able in zip(self.axes[0], self.may_be_best, strict=True) if not able]
            found.append(fact("probably_infeasible", names=self.names, values=values))
        if self.branch is not None and self.branch.enough:
            found.append(fact("judged_in_branch", **_told(self.branch)))
        return tuple(found)

    # ------------------------------------------------------------------ ranges of values

    def _at(self, place: int) -> tuple[Any, ...]:
        where = np.unravel_index(place, self.mean.shape)
        return tuple(axis[i] for axis, i in zip(self.axes, where, strict=True))

    def _kept(self, best: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
        """Return of each hyperparameter which values are kept; of a pair, all between them too."""
        found = []
        for i, parameter in enumerate(self.parameters):
            others = tuple(k for k in range(best.ndim) if k != i)
            inside = np.array(best.any(axis=others))
            if others and not isinstance(parameter, CategoricalParameter):
                ends = np.flatnonzero(inside)
                inside[ends[0] : ends[-1] + 1] = True
            found.append(inside)
        return found

    def _range(self, i: int, inside: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
        """Return values that are kept: categories, or both ends of a range, or several ranges.

        A value of a grid that is finer than it stands for all that is nearer to it than to others.
        """
        parameter, axis, positions = self.parameters[i], self.axes[i], self.positions[i]
        if isinstance(parameter, CategoricalParameter):
            return tuple(value for value, kept in zip(axis, inside, strict=True) if kept)
        middle = (positions[1:] + positions[:-1]) / 2.0
        edges = np.concatenate([positions[:1], middle, positions[-1:]])
        steps = np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(int), [0]])))
        found = [
            (axis[low], axis[high - 1])
            if parameter.size == len(axis)
            else tuple(parameter.decode(edges[[low, high]]))
            for low, high in steps.reshape(-1, 2)
        ]
        return found[0] if len(found) == 1 else tuple(found)


def _told(branch: Branch) -> dict[str, Any]:
    return {"names": branch.names, "n": branch.trials, "r2": branch.r2}
