"""The readable models of LIME: a linear one, and a small tree.

Each is linear in columns that are 0 at the explained configuration: coordinates that compare with
it, or leaves other than its own. The coefficient of a column is what changes there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.methods._engines.conditions import Condition
from hpo_explain.methods.around.lime_result import LimeStatement, Presence
from hpo_explain.space import (
    Array,
    Bools,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    SearchSpace,
)

Path = list[tuple[int, float, bool]]
"""Splits of a tree: a column, a threshold, and whether the column is below."""

_LEAST_SHARE = 0.02  # of the weights, in a leaf
# what is less than that share splits no tree
_OF_VALUES, _OF_WEIGHTS = (2.0**-22, 2.0**-30)


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A column of the readable model: whose it is, what 1 means, and its values at the sample."""

    owner: int
    kind: Literal["range", "category", "presence"]
    change: tuple[Any, Any]
    column: Array
    category: int = -1


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted readable model.

    Attributes
    ----------
    statements : list of LimeStatement
        What its columns are, but for the intercept and a leaf of x itself, and their effects.
    beta : ndarray of shape (columns,)
        Its coefficients; the first is the intercept, which is its value at x.
    columns : callable
        Its design, (n, columns), of coordinates at n configurations.
    """

    statements: list[LimeStatement]
    beta: Array
    columns: Callable[[Sequence[Coordinate]], Array]

    @property
    def at_x(self) -> float:
        """Its value at x."""
        return float(self.beta[0])

    def at(self, coordinates: Sequence[Coordinate]) -> Array:
        """Return its values, (n,)."""
        return self.columns(coordinates) @ self.beta

    def drawn(self, coordinates: Sequence[Coordinate], weights: Array, values: Array) -> Array:
        """Return the coefficients but the first of the same fit to functions, (columns - 1, k).

        `values` are theirs at x and at the n configurations, (n + 1, k).
        """
        inverse = weighted_inverse(self.columns(coordinates), weights)
        return inverse[1:] @ (values[1:] - values[0])


def at_rows(coordinates: Sequence[Coordinate], rows: npt.NDArray[np.intp]) -> list[Coordinate]:
    """Return the coordinates at some of the configurations."""
    return [replace(c, column=c.column[rows]) for c in coordinates]


def fit_linear(
    space: SearchSpace, coordinates: Sequence[Coordinate], weights: Array, y: Array
) -> FittedModel:
    """Fit a linear model by weighted least squares; its columns are the coordinates.

    Its standard deviations are those of a sandwich: right whatever is not linear, and whatever the
    weights.
    """

    def columns(at: Sequence[Coordinate]) -> Array:
        return _stacked(at, len(y))

    design = columns(coordinates)
    inverse = weighted_inverse(design, weights)
    beta = inverse @ y
    residual = y - design @ beta
    freedom = len(y) / max(len(y) - design.shape[1], 1)
    std = np.sqrt(freedom * (inverse**2 @ residual**2))
    statements = [
        LimeStatement(
            names=(space.names[c.owner],),
            kind=c.kind,
            values=c.change,
            effect=float(effect),
            std=float(error),
            weight=float(weights[c.column != 0.0].sum()),
        )
        for c, effect, error in zip(coordinates, beta[1:], std[1:], strict=True)
    ]
    return FittedModel(statements, beta, columns)


def fit_tree(
    space: SearchSpace,
    x: Array,
    coordinates: Sequence[Coordinate],
    weights: Array,
    y: Array,
    *,
    depth: int,
    seed: int,
) -> FittedModel:
    """Fit a small tree; its columns are its leaves, that of x itself is 0."""
    tree = _grown(coordinates, weights, y, depth, seed)
    # no coordinate of x differs from x
    own = int(tree.apply(np.eye(1, 1 + len(coordinates)))[0])
    leaves = _leaves(tree.tree_)
    leaf = tree.apply(_stacked(coordinates, len(y)))
    statements, beta = [], [_mean(weights, y, leaf == own)]
    for node, path in leaves:
        inside = leaf == node
        share = float(weights[inside].sum())
        mean = _mean(weights, y, inside)
        used = [(coordinates[k - 1], threshold, below) for k, threshold, below in path]
        names = dict.fromkeys(space.names[c.owner] for c, _, _ in used)
        beta.append(0.0 if node == own else mean - beta[0])
        statements.append(
            LimeStatement(
                names=tuple(names),
                kind="leaf",
                values=tuple(_conditions(space, x, used)),
                effect=beta[-1],
                std=float(np.sqrt(weights[inside] @ (y[inside] - mean) ** 2 / share)),
                weight=share,
                own=node == own,
            )
        )

    def columns(at: Sequence[Coordinate]) -> Array:
        there = tree.apply(_stacked(at, len(y)))
        ones = [np.where(node == own, 0.0, there == node) for node, _ in leaves]
        return np.column_stack([np.ones(len(there)), *ones])

    return FittedModel(statements, np.array(beta), columns)


# ---------------------------------------------------------------------- least squares


def weighted_inverse(design: Array, weights: Array) -> Array:
    """Return what makes coefficients of values: weighted least squares, (columns, rows)."""
    root = np.sqrt(weights)
    return np.asarray(np.linalg.pinv(root[:, None] * design) * root, float)


# ---------------------------------------------------------------------- coordinates


def coordinates_of(space: SearchSpace, x: Array, z: Array) -> list[Coordinate]:
    """Return the columns that compare the sample with x, in the order of the space.

    Those that never differ are left out.
    """
    coordinates = []
    for j in space.order.tolist():
        parameter, active = space.parameters[j], ~np.isnan(z[:, j])
        if parameter.optional < 1.0 and space.allowed(x[None, :], j)[0]:
            there = bool(~np.isnan(x[j]))
            differs = np.where(space.allowed(z, j), active != there, False).astype(float)
            coordinates.append(Coordinate(j, "presence", (there, not there), differs))
        if np.isnan(x[j]):
            continue
        if parameter.is_category:
            own = int(x[j])
            for code in space.codes(j).tolist():
                if code != own:
                    change = parameter.choices[own], parameter.choices[code]
                    chosen = z[:, j] == code
                    coordinates.append(
                        Coordinate(j, "category", change, chosen.astype(float), code)
                    )
            continue
        ends = (parameter.low, parameter.high)
        coordinates.append(Coordinate(j, "range", ends, np.where(active, z[:, j] - x[j], 0.0)))
    return [c for c in coordinates if c.column.any()]


# ---------------------------------------------------------------------- trees


def _mean(weights: Array, y: Array, inside: Bools) -> float:
    return float(weights[inside] @ y[inside] / weights[inside].sum())


def _grown(
    coordinates: Sequence[Coordinate], weights: Array, y: Array, depth: int, seed: int
) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    tree = DecisionTreeRegressor(
        max_depth=depth, min_weight_fraction_leaf=_LEAST_SHARE, random_state=seed
    )
    # sums of weighted values are exact: splits that part the rows alike are worth the same
    unit = np.ldexp(_OF_VALUES, int(np.frexp(np.abs(y).max())[1]))
    return tree.fit(
        _stacked(coordinates, len(y)),
        np.rint(y / unit) * unit if unit else y,
        sample_weight=np.rint(weights / _OF_WEIGHTS) * _OF_WEIGHTS,
    )


def _stacked(coordinates: Sequence[Coordinate], otherwise: int) -> Array:
    """Return the coordinates as columns, after one that is 1; so many rows if there is none."""
    ones = np.ones(len(coordinates[0].column) if coordinates else otherwise)
    return np.column_stack([ones, *(c.column for c in coordinates)])


def _leaves(tree: Any) -> list[tuple[int, Path]]:
    """Return each leaf with the splits that lead there."""
    leaves = []
    stack: list[tuple[int, Path]] = [(0, [])]
    while stack:
        node, path = stack.pop()
        left, right = (int(tree.children_left[node]), int(tree.children_right[node]))
        if left < 0:
            leaves.append((node, path))
            continue
        column, threshold = (int(tree.feature[node]), float(tree.threshold[node]))
        stack.append((right, [*path, (column, threshold, False)]))
        stack.append((left, [*path, (column, threshold, True)]))
    return leaves


def _conditions(
    space: SearchSpace, x: Array, path: list[tuple[Coordinate, float, bool]]
) -> list[Condition | Presence]:
    """Return what holds of each hyperparameter after the splits of a path, in the user's units."""
    conditions: list[Condition | Presence] = []
    for j in dict.fromkeys(c.owner for c, _, _ in path):
        parameter = space.parameters[j]
        splits = [split for split in path if split[0].owner == j]
        conditions += [
            Presence(parameter.name, c.change[0 if below else 1])
            for c, _, below in splits
            if c.kind == "presence"
        ]
        splits = [split for split in splits if split[0].kind != "presence"]
        if not splits:
            continue
        if parameter.is_category:
            conditions.append(_categories(parameter, splits))
        else:
            conditions.append(_interval(parameter, float(x[j]), splits))
    return conditions


def _categories(
    parameter: CategoricalParameter, splits: list[tuple[Coordinate, float, bool]]
) -> Condition:
    categories = set(range(parameter.size))
    for c, _, below in splits:
        categories &= categories - {c.category} if below else {c.category}
    return Condition(
        parameter.name, categories=tuple(parameter.choices[k] for k in sorted(categories))
    )


def _interval(
    parameter: FloatParameter | IntParameter,
    centre: float,
    splits: list[tuple[Coordinate, float, bool]],
) -> Condition:
    above = max((t for _, t, below in splits if not below), default=None)
    up_to = min((t for _, t, below in splits if below), default=None)
    ends = [None if t is None else _value_below(parameter, centre + t) for t in (above, up_to)]
    extent = parameter.high - parameter.low
    return Condition(parameter.name, above=ends[0], up_to=ends[1], extent=extent)


def _value_below(parameter: FloatParameter | IntParameter, position: float) -> float:
    """Return the value at a position, of counted ones the last that is not above it."""
    grid = parameter.grid() if (parameter.size or 10**9) <= 10**6 else None
    if grid is not None:
        last = max(int(np.searchsorted(grid[0], position, side="right")) - 1, 0)
        position = float(grid[0][last])
    return parameter.decode(np.array([position]))[0]
