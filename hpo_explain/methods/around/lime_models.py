"""The readable models of LIME: linear, chosen step by step or by LASSO, logistic, a tree, rules.

Each is, but for the link of the logistic one, linear in columns that are 0 at the explained
configuration: coordinates that compare with it, leaves other than its own, or rules that do not
hold for it. The coefficient of a column is what changes there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import expit

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

_NEGLIGIBLE = 1e-12  # of the weighted sum of squares: no coordinate is added for so little
_STEPS, _FURTHEST, _CONVERGED = 100, 2.0, 1e-10  # of Newton, in log odds
_LEAST_SHARE = 0.02  # of the weights, in a leaf
# that rules are taken from, each fitted to what the ones before it leave
_TREES, _STEP = (10, 0.5)
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
    logistic : bool
        Whether its values are s(η), the logistic function of what is linear.
    """

    statements: list[LimeStatement]
    beta: Array
    columns: Callable[[Sequence[Coordinate]], Array]
    logistic: bool = False

    @property
    def at_x(self) -> float:
        """Its value at x."""
        return float(expit(self.beta[0]) if self.logistic else self.beta[0])

    def at(self, coordinates: Sequence[Coordinate]) -> Array:
        """Return its values, (n,)."""
        eta = self.columns(coordinates) @ self.beta
        return np.asarray(expit(eta) if self.logistic else eta)

    def drawn(
        self, coordinates: Sequence[Coordinate], weights: Array, values: Array
    ) -> Array:
        """Return the coefficients but the first of the same fit to functions, (columns - 1, k).

        `values` are theirs at x and at the n configurations, (n + 1, k). Of the logistic model it
        is one step of Newton from its own coefficients.
        """
        design = self.columns(coordinates)
        if not self.logistic:
            return np.asarray(
                weighted_inverse(design, weights)[1:]
                @ (values[1:] - values[0])
            )
        fitted = self.at(coordinates)
        step = _newton_inverse(design, weights, fitted) @ (
            values[1:] - fitted[:, None]
        )
        return np.asarray(self.beta[1:, None] + step[1:])


def at_rows(
    coordinates: Sequence[Coordinate], rows: npt.NDArray[np.intp]
) -> list[Coordinate]:
    """Return the coordinates at some of the configurations."""
    return [replace(c, column=c.column[rows]) for c in coordinates]


def fit_linear(
    space: SearchSpace,
    coordinates: Sequence[Coordinate],
    weights: Array,
    y: Array,
    *,
    most: int,
    lasso: bool = False,
    logistic: bool = False,
) -> FittedModel:
    """Fit a sparse linear model, or a logistic one, with at most so many hyperparameters.

    They are chosen one after the other by what they add to R², or as the first on the path of the
    LASSO; its coefficients are those of weighted least squares either way (K-LASSO [1]_). Those of
    the logistic model minimize the Bernoulli loss ``-Σ n(z) (f̂ log g + (1 - f̂) log(1 - g))`` [2]_.

    References
    ----------
    .. [1] Ribeiro, M. T., Singh, S. and Guestrin, C. (2016). "Why should I trust you?" Explaining
       the predictions of any classifier. KDD, Algorithm 1. https://arxiv.org/abs/1602.04938
    .. [2] Lindauer, M. (2022). Explainable AI for AutoML: Local Model Fidelity, LIME Algorithm.
    """
    choose = _along_lasso if lasso else _forward
    owners = [c.owner for c in coordinates]
    chosen = choose([c.column for c in coordinates], owners, weights, y, most)
    chosen_places = [i for i, c in enumerate(coordinates) if c.owner in chosen]

    def columns(at: Sequence[Coordinate]) -> Array:
        return np.column_stack(
            [
                np.ones(_rows(at, len(y))),
                *(at[i].column for i in chosen_places),
            ]
        )

    design = columns(coordinates)
    beta, std = _coefficients(design, weights, y, logistic=logistic)
    statements = [
        LimeStatement(
            names=(space.names[coordinates[i].owner],),
            kind=coordinates[i].kind,
            values=coordinates[i].change,
            effect=float(effect),
            std=float(error),
            weight=float(weights[coordinates[i].column != 0.0].sum()),
        )
        for i, effect, error in zip(
            chosen_places, beta[1:], std[1:], strict=True
        )
    ]
    return FittedModel(statements, beta, columns, logistic)


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
    own = int(tree.apply(_nothing(coordinates))[0])
    leaves = _leaves(tree.tree_)
    leaf = tree.apply(_stacked(coordinates, len(y)))
    statements, beta = [], [_mean(weights, y, leaf == own)]
    for node, path in leaves:
        inside = leaf == node
        share = float(weights[inside].sum())
        mean = _mean(weights, y, inside)
        used = [
            (coordinates[k - 1], threshold, below)
            for k, threshold, below in path
        ]
        names = dict.fromkeys(space.names[c.owner] for c, _, _ in used)
        beta.append(0.0 if node == own else mean - beta[0])
        statements.append(
            LimeStatement(
                names=tuple(names),
                kind="leaf",
                values=tuple(_conditions(space, x, used)),
                effect=beta[-1],
                std=float(
                    np.sqrt(weights[inside] @ (y[inside] - mean) ** 2 / share)
                ),
                weight=share,
                own=node == own,
            )
        )

    def columns(at: Sequence[Coordinate]) -> Array:
        there = tree.apply(_stacked(at, len(y)))
        ones = [
            np.where(node == own, 0.0, there == node) for node, _ in leaves
        ]
        return np.column_stack([np.ones(len(there)), *ones])

    return FittedModel(statements, np.array(beta), columns)


