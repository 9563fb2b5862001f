"""A model of the user's with a joint posterior, as those of BoTorch, GPyTorch and Ax have."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.models.own_model import ModelSurrogate
from hpo_explain.models.protocols import std_from_variance
from hpo_explain.space import Array, Ints


class PosteriorSurrogate(ModelSurrogate):
    """A model with a method ``posterior``, which takes a tensor of rows, as a surrogate.

    Its posterior has a mean, a variance, and the covariance of a normal distribution, all without
    observation noise. The parameters are those of :class:`ModelSurrogate`. A model of BoTorch is
    usually fitted on the negated objective where less is better: `negated` says so.
    """

    def _predicted(self, X: Array) -> Any:
        posterior = self._posterior(X)
        return _numbers(posterior.mean), std_from_variance(_numbers(posterior.variance))

    def posterior_covariance(self, X: Array) -> Array:
        """Return the (n, n) posterior covariance at encoded rows (n, d), noise excluded."""
        posterior = self._posterior(X)
        normal = getattr(posterior, "distribution", posterior)
        return np.asarray(normal.covariance_matrix.detach().cpu().numpy(), dtype=float)

    def covariance_with(self, X: Array, others: Array) -> Array:
        """Return the (n, m) posterior covariance of encoded rows with others, noise excluded."""
        n = len(X)
        return self.posterior_covariance(np.concatenate([X, others]))[:n, n:]

    def std_of_mean(self, X: Array, members: Ints, values: Array) -> Array:
        """Return the posterior standard deviation of the mean over rows, (G,)."""
        variances = []
        for value in values:
            rows = np.array(X)
            rows[:, members] = value
            variances.append(self.posterior_covariance(rows).mean())
        return std_from_variance(np.array(variances))

    def _posterior(self, X: Array) -> Any:
        import torch

        with torch.no_grad():
            return self._model.posterior(torch.as_tensor(self._columns_of(X)))


def _numbers(tensor: Any) -> Array:
    return np.asarray(tensor.detach().cpu().numpy(), dtype=float).reshape(-1)
