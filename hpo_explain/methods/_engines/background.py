"""Reference sets of a Shapley game: latent rows that stand for "a configuration elsewhere"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from hpo_explain.base import InputError, check_count, check_name, check_number, check_seed
from hpo_explain.methods._engines.rows_at import checked_sample
from hpo_explain.space import Array, Config, Ints, SearchSpace

HYPERCUBES = 10


def hypercubes(space: SearchSpace, n: int, *, seed: int = 0) -> list[Array]:
    """Return `n` latent rows as independent Latin hypercubes of nearly equal size.

    Ten of them (fewer if `n` is smaller): the rows of one hypercube depend on each other, so the
    error of their mean can only be estimated from several.
    """
    return independent_batches(
        lambda size, batch_seed: space.sample(size, seed=batch_seed, latent=True),
        check_count("background", n),
        seed=seed,
    )


def independent_batches(draw: Callable[[int, int], Array], n: int, *, seed: int = 0) -> list[Array]:
    """Return `n` rows as ten batches (fewer if `n` is smaller) that `draw(size, seed)` returns."""
    sizes = np.full(min(HYPERCUBES, n), n // min(HYPERCUBES, n))
    sizes[: n - sizes.sum()] += 1
    seeds = np.random.default_rng(check_seed(seed)).integers(2**63, size=len(sizes))
    return [draw(int(size), int(s)) for size, s in zip(sizes, seeds, strict=True)]


def global_background(space: SearchSpace, n: int = 1000, *, seed: int = 0) -> Array:
    """Return a background of configurations from the whole space.

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
    return np.vstack(hypercubes(space, check_count("n", n), seed=seed))


def complete(space: SearchSpace, rows: npt.ArrayLike, *, seed: int = 0) -> Array:
    """Return latent rows: what is inactive in `rows` gets a latent value from the measure.

    A coalition may activate what is inactive in a background row; it then needs a value.
    """
    rows = checked_sample(space, rows, "background")
    sample = space.sample(len(rows), seed=seed, method="uniform", latent=True)
    fill = np.isnan(rows)
    for j, parameter in enumerate(space.parameters):
        if parameter.optional < 1.0:
            # where it could be active, absence is its value
            fill[:, j] &= ~space.allowed(rows, j)
    return np.where(fill, sample, rows)


def local_background(
    space: SearchSpace, config: Config, n: int = 1000, *, radius: float = 0.1, seed: int = 0
) -> Array:
    """Return a background of configurations similar to a given one.

    Numbers are drawn within `radius` of their position, on their own scale and grid. Categories,
    and the absence of an optional hyperparameter, are kept with probability ``1 - radius`` and
    otherwise drawn from the whole space. Inactive hyperparameters have a latent value from the
    whole space.

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
        If the configuration is not one of the space, `n` is not a positive number, or `radius` is
        not in (0, 1].

    Examples
    --------
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> rows = local_background(space, {"x": 0.5}, 20, radius=0.1)
    >>> bool(rows.min() >= 0.4 and rows.max() <= 0.6)
    True
    """
    if not 0.0 < check_number("radius", radius) <= 1.0:
        raise InputError("radius", f"must be above 0 and at most 1, but was {radius!r}", radius)
    centre = space.row(config, "config")
    # a hybrid background draws its other rows with `seed` itself
    of_rows, of_values = np.random.SeedSequence([check_seed(seed), 1]).spawn(2)
    rows = global_background(space, n, seed=int(of_rows.generate_state(1, np.uint64)[0]))
    rng = np.random.default_rng(of_values)
    for j in space.order.tolist():
        parameter = space.parameters[j]
        u = rng.random(len(rows))
        if np.isnan(centre[j]) and not space.allowed(centre[None, :], j)[0]:
            continue
        if np.isnan(centre[j]) or parameter.is_category:
            rows[:, j] = np.where(u < 1.0 - radius, centre[j], rows[:, j])
        else:
            low, high = parameter.latent_interval(centre[j] - radius, centre[j] + radius)
            rows[:, j] = parameter.from_latent(low + u * (high - low))
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
    """Return a background with some rows around a configuration, the others from the whole space.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    config : dict
        The configuration, in the user's units.
    n : int, default 1000
        Number of rows.
    share : float, default 0.5
        Share of the rows around the configuration.
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
        If the configuration is not one of the space, `radius` is not in (0, 1], or `share` leaves
        no row on one of the two sides.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> rows = hybrid_background(space, {"x": 0.5}, 20, share=0.25, radius=0.1)
    >>> bool(abs(rows[:5] - 0.5).max() <= 0.1), bool(abs(rows[5:] - 0.5).max() <= 0.1)
    (True, False)
    """
    local = round(check_number("share", share) * check_count("n", n, minimum=2))
    if not 1 <= local <= n - 1:
        raise InputError(
            "share", f"must leave at least one of {n} rows on either side, but was {share!r}", share
        )
    return np.vstack(
        [
            local_background(space, config, local, radius=radius, seed=seed),
            global_background(space, n - local, seed=seed),
        ]
    )


