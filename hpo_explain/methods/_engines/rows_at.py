"""Rows of a sample in which one or two hyperparameters take a value, whatever depends on them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    Fact,
    InputError,
    NothingToExplain,
    Subject,
    check_name,
    check_sequence,
    fact,
    join_words,
)
from hpo_explain.models._tree_boxes import excluded_pair
from hpo_explain.space import Array, Bools, SearchSpace

MOST_CATEGORIES = (50, 20)
"""Of a hyperparameter alone, and of each of two: more take too long, and cannot be shown."""
_MOST_TRIED = 200  # values of another hyperparameter that are tried one by one


def one_or_two(space: SearchSpace, names: str | Sequence[str]) -> tuple[str, ...]:
    """Return one or two names of hyperparameters, checked."""
    listed = [names] if isinstance(names, str) else check_sequence("names", names, "names")
    wanted = tuple(check_name("names", name, space.names, "hyperparameter") for name in listed)
    if len(set(wanted)) != len(wanted) or len(wanted) not in (1, 2):
        problem = f"must be one hyperparameter or a pair of different ones, but was {names!r}"
        raise InputError("names", problem, names)
    return wanted


def about_names(subject: Subject, names: Sequence[str]) -> list[Fact]:
    """Return where conditional ones are averaged, and which categories are left out."""
    space, notes = subject.space, list[Fact]()
    for name in names:
        if space.is_conditional(name):
            notes.append(fact(f"only where {name} is {space.condition_text(name)}", names=[name]))
        parameter, most = space[name], MOST_CATEGORIES[len(names) - 1]
        if parameter.is_category and parameter.size > most:
            which = f"{most} of the {parameter.size} values of {name}"
            notes.append(fact(f"{which} are looked at: those tried most", names=[name]))
    return notes


def composed(
    space: SearchSpace, rows: Array, members: Sequence[int], value: Any, *, latent: bool = True
) -> tuple[Array, Bools]:
    """Return rows in which the members take a value, as configurations, and which are valid.

    A row without a value of what this value activates is not valid. Nor is one with a value of what
    it switches off (Moosbauer et al., Eq. 8), unless the rows are latent: these have values of all,
    which do not count where they are inactive.
    """
    z = space.project(at_value(rows, [*members], value))
    valid = space.is_valid(z) & ~np.isnan(z[:, members]).any(axis=1)
    if not latent:
        switched_off = np.isnan(z) & ~np.isnan(rows)
        switched_off[:, members] = False
        valid &= ~switched_off.any(axis=1)
    return z, valid


def are_latent(space: SearchSpace, rows: Array) -> bool:
    """Say whether rows are latent: what is inactive has a value in some."""
    return bool((np.isnan(space.project(rows)) & ~np.isnan(rows)).any())


def highest(
    space: SearchSpace,
    feasible: Callable[[Array], Array] | None,
    rows: Array,
    members: Sequence[int],
    positions: Sequence[Array],
    *,
    latent: bool = True,
) -> Array | None:
    """Return the highest probability of being feasible on a grid, NaN where no row is valid.

    None without constraints.
    """
    if feasible is None:
        return None
    chances = []
    for value in itertools.product(*positions):
        z, valid = composed(space, rows, members, value, latent=latent)
        chances.append(feasible(z[valid]).max() if valid.any() else np.nan)
    return np.reshape(chances, [len(p) for p in positions])


def values_together(
    space: SearchSpace, members: Sequence[int], X: Array
) -> tuple[tuple[Any, ...], ...]:
    """Return the members' values in the encoded rows in which all are active, one tuple each."""
    if not len(X):
        return ()
    active = ~np.isnan(X[:, members]).any(axis=1)
    return tuple(tuple(space.parameters[j].decode(X[active, j])) for j in members)


def checked_sample(space: SearchSpace, sample: npt.ArrayLike, argument: str = "sample") -> Array:
    """Return rows given by the user, encoded or latent: also what is inactive has to be valid."""
    rows = space.check_rows(argument, sample)
    if not len(rows):
        remedy = "Give at least one configuration, or a number of rows."
        raise InputError(argument, "has no row", sample, remedy)
    inside = space.is_valid(space.project(rows)) & space.on_grid(rows).all(axis=1)
    if not inside.all():
        i = int(np.flatnonzero(~inside)[0])
        problem = f"has a row outside the space (row {i}: {rows[i].tolist()})"
        raise InputError(argument, problem, rows[i], "Encode configurations with space.encode.")
    return rows


def may_be_active(space: SearchSpace, rows: Array, members: list[int]) -> Bools:
    """Say for latent rows whether each member is active for some value of the other."""
    able = np.ones(len(rows), dtype=bool)
    for j in members:
        others = [k for k in members if k != j]
        here = ~np.isnan(_switched_on(space, rows, j)[:, j])
        for k in others:
            parameter = space.parameters[k]
            grid = parameter.grid() if (parameter.size or 0) <= _MOST_TRIED else None
            for position in grid[0] if grid is not None else ():
                moved = rows.copy()
                moved[:, k] = position
                here |= ~np.isnan(_switched_on(space, moved, j)[:, j])
        able &= here
    return able


def inactive_error(space: SearchSpace, members: list[int]) -> InputError | NothingToExplain:
    """Return what is wrong where no row of the sample has all members active."""
    never = excluded_pair(space, *members) if len(members) == 2 else None
    if never is not None:
        return NothingToExplain(never)
    names = [space.names[j] for j in members]
    who = f"{names[0]} is active" if len(names) == 1 else f"{join_words(names)} are both active"
    when = "; ".join(f"{name} is {space.condition_text(name)}" for name in names)
    remedy = f"Give a sample in which {who}."
    return InputError("sample", f"has no row in which {who} ({when})", remedy=remedy)


def at_value(rows: Array, members: list[int], value: Array) -> Array:
    """Return rows in which the members take a value."""
    rows = rows.copy()
    rows[:, members] = value
    return rows


def _switched_on(space: SearchSpace, rows: Array, j: int) -> Array:
    """Return the configurations of rows in which an optional hyperparameter is not left out."""
    rows = rows.copy()
    rows[:, j] = np.where(np.isnan(rows[:, j]), 0.0, rows[:, j])
    return space.project(rows)


# ---------------------------------------------------------------------- of many categories


def codes_of(subject: Subject, j: int, members: int) -> Array:
    """Return the codes of the categories of a column whose effect is computed, in their order.

    All, or of many those tried most often, that of the incumbent among them.

    Parameters
    ----------
    subject : Subject
        What is explained, with the tried configurations.
    j : int
        The categorical column.
    members : int
        How many hyperparameters the effect is of: one or two.
    """
    parameter = subject.space.parameters[j]
    if not parameter.is_category:
        raise TypeError(f"{parameter.name} has no categories")
    most = MOST_CATEGORIES[members - 1]
    if parameter.size <= most:
        return np.arange(parameter.size, dtype=float)
    tried = subject.tried[:, j]
    counts = np.bincount(tried[~np.isnan(tried)].astype(np.int64), minlength=parameter.size)
    if parameter.name in subject.incumbent:
        best = parameter.encode([subject.incumbent[parameter.name]])
        counts[best.astype(np.int64)] = len(tried) + 1
    codes = subject.space.codes(j)
    return np.sort(codes[np.argsort(-counts[codes], kind="stable")[:most]]).astype(float)
