"""The attainable effect: what a value can reach if all other hyperparameters are at their best.

===========  ==========================================================================
symbol       meaning
===========  ==========================================================================
v            a value of the hyperparameter λ_S
λ_C          all others
m̂, ŝ         posterior mean and standard deviation of the cost
a(v)         ``min over λ_C of f(v, λ_C)``, the attainable cost
===========  ==========================================================================

Candidates for λ_C are the best rows of a sample, by m̂ and by m̂ - 2ŝ, moved downhill by a shrinking
random search. Draws from the joint posterior at all candidates have a minimum at each v; their mean
and covariance are those of a. What a(v) may be at a candidate that is only uncertain counts so far
as it is probable. Of a forest the predicted best is taken, with the spread of its trees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.posterior import normal_draws
from hpo_explain.methods._engines.contrasts import covariance_of_trees
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.protocols import SupportsJoint, Surrogate, mean_of, std_from_variance
from hpo_explain.run.feasibility import PROBABLE
from hpo_explain.space import Array, CategoricalParameter, SearchSpace, Ties

KEPT = 4  # candidates by each criterion, at each value
_MOVES = 4  # of each candidate in a round
_ROUNDS = 12
_FIRST_STEP, _SHRINK = 0.25, 0.75
_OPTIMISM = 2.0  # standard deviations below the mean
_DRAWS = 2000

Cost = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Attainable:
    """The best objective that can be expected at each value of a hyperparameter.

    Attributes
    ----------
    mean, std : ndarray of shape (G,)
        Expected best and its standard deviation, in the objective's units; NaN where no
        configuration is valid, or feasible.
    covariance : ndarray of shape (G, G) or None
        Covariance between values; None for models without a joint posterior or trees.
    configurations : tuple of mapping
        The predicted best configuration at each value; empty where there is none.
    """

    mean: Array
    std: Array
    covariance: Array | None
    configurations: tuple[Mapping[str, Any], ...]


def attainable(
    surrogate: Surrogate,
    j: int,
    positions: Array,
    rows: Array,
    *,
    sign: float,
    feasible: Cost | None = None,
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
    rows : ndarray of shape (n, d)
        A latent sample of the space.
    sign : float
        1 where the objective is minimized, -1 where it is maximized.
    feasible : callable, optional
        Probability of being feasible, (n,), of encoded rows (n, d); less probable ones than 0.5
        are no candidates.
    seed : int, default 0
        Seed of the search and the draws.

    Returns
    -------
    Attainable
        Expected best at each value, with its uncertainty.
    """
    space = surrogate.space
    by_draws = isinstance(surrogate, SupportsJoint)
    criteria = (0.0, _OPTIMISM) if by_draws else (0.0,)
    keep = KEPT if by_draws else 1
    found = []
    for optimism in criteria:

        def cost(z: Array, optimism: float = optimism) -> Array:
            return _cost(surrogate, space.project(z), j, sign, optimism, feasible)

        found.append(_searched(space, j, positions, rows, cost, keep, seed))
    latent = np.concatenate([latent for latent, _ in found], axis=1)  # (G, candidates, d)
    known = np.isfinite(found[0][1][:, 0])
    mean = np.full(len(positions), np.nan)
    std, between = mean.copy(), np.full((len(positions),) * 2, np.nan)
    covariance: Array | None = None
    z = space.project(latent[known].reshape(-1, latent.shape[-1]))
    if known.any():
        shape = (int(known.sum()), latent.shape[1])
        m, s = surrogate.predict(z)
        if isinstance(surrogate, SupportsJoint):
            usable = np.isfinite(np.concatenate([costs for _, costs in found], axis=1)[known])
            lowest = _lowest(surrogate.posterior_covariance(z), sign * m, shape, usable, seed)
            mean[known] = sign * lowest.mean(axis=0)
            covariance = np.atleast_2d(np.cov(lowest, rowvar=False))
        else:
            mean[known], std[known] = m, s
            if isinstance(surrogate, ForestSurrogate):
                covariance = covariance_of_trees(surrogate.predict_trees(z).T)
        if covariance is not None:
            between[np.ix_(known, known)] = covariance
            std[known] = std_from_variance(np.diag(covariance))
    best = iter(space.decode(space.project(latent[known, 0])))
    configurations: tuple[Any, ...] = tuple(next(best) if k else {} for k in known)
    return Attainable(mean, std, None if covariance is None else between, configurations)


