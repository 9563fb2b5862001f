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

from functools import partial

import numba
import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dpotri, dtrtri, dtrtrs
from scipy.optimize import minimize

import hpo_explain as hx

SQRT3 = 3.0**0.5
ROWS = 250  # of a background at a time
SOME = 100  # rows whose bounds are looked at before others are left out
SHARES = (1e-6, 1.0 - 1e-8)  # in which the share of the signal is searched


def correlation(A: np.ndarray, B: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Return ρ by column, (d, number of rows of A, of rows of B)."""
    h = SQRT3 * np.abs(A.T[:, :, None] - B.T[:, None, :]) / theta[:, None, None]
    return (1.0 + h) * np.exp(-h)


def product(A: np.ndarray, B: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Return the product over columns of ρ, (number of rows of A, of rows of B)."""
    total, factor = np.zeros((len(A), len(B))), np.ones((len(A), len(B)))
    gather(A, np.ascontiguousarray(B.T), SQRT3 / theta, total, factor)
    factor *= np.exp(np.negative(total, out=total), out=total)
    return factor


@numba.njit(cache=True, nogil=True)
def gather(A, B, scale, total, factor) -> None:
    """Add h to totals, and multiply factors by 1 + h; B is (d, number of its rows)."""
    for i in range(len(A)):
        for j in range(len(scale)):
            for k in range(B.shape[1]):
                h = abs(A[i, j] - B[j, k]) * scale[j]
                total[i, k] += h
                factor[i, k] *= 1.0 + h


@numba.njit(cache=True, nogil=True)
def gather_pairs(columns, scale, total, factor) -> None:
    """Set h's sum and the product of 1 + h of every pair of rows, (n (n - 1) / 2,), row by row."""
    start, n = 0, columns.shape[1]
    total[:], factor[:] = 0.0, 1.0
    for i in range(n):
        sums = total[start : start + n - i - 1]
        factors = factor[start : start + n - i - 1]
        for j in range(len(scale)):
            others = columns[j, i + 1 :]
            for k in range(len(others)):
                h = abs(columns[j, i] - others[k]) * scale[j]
                sums[k] += h
                factors[k] *= 1.0 + h
        start += len(sums)


@numba.njit(cache=True, nogil=True)
def above_diagonal(pairs, n) -> np.ndarray:
    """Return a matrix (n, n), 1 on its diagonal and pairs of rows above it; below is nothing."""
    found, start = np.empty((n, n)), 0
    for i in range(n):
        row = found[i, i:]
        row[0] = 1.0
        for k in range(1, len(row)):
            row[k] = pairs[start + k - 1]
        start += len(row) - 1
    return found


# sums may be added up in any order, several terms at a time
@numba.njit(cache=True, nogil=True, fastmath=True)
def slopes(columns, scale, inverse, alpha, variance, smooth) -> np.ndarray:
    """Return, by column, the sum of W dR / d log θ over pairs of rows, and last that of W R.

    W is R⁻¹ - α αᵀ / σ², of which R⁻¹ is given above the diagonal. R's pairs are `smooth`, and
    their slope is R h² / (1 + h).
    """
    d, n = columns.shape
    found, weight, start = np.zeros(d + 1), np.empty(n), 0
    for i in range(n):
        pairs = smooth[start : start + n - i - 1]
        of_row = inverse[i, i + 1 :]
        others = alpha[i + 1 :]
        scaled = alpha[i] / variance
        start += len(pairs)
        total = 0.0
        for k in range(len(pairs)):
            weight[k] = pairs[k] * (of_row[k] - scaled * others[k])
            total += weight[k]
        found[d] += total
        for j in range(d):
            others = columns[j, i + 1 :]
            total = 0.0
            for k in range(len(others)):
                h = abs(columns[j, i] - others[k]) * scale[j]
                total += weight[k] * (h * h / (1.0 + h))
            found[j] += total
    return found


class DiceKriging:
    """DiceKriging's model; it values coalitions without composed rows, since R is a product."""

    label = "DiceKriging's GP"

    def __init__(
        self,
        space: hx.SearchSpace,
        X: np.ndarray,
        y: np.ndarray,
        *,
        starts: int = 4,
        nugget: float | None = None,
        before: DiceKriging | None = None,
    ) -> None:
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
        self._inverse = dtrtri(self._L, lower=1)[0]  # of L: products are faster than solving

    @classmethod
    def of_parameters(
        cls,
        space: hx.SearchSpace,
        X: np.ndarray,
        y: np.ndarray,
        *,
        theta: np.ndarray,
        signal: float,
        nugget: float,
        trend: float,
    ) -> DiceKriging:
        """Return the model of trials with parameters that R found: variances, and the trend."""
        model = cls.__new__(cls)
        model.space = space
        model._X, model._y = np.ascontiguousarray(X), y
        share = signal / (signal + nugget)
        model._fit(np.append(np.log(theta), share))
        model._variance, model._trend = signal + nugget, trend
        solved = dtrtrs(model._L, y - trend, lower=1)[0]
        model._alpha = dtrtrs(model._L, solved, lower=1, trans=1)[0]
        model._inverse = dtrtri(model._L, lower=1)[0]
        return model

    def _fit(self, parameters: np.ndarray) -> np.ndarray:
        """Set the model for log θ and a; return the pairs' correlations without the nugget."""
        self._theta, self._share = np.exp(parameters[:-1]), parameters[-1]
        n, columns = len(self._X), np.ascontiguousarray(self._X.T)
        total, smooth = np.empty((2, n * (n - 1) // 2))
        gather_pairs(columns, SQRT3 / self._theta, total, smooth)
        smooth *= np.exp(np.negative(total, out=total), out=total)
        R = above_diagonal(self._share * smooth, n)
        self._L, failed = dpotrf(R.T, lower=1, overwrite_a=1)
        if failed:
            raise np.linalg.LinAlgError("The trials' correlations are not positive definite.")
        one, z = dtrtrs(self._L, np.column_stack([np.ones_like(self._y), self._y]), lower=1)[0].T
        self._trend = one @ z / (one @ one)
        z = z - self._trend * one
        self._variance = z @ z / len(z)
        self._alpha = dtrtrs(self._L, z, lower=1, trans=1)[0]
        return smooth

    def _cost(self, parameters: np.ndarray) -> tuple[float, np.ndarray]:
        """Return minus twice the concentrated log-likelihood, and its gradient."""
        try:
            smooth = self._fit(parameters)
        except np.linalg.LinAlgError:
            return 1e10, np.zeros(len(parameters))
        n = len(self._y)
        cost = n * np.log(self._variance)
        cost += 2.0 * np.log(np.diag(self._L)).sum()
        # d cost = tr((R⁻¹ - α αᵀ / σ²) dR); the trend is at its optimum
        slope = slopes(
            np.ascontiguousarray(self._X.T),
            SQRT3 / self._theta,
            dpotri(self._L, lower=1)[0].T,
            self._alpha,
            self._variance,
            smooth,
        )
        slope[:-1] *= self._share
        return cost, 2.0 * slope

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and standard deviation (n,) at encoded rows."""
        blocks = np.array_split(X, max(1, len(X) // ROWS))
        r = (self._share * product(rows, self._X, self._theta) for rows in blocks)
        mean, std = zip(*map(self._predict, r), strict=True)
        return np.concatenate(mean), np.concatenate(std)

    def _predict(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean = self._trend + r @ self._alpha
        v = dtrmm(1.0, self._inverse, r.T, lower=1)
        variance = self._variance * np.maximum(1.0 - np.einsum("ij,ij->j", v, v), 0.0)
        return mean, np.sqrt(variance)

    def lowest_bound(self, X: np.ndarray, lam: float) -> tuple[int, float]:
        """Return the encoded row with the lowest bound m - λ·s, and the bound.

        A row's s is at most what the closest trial alone would leave of it. Rows whose bound cannot
        be the lowest with that s are not looked at.
        """
        blocks = np.array_split(X, max(1, len(X) // ROWS))
        products = [product(rows, self._X, self._theta) for rows in blocks]
        r = self._share * np.concatenate(products)
        most = self._variance * np.maximum(1.0 - r.max(axis=1) ** 2, 0.0)
        at_least = self._trend + r @ self._alpha - lam * np.sqrt(most)
        order = np.argsort(at_least)
        best, lowest = int(order[0]), np.inf
        for start in range(0, len(order), SOME):
            rows = order[start : start + SOME]
            if at_least[rows[0]] > lowest:
                break
            mean, std = self._predict(r[rows])
            bound = mean - lam * std
            if bound.min() < lowest:
                best, lowest = int(rows[bound.argmin()]), float(bound.min())
        return best, lowest
