"""A Gaussian process on scikit-learn's, as a surrogate.

The marginal likelihood and the predictions in coalitions and on grids are our own: `_likelihood`,
`_gp_coalitions` and `_gp_grid` say why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve

from hpo_explain.base import one_blas_thread, steps
from hpo_explain.models._coalitions import Compositions, ended, in_blocks
from hpo_explain.models._gp_coalitions import CoalitionPosterior, WalkPosterior
from hpo_explain.models._gp_fit import KernelFit, Refit, folds_of
from hpo_explain.models._gp_posterior import Posterior
from hpo_explain.models._repeats import TOGETHER, different_rows, rows_among
from hpo_explain.models._split_kernel import (
    SplitProcess,
    Whitening,
    split_kernel,
)
from hpo_explain.models.columns import KernelColumns
from hpo_explain.models.protocols import (
    CoalitionBlock,
    HeldOut,
    std_from_variance,
)
from hpo_explain.space import Array, Bools, Ints, SearchSpace


class GaussianProcessSurrogate(Posterior):
    """A fitted scikit-learn Gaussian process as a surrogate.

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
        cls,
        space: SearchSpace,
        X: Array,
        y: Array,
        *,
        least_noise: float = 0.0,
        seed: int = 0,
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
        fit = KernelFit(
            columns.amid,
            columns(X),
            np.array(y, dtype=float),
            least_noise=least_noise,
        )
        gp = fit(np.arange(len(X)), seed=seed)
        return cls(
            space, gp, columns=columns, rows=np.array(X), refit=fit.warm(gp)
        )

    def learned_from(self, X: Array) -> Bools:
        """Return which encoded rows (n, d) it was fitted on, (n,)."""
        return rows_among(
            self.to_columns(self._space.check_rows("X", X)), self._gp.X_train_
        )

    def relevant(self) -> Bools:
        """Return for each hyperparameter whether the process has a column of it, (d,)."""
        if (owners := self._owners()) is None:
            return np.ones(len(self._space), dtype=bool)
        return np.isin(np.arange(len(self._space)), owners)

    def predict_coalitions(
        self, x: Array, background: Array, players: Ints, coalitions: Bools
    ) -> Iterator[CoalitionBlock] | None:
        """Return predictions in coalitions of players, block by block of background rows.

        The covariance with a trial is a function of a sum over columns, so that of a composed row
        needs only the parts of the sum.

        Parameters
        ----------
        x : ndarray of shape (d,)
            The explained row, encoded.
        background : ndarray of shape (n, d)
            Latent background rows.
        players : ndarray of int
            The columns of the hyperparameters that take part.
        coalitions : ndarray of bool, shape (m, number of players)
            Which players have the value of `x`.

        Returns
        -------
        iterator of CoalitionBlock, or None
            None where the kernel or `columns` does not split by hyperparameter.
        """
        return self._in_coalitions(
            Compositions(self._space, x, players, coalitions), background
        )

    def predict_walks(
        self, x: Array, background: Array, orders: Ints
    ) -> tuple[Array, Array] | None:
        """Return predictions while players take the values of a row one by one.

        Parameters
        ----------
        x : ndarray of shape (d,)
            The row, encoded.
        background : ndarray of shape (n, d)
            Latent rows from which the players start.
        orders : ndarray of int, shape (n, w, p)
            The orders of each background row: players by their columns.

        Returns
        -------
        tuple of ndarray, each of shape (n, w, p + 1), or None
            Mean and standard deviation before the first player joins, and after each. None where
            the kernel or `columns` does not split by hyperparameter.
        """
        n, w, p = orders.shape
        players = np.sort(orders[0, 0])
        if any(self._space.conditions):
            joined = (
                np.argsort(orders, axis=2)[:, :, None, :]
                < np.arange(p + 1)[:, None]
            )
            # all walks of a row begin and end with the same: first no player, last all of them
            inner = joined[:, :, 1:-1].reshape(n, w * (p - 1), p)
            different = np.concatenate([joined[:, 0, [0, -1]], inner], axis=1)
            compositions = Compositions(self._space, x, players, different)
            blocks = self._in_coalitions(compositions, background)
        else:
            blocks = self._in_walks(x, players, orders, background)
        if blocks is None:
            return None
        mean = np.empty((n, w, p + 1))
        std = np.empty_like(mean)

        def write(out: Array, values: Array) -> None:
            out[:, :, [0, -1]] = values[:, None, :2]
            out[:, :, 1:-1] = values[:, 2:].reshape(len(out), w, p - 1)

        with ended(blocks):
            for block in blocks:
                write(mean[block.rows], block.mean)
                write(std[block.rows], block.std)
        return mean, std

    def _in_coalitions(
        self, compositions: Compositions, background: Array
    ) -> Iterator[CoalitionBlock] | None:
        process = self._split()
        if process is None:
            return None
        posterior = CoalitionPosterior(compositions, process)
        return self._predicted_blocks(
            posterior.rows, background, partial(posterior, background)
        )

    def _in_walks(
        self, x: Array, players: Ints, orders: Ints, background: Array
    ) -> Iterator[CoalitionBlock] | None:
        process = self._split()
        if process is None:
            return None
        posterior = WalkPosterior(players, orders, process)
        return self._predicted_blocks(
            posterior.rows, background, partial(posterior, x, background)
        )

    def _split(self) -> SplitProcess | None:
        """Return what composed rows are predicted from, if kernel and columns split."""
        owners = self._owners()
        kernel = split_kernel(self._gp.kernel_, self._gp.X_train_.shape[1])
        if owners is None or kernel is None or not kernel.leaves:
            return None
        return SplitProcess(
            columns=self.to_columns,
            owners=owners,
            kernel=kernel,
            train=self._gp.X_train_,
            alpha=kernel.factor * np.ravel(self._gp.alpha_),
            whitening=Whitening(self._gp.L_, kernel.factor),
            # the same everywhere
            prior=float(self._prior_variance(self._gp.X_train_[:1])[0]),
        )

    def _predicted_blocks(
        self,
        size: int,
        background: Array,
        posterior: Callable[[slice], tuple[Array, Array]],
    ) -> Iterator[CoalitionBlock]:
        def work(part: slice) -> CoalitionBlock:
            mean, variance = posterior(part)
            return CoalitionBlock(
                part,
                self._to_objective(mean),
                self._scale * std_from_variance(variance),
            )

        return in_blocks(len(background), size, work)

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

    def _cross_validated(
        self, refit: Refit, which: npt.NDArray[np.intp]
    ) -> HeldOut:
        observed = self._to_objective(np.ravel(self._gp.y_train_))
        mean = np.empty(len(which))
        std = np.empty(len(which))
        fold = folds_of(which)
        n_folds = int(fold.max()) + 1
        repeated = f", {TOGETHER}" if which.max() + 1 < len(which) else ""
        method = f"{n_folds}-fold cross-validation{repeated}, kernel refitted"
        if n_folds == 1:  # nothing would be left to learn from
            nothing = observed[:0]
            return HeldOut(
                method=method, observed=nothing, mean=nothing, std=nothing
            )
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
                mean[out], of_function = others._predict_columns(
                    self._gp.X_train_[out]
                )
                std[out] = np.hypot(of_function, others.noise_std)
        return HeldOut(
            method=method,
            observed=observed,
            mean=mean,
            std=std,
            rows=self._rows,
        )

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