def fit_rules(
    space: SearchSpace,
    x: Array,
    coordinates: Sequence[Coordinate],
    weights: Array,
    y: Array,
    *,
    most: int,
    depth: int,
    seed: int,
) -> FittedModel:
    """Fit at most so many rules, each with its effect where it holds; effects add up.

    The candidates are the leaves of small trees, each fitted to what those before it leave, as in
    RuleFit [1]_, and what is left of them without some of their conditions, unless it holds for x.
    They are chosen one after the other by what they add to R²; of equal ones the shortest.

    References
    ----------
    .. [1] Friedman, J. H. and Popescu, B. E. (2008). Predictive learning via rule ensembles. Annals
       of Applied Statistics 2(3), 916-954. https://doi.org/10.1214/07-AOAS148
    """
    rules: dict[bytes, Path] = {}
    residual, stacked, nothing = (
        y - weights @ y,
        _stacked(coordinates, len(y)),
        _nothing(coordinates),
    )
    for k in range(_TREES if coordinates else 0):
        tree = _grown(coordinates, weights, residual, depth, seed + k)
        for _, path in _leaves(tree.tree_):
            for part in _parts(path):
                if not _holds(nothing, part)[0]:
                    rules.setdefault(_holds(stacked, part).tobytes(), part)
        residual = residual - _STEP * tree.predict(stacked)
    paths = sorted(rules.values(), key=len)
    holds = np.array([_holds(stacked, path) for path in paths], dtype=float)
    paths = (
        [paths[i] for i in _one_by_one(holds, weights, y, most)]
        if paths
        else []
    )

    def columns(at: Sequence[Coordinate]) -> Array:
        rows = _stacked(at, len(y))
        return np.column_stack(
            [np.ones(len(rows)), *(_holds(rows, path) for path in paths)]
        )

    design = columns(coordinates)
    beta, std = _coefficients(design, weights, y)
    statements = []
    for i, path in enumerate(paths, start=1):
        used = [
            (coordinates[k - 1], threshold, below)
            for k, threshold, below in path
        ]
        names = dict.fromkeys(space.names[c.owner] for c, _, _ in used)
        statements.append(
            LimeStatement(
                names=tuple(names),
                kind="rule",
                values=tuple(_conditions(space, x, used)),
                effect=float(beta[i]),
                std=float(std[i]),
                weight=float(weights @ design[:, i]),
            )
        )
    return FittedModel(statements, beta, columns)


# ---------------------------------------------------------------------- least squares


def weighted_inverse(design: Array, weights: Array) -> Array:
    """Return what makes coefficients of values: weighted least squares, (columns, rows)."""
    root = np.sqrt(weights)
    return np.asarray(np.linalg.pinv(root[:, None] * design) * root)


def _newton_inverse(design: Array, weights: Array, fitted: Array) -> Array:
    """Return what makes a step of Newton of residuals: ``(Dᵀ W S D)⁻¹ Dᵀ W``, S = g (1 - g)."""
    slope = np.maximum(fitted * (1.0 - fitted), np.finfo(float).tiny)
    return weighted_inverse(design, weights * slope) / slope


def _logistic(design: Array, weights: Array, y: Array) -> Array:
    """Return the coefficients that minimize the Bernoulli loss of probabilities within (0, 1)."""
    beta = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        fitted = expit(design @ beta)
        step = _newton_inverse(design, weights, fitted) @ (y - fitted)
        furthest = float(np.abs(design @ step).max())
        beta = beta + step / max(furthest / _FURTHEST, 1.0)
        if furthest < _CONVERGED:
            break
    return beta


