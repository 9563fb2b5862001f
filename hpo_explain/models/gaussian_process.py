"""A Gaussian process as a surrogate: our own fit, or a fitted one of scikit-learn's."""

from __future__ import annotations

import numpy as np

from hpo_explain.models._gp_fit import KernelFit
from hpo_explain.models._gp_posterior import Posterior
from hpo_explain.models._repeats import rows_among
from hpo_explain.models.columns import KernelColumns
from hpo_explain.space import Array, Bools, SearchSpace


class GaussianProcessSurrogate(Posterior):
    """A fitted Gaussian process as a surrogate.

    Parameters
    ----------
    space : SearchSpace
        The space of the encoded rows.
    gp : sklearn.gaussian_process.GaussianProcessRegressor
        A fitted regressor (or a subclass, such as skopt's) with a single output.
    columns : callable, optional
        Function from encoded rows (n, d) to the columns the regressor was fitted on; by default
        it was fitted on the encoded rows themselves.
    noise_std : float, optional
        Standard deviation of the observation noise in the objective's units; by default that of
        the fit: the kernel's white noise and ``gp.alpha``.
    negated : bool, default False
        Whether the regressor was fitted on the negated objective, as by an optimizer that only
        minimizes.

    Raises
    ------
    ValueError
        If `gp` is not fitted, has several outputs, or was fitted on another number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import GaussianProcessSurrogate
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> surrogate = GaussianProcessSurrogate.fit(space, X, 3.0 + X[:, 0] ** 2)
    >>> mean, std = surrogate.predict(np.array([[0.5]]))
    >>> bool(abs(mean[0] - 3.25) < 0.01)
    True
    """

    label = "a GP"

    @classmethod
    def fit(
        cls, space: SearchSpace, X: Array, y: Array, *, least_noise: float = 0.0, seed: int = 0
    ) -> GaussianProcessSurrogate:
        """Fit an ARD Matérn-5/2 process with noise to observed trials.

        The length-scales lie within [0.05, 2] of the encoded range, the objective is
        standardized, and the kernel's parameters are found by maximum marginal likelihood on at
        most 300 trials (drawn with `seed`); the process is conditioned on all. The search begins at
        the maxima for the first trials, at least four fifths of all.

        Parameters
        ----------
        space : SearchSpace
            The space of the encoded rows.
        X : ndarray of shape (n, d)
            Encoded rows of the trials.
        y : ndarray of shape (n,)
            Their objective, in the user's units.
        least_noise : float, default 0.0
            Standard deviation that the noise is known to have at least, in the objective's units.
        seed : int, default 0
            Seed of the restarts and of the trials drawn.

        Returns
        -------
        GaussianProcessSurrogate
            The fitted surrogate.
        """
        # in the order of the space given: `gp` takes its rows
        columns = KernelColumns(space)
        space = space.ordered(X)
        fit = KernelFit(columns.amid, columns(X), np.array(y, dtype=float), least_noise, seed)
        return cls(space, fit.process(), columns=columns)

    def learned_from(self, X: Array) -> Bools:
        """Return which encoded rows (n, d) it was fitted on, (n,)."""
        return rows_among(self.to_columns(self._space.check_rows("X", X)), self._gp.X_train_)

    def relevant(self) -> Bools:
        """Return for each hyperparameter whether the process has a column of it, (d,)."""
        if (owners := self._owners()) is None:
            return np.ones(len(self._space), dtype=bool)
        return np.isin(np.arange(len(self._space)), owners)