def _cost(
    surrogate: Surrogate, z: Array, j: int, sign: float, optimism: float, feasible: Cost | None
) -> Array:
    """Return what is minimized, infinite where no candidate is, (n,)."""
    allowed = surrogate.space.is_valid(z) & ~np.isnan(z[:, j])
    if feasible is not None and allowed.any():
        allowed[allowed] = feasible(z[allowed]) >= PROBABLE
    cost = np.full(len(z), np.inf)
    if allowed.any():
        if optimism:
            mean, std = surrogate.predict(z[allowed])
            cost[allowed] = sign * mean - optimism * std
        else:
            cost[allowed] = sign * mean_of(surrogate, z[allowed])
    return cost


def _searched(
    space: SearchSpace, j: int, positions: Array, rows: Array, cost: Cost, keep: int, seed: int
) -> tuple[Array, Array]:
    """Return the best latent rows found at each value, (G, keep, d), and their costs, (G, keep)."""
    rng = np.random.default_rng(seed)
    keep = min(keep, len(rows))
    every, here = np.empty((len(positions), len(rows))), rows.copy()
    for position, found in zip(positions, every, strict=True):
        here[:, j] = position
        found[:] = cost(here)
    ties = Ties.among(every)
    points, costs = [], []
    for position, found in zip(positions, every, strict=True):
        first = np.argsort(ties.settled(found), kind="stable")[:keep]
        points.append(rows[first])
        points[-1][:, j] = position
        costs.append(found[first])
    best, least = np.stack(points), np.stack(costs)
    first = np.argsort(space.places(j, positions))
    again = np.argsort(first)
    best, least = best[first], least[first]
    step = _FIRST_STEP
    for _ in range(_ROUNDS):
        moved = _moved(space, np.repeat(best[:, :, None], _MOVES, axis=2), j, step, rng)
        tried = cost(moved.reshape(-1, len(space))).reshape(*least.shape, _MOVES)
        which = ties.settled(tried).argmin(axis=2)[..., None]
        lowest = np.take_along_axis(tried, which, axis=2)[..., 0]
        better = ties.settled(lowest) < ties.settled(least)
        found = np.take_along_axis(moved, which[..., None], axis=2)[:, :, 0]
        best[better], least[better] = found[better], lowest[better]
        step *= _SHRINK
    best, least = best[again], least[again]
    order = np.argsort(ties.settled(least), axis=1, kind="stable")
    return (
        np.take_along_axis(best, order[..., None], axis=1),
        np.take_along_axis(least, order, axis=1),
    )


def _moved(
    space: SearchSpace, points: Array, j: int, step: float, rng: np.random.Generator
) -> Array:
    """Return latent rows with some of their values but column j changed."""
    moved = points.copy()
    drawn = rng.random(points.shape) < max(0.5, 1.5 / max(len(space) - 1, 1))
    for place, k in enumerate(space.order.tolist()):
        if k == j:
            continue
        parameter, changed = space.parameters[k], drawn[..., place]
        old = points[..., k]
        if isinstance(parameter, CategoricalParameter):
            new = space.codes(k)[rng.integers(parameter.size, size=old.shape)].astype(float)
            here = changed & (rng.random(old.shape) < step)
        else:
            new = np.clip(old + step * rng.standard_normal(old.shape), 0.0, 1.0)
            new = np.where(np.isnan(old), old, parameter.nearest(np.nan_to_num(new)))
            here = changed
        moved[..., k] = np.where(here, new, old)
    return moved


def _lowest(
    covariance: Array, cost: Array, shape: tuple[int, int], usable: npt.NDArray[np.bool_], seed: int
) -> Array:
    """Return draws of the least cost at each value, (draws, G)."""
    draws = normal_draws(cost, covariance, _DRAWS, seed).T
    of_values = np.where(usable, draws.reshape(_DRAWS, *shape), np.inf)
    return np.asarray(of_values.min(axis=2))
