"""The Gaussian process of R's DiceKriging, as mlrMBO uses it, for comparisons with logged runs.

Ordinary kriging: constant trend, a *product* of one-dimensional Matérn-3/2 kernels, a nugget found
by maximum likelihood, length-scales of at most twice the range of each column; the standard
deviation includes the nugget, but not the uncertainty of the trend ("simple kriging").

Roustant, O., Ginsbourger, D. and Deville, Y. (2012). DiceKriging, DiceOptim. J. Statistical
Software 51(1), Sections 2.2 and 3. https://doi.org/10.18637/jss.v051.i01
"""

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize

SQRT3 = np.sqrt(3.0)


def correlation(A, B, theta):
    h = SQRT3 * np.abs(A[:, None, :] - B[None, :, :]) / theta
    return np.prod((1.0 + h) * np.exp(-h), axis=2)


class DiceKriging:
    """A surrogate over encoded rows, whose columns are stretched to the user's units by `scale`."""

    def __init__(self, space, X, y, *, starts=4, seed=0):
        self.space = space
        upper = 2.0 * np.ptp(X, axis=0)
        rng = np.random.default_rng(seed)
        bounds = [(np.log(1e-3), np.log(u)) for u in upper] + [(1e-6, 1.0 - 1e-8)]

        def cost(parameters):
            try:
                return self._fit(X, y, np.exp(parameters[:-1]), parameters[-1])
            except np.linalg.LinAlgError:
                return 1e10

        first = [np.append(np.log(upper / 2), 0.9)]
        more = [
            np.append(np.log(upper * rng.uniform(0.1, 1.0, len(upper))), rng.uniform(0.5, 0.999))
            for _ in range(starts - 1)
        ]
        best = min(
            (minimize(cost, start, bounds=bounds, method="L-BFGS-B") for start in first + more),
            key=lambda found: found.fun,
        )
        cost(best.x)

    def _fit(self, X, y, theta, share):
        """Set the model for given parameters; return minus twice the log-likelihood."""
        n = len(y)
        C = share * correlation(X, X, theta) + (1.0 - share) * np.eye(n)
        L = cholesky(C, lower=True)
        one = solve_triangular(L, np.ones(n), lower=True)
        z = solve_triangular(L, y, lower=True)
        trend = one @ z / (one @ one)
        variance = np.sum((z - trend * one) ** 2) / n
        self.X, self.theta, self.share, self.trend, self.variance = X, theta, share, trend, variance
        self.L = L
        self.alpha = cho_solve((L, True), y - trend)
        return n * np.log(variance) + 2.0 * np.log(np.diag(L)).sum()

    def predict(self, X):
        c = self.share * correlation(X, self.X, self.theta)
        mean = self.trend + c @ self.alpha
        v = solve_triangular(self.L, c.T, lower=True)
        variance = self.variance * np.maximum(1.0 - np.sum(v**2, axis=0), 0.0)
        return mean, np.sqrt(variance)
