"""LIME: a model one can read, in place of the surrogate around one configuration.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
x          the explained configuration
z          a configuration of the sample
f̂          what is explained: the surrogate's mean, or an acquisition
d(x, z)    Euclidean distance of positions on their own scale; 1 for two categories, and where
           only one of the two is active
n(z)       weight, ``exp(-d(x, z)² / σ²)`` with the kernel width σ
g          the readable model, which minimizes ``Σ_z n(z) (f̂(z) - g(z))²``
W          what makes the coefficients of g of f̂ at the sample: they are linear in it
K          posterior covariance of the surrogate at the sample
=========  ============================================================================

The coordinates of g compare z with x: a number's position with that of x, a category with that of
x. What is inactive in z counts as unchanged: its parent's coordinate says that it is inactive.

A leaf of a tree is a coordinate as well, which is 1 in it: its coefficient is the leaf's mean minus
that of the leaf of x. The standard deviations of coefficients under the model are the roots of the
diagonal of ``W K Wᵀ``, for a forest those over its trees, which hyperparameters and leaves g has
being given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain._blas import one_blas_thread
from hpo_explain._checks import check_count, check_number, check_option
from hpo_explain.acquisition import Acquisition
from hpo_explain.errors import InputError
from hpo_explain.explainers._explained import Explained
from hpo_explain.explainers.background import local_background
from hpo_explain.explanations import Condition, LimeExplanation, LimeStatement, Presence, Subject
from hpo_explain.facts import Fact, fact
from hpo_explain.options import Direction
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    Config,
    FloatParameter,
    IntParameter,
    SearchSpace,
    encode_one,
)
from hpo_explain.surrogates import Surrogate, std_from_variance

MODELS = ("linear", "tree")
SAMPLINGS = ("uniform", "local")
_WIDTH = 0.75  # of the root mean square distance: the ratio in the authors' own code
_NEGLIGIBLE = 1e-12  # of the weighted sum of squares: no coordinate is added for so little
_LEAST_SHARE = 0.02  # of the weights, in a leaf
_ROWS = 2000  # of the sample, at which the posterior covariance is asked for


@dataclass(frozen=True, eq=False)
class _Coordinate:
    """A column of the readable model: whose it is, what 1 means, and its values at the sample."""

    owner: int
    kind: Literal["range", "category", "presence"]
    change: tuple[Any, Any]
    column: Array
    category: int = -1


class LimeExplainer:
    """Explains a prediction by a sparse linear model, or a small tree, that holds around it.

    Parameters
    ----------
    surrogate : Surrogate or Acquisition
        The model of the objective, or an acquisition to explain in its place.
    model : {"linear", "tree"}, default "linear"
        The readable model.
    sample : int or ndarray of shape (n, d), default 1000
        The configurations z: a number of them, or encoded rows such as those that were tried.
    sampling : {"uniform", "local"}, default "uniform"
        Where a number of them is drawn: from the whole space (one Latin hypercube), or around x as
        :func:`hpo_explain.local_background` does.
    kernel_width : float, optional
        σ, above 0, in units of d: 1 is the whole range of one hyperparameter. By default 0.75 times
        the root mean square distance of the space's configurations from x.
    max_features : int, default 10
        Hyperparameters in the linear model, chosen one after the other by what they add to R².
    max_depth : int, default 3
        Depth of the tree.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained, with names for plots and sentences, such as ``Subject.of(run)``; by
        default it is made from the model and `direction`.
    seed : int, default 0
        Seed of the sample.

    Raises
    ------
    ValueError
        If an option is unknown or not positive, or the sample is outside the space.

    References
    ----------
    .. [1] Ribeiro, M. T., Singh, S. and Guestrin, C. (2016). "Why should I trust you?" Explaining
       the predictions of any classifier. KDD, Eq. 1 and 2. https://arxiv.org/abs/1602.04938

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> result = hx.LimeExplainer(surrogate, sample=200).explain({"x": 0.5, "y": 0.5})
    >>> result.statements[0].text, round(result.statements[0].effect, 1)
    ('x from 0 to 1', 3.0)
    """

    def __init__(
        self,
        surrogate: Surrogate | Acquisition,
        *,
        model: Literal["linear", "tree"] = "linear",
        sample: int | npt.ArrayLike = 1000,
        sampling: Literal["uniform", "local"] = "uniform",
        kernel_width: float | None = None,
        max_features: int = 10,
        max_depth: int = 3,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        seed: int = 0,
    ) -> None:
        self._explained = Explained.of(surrogate, subject.direction if subject else direction)
        self._subject = self._explained.completed(subject)
        self._space = self._explained.space
        self._model = check_option("model", model, MODELS)
        self._sampling = check_option("sampling", sampling, SAMPLINGS)
        if kernel_width is not None and check_number("kernel_width", kernel_width) <= 0.0:
            problem = f"must be above 0, but was {kernel_width!r}"
            raise InputError("kernel_width", problem, kernel_width)
        self._width = kernel_width
        self._max_features = check_count("max_features", max_features)
        self._max_depth = check_count("max_depth", max_depth)
        self._seed = seed
        self._given: Array | None = None
        self._size = 0
        if np.ndim(sample) == 0:
            self._size = check_count("sample", sample, minimum=2)
        else:
            self._given = _checked(self._space, sample)

    def explain(self, config: Config) -> LimeExplanation:
        """Return the readable model around a configuration.

        Parameters
        ----------
        config : dict
            The configuration x, in the user's units; what is inactive is left out.

        Returns
        -------
        LimeExplanation
            What changes the prediction, and how well the readable model agrees with it (R²).

        Raises
        ------
        ValueError
            If the configuration is not one of the space.
        """
        explained, space = self._explained, self._space
        x = encode_one(space, config, "config")
        z = self._sample(x)
        width = self._width or _default_width(space, x, self._seed)
        squares = _squared_distances(space, x, z) / width**2
        weights = np.exp(squares.min() - squares)  # those of far samples would all be 0
        weights /= weights.sum()
        values = explained(np.vstack([x, z]))
        origin, change = float(values[0]), values[1:] - values[0]
        unit = float(np.abs(change).max()) or 1.0  # squares of what is tiny are 0
        coordinates = _coordinates(space, x, z)
        fit = self._linear if self._model == "linear" else self._tree
        statements, fitted, at_x, design = fit(x, coordinates, weights, change / unit, unit)
        model_std, std_kind = self._spread(x, z, design, weights)
        if model_std is not None:
            statements = [
                replace(s, model_std=0.0 if s.own else float(std))
                for s, std in zip(statements, model_std, strict=True)
            ]
        return LimeExplanation(
            subject=self._subject,
            config=space.decode(x[None, :])[0],
            model=self._model,
            statements=tuple(sorted(statements, key=lambda s: (not s.own, -abs(s.effect)))),
            std_kind=std_kind,
            fidelity=_r2(weights, change / unit, fitted),
            prediction=origin,
            local_prediction=origin + unit * at_x,
            kernel_width=float(width),
            sampling="given" if self._given is not None else self._sampling,
            sample_size=len(z),
            effective_size=float(1.0 / np.sum(weights**2)),
            seed=self._seed,
            notes=self._notes(x, coordinates, std_kind),
        )

    def _sample(self, x: Array) -> Array:
        space = self._space
        if self._given is not None:
            return self._given
        if self._sampling == "uniform":
            return space.sample(self._size, seed=self._seed)
        (config,) = space.decode(x[None, :])
        return space.project(local_background(space, config, self._size, seed=self._seed))

    def _linear(
        self, x: Array, coordinates: list[_Coordinate], weights: Array, y: Array, unit: float
    ) -> tuple[list[LimeStatement], Array, float, Array]:
        """Return a sparse linear model's statements, values at the sample and at x, and design."""
        chosen = _forward(coordinates, weights, y, self._max_features)
        columns = [c for c in coordinates if c.owner in chosen]
        design = np.column_stack([np.ones(len(y)), *(c.column for c in columns)])
        inverse = _inverse(design, weights)
        beta = inverse @ y
        fitted = design @ beta
        # sandwich: right whatever is not linear, and whatever the weights
        residual = y - fitted
        freedom = len(y) / max(len(y) - design.shape[1], 1)
        std = np.sqrt(freedom * (inverse**2 @ residual**2))
        statements = [
            LimeStatement(
                names=(self._space.names[c.owner],),
                kind=c.kind,
                values=c.change,
                effect=float(unit * beta[i]),
                std=float(unit * std[i]),
                weight=float(weights[c.column != 0.0].sum()),
            )
            for i, c in enumerate(columns, start=1)
        ]
        return statements, fitted, float(beta[0]), design

    def _tree(
        self, x: Array, coordinates: list[_Coordinate], weights: Array, y: Array, unit: float
    ) -> tuple[list[LimeStatement], Array, float, Array]:
        """Return a small tree's leaves as statements, values at the sample and at x, and design."""
        from sklearn.tree import DecisionTreeRegressor

        design = np.column_stack([np.zeros(len(y)), *(c.column for c in coordinates)])
        tree = DecisionTreeRegressor(
            max_depth=self._max_depth,
            min_weight_fraction_leaf=_LEAST_SHARE,
            random_state=self._seed,
        ).fit(design, y, sample_weight=weights)
        at_x = np.zeros((1, design.shape[1]))  # no coordinate of x differs from x
        own, fitted, leaf = float(tree.predict(at_x)[0]), tree.predict(design), tree.apply(design)
        statements, columns = [], [np.ones(len(y))]
        for node, path in _leaves(tree.tree_):
            inside = leaf == node
            share = float(weights[inside].sum())
            mean = float(tree.tree_.value[node, 0, 0])
            spread = float(np.sqrt(weights[inside] @ (y[inside] - mean) ** 2 / share))
            used = [(coordinates[k - 1], threshold, below) for k, threshold, below in path]
            names = dict.fromkeys(self._space.names[c.owner] for c, _, _ in used)
            here = bool(node == tree.apply(at_x)[0])
            columns.append(np.where(here, 0.0, inside))
            statements.append(
                LimeStatement(
                    names=tuple(names),
                    kind="leaf",
                    values=tuple(_conditions(self._space, x, used)),
                    effect=0.0 if here else unit * (mean - own),
                    std=unit * spread,
                    weight=share,
                    own=here,
                )
            )
        return statements, fitted, own, np.column_stack(columns)

    def _spread(
        self, x: Array, z: Array, design: Array, weights: Array
    ) -> tuple[Array | None, str]:
        """Return the std of the coefficients but the first under the model, and what it is over."""
        kept = _thinned(design, weights)
        W = _inverse(design[kept], weights[kept])[1:]
        # what is fitted is the change from x
        W = np.column_stack([-W.sum(axis=1), W])
        rows = np.vstack([x, z[kept]])
        with one_blas_thread():
            by_tree = self._explained.by_tree(rows)
            if by_tree is not None:
                # counted from the first tree, equal trees have no spread, not even from rounding
                return (W @ (by_tree - by_tree[:, :1])).std(axis=1), "trees"
            K = self._explained.covariance(rows)
            return (
                (None, "") if K is None else (std_from_variance(np.vecdot(W @ K, W)), "posterior")
            )

    def _notes(self, x: Array, coordinates: list[_Coordinate], std_kind: str) -> tuple[Fact, ...]:
        space, owners = self._space, {c.owner for c in coordinates}
        notes = [fact("effect_std", model=self._model, over=std_kind)]
        if self._model == "linear" and len(owners) > self._max_features:
            notes.append(fact("features_limited", most=self._max_features, of=len(owners)))
        silent = [
            name
            for j, name in enumerate(space.names)
            if j not in owners and not np.isnan(x[j]) and space.parameters[j].size != 1
        ]
        if silent:
            notes.append(fact("not_varied", names=silent))
        if any(space.is_conditional(name) for name in space.names):
            notes.append(fact("inactive_unchanged"))
        return (*notes, *self._subject.notes)


