"""What the surrogates of this package share: their columns, and the best predicted mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Direction
from hpo_explain.models.protocols import HeldOut, Surrogate, mean_of
from hpo_explain.space import Array, Ints, SearchSpace
from hpo_explain.space.searches import descended, filled

_SAMPLE = 2000  # configurations of the space among which the search starts
_KEPT, _CHILDREN = 20, 10
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
    >>> model = hx.models.GaussianProcessSurrogate.fit(space, X, (X[:, 0] - 0.3) ** 2)
    >>> best_mean(model, "minimize", X)[0].round(1).tolist()
    [0.3]
    """
    space = surrogate.space
    sign = 1.0 if direction == "minimize" else -1.0
    rng = np.random.default_rng(seed)
    rows = space.sample(_SAMPLE, seed=seed, latent=True)
    if len(tried):
        rows = np.vstack([filled(space, tried, seed), rows])
    found, costs = descended(
        space,
        rows,
        lambda rows: sign * mean_of(surrogate, space.project(rows)),
        _STEPS,
        kept=_KEPT,
        children=_CHILDREN,
        rng=rng,
    )
    return np.asarray(space.project(found[:1])[0]), float(sign * costs[0])


class HasExtremes:
    """What every surrogate of this package can say of its own mean over the space."""

    def minimum(
        self: Surrogate, start: Array | None = None, *, seed: int = 0
    ) -> tuple[dict[str, Any], float]:
        """Return the configuration with the least predicted mean, and that mean.

        Where the objective is maximized, `maximum` is the best.

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
    rows = (
        np.empty((0, len(space)))
        if start is None
        else space.check_rows("start", start)
    )
    x, mean = best_mean(surrogate, direction, rows, seed=seed)
    return space.decode(x[None])[0], mean


class OnColumns(HasExtremes, ABC):
    """A fitted model of scikit-learn, with the columns of encoded rows that it was fitted on."""

    notes: tuple[Fact, ...] = ()
    """What has to be known of it, such as that it learned from some of the trials."""

    def __init__(
        self,
        space: SearchSpace,
        model: Any,
        argument: str,
        width: int,
        columns: Callable[[Array], Array] | None,
        negated: bool,
    ) -> None:
        self._space, self._columns = space, columns
        self._sign = -1.0 if negated else 1.0
        self._held_out: HeldOut | None = None
        given = self._to_columns(np.zeros((1, len(space)))).shape[1]
        if given != width:
            raise InputError(
                argument,
                f"was fitted on {width} columns, but the space gives {given}",
                model,
                "Pass columns=, the function from encoded rows to the columns it was fitted on.",
            )

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the model receives."""
        return self._space

    def _to_columns(self, X: Array) -> Array:
        return X if self._columns is None else self._columns(X)

    def _owners(self) -> Ints | None:
        """Return for each column the hyperparameter that it belongs to; None if unknown."""
        if self._columns is None:
            return np.arange(len(self._space))
        return getattr(self._columns, "owners", None)

    def held_out(self) -> HeldOut:
        """Return predictions of trials that the model has not seen."""
        if self._held_out is None:  # it takes several fits
            self._held_out = self._held_out_now()
        return self._held_out

    @abstractmethod
    def _held_out_now(self) -> HeldOut:
        """Hold trials out."""
