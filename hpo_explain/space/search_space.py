"""The search space: ordered hyperparameters with the conditions under which they are active."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_array, check_count, check_option, unknown_name
from hpo_explain._html import table_html
from hpo_explain._words import counted
from hpo_explain.space.parameters import (
    ON_POSITION,
    Array,
    CategoricalParameter,
    Config,
    FloatParameter,
    IntParameter,
    Parameter,
    category_index,
)

if TYPE_CHECKING:
    import pandas as pd

_MOST_NAMES, _MOST_VALUES = 6, 20


class SearchSpace:
    """Ordered hyperparameters, their encoding, their conditions, and the measure over them.

    An encoded row has one column per hyperparameter: its position in [0, 1] on its own scale,
    the index of its category, or NaN where it is inactive. In a *latent* row every hyperparameter
    has a value, whether it is active or not (an optional one may be NaN: its absence is a value
    of its own); `project` turns a latent row into the configuration that it stands for.

    Parameters
    ----------
    parameters : sequence of FloatParameter, IntParameter or CategoricalParameter
        The hyperparameters, in the order of the columns. Parents may stand before or after
        their children.

    Raises
    ------
    ValueError
        If a name occurs twice, or a condition names an unknown or real-valued parent, an
        impossible value, or leads in a circle.

    Examples
    --------
    >>> space = SearchSpace([
    ...     FloatParameter("lr", 1e-4, 1.0, log=True),
    ...     CategoricalParameter("booster", ["gbtree", "dart"]),
    ...     FloatParameter("rate_drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
    ... ])
    >>> space.encode({"lr": 0.01, "booster": "gbtree"}).tolist()
    [[0.5, 0.0, nan]]
    >>> space.decode(space.encode({"lr": 0.01, "booster": "dart", "rate_drop": 0.25}))
    [{'lr': 0.01, 'booster': 'dart', 'rate_drop': 0.25}]
    """

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = tuple(parameters)
        if not self._parameters:
            raise ValueError("parameters is empty. A space needs at least one hyperparameter.")
        for parameter in self._parameters:
            if not isinstance(parameter, (FloatParameter, IntParameter, CategoricalParameter)):
                raise ValueError(
                    "parameters must hold FloatParameter, IntParameter or CategoricalParameter, "
                    f"but one was {parameter!r}."
                )
        self._names = tuple(parameter.name for parameter in self._parameters)
        self._column = {name: j for j, name in enumerate(self._names)}
        if len(self._column) < len(self._names):
            twice = sorted({name for name in self._names if self._names.count(name) > 1})
            raise ValueError(f"parameters has {', '.join(twice)} more than once. Rename one.")
        self._conditions = [self._condition_codes(parameter) for parameter in self._parameters]
        self._order = self._parents_first()

    def _condition_codes(self, child: Parameter) -> list[tuple[int, npt.NDArray[np.int64]]]:
        conditions = []
        for name, values in (child.active_when or {}).items():
            if name not in self._column:
                where = f"active_when of {child.name!r}"
                raise unknown_name(where, name, self._names, "hyperparameter")
            parent = self._parameters[self._column[name]]
            if isinstance(parent, FloatParameter):
                raise ValueError(
                    f"active_when of {child.name!r} names {name!r}, which is real-valued. "
                    "Parents are categorical or integer."
                )
            try:
                codes = [parent.code(value) for value in values]
            except ValueError as error:
                raise ValueError(f"active_when of {child.name!r}: {error}") from None
            conditions.append((self._column[name], np.unique(codes)))
        return conditions

    def _parents_first(self) -> list[int]:
        order: list[int] = []
        waiting = list(range(len(self._parameters)))
        while waiting:
            ready = [j for j in waiting if all(p in order for p, _ in self._conditions[j])]
            if not ready:
                circle = ", ".join(self._names[j] for j in waiting)
                raise ValueError(f"active_when leads in a circle: {circle}. Remove one condition.")
            order += ready
            waiting = [j for j in waiting if j not in ready]
        return order

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The hyperparameters, in the order of the columns."""
        return self._parameters

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hyperparameters, in the order of the columns."""
        return self._names

    @property
    def conditions(self) -> tuple[tuple[tuple[int, npt.NDArray[np.int64]], ...], ...]:
        """For each column its conditions: (column of the parent, codes for which it is active)."""
        return tuple(tuple(entry) for entry in self._conditions)

    @property
    def parents_first(self) -> tuple[int, ...]:
        """The columns in an order in which every parent stands before its children."""
        return tuple(self._order)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._parameters)

    def __getitem__(self, name: str) -> Parameter:
        return self._parameters[self.index(name)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SearchSpace):
            return NotImplemented
        return self._parameters == other._parameters

    def __hash__(self) -> int:
        return hash(self._names)

    def __repr__(self) -> str:
        shown = ", ".join(self._names[:_MOST_NAMES])
        more = ", ..." if len(self) > _MOST_NAMES else ""
        return f"<SearchSpace: {counted(len(self), 'hyperparameter')} ({shown}{more})>"

    def _repr_html_(self) -> str:
        columns = ("hyperparameter", "values", "scale", "active")
        return table_html(columns, [_in_words(parameter) for parameter in self._parameters])

    def __str__(self) -> str:
        return "SearchSpace([\n" + "".join(f"    {p!r},\n" for p in self._parameters) + "])"

    def index(self, name: str) -> int:
        """Return the column of a hyperparameter.

        Raises
        ------
        ValueError
            If there is no hyperparameter of that name.
        """
        if name not in self._column:
            raise unknown_name("name", name, self._names, "hyperparameter")
        return self._column[name]

    def is_conditional(self, name: str) -> bool:
        """Return whether a hyperparameter is inactive in some configurations."""
        j = self.index(name)
        return bool(self._conditions[j]) or self._parameters[j].optional is not None

    # ------------------------------------------------------------------ encoding

    def encode(self, configs: Config | Iterable[Config] | pd.DataFrame) -> Array:
        """Return configurations as an encoded array.

        Parameters
        ----------
        configs : dict, list of dict, or pandas.DataFrame
            Configurations in the user's units. What is inactive is left out, or empty: None, NaN
            or NA. Where None is a choice, an empty value is that choice wherever it may be active.

        Returns
        -------
        ndarray of shape (n, d)
            Encoded rows; (1, d) for one dict.

        Raises
        ------
        ValueError
            If a name is unknown, a value is outside the space, an active hyperparameter is
            missing, or an inactive one is set.
        """
        rows = _as_rows(configs)
        X = np.full((len(rows), len(self)), np.nan)
        for row in rows:
            for name in row:
                if name not in self._column:
                    raise unknown_name("configs", name, self._names, "hyperparameter")
        empty = np.zeros(X.shape, dtype=bool)
        for j, parameter in enumerate(self._parameters):
            given = {i: row[parameter.name] for i, row in enumerate(rows) if parameter.name in row}
            for i in [i for i, value in given.items() if _is_empty(value)]:
                choice = _empty_choice(parameter, given.pop(i))
                if choice is not None:
                    X[i, j], empty[i, j] = choice, True
            X[list(given), j] = parameter.encode(given.values())
        for j in self._order:
            X[empty[:, j] & ~self.allowed(X, j), j] = np.nan
        self._check_activity(X)
        return X

    def _check_activity(self, X: Array) -> None:
        # judged on the rows as given: a parent that is itself wrong is reported first
        for j in self._order:
            given = ~np.isnan(X[:, j])
            allowed = self.allowed(X, j)
            name = self._names[j]
            if (given & ~allowed).any():
                i = int(np.flatnonzero(given & ~allowed)[0])
                raise ValueError(
                    f"{name} is set in configuration {i}, where it is inactive "
                    f"({self.condition_text(name)}). Leave it out there."
                )
            if self._parameters[j].optional is None and (allowed & ~given).any():
                i = int(np.flatnonzero(allowed & ~given)[0])
                raise ValueError(
                    f"{name} is missing in configuration {i}. Give it a value, "
                    "or state the condition under which it is active (active_when=)."
                )

    def decode(self, X: npt.ArrayLike) -> list[dict[str, Any]]:
        """Return encoded rows as configurations in the user's units, without inactive keys.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Encoded rows.

        Returns
        -------
        list of dict
            One configuration per row.

        Raises
        ------
        ValueError
            If a position is outside the range or off its grid.
        """
        X = self.check_rows("X", X)
        wrong = np.argwhere(~self.on_grid(X))
        if len(wrong):
            i, j = wrong[0]
            raise ValueError(
                f"X has a position that stands for no value of {self._names[j]} (row {i}: "
                f"{X[i, j]}). Encode configurations with space.encode."
            )
        configs: list[dict[str, Any]] = [{} for _ in range(len(X))]
        for j, parameter in enumerate(self._parameters):
            active = np.flatnonzero(~np.isnan(X[:, j]))
            for i, value in zip(active, parameter.decode(X[active, j]), strict=True):
                configs[i][parameter.name] = value
        return configs

    def check_rows(self, name: str, X: npt.ArrayLike) -> Array:
        """Return `X` as an (n, d) float array, or raise ValueError with the shapes."""
        rows = check_array(name, X)
        if rows.ndim != 2 or rows.shape[1] != len(self):
            raise ValueError(
                f"{name} must have shape (n, {len(self)}), one column per hyperparameter "
                f"({', '.join(self._names[:8])}{', ...' if len(self) > 8 else ''}), "
                f"but had shape {rows.shape}. Encode configurations with space.encode."
            )
        return rows

    def condition_text(self, name: str) -> str:
        """Return in words when a hyperparameter is active."""
        parameter = self[name]
        parts = [
            f"{parent} in {{{', '.join(map(str, values))}}}"
            if len(values) > 1
            else f"{parent} = {values[0]}"
            for parent, values in (parameter.active_when or {}).items()
        ]
        text = "active when " + " and ".join(parts) if parts else "always active"
        if parameter.optional is None:
            return text
        return f"{text if parts else 'active'}, at a frequency of {parameter.optional:.2g}"

    # ------------------------------------------------------------------ activity

    def allowed(self, X: Array, j: int) -> npt.NDArray[np.bool_]:
        """Return for each encoded row whether the parents of column `j` let it be active."""
        allowed = np.ones(len(X), dtype=bool)
        for parent, codes in self._conditions[j]:
            column = X[:, parent]
            active = ~np.isnan(column)
            parameter = self._parameters[parent]
            values = np.zeros(len(X), dtype=np.int64)
            if not isinstance(parameter, FloatParameter):
                values[active] = parameter.codes(column[active])
            allowed &= active & np.isin(values, codes)
        return allowed

    def project(self, X: npt.ArrayLike) -> Array:
        """Return a copy of latent rows in which everything inactive is NaN.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Latent rows: every hyperparameter has a value, active or not.

        Returns
        -------
        ndarray of shape (n, d)
            The configurations that these rows stand for, encoded.
        """
        rows = np.array(self.check_rows("X", X))
        for j in self._order:
            if self._conditions[j]:
                rows[~self.allowed(rows, j), j] = np.nan
        return rows

    def is_valid(self, X: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return for each encoded row whether it is a configuration of the space.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Encoded rows.

        Returns
        -------
        ndarray of bool, shape (n,)
            False where a position is outside the range or off its grid, an active
            hyperparameter is NaN, or an inactive one is not.
        """
        X = self.check_rows("X", X)
        valid = np.asarray(self.on_grid(X).all(axis=1))
        for j, parameter in enumerate(self._parameters):
            present = ~np.isnan(X[:, j])
            allowed = self.allowed(X, j)
            valid &= ~present | allowed
            if parameter.optional is None:
                valid &= present | ~allowed
        return valid

    def on_grid(self, X: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return for each entry whether it is NaN or stands for a value of its hyperparameter.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Encoded or latent rows.

        Returns
        -------
        ndarray of bool, shape (n, d)
            False where a position is outside the range or off its grid.
        """
        X = self.check_rows("X", X)
        fits = np.isnan(X)
        for j, parameter in enumerate(self._parameters):
            present = ~fits[:, j]
            positions = X[present, j]
            fits[present, j] = np.abs(positions - parameter.nearest(positions)) <= ON_POSITION
        return fits

    # ------------------------------------------------------------------ the measure

    def from_latent(self, U: npt.ArrayLike) -> Array:
        """Return the latent rows that uniform values lead to.

        Parameters
        ----------
        U : ndarray of shape (n, d)
            Values in [0, 1), one column per hyperparameter.

        Returns
        -------
        ndarray of shape (n, d)
            Latent rows: positions on each hyperparameter's grid, whether active or not.
        """
        U = self.check_rows("U", U)
        rows = np.empty_like(U)
        for j, parameter in enumerate(self._parameters):
            if parameter.optional is None:
                rows[:, j] = parameter.from_latent(U[:, j])
                continue
            present = U[:, j] < parameter.optional
            rows[:, j] = np.nan
            rows[present, j] = parameter.from_latent(U[present, j] / parameter.optional)
        return rows

    def sample(self, n: int, seed: int = 0, *, method: str = "lhs", latent: bool = False) -> Array:
        """Draw configurations from the space's measure.

        Parameters
        ----------
        n : int
            Number of rows.
        seed : int, default 0
            Seed of the draw.
        method : {"lhs", "uniform"}, default "lhs"
            One Latin hypercube, or independent draws.
        latent : bool, default False
            Whether inactive hyperparameters keep their latent value.

        Returns
        -------
        ndarray of shape (n, d)
            Encoded rows.

        Examples
        --------
        >>> SearchSpace([IntParameter("k", 1, 4)]).sample(4, seed=1).shape
        (4, 1)
        """
        n = check_count("n", n)
        check_option("method", method, ("lhs", "uniform"))
        rng = np.random.default_rng(seed)
        U = rng.random((n, len(self)))
        if method == "lhs":
            strata = np.tile(np.arange(n), (len(self), 1))
            U = (rng.permuted(strata, axis=1).T + U) / n
        rows = self.from_latent(U)
        return rows if latent else self.project(rows)


def _in_words(parameter: Parameter) -> tuple[str, str, str, str]:
    """Return a hyperparameter's name, its values, their scale, and when it is active."""
    if isinstance(parameter, CategoricalParameter):
        values, scale = _listed(parameter.choices), "categories"
    else:
        values = f"{parameter.low} to {parameter.high}"
        kind = "float" if isinstance(parameter, FloatParameter) else "integer"
        step = f", step {parameter.step}" if parameter.step not in (None, 1) else ""
        scale = f"{kind}{', log' if parameter.log else ''}{step}"
    rules = [
        f"{parent} = {given[0]}" if len(given) == 1 else f"{parent} in {{{_listed(given)}}}"
        for parent, given in (parameter.active_when or {}).items()
    ]
    if parameter.optional is not None:
        rules.append(f"at a frequency of {parameter.optional:.2g}")
    return parameter.name, values, scale, " and ".join(rules) or "always"


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values[:_MOST_VALUES])) + ", ..." * (len(values) > _MOST_VALUES)


def _as_rows(configs: Any) -> list[Mapping[str, Any]]:
    if isinstance(configs, Mapping):
        return [configs]
    if hasattr(configs, "to_dict") and hasattr(configs, "columns"):
        columns = [str(name) for name in configs.columns]
        values = [configs.iloc[:, j].tolist() for j in range(len(columns))]
        return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]
    rows = list(configs) if isinstance(configs, Iterable) else [configs]
    for row in rows:
        if not isinstance(row, Mapping):
            raise ValueError(
                "configs must be a dict, a list of dicts or a data frame, "
                f"but one configuration was {row!r}."
            )
    return rows


def _is_empty(value: Any) -> bool:
    """Say whether a value is None, NaN, or pandas' NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def _empty_choice(parameter: Parameter, value: Any) -> int | None:
    """Return the choice that an empty value stands for: None or NaN may be choices of their own."""
    if not isinstance(parameter, CategoricalParameter):
        return None
    found = category_index(parameter.choices, value)
    if found is None and parameter.optional is None:
        # pandas turns None into NaN; of an optional hyperparameter NaN is its absence
        return category_index(parameter.choices, None)
    return found