# ---------------------------------------------------------------------- the sample


def _checked(space: SearchSpace, sample: npt.ArrayLike) -> Array:
    rows = space.check_rows("sample", sample)
    if len(rows) < 2:
        problem = f"must have at least 2 rows, but had {len(rows)}"
        raise InputError("sample", problem, sample, "Give more, or a number.")
    rows = space.project(rows)
    wrong = np.flatnonzero(~space.is_valid(rows))
    if len(wrong):
        raise InputError(
            "sample",
            f"has a row outside the space (row {wrong[0]}: {rows[wrong[0]].tolist()})",
            sample,
            "Encode configurations with space.encode.",
        )
    return rows


def _squared_distances(space: SearchSpace, x: Array, z: Array) -> Array:
    squares = np.zeros(len(z))
    for j, parameter in enumerate(space.parameters):
        gap = np.abs(z[:, j] - x[j])
        if isinstance(parameter, CategoricalParameter):
            gap = np.where(np.isnan(gap), gap, gap > 0.0)
        both = np.isnan(z[:, j]) & np.isnan(x[j])
        squares += np.where(both, 0.0, np.where(np.isnan(gap), 1.0, gap)) ** 2
    return squares


def _default_width(space: SearchSpace, x: Array, seed: int) -> float:
    squares = _squared_distances(space, x, space.sample(1000, seed=seed))
    return _WIDTH * float(np.sqrt(squares.mean())) or 1.0


