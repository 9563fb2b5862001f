"""skopt's dimensions as a search space, and the columns that its models were fitted on."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from skopt.space import Categorical, Integer, Real, Space

from hpo_explain.adapters._domain import Domain, choices_weighed, is_among, parameter_of
from hpo_explain.adapters._reading import encode_value
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.phrases import counted, join_names
from hpo_explain.space import Array, CategoricalParameter, Parameter, SearchSpace


def read_dimensions(result: Any) -> list[Any]:
    """Return the dimensions of a result, of its space or else of its specification.

    Raises
    ------
    InputError
        If the result has neither.
    """
    space = getattr(result, "space", None)
    if space is not None:
        return list(space.dimensions)
    arguments = (getattr(result, "specs", None) or {}).get("args", {})
    if arguments.get("dimensions") is None:
        problem = (
            "has neither a space nor specs['args']['dimensions'], so its search space is unknown"
        )
        remedy = "Set result.space to the skopt.space.Space that was searched."
        raise InputError("result", problem, remedy=remedy)
    return list(Space(arguments["dimensions"]).dimensions)


def read_space(
    dimensions: Sequence[Any], names: Sequence[str] | None
) -> tuple[SearchSpace, list[Fact]]:
    """Return the search space that dimensions describe, and what was assumed.

    Raises
    ------
    InputError
        If there is not one name per dimension, or a dimension is of no known kind.
    """
    notes = []
    own = [getattr(dimension, "name", None) for dimension in dimensions]
    if names is not None:
        if isinstance(names, str) or len(names) != len(dimensions):
            problem = f"must give {len(dimensions)} names, one per dimension, but was {names!r}"
            raise InputError("names", problem, names)
        own = list(names)
    unnamed = [j for j, name in enumerate(own) if not name]
    for j in unnamed:
        own[j] = f"x{j}"
    if unnamed:
        called = join_names([own[j] for j in unnamed])
        text = f"names: {counted(len(unnamed), 'dimension')} without one are called {called}"
        notes.append(fact(f"{text} by position; ", Option("names"), " sets them"))
    twice = sorted({str(name) for name in own if own.count(name) > 1})
    if twice:
        problem = f"has several dimensions named {', '.join(twice)}"
        remedy = ("Give each one a name of its own with ", Option("names"), ".")
        raise InputError("result", problem, twice, remedy)
    read = [_parameter(d, str(name)) for d, name in zip(dimensions, own, strict=True)]
    parameters = [parameter for parameter, _ in read]
    notes += [note for _, about in read for note in about]
    weighed = [
        p.name
        for p, dimension in zip(parameters, dimensions, strict=True)
        if isinstance(p, CategoricalParameter) and getattr(dimension, "prior", None) is not None
    ]
    if weighed:
        notes.append(choices_weighed(weighed))
    return SearchSpace(parameters), notes


def _parameter(dimension: Any, name: str) -> tuple[Parameter, list[Fact]]:
    if isinstance(dimension, Categorical):
        return parameter_of(name, Domain(choices=dimension.categories))
    if isinstance(dimension, (Integer, Real)):
        whole, log = (isinstance(dimension, Integer), dimension.prior == "log-uniform")
        return parameter_of(name, Domain(dimension.low, dimension.high, log=log, whole=whole))
    problem = f"has a dimension {name!r} of an unknown kind, {type(dimension).__name__}"
    remedy = "Known are skopt's Real, Integer and Categorical."
    raise InputError("result", problem, dimension, remedy)


def encode_points(
    space: SearchSpace, points: Iterable[Sequence[Any]]
) -> tuple[Array, dict[int, Fact]]:
    """Return points as encoded rows, and why some (with NaN in their rows) are outside the space.

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
    reasons : dict of int to Fact
        Index of a point to the reason why it is outside the space.
    """
    rows = [list(point) for point in points]
    X = np.full((len(rows), len(space)), np.nan)
    reasons: dict[int, Fact] = {}
    for i, row in enumerate(rows):
        if len(row) != len(space):
            values, of_space = counted(len(row), "value"), counted(len(space), "dimension")
            reasons[i] = fact(f"it has {values}, the space has {of_space}")
            continue
        for j, (parameter, value) in enumerate(zip(space.parameters, row, strict=True)):
            position = encode_value(parameter, _as_choice(parameter, value))
            if isinstance(position, Fact):
                reasons.setdefault(i, fact("it is outside the space: ", position))
            else:
                X[i, j] = position
    return X, reasons


def _as_choice(parameter: Parameter, value: Any) -> Any:
    """Return the choice that skopt takes a value for: numpy turned [True, 2] into [1, 2] there."""
    if not isinstance(parameter, CategoricalParameter):
        return value
    if not is_among(parameter.choices, value):
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
    InputError
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
        except InputError:  # no model was fitted on what is not a number
            continue
    return columns


def _part(dimension: Any, transform: str) -> Array | tuple[float, float]:
    """Return start and width of an affine transform, or the table (k, p) of k categories."""
    if isinstance(dimension, Categorical):
        if transform != "own":
            # it is the user's, and set_transformer changes it
            dimension = copy.copy(dimension)
            dimension.set_transformer("onehot")
        categories = list(dimension.categories)
        try:
            table = np.asarray(dimension.transform(categories), dtype=float)
            return table.reshape(len(categories), -1)
        except (TypeError, ValueError, KeyError) as error:
            problem = (
                f"has categories that its transform does not turn into numbers: {categories!r}"
            )
            raise InputError("dimensions", problem, categories) from error
    if (dimension.transform_ if transform == "own" else transform) == "normalize":
        return 0.0, 1.0
    low, high = float(dimension.low), float(dimension.high)
    if dimension.prior == "log-uniform":
        low, high = (math.log10(end) / math.log10(dimension.base) for end in (low, high))
    return low, high - low
