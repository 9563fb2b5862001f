"""Mixtures of product kernels, groups of trials, and tables of kernels.

A mixture of products of kernels: the density of a group of trials.

``p(x) = Σ_k w_k Π_j κ_jk(x_j)``, one kernel per trial and one for the prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hpo_explain.models.densities.kernels import Kernels, values_of
from hpo_explain.space import Array, Parameter

LEAST = float(np.log(np.finfo(float).tiny))
"""Logarithms of densities are at least this, so that they are finite where a density is 0."""

AT_ONCE = 1_000_000  # numbers in a table of kernels: 8 MB


@dataclass(frozen=True, eq=False)
class ProductMixture:
    """A mixture of products of kernels over one or several hyperparameters.

    Inactive hyperparameters are integrated out: their kernels, which integrate to 1, are left out.

    Attributes
    ----------
    weights : ndarray of shape (K,)
        Weights of the kernels; they sum to 1.
    kernels : tuple of Kernels
        The kernels of each hyperparameter, each for all K.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import CategoricalParameter
    >>> from hpo_explain.models.densities.kernels import CategoryKernels
    >>> choices = CategoryKernels(np.array([[0.9, 0.1], [0.5, 0.5]]))
    >>> density = ProductMixture(np.array([0.75, 0.25]), (choices,))
    >>> letter = CategoricalParameter("letter", ["a", "b"])
    >>> np.exp(density.log_density([letter], np.array([[0.0]]))).round(9).tolist()
    [0.8]
    """

    weights: Array
    kernels: tuple[Kernels, ...]

    @property
    def log_weights(self) -> Array:
        """Logarithms of the weights, (K,)."""
        with np.errstate(divide="ignore"):
            return np.log(self.weights)

    def of(self, places: Sequence[int]) -> ProductMixture:
        """Return the marginal density of some hyperparameters, by their places."""
        return replace(self, kernels=tuple(self.kernels[i] for i in places))

    def tables(self, parameters: Sequence[Parameter], X: Array) -> Array:
        """Return the log-density of each kernel, (hyperparameter, n, K); 0 where it is inactive.

        `X` holds the positions, (n, number of hyperparameters).
        """
        tables = np.zeros((len(self.kernels), len(X), len(self.weights)))
        for j, (parameter, kernels) in enumerate(zip(parameters, self.kernels, strict=True)):
            present = ~np.isnan(X[:, j])
            if present.any():
                tables[j, present] = kernels.log_densities(values_of(parameter, X[present, j]))
        return tables

    def products(self, parameters: Sequence[Parameter], X: Array) -> Array:
        """Return the log-density of each product of kernels, (n, K), without its weight."""
        total = np.zeros((len(X), len(self.weights)))
        for j, (parameter, kernels) in enumerate(zip(parameters, self.kernels, strict=True)):
            present = ~np.isnan(X[:, j])
            logs = kernels.log_densities(values_of(parameter, X[present, j]))
            if present.all():
                total += logs
            else:
                total[present] += logs
        return total

    def log_density(self, parameters: Sequence[Parameter], X: Array) -> Array:
        """Return the logarithm of the density, (n,), at positions (n, number of hyperparameters).

        Parameters
        ----------
        parameters : sequence of Parameter
            The hyperparameters, in the order of `kernels`.
        X : ndarray of shape (n, number of hyperparameters)
            Their positions; NaN where they are inactive.

        Returns
        -------
        ndarray of shape (n,)
            At least the logarithm of the smallest normal number.
        """
        if len(self.kernels) == 1 and parameters[0].size is not None:
            # few values of a grid
            distinct, place = np.unique(X[:, 0], return_inverse=True)
            return self._log_density(parameters, distinct[:, None])[place]
        step = max(1, AT_ONCE // len(self.weights))
        densities = [
            self._log_density(parameters, X[start : start + step])
            for start in range(0, len(X), step)
        ]
        return np.concatenate([np.empty(0), *densities])

    def _log_density(self, parameters: Sequence[Parameter], X: Array) -> Array:
        return log_sum(self.products(parameters, X) + self.log_weights)

    def sample(self, parameters: Sequence[Parameter], n: int, rng: np.random.Generator) -> Array:
        """Draw positions from the density, (n, number of hyperparameters)."""
        which = rng.choice(len(self.weights), size=n, p=self.weights / self.weights.sum())
        rows = np.empty((n, len(self.kernels)))
        for j, (parameter, kernels) in enumerate(zip(parameters, self.kernels, strict=True)):
            values = kernels.sample(which, rng)
            if parameter.is_category:
                rows[:, j] = values
                continue
            # kernels may be densities where values are on a grid
            if parameter.step is not None:
                steps = np.round((values - parameter.low) / parameter.step)
                values = np.clip(
                    parameter.low + steps * parameter.step, parameter.low, parameter.high
                )
            rows[:, j] = parameter.encode(values)
        return rows


def log_sum(logs: Array) -> Array:
    """Return ``log Σ exp`` along the last axis, at least `LEAST`."""
    largest = np.maximum(logs.max(axis=-1), np.finfo(float).min)
    total = np.exp(logs - largest[..., None]).sum(axis=-1)
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(total) + largest, LEAST)