# ---------------------------------------------------------------------- coordinates


def _coordinates(space: SearchSpace, x: Array, z: Array) -> list[_Coordinate]:
    """Return the columns that compare the sample with x; those that never differ are left out."""
    found = []
    for j, parameter in enumerate(space.parameters):
        active = ~np.isnan(z[:, j])
        if parameter.optional is not None and space.allowed(x[None, :], j)[0]:
            there = bool(~np.isnan(x[j]))
            differs = np.where(space.allowed(z, j), active != there, False).astype(float)
            found.append(_Coordinate(j, "presence", (there, not there), differs))
        if np.isnan(x[j]):
            continue
        if isinstance(parameter, CategoricalParameter):
            own = int(x[j])
            for code, choice in enumerate(parameter.choices):
                if code != own:
                    change, chosen = (parameter.choices[own], choice), z[:, j] == code
                    found.append(_Coordinate(j, "category", change, chosen.astype(float), code))
            continue
        ends = (parameter.low, parameter.high)
        found.append(_Coordinate(j, "range", ends, np.where(active, z[:, j] - x[j], 0.0)))
    return [c for c in found if c.column.any()]


def _forward(coordinates: list[_Coordinate], weights: Array, y: Array, most: int) -> set[int]:
    """Return the hyperparameters chosen one after the other by what they add to R²."""
    root = np.sqrt(weights)
    basis = root[:, None]  # orthonormal, since weights add up to 1
    residual = root * y - basis[:, 0] * (basis[:, 0] @ (root * y))
    whole = float(residual @ residual)
    groups = {
        j: root[:, None] * np.column_stack([c.column for c in coordinates if c.owner == j])
        for j in {c.owner: None for c in coordinates}
    }
    chosen: set[int] = set()
    while groups and len(chosen) < most:
        best, gain, directions = None, _NEGLIGIBLE * whole, basis[:, :0]
        for j, columns in groups.items():
            rest = columns - basis @ (basis.T @ columns)
            u, s, _ = np.linalg.svd(rest, full_matrices=False)
            # what lies within the basis already is left as rounding
            u = u[:, s > 1e-9 * float(np.linalg.norm(columns))]
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


