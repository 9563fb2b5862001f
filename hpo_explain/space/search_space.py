"""The search space: ordered hyperparameters with the conditions under which they are active."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    InputError,
    abridged,
    check_array,
    check_count,
    check_option,
    check_seed,
    counted,
    frameworks,
    printable,
    unknown_name,
)
from hpo_explain.base.html import table_html
from hpo_explain.space._values import Array, Bools, Config, Ints, rounded
from hpo_explain.space.conditions import Conditions, Rules
from hpo_explain.space.encoding import (
    CONFIGS,
    decode_rows,
    encode_configs,
    latent_rows,
    rows_on_grid,
    uniform_draws,
)
from hpo_explain.space.order import Canonical
from hpo_explain.space.parameter import Parameter, asked_as, condition_text, described

if TYPE_CHECKING:
    import pandas as pd


_ENCODE = "Encode configurations with space.encode."


class SearchSpace:
    """A search space: its hyperparameters and the conditions under which they are active.

    An encoded row has one column per hyperparameter: its position in [0, 1] on its own scale,
    the index of its category, or NaN if it is inactive. In a *latent* row every hyperparameter
    has a value, active or not (only an optional one may be NaN, which means that it is absent).
    `project` turns a latent row into a configuration.

    Parameters
    ----------
    parameters : sequence of FloatParameter, IntParameter or CategoricalParameter
        The hyperparameters, in the order of the columns. Parents may come before or after their
        children.

    Raises
    ------
    ValueError
        If a name occurs twice, a condition names an unknown parent or an impossible value, or
        conditions form a circle.

    Examples
    --------
    >>> from hpo_explain import CategoricalParameter, FloatParameter, SearchSpace
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
            raise InputError("parameters", "is empty", (), "Give at least one hyperparameter.")
        for parameter in self._parameters:
            if not isinstance(parameter, Parameter):
                kinds = "FloatParameter, IntParameter or CategoricalParameter"
                problem = f"must hold {kinds}, but one was {parameter!r}"
                raise InputError("parameters", problem, parameter, "Make one of them.")
        self._names = tuple(parameter.name for parameter in self._parameters)
        self._column = {name: j for j, name in enumerate(self._names)}
        if len(self._column) < len(self._names):
            twice = sorted({name for name in self._names if self._names.count(name) > 1})
            problem = f"has {', '.join(twice)} more than once"
            raise InputError("parameters", problem, twice, "Rename one.")
        self._conditions = Conditions(self._parameters)
        self._may_be_absent = np.array([self.is_conditional(name) for name in self._names])
        self._canonical = Canonical.as_listed(self._parameters)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The hyperparameters, in the order of the columns."""
        return self._parameters

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hyperparameters, in the order of the columns."""
        return self._names

    @property
    def conditions(self) -> tuple[Rules, ...]:
        """For each column its conditions: (column of the parent, its values: codes or a Range)."""
        return self._conditions.rules

    @property
    def parents_first(self) -> tuple[int, ...]:
        """The columns in an order in which every parent stands before its children."""
        return self._conditions.parents_first

    @property
    def order(self) -> Ints:
        """The columns in the order in which draws, searches and fits go through them, (d,)."""
        return self._canonical.columns

    @property
    def order_key(self) -> str:
        """A text that identifies the order of columns and categories: equal for equal orders."""
        return self._canonical.key

    def codes(self, j: int) -> Ints:
        """Return the codes of a categorical column in the order in which draws count them."""
        return self._canonical.categories[j]

    def places(self, j: int, positions: Array) -> Array:
        """Return numbers that say in which order draws go through positions of a column."""
        if j not in self._canonical.categories:
            return rounded(positions)
        present = ~np.isnan(positions)
        codes = positions[present].astype(np.int64)
        places = np.full(positions.shape, np.nan)
        places[present] = np.argsort(self.codes(j))[codes]
        return places

    def in_own_order(self, X: Array) -> Array:
        """Return encoded rows with columns and categories in the order of `order`, (n, d)."""
        return np.stack([self.places(j, X[:, j]) for j in self.order.tolist()], axis=1)

    @property
    def categories_in_own_order(self) -> Ints:
        """How many values each categorical column has, 0 of a number, in the order of `order`."""
        counts = [len(getattr(parameter, "choices", ())) for parameter in self.parameters]
        return np.array(counts)[self.order]

    def distinct(self, X: Array) -> Array:
        """Return the different rows of X (n, d), in the order of their columns' `places`."""
        return X[self.distinct_places(X)]

    def distinct_places(self, X: Array) -> Ints:
        """Return the first place of each different row of X (n, d), in the order of `distinct`."""
        return np.unique(self.keys(X), return_index=True)[1]

    def keys(self, X: Array) -> Array:
        """Return bytes of each row of X (n, d) in the order of `distinct`, equal for equal rows."""
        # -0.0 is 0.0
        keys = np.nan_to_num(self.in_own_order(X), nan=-1.0) + 0.0
        bits = np.ascontiguousarray(keys).view(np.int64)
        # bytes in the order of the numbers: rows are compared at once, not number by number
        bits = bits ^ ((bits >> 63) & np.int64(2**63 - 1))
        ordered = (bits.view(np.uint64) ^ np.uint64(2**63)).astype(">u8")
        return ordered.view(f"V{8 * ordered.shape[1]}").ravel()

    def ordered(self, X: npt.ArrayLike) -> SearchSpace:
        """Return the space as it is where it is in an order of trials; else `in_order_of` these."""
        return self if self._canonical.of_trials else self.in_order_of(X)

    def in_order_of(self, X: npt.ArrayLike, cost: Array | None = None) -> SearchSpace:
        """Return the same space with an internal order of columns that depends on rows alone.

        Results then do not depend on names, units, the order of the rows, or the order in which
        hyperparameters and categories are listed. Rows are sorted by their values, then by their
        cost. Columns are sorted by their kind, then by their values in the first row, then in the
        second, and so on; categories by their first appearance.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Encoded rows.
        cost : ndarray of shape (n,), optional
            Smaller is better. It orders rows that hold the same values in different columns.

        Returns
        -------
        SearchSpace
            An equal space.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> a, b = FloatParameter("a", 0.0, 1.0), FloatParameter("b", 0.0, 1.0)
        >>> one = SearchSpace([a, b]).in_order_of([[0.7, 0.2]])
        >>> other = SearchSpace([b, a]).in_order_of([[0.2, 0.7]])
        >>> one.order.tolist(), other.order.tolist()
        ([1, 0], [0, 1])
        >>> bool((one.sample(3) == other.sample(3)[:, ::-1]).all())
        True
        """
        space = copy(self)
        rules = self._conditions.rules
        space._canonical = Canonical.of(self._parameters, rules, self.check_rows("X", X), cost)
        return space

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
        names = printable(abridged(self._names, 6))
        return f"<SearchSpace: {counted(len(self), 'hyperparameter')} ({names})>"

    def _repr_html_(self) -> str:
        columns = ("hyperparameter", "values", "scale", "active")
        return table_html(columns, [described(parameter) for parameter in self._parameters])

    def __str__(self) -> str:
        shown = [printable(repr(parameter)) for parameter in self._parameters]
        lines = [f"    {text},\n" for text in shown]
        return f"SearchSpace([\n{''.join(lines)}])"

    def index(self, name: str) -> int:
        """Return the column of a hyperparameter.

        Raises
        ------
        ValueError
            If there is no hyperparameter of that name.
        """
        column = self._column.get(name) if isinstance(name, str) else None
        if column is None:
            raise unknown_name("name", name, self._names, "hyperparameter")
        return column

    def as_asked(self, config: Config) -> dict[str, Any]:
        """Return a configuration with the names that the objective uses.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> lr = FloatParameter("lr (kind = a)", 0.0, 1.0, part_of="lr")
        >>> SearchSpace([lr]).as_asked({"lr (kind = a)": 0.5})
        {'lr': 0.5}
        """
        return {asked_as(self[name]): value for name, value in config.items()}

    def where_active(self, active: Bools) -> SearchSpace:
        """Return a space of the same columns without conditions.

        Parameters
        ----------
        active : ndarray of bool, shape (d,)
            The hyperparameters that are active everywhere; the others become optional.

        Returns
        -------
        SearchSpace
            The space, in the same internal order.
        """
        parameters = [
            replace(p, active_when=None, optional=1.0 if on else 0.5)
            for p, on in zip(self._parameters, active.tolist(), strict=True)
        ]
        space = SearchSpace(parameters)
        space._canonical = self._canonical
        return space

    def is_conditional(self, name: str) -> bool:
        """Return whether a hyperparameter is inactive in some configurations."""
        j = self.index(name)
        return bool(self.conditions[j]) or self._parameters[j].optional < 1.0

    def decides_activity(self, columns: Collection[int]) -> bool:
        """Return whether the values in some columns decide if others are active."""
        parents = {parent for condition in self.conditions for parent, _ in condition}
        return not parents.isdisjoint(columns)

    def to_optuna(self) -> dict[str, Any]:
        """Return Optuna's distribution of every hyperparameter, for ``study.ask``.

        Conditions are left out: the objective decides which hyperparameters are active. A range
        that depends on a category becomes the widest one.

        Returns
        -------
        dict of str to optuna.distributions.BaseDistribution
            The distributions by hyperparameter.

        Raises
        ------
        ImportError
            If Optuna is not installed.

        Examples
        --------
        >>> from hpo_explain import IntParameter, SearchSpace
        >>> SearchSpace([IntParameter("layers", 1, 5)]).to_optuna()
        {'layers': IntDistribution(high=5, log=False, low=1, step=1)}
        """
        distributions: dict[str, Any] = frameworks().to_optuna(self)
        return distributions

    @classmethod
    def from_configspace(cls, configspace: Any) -> SearchSpace:
        """Convert a space of ConfigSpace.

        Conditions on values of parents are kept. Forbidden clauses, and the weights and the order
        of choices are dropped.

        Parameters
        ----------
        configspace : ConfigSpace.ConfigurationSpace
            The space.

        Returns
        -------
        SearchSpace
            The hyperparameters in its order.

        Raises
        ------
        InputError
            If `configspace` is something else, or has a hyperparameter of an unknown kind.

        Examples
        --------
        >>> from ConfigSpace import ConfigurationSpace
        >>> from hpo_explain import SearchSpace
        >>> SearchSpace.from_configspace(ConfigurationSpace({"lr": (0.1, 1.0)}))["lr"]
        FloatParameter(name='lr', low=0.1, high=1.0, log=False, step=None, active_when={}, \
optional=1.0, part_of=None, values=None)
        """
        space: SearchSpace = frameworks().from_configspace(configspace)
        return space

    # ------------------------------------------------------------------ encoding

    def encode(self, configs: Config | Iterable[Config] | pd.DataFrame) -> Array:
        """Encode configurations.

        Parameters
        ----------
        configs : dict, list of dict, or pandas.DataFrame
            Configurations in the user's units. Inactive hyperparameters are left out or empty
            (None, NaN or NA). If None is a choice, an active empty value means that choice.

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
        return encode_configs(configs, self._parameters, self._conditions)

    def row(self, config: Config, argument: str) -> Array:
        """Return a configuration as one encoded row, (d,).

        Raises
        ------
        InputError
            If it does not fit the space. The message names `argument`.
        """
        try:
            return self.encode([config])[0]
        except InputError as error:
            about = f"does not fit the search space: {error.argument} "
            what = "" if error.argument == CONFIGS else about
            raise error.inside(argument, what, config) from None

    def decode(self, X: npt.ArrayLike) -> list[dict[str, Any]]:
        """Decode rows into configurations in the user's units, without inactive keys.

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
            where = f"{self._names[j]} (row {i}: {X[i, j]})"
            problem = f"has a position that stands for no value of {where}"
            raise InputError("X", problem, float(X[i, j]), _ENCODE)
        return decode_rows(X, self._parameters)

    def check_rows(self, name: str, X: npt.ArrayLike) -> Array:
        """Return `X` as an (n, d) float array, or raise ValueError with the shapes."""
        rows = check_array(name, X)
        if rows.ndim != 2 or rows.shape[1] != len(self):
            problem = (
                f"must have shape (n, {len(self)}), one column per hyperparameter "
                f"({abridged(self._names, 8)}), but had shape {rows.shape}"
            )
            raise InputError(name, problem, X, _ENCODE)
        return rows

    def condition_text(self, name: str) -> str:
        """Return in words when a hyperparameter is active."""
        return condition_text(self[name])

    # ------------------------------------------------------------------ activity

    def allowed(self, X: Array, j: int) -> Bools:
        """Return for each encoded row whether the parents of column `j` let it be active."""
        return self._conditions.allowed(X, j)

    def project(self, X: npt.ArrayLike) -> Array:
        """Return a copy of latent rows in which everything inactive is NaN.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Latent rows: every hyperparameter has a value, active or not.

        Returns
        -------
        ndarray of shape (n, d)
            The encoded configurations.
        """
        return self._conditions.project(self.check_rows("X", X))

    def is_valid(self, X: npt.ArrayLike) -> Bools:
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
        present_at = ~np.isnan(X)
        valid = (self.on_grid(X) & (present_at | self._may_be_absent)).all(axis=1)
        for j in np.flatnonzero(self._may_be_absent).tolist():
            present = present_at[:, j]
            allowed = self.allowed(X, j)
            valid &= ~present | allowed
            if self._parameters[j].optional == 1.0:
                valid &= present | ~allowed
        return valid

    def on_grid(self, X: npt.ArrayLike) -> Bools:
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
        return rows_on_grid(X, self._parameters)

    # ------------------------------------------------------------------ the measure

    def from_latent(self, U: npt.ArrayLike) -> Array:
        """Map uniform values to latent rows.

        Parameters
        ----------
        U : ndarray of shape (n, d)
            Values in [0, 1), one column per hyperparameter, in `order`.

        Returns
        -------
        ndarray of shape (n, d)
            Latent rows: positions on each hyperparameter's grid, whether active or not.
        """
        U = self.check_rows("U", U)
        listed = np.empty_like(U)
        listed[:, self.order] = U
        rows = latent_rows(listed, self._parameters)
        for j, codes in self._canonical.categories.items():
            present = ~np.isnan(rows[:, j])
            rows[present, j] = codes[rows[present, j].astype(np.int64)]
        return rows

    def sample(
        self,
        n: int,
        seed: int = 0,
        *,
        method: Literal["lhs", "uniform"] = "lhs",
        latent: bool = False,
    ) -> Array:
        """Draw random configurations.

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
        >>> from hpo_explain import IntParameter, SearchSpace
        >>> SearchSpace([IntParameter("k", 1, 4)]).sample(4, seed=1).shape
        (4, 1)
        """
        n = check_count("n", n)
        check_option("method", method, ("lhs", "uniform"))
        rows = self.from_latent(uniform_draws(n, len(self), check_seed(seed), method))
        return rows if latent else self.project(rows)
