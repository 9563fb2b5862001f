"""A Gaussian process as a surrogate: our own fit, or a fitted one of scikit-learn's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve

from hpo_explain.base import one_blas_thread, steps
from hpo_explain.models._gp_fit import KernelFit, Refit, folds_of
from hpo_explain.models._gp_posterior import Posterior
from hpo_explain.models._repeats import TOGETHER, different_rows, rows_among
from hpo_explain.models.columns import KernelColumns
from hpo_explain.models.protocols import HeldOut
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
    rows : ndarray of shape (n, d), optional
        The encoded rows of the trials it was fitted on; without `columns` they are known.
    refit : callable, optional
        Function from the positions of some of its trials to a regressor fitted to them, parameters
        included; by default scikit-learn's own search goes on from the parameters of all trials,
        and parameters that were given (``optimizer=None``) are kept.

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
        fit = KernelFit(columns.amid, columns(X), np.array(y, dtype=float), least_noise=least_noise)
        gp = fit(np.arange(len(X)), seed=seed)
        return cls(space, gp, columns=columns, rows=np.array(X), refit=fit.warm(gp))

    def learned_from(self, X: Array) -> Bools:
        """Return which encoded rows (n, d) it was fitted on, (n,)."""
        return rows_among(self.to_columns(self._space.check_rows("X", X)), self._gp.X_train_)

    def relevant(self) -> Bools:
        """Return for each hyperparameter whether the process has a column of it, (d,)."""
        if (owners := self._owners()) is None:
            return np.ones(len(self._space), dtype=bool)
        return np.isin(np.arange(len(self._space)), owners)

    def _held_out_now(self) -> HeldOut:
        """Return predictions of folds, for which the kernel's parameters are fitted without them.

        Ten folds of less than 100 configurations, five of more. Where the parameters were given and
        not fitted: leave-one-out in closed form. Trials of the same configuration are held out
        together, as each predicts the others.

        References
        ----------
        .. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine
           Learning, Eq. 5.12; for repeated configurations blocks of K⁻¹ replace its diagonal.
        """
        _, which = different_rows(self._gp.X_train_)
        if self._refit is None:
            return self._leave_one_out(which)
        return self._cross_validated(self._refit, which)

    def _cross_validated(self, refit: Refit, which: npt.NDArray[np.intp]) -> HeldOut:
        observed = self._to_objective(np.ravel(self._gp.y_train_))
        mean = np.empty(len(which))
        std = np.empty(len(which))
        fold = folds_of(which)
        n_folds = int(fold.max()) + 1
        repeated = f", {TOGETHER}" if which.max() + 1 < len(which) else ""
        method = f"{n_folds}-fold cross-validation{repeated}, kernel refitted"
        if n_folds == 1:  # nothing would be left to learn from
            nothing = observed[:0]
            return HeldOut(method=method, observed=nothing, mean=nothing, std=nothing)
        with one_blas_thread():
            for k in steps(range(n_folds), "folds"):
                out = np.flatnonzero(fold == k)
                seen = np.flatnonzero(fold != k)
                others = GaussianProcessSurrogate(
                    self._space,
                    refit(seen),
                    columns=self._columns,
                    noise_std=self._noise_std,
                    negated=self._sign < 0,
                )
                mean[out], of_function = others._predict_columns(self._gp.X_train_[out])
                std[out] = np.hypot(of_function, others.noise_std)
        return HeldOut(method=method, observed=observed, mean=mean, std=std, rows=self._rows)

    def _leave_one_out(self, which: npt.NDArray[np.intp]) -> HeldOut:
        y = np.ravel(self._gp.y_train_)
        alpha = np.ravel(self._gp.alpha_)
        inverse = cho_solve((self._gp.L_, True), np.eye(len(y)))
        variance = 1.0 / np.diag(inverse)
        mean = y - alpha * variance
        repeated = np.flatnonzero(np.bincount(which) > 1)
        for number in repeated:
            rows = np.flatnonzero(which == number)
            covariance = np.linalg.inv(inverse[np.ix_(rows, rows)])
            mean[rows] = y[rows] - covariance @ alpha[rows]
            variance[rows] = np.diag(covariance)
        together = f" {TOGETHER}," if len(repeated) else ""
        return HeldOut(
            method=f"leave-one-out,{together} in closed form",
            observed=self._to_objective(y),
            mean=self._to_objective(mean),
            std=self._scale * np.sqrt(variance),
            rows=self._rows,
        )
