"""What searches share: ties between costs, and rows near others or inside of a range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.space._values import POSITION_TOLERANCE, Array, Bools, Ints
from hpo_explain.space.number_parameters import FloatParameter
from hpo_explain.space.parameter import Parameter
from hpo_explain.space.search_space import SearchSpace

_OF_SPREAD = 2.0**-24
"""Share of the spread of costs below which they are equal."""
_OF_SIZE = 2.0**-44
"""The same, of the size of costs: a few times what rounding leaves of them."""
_MOST_STEPS = 2.0**51
"""Whole numbers up to here, and their halves, are exact."""
_ROUNDING = 2.0**-58, 2.0**-48
"""What rounding leaves of sums, as shares of what was added."""


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
        """Return the ties of a search, by the spread and the size of most of its first costs."""
        finite = np.sort(costs[np.isfinite(costs)])
        n = finite.size
        if not n:
            return cls(0.0, 0.0)
        half = finite / 2.0  # no difference overflows
        lower = half[n // 2] - half[0]
        inner = half[_upper_quartile(n)] - half[n // 4]
        spread = 2.0 * _OF_SPREAD * float(min(lower, inner))
        step = max(spread, _OF_SIZE * size_of(finite))
        # one cost far below the others must not round their steps away
        origin = max(finite[0], finite[n // 4] - _MOST_STEPS * step)
        return cls(float(origin), step)

    def settled(self, costs: Array) -> Array:
        """Return costs in steps, whole numbers; infinite ones stay so."""
        if not self.step:
            return costs
        # one cost that far away counts as infinite
        with np.errstate(over="ignore"):
            return np.rint(costs / self.step - self.origin / self.step)


def size_of(costs: Array) -> float:
    """Return the size of most of some costs: what rounding is to be measured by.

    It is the upper quartile of their absolute values, which no single cost decides; the largest
    where all others but one are 0, and that one can be what rounding left of it.

    Examples
    --------
    >>> size_of(np.array([1.0, 0.5, 0.0, 1e14])), size_of(np.array([1e-16, 0.0, 0.0, 1.0]))
    (1.0, 1.0)
    """
    sizes = np.sort(np.abs(costs), axis=None)
    sizes = sizes[np.isfinite(sizes)]
    if not sizes.any():
        return 0.0
    first = int(np.argmax(sizes > 0.0))
    k = max(_upper_quartile(len(sizes)), first)
    size = float(sizes[k])
    largest = float(sizes[-1])
    least, most = _ROUNDING
    alone = sizes[first] == size
    if alone and least * largest <= size <= most * largest:
        return largest
    return size


def _upper_quartile(n: int) -> int:
    """Return the place of the upper quartile of n sorted values: of four the third."""
    return -(-3 * n // 4) - 1


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
    sample = space.sample(len(rows), seed=int(rng.integers(2**31)), latent=True)
    for j in space.order.tolist():
        parameter = space.parameters[j]
        if isinstance(parameter, FloatParameter) and parameter.size is None:
            moved = rng.random(len(rows)) < 0.7
            new[moved, j] += step * rng.standard_normal(int(moved.sum()))
            new[:, j] = np.clip(new[:, j], 0.0, 1.0)
        else:
            again = rng.random(len(rows)) < 0.2
            new[again, j] = sample[again, j]
    return new


def inside_of(space: SearchSpace, within: Sequence[Parameter], X: Array) -> Bools:
    """Return which encoded rows have values of hyperparameters as they should be searched."""
    inside = np.ones(len(X), bool)
    for parameter in within:
        whole = space[parameter.name]
        x = X[:, space.index(parameter.name)]
        if whole.is_category or parameter.is_category:
            codes = whole.encode(getattr(parameter, "choices", ()))
            has_value = np.isin(x, codes)
        else:
            beyond = np.abs(x - np.clip(x, *_ends(whole, parameter)))
            has_value = beyond <= POSITION_TOLERANCE
        inside &= has_value | np.isnan(x)
    return inside


def _ends(whole: Any, parameter: Any) -> Array:
    """Return the positions between which a number of a space should be searched."""
    low = max(parameter.low, whole.low)
    high = min(parameter.high, whole.high)
    return whole.encode([low, high])


def brought_inside(space: SearchSpace, within: Sequence[Parameter], rows: Array) -> Array:
    """Return latent rows with values of some hyperparameters spread over what should be searched.

    Examples
    --------
    >>> import numpy as np
    >>> space = SearchSpace([FloatParameter("x", 0.0, 10.0)])
    >>> brought_inside(space, [FloatParameter("x", 5.0, 6.0)], np.array([[0.0], [1.0]])).tolist()
    [[0.5], [0.6]]
    """
    inside = np.array(rows)
    for parameter in within:
        whole = space[parameter.name]
        j = space.index(parameter.name)
        column = inside[:, j]
        if whole.is_category:
            codes = whole.encode(getattr(parameter, "choices", whole.choices))
            codes = codes[np.argsort(space.places(j, codes))]
            present = ~np.isnan(column)
            places = space.places(j, column[present]).astype(int)
            column[present] = codes[places % len(codes)]
        elif not parameter.is_category:
            low, high = _ends(whole, parameter)
            column[:] = whole.nearest(low + column * (high - low))
    return inside
