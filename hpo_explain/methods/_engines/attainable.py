"""The attainable effect: what a value can reach if all other hyperparameters are at their best.

``a(v) = min over λ_C of f(v, λ_C)``, for each function that the trials allow, over rows that stand
for the space and rows around the best ones. A number with many values has it by its parts, from
whose middles it is interpolated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base import Direction
from hpo_explain.belief import PROBABLE, as_draws, least_in, std_of_draws
from hpo_explain.models import Surrogate
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class Attainable:
    """The best objective that can be expected at each value of a hyperparameter.

    Attributes
    ----------
    mean, std : ndarray of shape (G,)
        Expected best and its standard deviation, in the objective's units; NaN where no
        configuration is valid, or feasible.
    draws : ndarray of shape (G, draws)
        The best in each function.
    configurations : tuple of mapping
        The predicted best configuration at each value; empty where there is none.
    """

    mean: Array
    std: Array
    draws: Array
    configurations: tuple[Mapping[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, without the draws."""
        return {"mean": self.mean, "std": self.std, "configurations": self.configurations}


def attainable(
    surrogate: Surrogate,
    j: int,
    positions: Array,
    direction: Direction,
    *,
    feasible: Callable[[Array], Array] | None = None,
    seed: int = 0,
) -> Attainable:
    """Return the attainable effect of a hyperparameter.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    j : int
        The hyperparameter's column.
    positions : ndarray of shape (G,)
        Its encoded values.
    direction : {"minimize", "maximize"}
        Which way is better.
    feasible : callable, optional
        Probability of being feasible, (n,), of encoded rows (n, d); less probable ones than 0.5
        are no candidates.
    seed : int, default 0
        Seed of the rows and, of a model that is none, of its draws.

    Returns
    -------
    Attainable
        Expected best at each value, with its uncertainty.
    """
    draws = as_draws(surrogate, direction, seed=seed).at_best
    land = draws.landscape
    axis, level = land.axes[j], land.level[:, j]
    allowed = land.possible
    if feasible is not None:
        allowed = allowed & (feasible(land.all_rows) >= PROBABLE)
    masks = [allowed & (level == i) for i in range(len(axis.centers))]
    least = np.stack([least_in(land, inside) for inside in masks])  # (L, k)
    least[np.isinf(least)] = np.nan
    if axis.category:
        costs = least[axis.level(positions)]
    else:
        each = [np.interp(positions, axis.centers, of_one) for of_one in least.T]
        costs = np.stack(each, axis=-1)
    mean = land.all_values.mean(axis=0)
    rows = [int(np.argmin(np.where(inside, mean, np.inf))) for inside in masks]
    configurations: list[Mapping[str, Any]] = []
    for position, at in zip(positions, axis.level(positions).tolist(), strict=True):
        best = land.all_rows[[rows[at]]].copy()
        best[:, j] = position
        there = masks[at].any()
        configurations.append(draws.space.decode(draws.space.project(best))[0] if there else {})
    objective = draws.sign * costs
    return Attainable(
        mean=objective.mean(axis=-1),
        std=std_of_draws(objective.T),
        draws=objective,
        configurations=tuple(configurations),
    )
