"""A Gaussian process as a surrogate: our own fit, or a fitted one of scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from hpo_explain.base import InputError
from hpo_explain.models._gp_fit import FittedProcess, KernelFit
from hpo_explain.models._on_columns import OnColumns
from hpo_explain.models._repeats import rows_among
from hpo_explain.models.columns import KernelColumns
from hpo_explain.models.protocols import std_from_variance
from hpo_explain.space import Array, Bools, Ints, SearchSpace

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor

_PAIRS = 50_000  # covariances held at once: processors keep 0.4 MB near, and memory is not fetched


class GaussianProcessSurrogate(OnColumns):
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

    def __init__(
        self,
        space: SearchSpace,
        gp: GaussianProcessRegressor | FittedProcess,
        *,
        columns: Callable[[Array], Array] | None = None,
        negated: bool = False,
    ) -> None:
        if not hasattr(gp, "X_train_"):
            raise InputError(
                "gp", f"must be fitted, but was {gp!r}", gp, "Call gp.fit(X, y) first."
            )
        offset, scale = _standard_of(gp)
        if offset.size != 1:
            problem = f"must have a single output, but has {offset.size}"
            raise InputError("gp", problem, gp, "Fit one gp per objective.")
        self._gp = gp
        super().__init__(space, gp, "gp", gp.X_train_.shape[1], columns, negated)
        self._offset = float(offset[0])
        self._scale = float(scale[0])

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

    @property
    def gp(self) -> GaussianProcessRegressor | FittedProcess:
        """The fitted regressor that was given, or the process of our own fit."""
        return self._gp

    @property
    def noise_std(self) -> float:
        """Standard deviation of the observation noise, in the objective's units.

        That of the fit: the kernel's white noise and ``gp.alpha``.
        """
        # read from what was factorized: skopt takes the white noise out of the kernel after the fit
        trained = np.einsum("ij,ij->i", self._gp.L_, self._gp.L_)
        noise = np.mean(trained - self._prior_variance(self._gp.X_train_))
        return self._scale * float(np.sqrt(max(noise, 0.0)))

    def _prior_variance(self, Z: Array) -> Array:
        """Return k(z, z) without white noise, (n,)."""
        return np.asarray(self._gp.kernel_.diag(Z), dtype=float) - self._white

    @cached_property
    def _white(self) -> float:
        kernel = self._gp.kernel_
        x = self._gp.X_train_[:1]
        # white noise is on the diagonal, but not between a point and its copy
        return float(kernel.diag(x)[0] - kernel(x, x)[0, 0])

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Return mean and standard deviation, each (n,), at encoded rows (n, d).

        In the objective's units; observation noise is excluded.

        References
        ----------
        .. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine
           Learning, Algorithm 2.1.
        """
        mean = np.empty(len(X))
        std = np.empty(len(X))
        for part, Z in self._in_parts(X):
            cross = self._gp.kernel_(Z, self._gp.X_train_)
            v = solve_triangular(self._gp.L_, cross.T, lower=True, check_finite=False)
            variance = self._prior_variance(Z) - np.einsum("ij,ij->j", v, v)
            mean[part] = self._to_objective(cross @ np.ravel(self._gp.alpha_))
            std[part] = self._scale * std_from_variance(variance)
        return mean, std

    def predict_mean(self, X: Array) -> Array:
        """Return the mean, (n,), at encoded rows (n, d), in the objective's units."""
        mean = np.empty(len(X))
        for part, Z in self._in_parts(X):
            cross = self._gp.kernel_(Z, self._gp.X_train_)
            mean[part] = self._to_objective(cross @ np.ravel(self._gp.alpha_))
        return mean

    def _in_parts(self, X: Array) -> Iterator[tuple[slice, Array]]:
        """Yield which of the encoded rows, and their columns."""
        Z = self.to_columns(self._space.check_rows("X", X))
        step = max(1, _PAIRS // len(self._gp.X_train_))
        for start in range(0, len(Z), step):
            yield slice(start, start + step), Z[start : start + step]

    def _to_objective(self, standardized: Array) -> Array:
        return self._sign * (self._offset + self._scale * standardized)

    def posterior_covariance(self, X: Array) -> Array:
        """Return the (n, n) posterior covariance at encoded rows, noise excluded."""
        Z = self.to_columns(self._space.check_rows("X", X))
        kernel = self._gp.kernel_
        v = solve_triangular(self._gp.L_, kernel(self._gp.X_train_, Z), lower=True)
        return self._scale**2 * (kernel(Z, Z.copy()) - v.T @ v)

    def covariance_with(self, X: Array, others: Array) -> Array:
        """Return the (n, m) posterior covariance of encoded rows with others, noise excluded."""
        Z = self.to_columns(self._space.check_rows("X", X))
        T = self.to_columns(self._space.check_rows("others", others))
        kernel = self._gp.kernel_
        train = self._gp.X_train_
        L = self._gp.L_
        of_others = cho_solve((L, True), kernel(train, T), check_finite=False)
        shared = kernel(Z, np.array(T)) - kernel(Z, train) @ of_others
        return self._scale**2 * shared

    def std_of_mean(self, X: Array, members: Ints, values: Array) -> Array:
        """Return the posterior standard deviation of the function's mean over rows, (G,).

        ``1ᵀ K̂ 1 / n²`` without K̂: it needs only the mean covariance of the rows with each trial,
        and the mean prior covariance among the rows. The latter is the same along the whole grid,
        as the kernel is stationary and rows move together.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Encoded rows.
        members : ndarray of int
            The columns that take the values; what else is active must not depend on them.
        values : ndarray of shape (G, number of members)
            The values, encoded.

        References
        ----------
        .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
           dependence plots. NeurIPS. Eq. 4. https://arxiv.org/abs/2111.04820
        """
        points = [self.to_columns(_at(X, members, value)) for value in values]
        cross = np.array([self._mean_covariance(Z, self._gp.X_train_) for Z in points])
        prior = np.array([self._mean_covariance(Z, Z.copy()).mean() for Z in points])
        v = solve_triangular(self._gp.L_, cross.T, lower=True)
        return self._scale * std_from_variance(prior - np.einsum("ij,ij->j", v, v))

    def _mean_covariance(self, Z: Array, T: Array) -> Array:
        """Return the mean covariance of the rows of Z with each row of T."""
        step = max(1, _PAIRS // len(T))
        blocks = [Z[start : start + step] for start in range(0, len(Z), step)]
        return sum(self._gp.kernel_(b, T).sum(axis=0) for b in blocks) / len(Z)


def _standard_of(gp: GaussianProcessRegressor | FittedProcess) -> tuple[Array, Array]:
    """Return what was subtracted from each output, and what it was divided by."""
    if isinstance(gp, FittedProcess):
        return np.array([gp.offset]), np.array([gp.scale])
    return np.ravel(gp._y_train_mean), np.ravel(gp._y_train_std)


def _at(X: Array, members: Ints, value: Array) -> Array:
    """Return rows with some columns set to a value."""
    rows = X.copy()
    rows[:, members] = value
    return rows