def _coefficients(
    design: Array, weights: Array, y: Array, *, logistic: bool = False
) -> tuple[Array, Array]:
    """Return coefficients and their standard deviations over samples."""
    if logistic:
        beta = _logistic(design, weights, y)
        fitted = expit(design @ beta)
        inverse = _newton_inverse(design, weights, fitted)
    else:
        inverse = weighted_inverse(design, weights)
        beta = inverse @ y
        fitted = design @ beta
    # sandwich: right whatever is not linear, and whatever the weights
    residual = y - fitted
    freedom = len(y) / max(len(y) - design.shape[1], 1)
    return beta, np.sqrt(freedom * (inverse**2 @ residual**2))


def _forward(
    columns: Sequence[Array],
    owners: Sequence[int],
    weights: Array,
    y: Array,
    most: int,
) -> set[int]:
    """Return whose columns are chosen, one owner after the other, by what they add to R²."""
    root, own = np.sqrt(weights), np.array(owners)
    basis = root[:, None]  # orthonormal, since weights add up to 1
    residual = root * y - basis[:, 0] * (basis[:, 0] @ (root * y))
    whole = float(residual @ residual)
    groups = {
        owner: root[:, None]
        * np.column_stack(
            [columns[i] for i in np.flatnonzero(own == owner).tolist()]
        )
        for owner in dict.fromkeys(owners)
    }
    chosen: set[int] = set()
    while groups and len(chosen) < most:
        best, gain, directions = None, _NEGLIGIBLE * whole, basis[:, :0]
        for j, group in groups.items():
            rest = group - basis @ (basis.T @ group)
            u, s, _ = np.linalg.svd(rest, full_matrices=False)
            # what lies within the basis already is left as rounding
            u = u[:, s > 1e-9 * float(np.linalg.norm(group))]
            adds = float(np.sum((u.T @ residual) ** 2))
            if adds > gain:
                best, gain, directions = j, adds, u
        if best is None:
            break
        chosen.add(best)
        del groups[best]
        basis = np.column_stack([basis, directions])
        residual = residual - directions @ (directions.T @ residual)
    return chosen


def _one_by_one(
    columns: Array, weights: Array, y: Array, most: int
) -> list[int]:
    """Return the columns, given as rows, that add most to R² one after the other."""
    root = np.sqrt(weights)
    rest = root * (columns - (columns @ weights)[:, None])
    sizes = np.linalg.norm(rest, axis=1)
    residual = root * (y - weights @ y)
    whole = float(residual @ residual)
    chosen: list[int] = []
    while len(chosen) < most:
        left = np.linalg.norm(rest, axis=1)
        # what lies within the chosen ones already is left as rounding
        there = left > 1e-9 * sizes
        gains = (
            np.where(there, rest @ residual, 0.0) ** 2
            / np.where(there, left, 1.0) ** 2
        )
        best = int(np.argmax(np.round(gains / (whole or 1.0), 9)))
        if gains[best] <= _NEGLIGIBLE * whole:
            break
        chosen.append(best)
        along = rest[best] / left[best]
        residual = residual - (along @ residual) * along
        rest = rest - np.outer(rest @ along, along)
    return chosen


def _along_lasso(
    columns: Sequence[Array],
    owners: Sequence[int],
    weights: Array,
    y: Array,
    most: int,
) -> set[int]:
    """Return whose columns the LASSO takes up, from the largest penalty on, at most so many.

    Columns have unit variance for it: a penalty is the same for a range and for a rare category.
    """
    from sklearn.linear_model import lars_path

    root = np.sqrt(weights)
    centred = [root * (column - weights @ column) for column in columns]
    sizes = [float(np.linalg.norm(column)) for column in centred]
    target = root * (y - weights @ y)
    varied = [i for i, size in enumerate(sizes) if size > 1e-9]
    if not varied or float(target @ target) <= _NEGLIGIBLE:
        return set()
    design = np.column_stack([centred[i] / sizes[i] for i in varied])
    _, _, path = lars_path(
        design, target / np.linalg.norm(target), method="lasso"
    )
    chosen: set[int] = set()
    for beta in path.T:
        there = {
            owners[varied[i]]
            for i in np.flatnonzero(np.abs(beta) > _NEGLIGIBLE)
        }
        if len(there) > most:
            break
        chosen = there
    return chosen


def _rows(coordinates: Sequence[Coordinate], otherwise: int) -> int:
    return len(coordinates[0].column) if coordinates else otherwise


# ---------------------------------------------------------------------- coordinates


