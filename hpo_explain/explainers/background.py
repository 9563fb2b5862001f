"""Reference sets of a Shapley game: latent rows that stand for "a configuration elsewhere"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_count
from hpo_explain.space import Array, Config, SearchSpace

HYPERCUBES = 10


def hypercubes(space: SearchSpace, n: int, *, seed: int = 0) -> list[Array]:
    """Return `n` latent rows as independent Latin hypercubes of nearly equal size.

    Ten of them (fewer if `n` is smaller): within one hypercube rows repel each other, so only
    independent ones tell how far their mean may be off.
    """
    n = check_count("background", n)
    sizes = np.full(min(HYPERCUBES, n), n // min(HYPERCUBES, n))
    sizes[: n - sizes.sum()] += 1
    seeds = np.random.default_rng(seed).integers(2**63, size=len(sizes))
    return [
        space.sample(int(size), seed=int(s), latent=True)
        for size, s in zip(sizes, seeds, strict=True)
    ]


def global_background(space: SearchSpace, n: int = 1000, *, seed: int = 0) -> Array:
    """Return a background from the whole space: what the optimizer could have tried instead.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    n : int, default 1000
        Number of rows.
    seed : int, default 0
        Seed of the draw.

    Returns
    -------
    ndarray of shape (n, d)
        Latent rows from ten independent Latin hypercubes over the space's measure.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> global_background(SearchSpace([FloatParameter("x", 0.0, 1.0)]), 50).shape
    (50, 1)
    """
    return np.vstack(hypercubes(space, n, seed=seed))


def complete(space: SearchSpace, rows: npt.ArrayLike, *, seed: int = 0) -> Array:
    """Return latent rows: what is inactive in `rows` gets a latent value from the measure.

    A coalition may switch on what was inactive in a background row; it then needs a value.
    """
    rows = space.check_rows("background", rows)
    if not len(rows):
        raise ValueError("background has no row. Give at least one configuration.")
    invalid = np.flatnonzero(~space.is_valid(space.project(rows)))
    if len(invalid):
        raise ValueError(
            f"background has a row outside the space (row {invalid[0]}: "
            f"{rows[invalid[0]].tolist()}). Encode configurations with space.encode."
        )
    drawn = space.sample(len(rows), seed=seed, method="uniform", latent=True)
    fill = np.isnan(rows)
    for j, parameter in enumerate(space.parameters):
        if parameter.optional is not None:
            fill[:, j] &= ~space.allowed(rows, j)  # where it could be active, absence is its value
    return np.where(fill, drawn, rows)


def local_background(
    space: SearchSpace, config: Config, n: int = 1000, *, radius: float = 0.1, seed: int = 0
) -> Array:
    """Return a background around a configuration: what lies close to it instead.

    Numeric hyperparameters are drawn within `radius` of their position (on their own scale, on
    their grid), categories are kept with probability ``1 - radius`` and else drawn anew.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    config : dict
        The configuration, in the user's units.
    n : int, default 1000
        Number of rows.
    radius : float, default 0.1
        Half the width of the neighbourhood, as a share of each range.
    seed : int, default 0
        Seed of the draw.

    Returns
    -------
    ndarray of shape (n, d)
        Latent rows.

    Raises
    ------
    ValueError
        If the configuration is not one of the space, or `radius` is not in (0, 1].

    Examples
    --------
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> rows = local_background(space, {"x": 0.5}, 20, radius=0.1)
    >>> bool(rows.min() >= 0.4 and rows.max() <= 0.6)
    True
    """
    if not 0.0 < radius <= 1.0:
        raise ValueError(f"radius must be above 0 and at most 1, but was {radius!r}.")
    centre = space.encode(config)[0]
    rows = global_background(space, n, seed=seed)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    for j, parameter in enumerate(space.parameters):
        if np.isnan(centre[j]):
            continue  # inactive here: its latent value stays anything
        u = rng.random(len(rows))
        grid = parameter.grid()
        if grid is None:
            low, high = max(0.0, centre[j] - radius), min(1.0, centre[j] + radius)
            rows[:, j] = low + u * (high - low)
        elif hasattr(parameter, "choices"):
            rows[:, j] = np.where(u < 1.0 - radius, centre[j], rows[:, j])
        else:
            near = np.abs(grid[0] - centre[j]) <= radius + 1e-12
            shares = np.cumsum(grid[1][near]) / grid[1][near].sum()
            chosen = np.minimum(np.searchsorted(shares, u, side="right"), near.sum() - 1)
            rows[:, j] = grid[0][near][chosen]
    return rows


def hybrid_background(
    space: SearchSpace,
    config: Config,
    n: int = 1000,
    *,
    share: float = 0.5,
    radius: float = 0.1,
    seed: int = 0,
) -> Array:
    """Return a background of which a share lies around a configuration and the rest anywhere.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    config : dict
        The configuration, in the user's units.
    n : int, default 1000
        Number of rows.
    share : float, default 0.5
        Share of the rows drawn locally.
    radius : float, default 0.1
        As in `local_background`.
    seed : int, default 0
        Seed of the draw.

    Returns
    -------
    ndarray of shape (n, d)
        Latent rows, the local ones first.

    Raises
    ------
    ValueError
        If `share` leaves no row on one of the two sides.
    """
    local = round(share * check_count("n", n, minimum=2))
    if not 1 <= local <= n - 1:
        raise ValueError(
            f"share must leave at least one of {n} rows on either side, but was {share!r}."
        )
    return np.vstack(
        [
            local_background(space, config, local, radius=radius, seed=seed),
            global_background(space, n - local, seed=seed),
        ]
    )


def baseline_background(space: SearchSpace, configs: Config | Sequence[Config]) -> Array:
    """Return given configurations as a background: one is the baseline of baseline Shapley.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    configs : dict or list of dict
        The configurations, in the user's units: a default, or an incumbent.

    Returns
    -------
    ndarray of shape (number of configurations, d)
        Encoded rows; what is inactive in them gets a latent value where a coalition needs one.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> baseline_background(SearchSpace([FloatParameter("x", 0.0, 2.0)]), {"x": 1.0}).tolist()
    [[0.5]]
    """
    return space.encode(configs)
