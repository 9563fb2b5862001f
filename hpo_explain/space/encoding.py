"""Configurations as encoded rows, and rows from uniform draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from hpo_explain.base import InputError, unknown_name
from hpo_explain.base.facts import Quote
from hpo_explain.space._values import POSITION_TOLERANCE, Array, Bools
from hpo_explain.space.categorical_parameter import category_index
from hpo_explain.space.conditions import Conditions
from hpo_explain.space.number_parameters import FloatParameter
from hpo_explain.space.parameter import Parameter, asked_as, condition_text

CONFIGS = "configs"


def encode_configs(configs: Any, parameters: Sequence[Parameter], conditions: Conditions) -> Array:
    """Return configurations as encoded rows; see `SearchSpace.encode`."""
    rows = _as_rows(configs)
    names = {parameter.name for parameter in parameters}
    names |= {asked_as(parameter) for parameter in parameters}
    for row in rows:
        for name in row:
            if name not in names:
                raise _not_there(name, parameters)
    X = np.full((len(rows), len(parameters)), np.nan)
    empty = np.zeros(X.shape, dtype=bool)
    for j, parameter in enumerate(parameters):
        values = {}
        for i, row in enumerate(rows):
            value = row.get(parameter.name)
            if not _is_empty(value):
                values[i] = value
            elif parameter.name in row:
                choice = _empty_choice(parameter, value)
                empty[i, j] = choice is not None
                X[i, j] = np.nan if choice is None else choice
        X[[*values], j] = parameter.encode(values.values())
    for j in conditions.parents_first:
        allowed = conditions.allowed(X, j)
        _add_part(X, j, parameters[j], rows, allowed)
        X[empty[:, j] & ~allowed, j] = np.nan
    _check_activity(X, parameters, conditions)
    return X


def _add_part(
    X: Array, j: int, parameter: Parameter, rows: Sequence[Mapping[str, Any]], allowed: Bools
) -> None:
    """Set a hyperparameter where it is active and has the name that the objective calls it."""
    name = asked_as(parameter)
    if name == parameter.name:
        return
    values = {
        i: rows[i][name]
        for i in np.flatnonzero(allowed).tolist()
        if name in rows[i] and not _is_empty(rows[i][name])
    }
    X[[*values], j] = parameter.encode(values.values())


def _not_there(name: object, parameters: Sequence[Parameter]) -> InputError:
    problem = f"names {name!r}, which is not a hyperparameter"
    remedy = unknown_name("", name, [p.name for p in parameters], "hyperparameter").remedy
    return InputError(CONFIGS, problem, name, remedy)


def decode_rows(X: Array, parameters: Sequence[Parameter]) -> list[dict[str, Any]]:
    """Return encoded rows, whose positions are on their grids, as configurations."""
    configs: list[dict[str, Any]] = [{} for _ in range(len(X))]
    for j, parameter in enumerate(parameters):
        active = np.flatnonzero(~np.isnan(X[:, j]))
        for i, value in zip(active, parameter.decode(X[active, j]), strict=True):
            configs[i][parameter.name] = value
    return configs


def rows_on_grid(X: Array, parameters: Sequence[Parameter]) -> Bools:
    """Return for each entry whether it is NaN or stands for a value; see `SearchSpace.on_grid`."""
    fits = np.isnan(X) | (np.abs(X - np.clip(X, 0.0, 1.0)) <= POSITION_TOLERANCE)
    for j, parameter in enumerate(parameters):
        if isinstance(parameter, FloatParameter) and parameter.size is None:
            continue  # every position in the range is one of a value
        present = ~np.isnan(X[:, j])
        off = np.abs(X[present, j] - parameter.nearest(X[present, j]))
        fits[present, j] = off <= POSITION_TOLERANCE
    return fits


def _check_activity(X: Array, parameters: Sequence[Parameter], conditions: Conditions) -> None:
    # judged on the rows as given: a parent that is itself wrong is reported first
    for j in conditions.parents_first:
        parameter = parameters[j]
        is_set = ~np.isnan(X[:, j])
        allowed = conditions.allowed(X, j)
        for i in np.flatnonzero(is_set & ~allowed).tolist():
            value = parameter.decode(X[[i], j])[0]
            condition = Quote(f" ({condition_text(parameter)})")
            set_there = f"is set in configuration {i}, where it is inactive", condition
            raise InputError(parameter.name, set_there, value, "Leave it out there.")
        if parameter.optional < 1.0:
            continue
        for i in np.flatnonzero(allowed & ~is_set).tolist():
            problem = f"is missing in configuration {i}"
            remedy = "Give it a value, or have the search space say when it is active."
            raise InputError(parameter.name, problem, None, remedy)


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
            problem = f"must be a dict, a list of dicts or a data frame, but one was {row!r}"
            remedy = "Write {name: value, ...} for each."
            raise InputError(CONFIGS, problem, row, remedy)
    return rows


def _is_empty(value: Any) -> bool:
    """Say whether a value is None, NaN, or pandas' NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def _empty_choice(parameter: Parameter, value: Any) -> int | None:
    """Return the choice that an empty value stands for: None or NaN may be choices of their own."""
    if not parameter.is_category:
        return None
    choice = category_index(parameter.choices, value)
    if choice is None and parameter.optional == 1.0:
        # pandas turns None into NaN; of an optional hyperparameter NaN is its absence
        return category_index(parameter.choices, None)
    return choice


def latent_rows(U: Array, parameters: Sequence[Parameter]) -> Array:
    """Return the latent rows that uniform values (n, d) lead to, all as listed."""
    rows = np.empty_like(U)
    for j, parameter in enumerate(parameters):
        if parameter.optional == 1.0:
            rows[:, j] = parameter.from_latent(U[:, j])
            continue
        present = U[:, j] < parameter.optional
        rows[:, j] = np.nan
        rows[present, j] = parameter.from_latent(U[present, j] / parameter.optional)
    return rows


def uniform_draws(n: int, d: int, seed: int, method: Literal["lhs", "uniform"]) -> Array:
    """Return uniform values, (n, d): a Latin hypercube, or independent draws."""
    rng = np.random.default_rng(seed)
    U = rng.random((n, d))
    if method == "lhs":
        strata = np.tile(np.arange(n), (d, 1))
        U = (rng.permuted(strata, axis=1).T + U) / n
    return U