def coordinates_of(space: SearchSpace, x: Array, z: Array) -> list[Coordinate]:
    """Return the columns that compare the sample with x, in the order of the space.

    Those that never differ are left out.
    """
    coordinates = []
    for j in space.order.tolist():
        parameter, active = space.parameters[j], ~np.isnan(z[:, j])
        if parameter.optional is not None and space.allowed(x[None, :], j)[0]:
            there = bool(~np.isnan(x[j]))
            differs = np.where(
                space.allowed(z, j), active != there, False
            ).astype(float)
            coordinates.append(
                Coordinate(j, "presence", (there, not there), differs)
            )
        if np.isnan(x[j]):
            continue
        if parameter.is_category:
            own = int(x[j])
            for code in space.codes(j).tolist():
                if code != own:
                    change = parameter.choices[own], parameter.choices[code]
                    chosen = z[:, j] == code
                    coordinates.append(
                        Coordinate(
                            j, "category", change, chosen.astype(float), code
                        )
                    )
            continue
        ends = (parameter.low, parameter.high)
        coordinates.append(
            Coordinate(j, "range", ends, np.where(active, z[:, j] - x[j], 0.0))
        )
    return [c for c in coordinates if c.column.any()]


# ---------------------------------------------------------------------- trees


def _mean(weights: Array, y: Array, inside: Bools) -> float:
    return float(weights[inside] @ y[inside] / weights[inside].sum())


def _grown(
    coordinates: Sequence[Coordinate],
    weights: Array,
    y: Array,
    depth: int,
    seed: int,
) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    tree = DecisionTreeRegressor(
        max_depth=depth,
        min_weight_fraction_leaf=_LEAST_SHARE,
        random_state=seed,
    )
    # sums of weighted values are exact: splits that part the rows alike are worth the same
    unit = np.ldexp(_OF_VALUES, int(np.frexp(np.abs(y).max())[1]))
    return tree.fit(
        _stacked(coordinates, len(y)),
        np.rint(y / unit) * unit if unit else y,
        sample_weight=np.rint(weights / _OF_WEIGHTS) * _OF_WEIGHTS,
    )


def _stacked(coordinates: Sequence[Coordinate], otherwise: int) -> Array:
    """Return the coordinates as columns, after one that is 0."""
    zeros = np.zeros(_rows(coordinates, otherwise))
    return np.column_stack([zeros, *(c.column for c in coordinates)])


def _nothing(coordinates: Sequence[Coordinate]) -> Array:
    """Return the row of x: no coordinate of x differs from x."""
    return np.zeros((1, 1 + len(coordinates)))


def _holds(rows: Array, path: Path) -> Bools:
    # as trees compare: in single precision
    inside = [
        (rows[:, k].astype(np.float32) <= t) == below for k, t, below in path
    ]
    return np.asarray(np.all(inside, axis=0))


def _parts(path: Path) -> Iterator[Path]:
    """Yield every selection of splits that is not empty."""
    for size in range(1, len(path) + 1):
        yield from map(list, itertools.combinations(path, size))


def _leaves(tree: Any) -> list[tuple[int, Path]]:
    """Return each leaf with the splits that lead there."""
    leaves = []
    stack: list[tuple[int, Path]] = [(0, [])]
    while stack:
        node, path = stack.pop()
        left, right = (
            int(tree.children_left[node]),
            int(tree.children_right[node]),
        )
        if left < 0:
            leaves.append((node, path))
            continue
        column, threshold = (
            int(tree.feature[node]),
            float(tree.threshold[node]),
        )
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
    parameter: CategoricalParameter,
    splits: list[tuple[Coordinate, float, bool]],
) -> Condition:
    categories = set(range(parameter.size))
    for c, _, below in splits:
        categories &= categories - {c.category} if below else {c.category}
    return Condition(
        parameter.name,
        categories=tuple(parameter.choices[k] for k in sorted(categories)),
    )


def _interval(
    parameter: FloatParameter | IntParameter,
    centre: float,
    splits: list[tuple[Coordinate, float, bool]],
) -> Condition:
    above = max((t for _, t, below in splits if not below), default=None)
    up_to = min((t for _, t, below in splits if below), default=None)
    ends = [
        None if t is None else _value_below(parameter, centre + t)
        for t in (above, up_to)
    ]
    extent = parameter.high - parameter.low
    return Condition(
        parameter.name, above=ends[0], up_to=ends[1], extent=extent
    )


def _value_below(
    parameter: FloatParameter | IntParameter, position: float
) -> float:
    """Return the value at a position, of counted ones the last that is not above it."""
    grid = parameter.grid() if (parameter.size or 10**9) <= 10**6 else None
    if grid is not None:
        last = max(
            int(np.searchsorted(grid[0], position, side="right")) - 1, 0
        )
        position = float(grid[0][last])
    return parameter.decode(np.array([position]))[0]
