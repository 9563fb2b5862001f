"""The kernels of a mixture at trials, so that the density of a part of them is quickly computed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.models.densities.mixture import LEAST, ProductMixture
from hpo_explain.space import Array, Parameter


class KernelTable:
    """A mixture's kernels at trials, so that it is quickly computed from a part of its own.

    Parameters
    ----------
    mixture : ProductMixture
        The mixture; its kernels keep their widths.
    parameters : list of Parameter
        Its hyperparameters.
    X : ndarray of shape (n, number of hyperparameters)
        Positions of the trials at which it is computed.
    own : ndarray of bool, shape (n,)
        Which of them are its own: those without NaN have a kernel each, in their order.
    """

    def __init__(
        self,
        mixture: ProductMixture,
        parameters: list[Parameter],
        X: Array,
        own: npt.NDArray[np.bool_],
    ) -> None:
        logs = mixture.products(parameters, X) + mixture.log_weights
        self._largest = np.maximum(logs.max(axis=1), LEAST)
        self._kernels = np.exp(logs - self._largest[:, None])
        self._weights = mixture.weights
        self._present = ~np.isnan(X).all(axis=1)
        self._trials = np.flatnonzero(own & ~np.isnan(X).any(axis=1))

    @property
    def complete(self) -> bool:
        """Whether its trials have a kernel each; one more may be the prior's."""
        return len(self._weights) - len(self._trials) in (0, 1)

    def log_density(self, counts: Array) -> Array:
        """Return the log-density at the trials, (draws, n), if its own count so often in a draw.

        `counts` has a row per draw, (draws, n).
        """
        kernels = np.ones((len(counts), len(self._weights)))
        kernels[:, : len(self._trials)] = counts[:, self._trials]
        total = (kernels @ self._weights)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(kernels @ self._kernels.T / total) + self._largest
        known = self._present & (total > 0.0)
        return np.where(known, np.maximum(logs, LEAST), 0.0)
