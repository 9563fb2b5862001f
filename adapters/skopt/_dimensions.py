"""skopt's dimensions as a search space, and the columns that its models were fitted on."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from skopt.space import Categorical, Integer, Real, Space

from hpo_explain.adapters._reading import whole_numbers
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    FloatParameter,
    Parameter,
    SearchSpace,
    category_index,
)


def read_dimensions(result: Any) -> list[Any]:
    """Return the dimensions of a result, of its space or else of its specification.

    Raises
    ------
    ValueError
        If the result has neither.
    """
    space = getattr(result, "space", None)
    if space is not None:
        return list(space.dimensions)
    arguments = (getattr(result, "specs", None) or {}).get("args", {})
    if arguments.get("dimensions") is None:
        raise ValueError(
            "result has neither a space nor specs['args']['dimensions'], so its search space is "
            "unknown. Set result.space to the skopt.space.Space that was searched."
        )
    with warnings.catch_warnings():
        # how skopt reads a short form such as (1, 10) is what it searched, whatever is to come
        warnings.simplefilter("ignore")
        return list(Space(arguments["dimensions"]).dimensions)


def read_space(
    dimensions: Sequence[Any], names: Sequence[str] | None
) -> tuple[SearchSpace, list[str]]:
    """Return the search space that dimensions describe, and what was assumed.

    Raises
    ------
    ValueError
        If there is not one name per dimension, or a dimension is of no known kind.
    """
    notes = []
    own = [getattr(dimension, "name", None) for dimension in dimensions]
    if names is not None:
        if isinstance(names, str) or len(names) != len(dimensions):
            raise ValueError(
                f"names must give {len(dimensions)} names, one per dimension, but was {names!r}."
            )
        own = list(names)
    unnamed = [j for j, name in enumerate(own) if not name]
    for j in unnamed:
        own[j] = f"x{j}"
    if unnamed:
        called = ", ".join(str(own[j]) for j in unnamed)
        notes.append(
            f"names: {len(unnamed)} dimension(s) have none and are called {called} by their "
            "position; names= gives them better ones"
        )
    twice = sorted({str(name) for name in own if own.count(name) > 1})
    if twice:
        raise ValueError(
            f"{', '.join(twice)} is the name of several dimensions. Give each one of its own with "
            "names=."
        )
    read = [_parameter(d, str(name)) for d, name in zip(dimensions, own, strict=True)]
    parameters = [parameter for parameter, _ in read]
    notes += [note for _, about in read for note in about]
    weighed = [
        p.name
        for p, dimension in zip(parameters, dimensions, strict=True)
        if isinstance(p, CategoricalParameter) and getattr(dimension, "prior", None) is not None
    ]
    if weighed:
        notes.append(
            f"prior: the choices of {', '.join(weighed)} were drawn with probabilities of their "
            "own; here every choice weighs the same"
        )
    return SearchSpace(parameters), notes


def _parameter(dimension: Any, name: str) -> tuple[Parameter, list[str]]:
    if isinstance(dimension, Categorical):
        return CategoricalParameter(name, dimension.categories), []
    log = getattr(dimension, "prior", None) == "log-uniform"
    if isinstance(dimension, Integer):
        return whole_numbers(name, int(dimension.low), int(dimension.high), log=log)
    if isinstance(dimension, Real):
        return FloatParameter(name, dimension.low, dimension.high, log=log), []
    raise ValueError(
        f"dimension {name!r} is a {type(dimension).__name__}. "
        "Known are skopt's Real, Integer and Categorical."
    )


def encode_points(
    space: SearchSpace, points: Iterable[Sequence[Any]]
) -> tuple[Array, dict[int, str]]:
    """Return points as encoded rows, and why some (their rows are NaN) are none of the space.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    points : iterable of sequence
        skopt's points, n of them: one value per dimension.

    Returns
    -------
    X : ndarray of shape (n, d)
        Encoded rows.
    reasons : dict of int to str
        Index of a point to the reason why it is outside the space.
    """
    rows = [list(point) for point in points]
    X = np.full((len(rows), len(space)), np.nan)
    reasons: dict[int, str] = {}
    for i, row in enumerate(rows):
        if len(row) != len(space):
            reasons[i] = f"it has {len(row)} values, the space {len(space)}"
            continue
        for j, (parameter, value) in enumerate(zip(space.parameters, row, strict=True)):
            try:
                X[i, j] = parameter.encode([_as_choice(parameter, value)])[0]
            except ValueError as error:
                reasons.setdefault(i, f"it is outside the space: {error}")
    return X, reasons


def _as_choice(parameter: Parameter, value: Any) -> Any:
    """Return the choice that skopt takes a value for: numpy turned [True, 2] into [1, 2] there."""
    if not isinstance(parameter, CategoricalParameter):
        return value
    if category_index(parameter.choices, value) is None:
        for choice in parameter.choices:
            if isinstance(choice, (bool, int, float)) and bool(np.all(choice == value)):
                return choice
    return value


class ModelColumns:
    """From encoded rows to the columns a model of skopt was fitted on, without a loop over rows.

    Every transform of skopt is either affine in the encoded position (as it is or normalized, on
    a logarithmic scale or not) or a table with one line per category.

    Parameters
    ----------
    dimensions : sequence of skopt.space.Dimension
        The dimensions.
    transform : {"own", "normalize", "identity"}, default "own"
        "own" is how each dimension stands now; the other two set all of them, with categories
        one-hot, as skopt does for a Gaussian process and by default.

    Attributes
    ----------
    owners : ndarray of int
        For each column the column of the encoded row that it comes from.

    Raises
    ------
    ValueError
        If a transform does not lead to numbers.
    """

    def __init__(self, dimensions: Sequence[Any], transform: str = "own") -> None:
        self._parts = [_part(dimension, transform) for dimension in dimensions]
        widths = [p.shape[1] if isinstance(p, np.ndarray) else 1 for p in self._parts]
        self.owners = np.repeat(np.arange(len(widths)), widths)

    def __call__(self, X: Array) -> Array:
        """Return the model's columns (n, p) of encoded rows (n, d)."""
        columns = []
        for j, part in enumerate(self._parts):
            if isinstance(part, np.ndarray):
                columns.append(part[np.round(X[:, j]).astype(np.int64)])
            else:
                start, width = part
                columns.append((start + width * X[:, j])[:, None])
        return np.hstack(columns)


