"""Draws of a model of the user's as a page can carry them: interpolated between rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from hpo_explain.base import one_blas_thread
from hpo_explain.belief.draws import Draws
from hpo_explain.belief.feasibility import Feasibility
from hpo_explain.belief.scales import GRID, Bounds, Scale
from hpo_explain.models.pathwise import Functions, interpolated, valued
from hpo_explain.models.product_kernel import Pairs, Prior
from hpo_explain.space import Array, Bools, Ints, SearchSpace

_ROWS, _TRIED, _HELD_OUT = (600, 200, 300)
_NOISE = 1e-4  # variance of what an interpolation may miss, of that of the objective


class Units(NamedTuple):
    """How standardized values become the objective."""

    unit: float
    origin: float
    bounds: Bounds | None


@dataclass(frozen=True, eq=False)
class Carried:
    """Draws by the product kernel of a belief, which interpolates them between rows.

    It has what `portable` takes of a `Mixture`.

    Attributes
    ----------
    draws : Draws
        What is carried.
    X : ndarray of shape (n, d)
        The encoded rows between which it is interpolated.
    functions : list of Functions
        All draws, of one setting of the kernel.
    belief : Units
        Their units.
    """

    draws: Draws
    X: Array
    functions: list[Functions]
    belief: Units

    @classmethod
    def of(cls, draws: Draws, tried: Array, bounds: Bounds | None) -> Carried:
        """Interpolate draws between some of the rows tried and others that fill the space.

        The kernel is the one under which their mean is most probable.
        """
        space, seed = draws.space, draws.seed
        filling = space.sample(_ROWS, seed=seed + 4)
        rows = space.distinct(np.vstack([tried[-_TRIED:], filling]))
        costs = draws.costs(rows).astype(float)
        mean = costs.mean(axis=0)
        origin, unit = float(mean.mean()), float(mean.std()) or 1.0
        columns = space.in_own_order(rows)
        prior = Prior(space.categories_in_own_order, True, _NOISE)
        values = (costs - origin) / unit
        with one_blas_thread():
            pairs = Pairs(columns, values.mean(axis=0), prior, 1.0)
            parameters = prior.parameters(_mode(pairs))
            function = interpolated(columns, pairs, parameters, prior.categories, values.T)
        return cls(draws, rows, [function], Units(unit, origin, bounds))

    @property
    def off(self) -> float:
        """How far it is from what it carries at rows between, by the spread of the mean there."""
        rows = self.space.sample(_HELD_OUT, seed=self.draws.seed + 5)
        costs = self.draws.costs(rows).astype(float)
        own = self.space.in_own_order(rows)
        with one_blas_thread():
            (values,) = valued(self.functions, own, self.space.categories_in_own_order)
        apart = values.T * self.belief.unit + self.belief.origin - costs
        return float(np.sqrt((apart**2).mean()) / (costs.mean(axis=0).std() or 1.0))

    # ------------------------------------------------------------------ as of a mixture

    @property
    def space(self) -> SearchSpace:
        """The space."""
        return self.draws.space

    @property
    def feasibility(self) -> Feasibility | None:
        """How probable a result is."""
        return self.draws.feasibility

    @property
    def sign(self) -> float:
        """Which way the objective is better."""
        return self.draws.sign

    @property
    def constant(self) -> Bools:
        """No draw is constant, (k,)."""
        return np.zeros(self.functions[0].update.shape[1], bool)

    @property
    def constant_costs(self) -> Array:
        """None."""
        return np.empty(0)

    @property
    def limits(self) -> Bounds:
        """The least and the largest standardized value."""
        return float(GRID[0]), float(GRID[-1])

    @property
    def scales(self) -> tuple[Scale, ...]:
        """Standardized values are costs."""
        ends = GRID[[0, -1]]
        return (Scale(additive=True, z=ends, knots=ends, costs=ends, below=0.0),)

    @property
    def scale_of_each(self) -> Ints:
        """Of which scale each setting is."""
        return np.zeros(1, int)


def _mode(pairs: Pairs) -> Array:
    """Return the most probable parameters."""

    def downhill(u: Array) -> tuple[float, Array]:
        value, gradient = pairs.slope(u)
        return -value, -gradient

    start = np.zeros(len(pairs.prior.moments[0]))
    mode: Array = minimize(downhill, start, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x
    return mode
