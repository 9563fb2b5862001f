"""How far a hyperparameter may move from the trial to keep, beside how far it truly may."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import hpo_explain as hx
from hpo_explain.space import Parameter
from tests.claims.asked import Asked, Scored
from tests.claims.boxes import CLOSE
from tests.claims.effects import values_inside

ALONE, FREE = "tolerance alone", "tolerance with the others free"
SHARES = (None, 0.05, 0.2)
"""What may be lost: what counts, or shares of median minus best."""
EVEN = 401  # values of a range at which the truth is asked
MOST_FREE, FEW = 3, 7  # hyperparameters, and values of each, of which the others' best is sought


def tolerance(asked: Asked) -> Iterator[Scored]:
    """Of each active hyperparameter the stretch alone, and of some that with the others free."""
    problem = asked.problem
    x = problem.row_of(asked.kept)
    is_known = problem.asked is None and problem.spread > 0.0
    if not is_known or not problem.gives_result(x)[0]:
        return
    for share in SHARES:
        counts = {} if share is None else {"epsilon": share * problem.spread}
        found = hx.methods.tolerance(asked.run, **counts)
        allowed = found.epsilon * (1.0 + CLOSE)
        for i, name in enumerate(found.names):
            j = problem.space.index(name)
            parameter = problem.space.parameters[j]
            one = found.alone[i]
            at = _values(parameter, x[0, j], one.values)
            yield _scored(ALONE, found, one, parameter, at, _lost(asked, x, j, at) <= allowed)
            one = found.free[i]
            if i < MOST_FREE:
                at = _values(parameter, x[0, j], one.values, FEW)
                inside = at[values_inside(parameter, at, one.values)]
                reached = problem.attainable(j, inside) - asked.kept_cost
                yield _scored(FREE, found, one, parameter, inside, reached <= allowed)


def _values(
    parameter: Parameter, own: float, told: tuple[object, ...], count: int = EVEN
) -> np.ndarray:
    """Return the encoded values at which the truth is asked: all, or even ones and those named."""
    grid = parameter.grid()
    if grid is not None:
        return np.asarray(grid[0])
    low, high = parameter.encode([*told])
    between = np.linspace(low, high, count)
    return np.unique([*np.linspace(0.0, 1.0, count), *between, own])


def _lost(asked: Asked, x: np.ndarray, j: int, at: np.ndarray) -> np.ndarray:
    """Return what is truly lost at values of one hyperparameter; all where there is no result."""
    space, lost = asked.problem.space, np.full(len(at), np.inf)
    rows = np.repeat(x, len(at), axis=0)
    rows[:, j] = at
    rows = space.project(rows)
    valid = space.is_valid(rows)
    valid[valid] = asked.problem.gives_result(rows[valid])
    lost[valid] = asked.problem.cost(rows[valid]) - asked.kept_cost
    lost[np.abs(at - x[0, j]) < CLOSE] = 0.0
    return lost


def _scored(
    kind: str, found: object, one: object, parameter: Parameter, at: np.ndarray, holds: np.ndarray
) -> Scored:
    """Score a stretch by the values that truly hold; its own value alone is none."""
    made = len({*one.values}) > 1
    return Scored(
        kind,
        made=made,
        certain=made and not found.doubts,
        right=bool(holds[values_inside(parameter, at, one.values)].all()) if made else None,
        stated=one.width,
        known=_width(parameter, at, holds, one.values) if kind == ALONE else np.nan,
    )


def _width(parameter: Parameter, at: np.ndarray, holds: np.ndarray, told: tuple) -> float:
    """Return the share of the scale that truly holds, around what is told."""
    if parameter.is_category:
        return float(holds.mean())
    own = int(np.flatnonzero(holds & values_inside(parameter, at, told))[0])
    wrong = np.flatnonzero(~holds)
    below, above = wrong[wrong < own], wrong[wrong > own]
    first = below[-1] + 1 if len(below) else 0
    last = above[0] - 1 if len(above) else len(at) - 1
    return float(at[last] - at[first])