def _inverse(design: Array, weights: Array) -> Array:
    """Return what makes coefficients of values: weighted least squares, (columns, rows)."""
    root = np.sqrt(weights)
    return np.asarray(np.linalg.pinv(root[:, None] * design) * root)


def _thinned(design: Array, weights: Array) -> npt.NDArray[np.int64]:
    """Return so many rows as a covariance is asked for: of all weights, and of every column."""
    order = np.argsort(-weights, kind="stable")
    if len(order) <= _ROWS:
        return order
    heaviest = [order[np.argmax(column[order] != 0.0)] for column in design.T]
    return np.unique([*order[:: -(-len(order) // _ROWS)], *heaviest])


def _r2(weights: Array, y: Array, fitted: Array) -> float:
    """Return the weighted R²; 1 where there is nothing to explain, as nothing is missed."""
    whole = float(weights @ (y - weights @ y) ** 2)
    missed = float(weights @ (y - fitted) ** 2)
    return 1.0 if whole <= 1e-24 else 1.0 - missed / whole


# ---------------------------------------------------------------------- leaves


def _leaves(tree: Any) -> list[tuple[int, list[tuple[int, float, bool]]]]:
    """Return each leaf with the splits that lead there: column, threshold, whether below."""
    found = []
    stack: list[tuple[int, list[tuple[int, float, bool]]]] = [(0, [])]
    while stack:
        node, path = stack.pop()
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            found.append((node, path))
            continue
        column, threshold = int(tree.feature[node]), float(tree.threshold[node])
        stack.append((right, [*path, (column, threshold, False)]))
        stack.append((left, [*path, (column, threshold, True)]))
    return found


def _conditions(
    space: SearchSpace, x: Array, path: list[tuple[_Coordinate, float, bool]]
) -> list[Condition | Presence]:
    """Return what holds of each hyperparameter after the splits of a path, in the user's units."""
    found: list[Condition | Presence] = []
    for j in dict.fromkeys(c.owner for c, _, _ in path):
        parameter = space.parameters[j]
        splits = [split for split in path if split[0].owner == j]
        found += [
            Presence(parameter.name, c.change[0 if below else 1])
            for c, _, below in splits
            if c.kind == "presence"
        ]
        splits = [split for split in splits if split[0].kind != "presence"]
        if not splits:
            continue
        if isinstance(parameter, CategoricalParameter):
            found.append(_categories(parameter, splits))
        else:
            found.append(_interval(parameter, float(x[j]), splits))
    return found


def _categories(
    parameter: CategoricalParameter, splits: list[tuple[_Coordinate, float, bool]]
) -> Condition:
    kept = set(range(parameter.size))
    for c, _, below in splits:
        kept &= kept - {c.category} if below else {c.category}
    return Condition(parameter.name, categories=tuple(parameter.choices[k] for k in sorted(kept)))


def _interval(
    parameter: FloatParameter | IntParameter,
    centre: float,
    splits: list[tuple[_Coordinate, float, bool]],
) -> Condition:
    above = max((t for _, t, below in splits if not below), default=None)
    up_to = min((t for _, t, below in splits if below), default=None)
    ends = [None if t is None else _value_below(parameter, centre + t) for t in (above, up_to)]
    return Condition(parameter.name, above=ends[0], up_to=ends[1])


def _value_below(parameter: FloatParameter | IntParameter, position: float) -> float:
    """Return the value at a position, of counted ones the last that is not above it."""
    grid = parameter.grid() if (parameter.size or 10**9) <= 10**6 else None
    if grid is not None:
        last = max(int(np.searchsorted(grid[0], position, side="right")) - 1, 0)
        position = float(grid[0][last])
    return parameter.decode(np.array([position]))[0]
