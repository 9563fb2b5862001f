"""The best predicted configuration of the whole search space."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base.options import Direction
from hpo_explain.models.protocols import Surrogate, mean_of
from hpo_explain.space import Array, Ties
from hpo_explain.space.searches import changed, filled

_SAMPLE = 2000  # configurations of the space among which the search starts
_PARENTS, _CHILDREN = 20, 10
_STEPS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)  # of the encoded range


def best_mean(
    surrogate: Surrogate, direction: Direction, tried: Array, *, seed: int = 0
) -> tuple[Array, float]:
    """Return the encoded configuration with the best predicted mean, (d,), and that mean.

    Parameters
    ----------
    surrogate : Surrogate
        The model.
    direction : {"minimize", "maximize"}
        Which way the objective is better.
    tried : ndarray of shape (n, d)
        Encoded configurations from which the search starts as well.
    seed : int, default 0
        Seed of the search.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1)
    >>> model = hx.GaussianProcessSurrogate.fit(space, X, (X[:, 0] - 0.3) ** 2)
    >>> best_mean(model, "minimize", X)[0].round(1).tolist()
    [0.3]
    """
    space = surrogate.space
    sign = 1.0 if direction == "minimize" else -1.0
    rng = np.random.default_rng(seed)
    rows = space.sample(_SAMPLE, seed=seed, latent=True)
    if len(tried):
        rows = np.vstack([filled(space, tried, seed), rows])
    costs = sign * mean_of(surrogate, space.project(rows))
    ties = Ties.among(costs)
    for step in _STEPS:
        order = np.argsort(ties.settled(costs), kind="stable")[:_PARENTS]
        rows, costs = rows[order], costs[order]
        children = changed(space, np.repeat(rows, _CHILDREN, axis=0), step, rng)
        rows = np.vstack([rows, children])
        costs = np.concatenate([costs, sign * mean_of(surrogate, space.project(children))])
    best = int(np.argmin(ties.settled(costs)))
    return np.asarray(space.project(rows[best : best + 1])[0]), float(sign * costs[best])


class HasExtremes:
    """What every surrogate of this package can say of its own mean over the space."""

    def minimum(
        self: Surrogate, start: Array | None = None, *, seed: int = 0
    ) -> tuple[dict[str, Any], float]:
        """Return the configuration with the least predicted mean, and that mean.

        Where the objective is maximized, `maximum` is the best; ``hpo_explain.expected_minimum``
        knows the direction of a run, and takes any surrogate.

        Parameters
        ----------
        start : ndarray of shape (n, d), optional
            Encoded configurations from which the search starts as well, such as ``run.X``.
        seed : int, default 0
            Seed of the search.
        """
        return _decoded(self, "minimize", start, seed)

    def maximum(
        self: Surrogate, start: Array | None = None, *, seed: int = 0
    ) -> tuple[dict[str, Any], float]:
        """Return the configuration with the largest predicted mean, and that mean.

        Parameters
        ----------
        start, seed
            As of :meth:`minimum`.
        """
        return _decoded(self, "maximize", start, seed)


def _decoded(
    surrogate: Surrogate, direction: Direction, start: Array | None, seed: int
) -> tuple[dict[str, Any], float]:
    space = surrogate.space
    rows = np.empty((0, len(space))) if start is None else space.check_rows("start", start)
    x, mean = best_mean(surrogate, direction, rows, seed=seed)
    return space.decode(x[None])[0], mean
