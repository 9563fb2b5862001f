"""What searches share: ties between costs, rows near others, and a search by changing the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hpo_explain.space._values import Array, Bools, Ints
from hpo_explain.space.categorical_parameter import CategoricalParameter
from hpo_explain.space.number_parameters import FloatParameter
from hpo_explain.space.parameter import Parameter
from hpo_explain.space.search_space import SearchSpace

_OF_SPREAD = 2.0**-24
"""Share of the distance from the lowest cost to the middle one below which costs are equal."""
_OF_LARGEST = 2.0**-44
"""The same, of the largest cost: a few times what rounding leaves of it."""


@dataclass(frozen=True)
class Ties:
    """Which costs count as equal: of equal ones a search takes the first.

    A forest predicts the same in many ways, which differ by what rounding leaves of sums; and
    objectives that are multiplied or moved round in other places. Of those, equal costs count as
    many steps, so that a search takes the same way.

    Attributes
    ----------
    origin, step : float
        Where costs are counted from, and in which steps; a step of 0 where they are compared as
        they are.

    Examples
    --------
    >>> import numpy as np
    >>> costs = np.array([0.1 + 0.2, 0.3, 0.7, np.inf])
    >>> int(costs.argmin()), int(Ties.among(costs).settled(costs).argmin())
    (1, 0)
    """

    origin: float
    step: float

    @classmethod
    def among(cls, costs: Array) -> Ties:
        """Return the ties of a search, by the lower half and the size of its first costs."""
        known = costs[np.isfinite(costs)]
        if not known.size:
            return cls(0.0, 0.0)
        middle, low = known.size // 2, float(known.min())
        above = float(np.partition(known, middle, axis=None)[middle]) / 2.0 - low / 2.0
        return cls(low, max(2.0 * _OF_SPREAD * above, _OF_LARGEST * float(np.abs(known).max())))

    def settled(self, costs: Array) -> Array:
        """Return costs in steps, whole numbers; infinite ones stay so."""
        if not self.step:
            return costs
        return np.asarray(np.rint(costs / self.step - self.origin / self.step))


def ranked(costs: Array) -> Ints:
    """Return the places of costs (n,), the lowest first, and of equal ones the first."""
    return np.argsort(Ties.among(costs).settled(costs), kind="stable")


def lowest(costs: Array) -> int:
    """Return the place of the lowest of costs (n,), of equal ones the first."""
    return int(np.argmin(Ties.among(costs).settled(costs)))


def filled(space: SearchSpace, X: Array, seed: int) -> Array:
    """Return encoded rows whose inactive hyperparameters have a latent value."""
    return np.where(np.isnan(X), space.sample(max(len(X), 1), seed=seed + 1, latent=True), X)


def changed(space: SearchSpace, rows: Array, step: float, rng: np.random.Generator) -> Array:
    """Return copies of latent rows: real values moved by a step, a few others drawn anew."""
    new = np.array(rows)
    drawn = space.sample(len(rows), seed=int(rng.integers(2**31)), latent=True)
    for j in space.order.tolist():
        parameter = space.parameters[j]
        if isinstance(parameter, FloatParameter) and parameter.size is None:
            moved = rng.random(len(rows)) < 0.7
            new[moved, j] += step * rng.standard_normal(int(moved.sum()))
            new[:, j] = np.clip(new[:, j], 0.0, 1.0)
        else:
            again = rng.random(len(rows)) < 0.2
            new[again, j] = drawn[again, j]
    return new


def inside_of(space: SearchSpace, within: Sequence[Parameter], X: Array) -> Bools:
    """Return which encoded rows have values of hyperparameters as they should be searched."""
    found = np.ones(len(X), bool)
    for parameter in within:
        whole, x = space[parameter.name], X[:, space.index(parameter.name)]
        if isinstance(whole, CategoricalParameter) or isinstance(parameter, CategoricalParameter):
            known = np.isin(x, whole.encode(list(getattr(parameter, "choices", ()))))
        else:
            ends = [max(parameter.low, whole.low), min(parameter.high, whole.high)]
            low, high = whole.encode(ends)
            known = (x >= low - 1e-9) & (x <= high + 1e-9)
        found &= known | np.isnan(x)
    return found


def brought_inside(space: SearchSpace, within: Sequence[Parameter], rows: Array) -> Array:
    """Return latent rows with values of some hyperparameters spread over what should be searched.

    Examples
    --------
    >>> import numpy as np
    >>> space = SearchSpace([FloatParameter("x", 0.0, 10.0)])
    >>> brought_inside(space, [FloatParameter("x", 5.0, 6.0)], np.array([[0.0], [1.0]])).tolist()
    [[0.5], [0.6]]
    """
    found = np.array(rows)
    for parameter in within:
        whole, j = space[parameter.name], space.index(parameter.name)
        if isinstance(whole, CategoricalParameter):
            codes = whole.encode(list(getattr(parameter, "choices", whole.choices)))
            present = ~np.isnan(found[:, j])
            found[present, j] = codes[found[present, j].astype(int) % len(codes)]
        elif not isinstance(parameter, CategoricalParameter):
            ends = [max(parameter.low, whole.low), min(parameter.high, whole.high)]
            low, high = whole.encode(ends)
            found[:, j] = whole.nearest(low + found[:, j] * (high - low))
    return found


def descended(
    space: SearchSpace,
    rows: Array,
    cost: Callable[[Array], Array],
    steps: Sequence[float],
    *,
    kept: int,
    children: int,
    rng: np.random.Generator,
    moved: Callable[[Array], Array] = np.asarray,
) -> tuple[Array, Array]:
    """Return the rows of least cost that a random search finds, the best first, and their costs.

    Parameters
    ----------
    space : SearchSpace
        The space.
    rows : ndarray of shape (n, d)
        Latent rows where it starts.
    cost : callable
        Returns costs, (n,), of latent rows (n, d).
    steps : sequence of float
        How far real values move, round by round.
    kept, children : int
        How many rows every round keeps, and how many changed copies it makes of each.
    rng : numpy.random.Generator
        What the changes are drawn from.
    moved : callable, optional
        Returns rows of which some are moved or left out, of changed latent rows.
    """
    costs = cost(rows)
    ties = Ties.among(costs)

    def best() -> tuple[Array, Array]:
        order = np.argsort(ties.settled(costs), kind="stable")[:kept]
        return rows[order], costs[order]

    if len(rows) > kept:
        rows, costs = best()
    for step in steps:
        new = moved(changed(space, np.repeat(rows, children, axis=0), step, rng))
        rows, costs = np.vstack([rows, new]), np.concatenate([costs, cost(new)])
        rows, costs = best()
    return rows, costs