def model_columns(dimensions: Sequence[Any]) -> list[ModelColumns]:
    """Return the columns that models of these dimensions may have, the likeliest first."""
    columns = []
    for transform in ("own", "normalize", "identity"):
        try:
            columns.append(ModelColumns(dimensions, transform))
        except ValueError:  # no model was fitted on what is no number
            continue
    return columns


def _part(dimension: Any, transform: str) -> Array | tuple[float, float]:
    """Return start and width of an affine transform, or the table (k, p) of k categories."""
    if isinstance(dimension, Categorical):
        if transform != "own":
            dimension = copy.copy(dimension)  # it is the user's, and set_transformer changes it
            dimension.set_transformer("onehot")
        categories = list(dimension.categories)
        try:
            table = np.asarray(dimension.transform(categories), dtype=float)
            return table.reshape(len(categories), -1)
        except (TypeError, ValueError, KeyError) as error:
            raise ValueError(
                f"the categories {categories!r} are not turned into numbers: {error}"
            ) from error
    if (dimension.transform_ if transform == "own" else transform) == "normalize":
        return 0.0, 1.0
    low, high = float(dimension.low), float(dimension.high)
    if dimension.prior == "log-uniform":
        low, high = (math.log10(end) / math.log10(dimension.base) for end in (low, high))
    return low, high - low
