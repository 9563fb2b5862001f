"""What explainers ask of a surrogate: one small contract, and a Protocol per further ability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array, Bools, Ints, SearchSpace


@runtime_checkable
class Surrogate(Protocol):
    """A model of the objective with a mean and a standard deviation everywhere.

    Any object with these two members is a surrogate. One whose standard deviation includes
    observation noise, as it cannot tell it from its own uncertainty, has `std_with_noise = True`.
    """

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the model receives."""
        ...

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Return mean and standard deviation, each (n,), at encoded rows (n, d).

        Both in the objective's own units, the mean never negated; the standard deviation is that
        of the function itself, observation noise excluded (but see `std_with_noise`); NaN of a
        model without uncertainty.
        """
        ...


@runtime_checkable
class SupportsBoxes(Surrogate, Protocol):
    """A surrogate of trees, whose leaves are boxes of the latent cube."""

    def boxes(self) -> tuple[TreeBoxes, ...] | None:
        """Return the leaves of each tree; None where its columns are others than the space's."""
        ...

    def category_ranks(self) -> dict[int, Array]:
        """Return for categorical columns the place of each category on the latent axis."""
        ...

    def predict_trees(self, X: Array) -> Array:
        """Return each tree's prediction, (n, trees), at encoded rows (n, d)."""
        ...


@runtime_checkable
class SupportsRelevance(Protocol):
    """A surrogate that knows which hyperparameters it cannot depend on."""

    def relevant(self) -> Bools:
        """Return for each column whether the prediction can depend on it, (d,)."""
        ...


@dataclass(frozen=True, eq=False)
class TreeBoxes:
    """A tree's leaves as disjoint boxes that fill the latent cube [0, 1)^d.

    Attributes
    ----------
    cuts : ndarray
        The values at which the tree cuts, 0 and 1 included, one hyperparameter after the other.
    first : ndarray of int, shape (d + 1,)
        Where each hyperparameter's cuts begin in `cuts`.
    value, volume : ndarray of shape (number of boxes,)
        The prediction in each box, in the objective's units, and its volume.
    ends : ndarray of int, shape (number of boxes + 1,)
        Where each box's entries begin in the next three.
    dims, lower, upper : ndarray of int
        The hyperparameters in which a box does not span everything, and between which of their
        cuts it lies.
    """

    cuts: Array
    first: Ints
    value: Array
    volume: Array
    ends: Ints
    dims: npt.NDArray[np.int32]
    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]

    @property
    def entries(self) -> tuple[Any, ...]:
        """Cuts and entries without values, as compiled loops take them."""
        return (self.cuts, self.first, self.ends, self.dims, self.lower, self.upper)


def mean_of(surrogate: Surrogate, X: Array) -> Array:
    """Return the surrogate's mean, (n,), at encoded rows (n, d)."""
    predict_mean = getattr(surrogate, "predict_mean", None)
    return surrogate.predict(X)[0] if predict_mean is None else np.asarray(predict_mean(X))


@runtime_checkable
class SupportsJoint(Surrogate, Protocol):
    """A surrogate with a joint posterior."""

    def posterior_covariance(self, X: Array) -> Array:
        """Return the (n, n) posterior covariance at encoded rows (n, d), noise excluded."""
        ...

    def covariance_with(self, X: Array, others: Array) -> Array:
        """Return the (n, m) posterior covariance of encoded rows with others, noise excluded."""
        ...

    def std_of_mean(self, X: Array, members: Ints, values: Array) -> Array:
        """Return the posterior standard deviation of the mean over rows, (G,).

        `X`, `members` and `values` are as in :meth:`SupportsGrid.predict_grid`.
        """
        ...


def std_from_variance(variance: Array) -> Array:
    """Return standard deviations; a variance that rounding made negative counts as 0."""
    return np.sqrt(np.maximum(variance, 0.0))
