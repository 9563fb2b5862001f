"""The Gaussian process of R's DiceKriging as mlrMBO uses it, as a surrogate of one's own.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
θ          length-scales, at most twice the range of each column
a          share of the signal in the variance; the rest is the nugget
σ²         variance of signal and nugget together
R          a Π_j ρ(|x_j - x'_j| / θ_j), with ρ(h) = (1 + √3 h) exp(-√3 h), and 1 on the diagonal
μ          the constant trend
=========  ============================================================================

Ordinary kriging with a *product* of one-dimensional Matérn-3/2 kernels and a nugget, all found by
maximum likelihood; the nugget can be given, as for objectives without noise. The standard deviation
includes the nugget but not the uncertainty of the trend.

Roustant, O., Ginsbourger, D. and Deville, Y. (2012). DiceKriging, DiceOptim. J. Statistical
Software 51(1), Sections 2.2 and 3. https://doi.org/10.18637/jss.v051.i01
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numba
import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize

import hpo_explain as hx

SQRT3 = 3.0**0.5
ROWS = 250  # of a background at a time
SHARES = (1e-6, 1.0 - 1e-8)  # in which the share of the signal is searched


def correlation(A: np.ndarray, B: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Return ρ by column, (d, number of rows of A, of rows of B)."""
    h = SQRT3 * np.abs(A.T[:, :, None] - B.T[:, None, :]) / theta[:, None, None]
    return (1.0 + h) * np.exp(-h)


@numba.njit(cache=True, nogil=True)
def product(A: np.ndarray, B: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Return the product over columns of ρ, (number of rows of A, of rows of B)."""
    r = np.empty((len(A), len(B)))
    scale = SQRT3 / theta
    for i in range(len(A)):
        for k in range(len(B)):
            total, factor = 0.0, 1.0
            for j in range(len(theta)):
                h = abs(A[i, j] - B[k, j]) * scale[j]
                total += h
                factor *= 1.0 + h
            r[i, k] = factor * np.exp(-total)
    return r


@numba.njit(cache=True, nogil=True)
def slopes(X: np.ndarray, theta: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Return the sum over pairs of W times dρ / d log θ divided by ρ, which is h² / (1 + h)."""
    found = np.zeros(len(theta))
    scale = SQRT3 / theta
    for i in range(len(X)):
        for k in range(i):
            for j in range(len(theta)):
                h = abs(X[i, j] - X[k, j]) * scale[j]
                found[j] += 2.0 * W[i, k] * h * h / (1.0 + h)
    return found


class DiceKriging:
    """DiceKriging's model; it values coalitions without composed rows, since R is a product."""

    label = "DiceKriging's GP"

    def __init__(
        self, space: hx.SearchSpace, X: np.ndarray, y: np.ndarray, *, starts: int = 4,
        nugget: float | None = None, before: DiceKriging | None = None,
    ) -> None:  # fmt: skip
        """Fit the model.

        `nugget` is its share of the variance, None estimates it. With `before`, the model of fewer
        rows, its parameters are the first start. Further starts are random, others for other rows.
        """
        self.space = space
        self._X, self._y = np.ascontiguousarray(X), y
        upper = 2.0 * np.ptp(X, axis=0)
        bounds = [(np.log(1e-3), np.log(u)) for u in upper]
        bounds.append(SHARES if nugget is None else (1.0 - nugget, 1.0 - nugget))
        rng = np.random.default_rng(len(y))
        points = [np.append(np.log(upper / 2.0), 0.9)]
        if before is not None:
            points.insert(0, np.append(np.log(before._theta), before._share))
        while len(points) < starts:
            scales = upper * rng.uniform(0.1, 1.0, len(upper))
            points.append(np.append(np.log(scales), rng.uniform(0.5, 0.999)))
        low, high = np.transpose(bounds)
        search = partial(minimize, self._cost, jac=True, bounds=bounds, method="L-BFGS-B")
        found = [search(np.clip(point, low, high)) for point in points[:starts]]
        self._fit(min(found, key=lambda one: one.fun).x)

    def _fit(self, parameters: np.ndarray) -> np.ndarray:
        """Set the model for log θ and a; return the correlations R without the nugget."""
        self._theta, self._share = np.exp(parameters[:-1]), parameters[-1]
        n = len(self._y)
        smooth = product(self._X, self._X, self._theta)
        R = self._share * smooth
        R[np.diag_indices(n)] = 1.0
        self._L = cholesky(R, lower=True)
        one = solve_triangular(self._L, np.ones(n), lower=True)
        z = solve_triangular(self._L, self._y, lower=True)
        self._trend = one @ z / (one @ one)
        self._variance = np.sum((z - self._trend * one) ** 2) / n
        self._alpha = cho_solve((self._L, True), self._y - self._trend)
        return smooth

    def _cost(self, parameters: np.ndarray) -> tuple[float, np.ndarray]:
        """Return minus twice the concentrated log-likelihood, and its gradient."""
        try:
            smooth = self._fit(parameters)
        except np.linalg.LinAlgError:
            return 1e10, np.zeros(len(parameters))
        n = len(self._y)
        cost = n * np.log(self._variance) + 2.0 * np.log(np.diag(self._L)).sum()
        # d cost = tr((R⁻¹ - α αᵀ / σ²) dR); the trend is at its optimum
        W = cho_solve((self._L, True), np.eye(n), check_finite=False)
        W -= np.outer(self._alpha, self._alpha) / self._variance
        W *= smooth
        W[np.diag_indices(n)] = 0.0
        return cost, np.append(self._share * slopes(self._X, self._theta, W), W.sum())

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and standard deviation (n,) at encoded rows."""
        blocks = np.array_split(X, max(1, len(X) // ROWS))
        r = (self._share * product(rows, self._X, self._theta) for rows in blocks)
        mean, std = zip(*map(self._predict, r), strict=True)
        return np.concatenate(mean), np.concatenate(std)

    def _predict(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean = self._trend + r @ self._alpha
        v = solve_triangular(self._L, r.T, lower=True, check_finite=False)
        variance = self._variance * np.maximum(1.0 - np.einsum("ij,ij->j", v, v), 0.0)
        return mean, np.sqrt(variance)

    def predict_coalitions(
        self, x: np.ndarray, background: np.ndarray, players: np.ndarray, coalitions: np.ndarray
    ) -> Iterator[hx.models.CoalitionBlock]:
        """Return predictions in coalitions, block by block of background rows."""
        here = correlation(x[None, :], self._X, self._theta)  # (d, 1, n)
        part_of = np.zeros((len(coalitions), len(x)), dtype=bool)
        part_of[:, players] = coalitions
        for start in range(0, len(background), ROWS):
            rows = slice(start, min(start + ROWS, len(background)))
            there = correlation(background[rows], self._X, self._theta)  # (d, rows, n)
            size = (rows.stop - rows.start, len(coalitions))
            r = np.full((*size, len(self._X)), self._share)
            for c, members in enumerate(part_of):
                for j, member in enumerate(members):
                    r[:, c] *= here[j] if member else there[j]
            mean, std = self._predict(r.reshape(-1, len(self._X)))
            yield hx.models.CoalitionBlock(rows, mean.reshape(size), std.reshape(size))