def baseline_background(space: SearchSpace, configs: Config | Sequence[Config]) -> Array:
    """Return a background of given configurations, such as a default.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    configs : dict or list of dict
        The configurations, in the user's units. A single one gives baseline Shapley values.

    Returns
    -------
    ndarray of shape (number of configurations, d)
        Encoded rows; inactive hyperparameters get a latent value where a coalition needs one.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> baseline_background(SearchSpace([FloatParameter("x", 0.0, 2.0)]), {"x": 1.0}).tolist()
    [[0.5]]
    """
    return space.encode(configs)


def l1_neighbourhood(
    space: SearchSpace,
    X: npt.ArrayLike,
    config: Config,
    n: int,
    *,
    without: str | Sequence[str] = (),
) -> Ints:
    """Return which rows are closest to a configuration in L1 distance.

    A partial dependence on these rows is the naive local effect: no conditions say where it holds,
    and its extent does not depend on the model's uncertainty.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (N, d)
        Encoded or latent rows, such as the sample of a partial dependence.
    config : dict
        The configuration in the middle, in the user's units.
    n : int
        Number of rows wanted: that of the region it is compared with.
    without : str or sequence of str, optional
        Hyperparameters whose distance does not count, such as those whose effect is asked for.

    Returns
    -------
    ndarray of int, shape (n,)
        Places of the rows in `X`, in ascending order; of equally close rows the first.

    Raises
    ------
    ValueError
        If the configuration is not one of the space, a name is unknown, or there are fewer than
        `n` rows.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Appendix C.3.2. https://arxiv.org/abs/2111.04820

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 2.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.encode([{"x": 0.0, "y": 0.5}, {"x": 1.0, "y": 0.9}, {"x": 1.2, "y": 0.6}])
    >>> l1_neighbourhood(space, X, {"x": 1.0, "y": 0.5}, 2).tolist()
    [1, 2]
    >>> l1_neighbourhood(space, X, {"x": 1.0, "y": 0.5}, 2, without="x").tolist()
    [0, 2]
    """
    rows = space.project(space.check_rows("X", X))
    if check_count("n", n) > len(rows):
        raise InputError("n", f"must be at most the number of rows, {len(rows)}, but was {n}", n)
    left_out = {
        check_name("without", name, space.names, "hyperparameter")
        for name in ([without] if isinstance(without, str) else without)
    }
    centre = space.row(config, "config")
    distance: Array = np.zeros(len(rows))
    for j, parameter in enumerate(space.parameters):
        if parameter.name in left_out:
            continue
        gap = np.abs(rows[:, j] - centre[j])
        if parameter.is_category:
            gap = np.where(np.isnan(gap), gap, gap > 0.0)
        both = np.isnan(rows[:, j]) & np.isnan(centre[j])
        distance += np.where(both, 0.0, np.where(np.isnan(gap), 1.0, gap))
    return np.sort(np.argsort(distance, kind="stable")[:n])
