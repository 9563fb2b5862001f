"""How much results of the same configuration scatter: over repeats, or over instances.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
y_ij        the objective of configuration i on instance j (one instance where there are none)
b_j         what the instance adds for every configuration: its difficulty
m_i         the configuration's mean without that
ν_i         degrees of freedom of its residuals ``y_ij - m_i - b_j``
s_i²        their sum of squares over ν_i: an unbiased estimate of the noise's variance
ψ, ψ'       digamma and trigamma function
==========  ============================================================================

Where the noise is normal, ν s²/σ² is χ² with ν degrees of freedom. Then ``log s²`` has the mean
``log σ² + ψ(ν/2) - log(ν/2)`` and the variance ψ'(ν/2), whatever σ is [1]_.

References
----------
.. [1] Bartlett, M. S. and Kendall, D. G. (1946). The statistical analysis of variance-heterogeneity
   and the logarithmic transformation. Supplement to the J. Royal Statistical Society 8, 128-138.
.. [2] Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components.
   Biometrics Bulletin 2(6), 110-114.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import digamma, polygamma

from hpo_explain.base import unit_of
from hpo_explain.models._repeats import different_rows
from hpo_explain.space import Array, Ints

_LEAST_DF = 0.25  # fewer are hardly an observation
_ENOUGH_DF = 8.0  # of all good configurations: the noise is known to a quarter
_ROUNDED = 1e-10  # of the objective's size: residuals below are none
_ROUNDS = 10  # in which the weights of configurations and the instances' effects find each other


@dataclass(frozen=True, eq=False)
class Repeats:
    """Sample standard deviations of configurations that were evaluated several times.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The configurations, encoded, each once.
    std : ndarray of shape (n,)
        s, in units of the objective.
    df : ndarray of shape (n,)
        ν, their degrees of freedom.
    evaluations : ndarray of int, shape (n,)
        How often each was evaluated.
    instances : int
        Number of instances; 1 where the same evaluation was repeated.
    levels : ndarray of shape (k,)
        b, by the instance's index; 0 on average over all that can be compared.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.2], [0.7], [0.2], [0.7]]), np.array([1.0, 3.0, 1.2, 3.4])
    >>> repeats = Repeats.of(X, np.zeros(4, dtype=int), y)
    >>> repeats.std.round(3).tolist(), repeats.df.tolist()
    ([0.141, 0.283], [1.0, 1.0])
    """

    X: Array
    std: Array
    df: Array
    evaluations: Ints
    instances: int = 1
    levels: Array = field(default_factory=lambda: np.zeros(1))

    @classmethod
    def of(cls, X: Array, index: Ints, objective: Array) -> Repeats:
        """Return the standard deviations without the instances' own effects.

        Effects are found by least squares, in which a configuration counts the less the more its
        results scatter: a noisy one would make all others look noisy.

        Parameters
        ----------
        X : ndarray of shape (m, d)
            Encoded configurations, one row per evaluation.
        index : ndarray of int, shape (m,)
            The instance of each evaluation, from 0.
        objective : ndarray of shape (m,)
            What came of it.
        """
        levels = np.zeros(int(np.max(index, initial=-1)) + 1)
        _, which = different_rows(X)
        several = np.bincount(which)[which] > 1
        X = X[several]
        index = index[several]
        objective = objective[several]
        if not len(X):
            nothing = np.zeros(0)
            evaluations = np.zeros(0, dtype=np.int64)
            return cls(X, nothing, nothing, evaluations, 1, levels)
        first, which = different_rows(X)
        instances, index = np.unique(index, return_inverse=True)
        counts: Array = np.zeros((len(first), int(index.max()) + 1))
        np.add.at(counts, (which, index), 1.0)
        total: Array = counts.sum(axis=1)
        # squares of what is tiny are 0, and of what is huge infinite
        unit = unit_of(objective)
        y = objective / unit
        size = float(np.abs(y).max())
        y = y - y.mean()
        means = np.bincount(which, y) / total
        squares = np.asarray(np.bincount(which, (y - means[which]) ** 2), dtype=float)
        df: Array = total - 1.0
        if len(instances) > 1:
            squares, df, effects = _without_instances(counts, which, index, y, squares, df)
            levels[instances] = unit * effects
        enough = df >= _LEAST_DF
        variance = squares[enough] / df[enough]
        variance[np.sqrt(variance) <= _ROUNDED * size] = 0.0
        return cls(
            X[first][enough],
            unit * np.sqrt(variance),
            df[enough],
            total[enough].astype(np.int64),
            len(instances),
            levels,
        )

    @cached_property
    def log_variance(self) -> Array:
        """Unbiased estimates of the logarithm of the noise's variance, (n,).

        A variance of 0, as of results that are rounded, counts as the smallest other one.
        """
        positive = self.std[self.std > 0.0]
        least = positive.min() if len(positive) else 1.0
        return _log_variance(np.maximum(self.std, least), self.df)[0]

    @property
    def error(self) -> Array:
        """Standard deviation of `log_variance` where the noise is normal, (n,)."""
        return _log_variance(np.ones(len(self.df)), self.df)[1]

    def pooled(self) -> tuple[float, float, float]:
        """Return the standard deviation of the noise if it is the same everywhere.

        With the ends of its 95 % interval, from a χ² distribution. Its degrees of freedom are those
        of all configurations, or fewer, where sample variances differ more than those of normal
        noise do: as many as their scatter says (Satterthwaite, 1946).
        """
        from scipy.special import gammaincinv

        df = float(self.df.sum())
        unit = float(self.std.max(initial=0.0))
        if not unit:
            return 0.0, 0.0, 0.0
        variances = (self.std / unit) ** 2
        variance = float(self.df @ variances) / df
        error = np.linalg.norm(self.df * (variances - variance)) / df
        if error > 0.0:
            df = min(df, 2.0 * float(variance / error) ** 2)
        low, high = 2.0 * gammaincinv(df / 2.0, [0.025, 0.975]) / df
        std, lower, upper = unit * np.sqrt(variance / np.array([1.0, high, low]))
        return float(std), float(lower), float(upper)


def noise_of(X: Array, cost: Array) -> float | None:
    """Return the noise of one evaluation, if good configurations were repeated often enough.

    Good are those whose mean is not above the median. Where results are the same each time, it is
    not known how far neighbours differ, either.
    """
    _, which = different_rows(X)
    unit = unit_of(cost)
    means = np.bincount(which, cost / unit) / np.bincount(which)
    good = (means <= np.median(cost) / unit)[which]
    no_instance = np.zeros(int(good.sum()), dtype=int)
    repeats = Repeats.of(X[good], no_instance, cost[good])
    if not repeats.std.any() or repeats.df.sum() < _ENOUGH_DF:
        return None
    return repeats.pooled()[0]


def _without_instances(
    counts: Array,
    which: npt.NDArray[np.intp],
    index: npt.NDArray[np.intp],
    y: Array,
    squares: Array,
    df: Array,
) -> tuple[Array, Array, Array]:
    """Return sums of squares and degrees of freedom without the instances' effects, and these.

    Parameters
    ----------
    counts : ndarray of shape (n, k)
        How often each configuration was evaluated on each instance.
    which, index : ndarray of int, shape (m,)
        Configuration and instance of each evaluation.
    y : ndarray of shape (m,)
        The objective.
    squares, df : ndarray of shape (n,)
        Both with them.
    """
    total = counts.sum(axis=1)
    n, k = counts.shape
    weights = np.ones(n)
    effects = np.zeros(k)
    for _ in range(_ROUNDS):
        # normal equations of y - mean_i = b - mean_i(b), configuration i with its weight
        among = (counts / total[:, None]).T @ (weights[:, None] * counts)
        A = np.diag(weights @ counts) - among
        inverse = np.linalg.pinv(A, hermitian=True)
        means = np.bincount(which, y) / total
        right = np.bincount(index, weights[which] * (y - means[which]), minlength=k)
        effects = inverse @ right
        without = y - effects[index]
        residual = without - (np.bincount(which, without) / total)[which]
        squares = np.asarray(np.bincount(which, residual**2), dtype=float)
        between = np.einsum("ij,jk,ik->i", counts, inverse, counts) / total
        leverage = weights * (counts @ np.diag(inverse) - between)
        df = np.maximum(total - 1.0 - leverage, 0.0)
        weights = _weights(squares, df)
    return squares, df, effects


def _weights(squares: Array, df: Array) -> Array:
    """Return how much configurations count: the inverse of their variance.

    Its logarithm is drawn to the mean of all as far as the differences are those of chance: where
    the noise is the same everywhere, all count the same.
    """
    scatters = (df >= _LEAST_DF) & (squares > 0.0)
    weights = np.ones(len(df))
    if scatters.sum() < 2:
        return weights
    std = np.sqrt(squares[scatters] / df[scatters])
    z, error = _log_variance(std, df[scatters])
    mean = np.average(z, weights=error**-2.0)
    spread = max(float(np.mean((z - mean) ** 2 - error**2)), 0.0)
    weights[scatters] = np.exp(-(z - mean) * spread / (spread + error**2))
    # one that counts more than all others would take the effects for its own
    top = int(np.argmax(weights))
    weights[top] = min(weights[top], weights.sum() - weights[top])
    return weights


def _log_variance(std: Array, df: Array) -> tuple[Array, Array]:
    """Return unbiased estimates of log σ² and their standard deviation (Bartlett and Kendall)."""
    half = df / 2.0
    return 2.0 * np.log(std) - digamma(half) + np.log(half), np.sqrt(polygamma(1, half))
