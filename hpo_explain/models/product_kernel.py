"""The prior over functions on a scale: a kernel with priors over its parameters.

K(x, x') = 1 + Σ_j a_j B_j(x, x') + s² Π_j ((1 - w_j) + w_j B_j(x, x')), the sum on one scale only,
or on all of them where hyperparameters are many.
B_j is Matérn-5/2 in the position of a number and equality for a category. Where a hyperparameter
is inactive in one row only, B_j is 0; where it is in both, its factor is 1 and its part of the sum
0: it matters only where it is active.

Sums over all pairs of trials are compiled, in single precision: NumPy's passes over them take 2 to
5 times as long (tests/benchmarks/test_belief.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hpo_explain.models._kernels import FAR, Single, gather, sums_of_part, sums_of_product
from hpo_explain.space import Array, Bools, Ints

ROOT5 = math.sqrt(5.0)
LEAST_NOISE = 1e-4
# of the diagonal: by so much it is raised first where it has to be
_JITTER = 1e-7
_MOST = 160  # parameters, of which the curvature is looked at
# beyond these: states of a chain, after some that are left out, with turns between two of them
_STATES, _WARM, _TURNS = (16, 4, 3)
_QUARTER = 0.5 * math.pi  # of a circle between two states: about as far apart as any
_TOLD = 16  # parameters that data tell best, whose curvature is looked at
_STEP = 0.1  # to which side
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
# below, products of single precision become denormal, which takes a processor ten times as long
_VANISHES = 1e-25
# hyperparameters beyond which fewer of them are expected to matter, and how much fewer
_FEW, _SPARSER = (20, 1.3)
NOWHERE = 2e9  # in place of a distance where both are inactive, and `FAR` where one is


@dataclass(frozen=True, eq=False)
class Parameters:
    """The kernel's parameters in their own units.

    Attributes
    ----------
    length : ndarray of shape (d,)
        Length-scales; of a category they mean nothing.
    weight : ndarray of shape (d,)
        How much of the product depends on each hyperparameter, between 0 and 1.
    amplitude : ndarray of shape (d,)
        Variance of each additive part; zeros where there is none.
    product, noise : float
        Variance of the product and of one evaluation.
    """

    length: Array
    weight: Array
    amplitude: Array
    product: float
    noise: float

    @cached_property
    def single(self) -> tuple[Single, Single, Single]:
        """Rates, weights and amplitudes in single precision, each (d,)."""
        rate = 1.0 / self.length
        weight = self.weight
        amplitude = self.amplitude
        return rate.astype("f4"), weight.astype("f4"), amplitude.astype("f4")


@dataclass(frozen=True, eq=False)
class Prior:
    """Independent normal priors over the kernel's parameters, which are counted in their units.

    Attributes
    ----------
    categories : ndarray of int, shape (d,)
        How many values each hyperparameter has that is a category, 0 of a number.
    additive : bool
        Whether there are additive parts.
    noise : float or None
        Variance of one evaluation where it is known.
    """

    categories: Ints
    additive: bool
    noise: float | None = None

    @property
    def numbers(self) -> Bools:
        """Which hyperparameters are numbers, (d,)."""
        return self.categories == 0

    @cached_property
    def moments(self) -> tuple[Array, Array]:
        """Means and standard deviations: lengths, weights, amplitudes, product, noise."""
        d = len(self.numbers)
        numbers = int(self.numbers.sum())
        # so many levels differ by chance more than two: of an idle one of twenty the share was 4 to
        # 9 % in four noisy runs, and 2 to 4 % with this
        fewer = -np.log(np.maximum(self.categories - 1, 1))
        of = [(math.log(0.8), 1.0)] * numbers
        of += [(less, 1.5) for less in fewer]
        # the more there are, the fewer of them matter: the sum of all parts is expected to be as
        # large, and they are more unequal
        variance = 1.5**2 + _SPARSER * max(math.log(d / _FEW), 0.0)
        middle = math.log(0.5 / d) + 0.5 * (1.5**2 - variance)
        if self.additive:
            of += [(middle + less, math.sqrt(variance)) for less in fewer]
        of += [(math.log(0.5) if self.additive else 0.0, 1.0)]
        of += [(math.log(0.02), 1.5) if self.noise is None else (math.log(self.noise), 0.05)]
        mean, spread = np.array(of).T
        return mean, spread

    def parameters(self, u: Array) -> Parameters:
        """Return the parameters at standardized values (p,)."""
        d = len(self.numbers)
        numbers = int(self.numbers.sum())
        mean, spread = self.moments
        t = mean + spread * np.clip(u, -6.0, 6.0)
        length = np.ones(d)
        length[self.numbers] = np.exp(t[:numbers])
        amplitude = np.exp(t[numbers + d : numbers + 2 * d]) if self.additive else np.zeros(d)
        return Parameters(
            length=length,
            weight=1.0 / (1.0 + np.exp(-t[numbers : numbers + d])),
            amplitude=amplitude,
            product=math.exp(t[-2]),
            noise=math.exp(t[-1]) + LEAST_NOISE,
        )


def distances(left: Array, right: Array, numbers: Bools) -> Single:
    """Return how far rows (..., d) are from others, times √5, by hyperparameter, (d, pairs)."""
    shape = np.broadcast_shapes(left.shape[:-1], right.shape[:-1])
    apart = np.empty((len(numbers), *shape), np.float32)
    for j, number in enumerate(numbers.tolist()):
        a = left[..., j]
        b = right[..., j]
        apart[j] = np.abs(a - b) * ROOT5 if number else FAR * (a != b)
        off = np.isnan(a)
        other = np.isnan(b)
        apart[j][off | other] = FAR
        apart[j][off & other] = NOWHERE
    return apart.reshape(len(numbers), -1)


def covariances(apart: Single, p: Parameters) -> tuple[Single, Single, Single]:
    """Return covariances and products of pairs, noise excluded, by their distances.

    And the exponentials of each hyperparameter, (d, pairs).
    """
    product = np.full(apart.shape[1], p.product, np.float32)
    added = np.ones(apart.shape[1], np.float32)
    decays = np.empty_like(apart)
    columns = zip(apart, *p.single, decays, strict=True)
    for own, rate, weight, amplitude, decay in columns:
        gather(own, rate, weight, amplitude, decay, product, added)
    added += product
    return added, product, decays


class Pairs:
    """All pairs of the trials, and the likelihood of their values under the kernel.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Encoded rows; NaN where inactive.
    z : ndarray of shape (n,)
        Their values.
    prior : Prior
        The prior over the parameters.
    temper : float
        Power of the likelihood.
    """

    def __init__(self, X: Array, z: Array, prior: Prior, temper: float) -> None:
        self.z = z
        self.prior = prior
        self.temper = temper
        self.n, self.d = X.shape
        self.a, self.b = np.tril_indices(self.n, -1)
        # where pairs are in columns one after the other
        self.below = self.b * self.n + self.a
        self.active = (~np.isnan(X)).astype(float)
        self.apart = distances(X[self.a], X[self.b], prior.numbers)

    def gram(self, p: Parameters) -> tuple[Array, Single, Single]:
        """Return the values' covariance (n, n), and products and exponentials of all pairs.

        Of the covariance the lower triangle is filled, and the columns are contiguous.
        """
        covariance, product, decays = covariances(self.apart, p)
        K = np.zeros(self.n * self.n)
        K[self.below] = covariance
        K[:: self.n + 1] = 1.0 + p.product + self.active @ p.amplitude + p.noise
        return K.reshape(self.n, self.n).T, product, decays

    def factor(self, p: Parameters) -> Array:
        """Return the lower Cholesky factor of the values' covariance, (n, n).

        Covariances are of single precision: where rounding leaves none, the diagonal is raised by
        as little as is needed.
        """
        from scipy.linalg.lapack import dpotrf

        K = self.gram(p)[0]
        raised = _JITTER * float(np.diag(K).mean())
        while True:
            c, failed = dpotrf(K, lower=1)
            if not failed:
                return np.asarray(c)
            K[np.diag_indices(self.n)] += raised
            raised *= 10.0

    def inverse(self, p: Parameters) -> Array:
        """Return the inverse of the values' covariance, (n, n)."""
        from scipy.linalg.lapack import dpotri

        lower, _ = dpotri(self.factor(p), lower=1, overwrite_c=1)
        return np.tril(lower) + np.tril(lower, -1).T

    def value(self, u: Array) -> float:
        """Return the log of the tempered posterior at standardized parameters, to a constant."""
        from scipy.linalg.lapack import dpotrf, dpotrs

        c, failed = dpotrf(self.gram(self.prior.parameters(u))[0], lower=1, overwrite_a=1)
        if failed:
            return -1e10
        fit = self.z @ dpotrs(c, self.z, lower=1)[0]
        return float((-0.5 * fit - np.log(np.diag(c)).sum()) * self.temper - 0.5 * u @ u)

    def slope(self, u: Array) -> tuple[float, Array]:
        """Return that logarithm and its gradient (p,)."""
        from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

        p = self.prior.parameters(u)
        K, product, decays = self.gram(p)
        c, failed = dpotrf(K, lower=1, overwrite_a=1)
        if failed:
            return -1e10, np.zeros(len(u))
        logdet = float(np.log(np.diag(c)).sum())
        alpha, _ = dpotrs(c, self.z, lower=1)
        inverse, _ = dpotri(c, lower=1, overwrite_c=1)
        pairs = inverse.T.ravel()[self.below]
        diagonal = np.diag(inverse)
        # twice the half
        G = (alpha[self.a] * alpha[self.b] - pairs).astype(np.float32)
        own = 0.5 * (alpha * alpha - diagonal)
        by_product = G * product
        by_product[np.abs(by_product) < _VANISHES] = 0.0
        sums, alone = np.zeros((2, self.d, 2))
        columns = zip(self.apart, decays, *p.single, strict=True)
        for j, (apart, decay, rate, weight, _) in enumerate(columns):
            sums[j] = sums_of_product(apart, decay, rate, weight, by_product)
            if self.prior.additive:
                alone[j] = sums_of_part(apart, decay, rate, G)
        w = p.weight
        a = p.amplitude
        lengths = (w * sums[:, 0] + a * alone[:, 0])[self.prior.numbers]
        amplitudes = a * (alone[:, 1] + own @ self.active)
        last = [
            float(by_product.sum()) + p.product * float(own.sum()),
            (p.noise - LEAST_NOISE) * float(own.sum()),
        ]
        by = np.concatenate(
            [lengths, w * (1.0 - w) * sums[:, 1], amplitudes[: len(a) * self.prior.additive], last]
        )
        gradient = by * self.prior.moments[1]
        value = (-0.5 * float(self.z @ alpha) - logdet) * self.temper - 0.5 * float(u @ u)
        return value, gradient * self.temper - u


def _spread(pairs: Pairs, mode: Array, gradient: Array) -> Array:
    """Return a root of the inverse curvature at the mode, which is at least half of the prior's.

    By differences from the gradient there: with those from the other side, too, as many of the
    proposals count (8 runs of 3 to 20 hyperparameters, three scales each), for twice the time.
    """
    step = 1e-2
    moved = mode + step * np.eye(len(mode))
    curvature = np.array([pairs.slope(u)[1] - gradient for u in moved])
    values, vectors = np.linalg.eigh(-(curvature + curvature.T) / (2.0 * step))
    return vectors / np.sqrt(np.maximum(values, 0.5))


@dataclass(frozen=True, eq=False)
class Posterior:
    """The tempered posterior of the kernel's parameters, as weighted proposals.

    Attributes
    ----------
    prior : Prior
        What turns standardized parameters into parameters.
    proposals : ndarray of shape (m, p)
        Standardized parameters.
    weights : ndarray of shape (m,)
        Their truncated importance weights, which sum to 1; equal ones of a chain.
    """

    prior: Prior
    proposals: Array
    weights: Array

    def drawn(self, count: int) -> list[Parameters]:
        """Return parameters drawn at places of the weights that are even, however many they are.

        Of more, the first are the same: each place is the golden ratio beyond the one before.
        """
        places = (0.5 + _GOLDEN * np.arange(count)) % 1.0
        picked = np.searchsorted(np.cumsum(self.weights), places)
        return [
            self.prior.parameters(self.proposals[i]) for i in picked.clip(0, len(self.weights) - 1)
        ]

    @property
    def noise(self) -> Array:
        """The variance of one evaluation under each proposal, (m,)."""
        return np.array([self.prior.parameters(u).noise for u in self.proposals])


def chain(pairs: Pairs, mode: Array, rng: np.random.Generator, states: int = _STATES) -> Posterior:
    """Return states of Hamiltonian dynamics whose limit is the posterior [1]_.

    Between kicks by what the data add, states turn about where the prior alone leads to. So of the
    many parameters that the data hardly tell, however many they are, none makes steps smaller [2]_.
    What they tell best is counted in units of its own. Steps become shorter where one leads away.

    References
    ----------
    .. [1] Neal, R. M. (2011). MCMC using Hamiltonian dynamics. Handbook of Markov Chain Monte
       Carlo, chapter 5.
    .. [2] Beskos, A. et al. (2011). Hybrid Monte Carlo on Hilbert spaces. Stochastic Processes and
       their Applications 121.
    """
    settled, root = _best_known(pairs, mode)
    at = mode.copy()
    at[settled] = np.linalg.solve(root, mode[settled])
    middle = np.zeros(len(mode))
    middle[settled] = at[settled]

    def parameters(at: Array) -> Array:
        u = at.copy()
        u[settled] = root @ at[settled]
        return u

    def pushed(at: Array) -> tuple[float, Array]:
        value, gradient = pairs.slope(parameters(at))
        gradient[settled] = root @ gradient[settled]
        return value, gradient + (at - middle)

    value, force = pushed(at)
    longest = _QUARTER / _TURNS
    visited = []
    for number in range(_WARM + states):
        step = longest * rng.uniform(0.8, 1.2)
        momentum = rng.normal(size=len(at))
        energy = 0.5 * float(momentum @ momentum) - value
        there, there_value, there_force = at, value, force
        for _ in range(_TURNS):
            momentum = momentum + 0.5 * step * there_force
            apart = there - middle
            there = middle + math.cos(step) * apart + math.sin(step) * momentum
            momentum = math.cos(step) * momentum - math.sin(step) * apart
            there_value, there_force = pushed(there)
            momentum = momentum + 0.5 * step * there_force
        gained = energy + there_value - 0.5 * float(momentum @ momentum)
        if math.log(rng.random()) < gained:
            at, value, force = there, there_value, there_force
        elif number < _WARM:
            longest *= 0.5
        visited.append(parameters(at))
    last = np.array(visited[_WARM:])
    return Posterior(pairs.prior, last, np.full(states, 1.0 / states))


def _best_known(pairs: Pairs, mode: Array) -> tuple[Ints, Array]:
    """Return the parameters that the data tell best (m,), and a root of their covariance (m, m).

    The variances of the product and of the noise are among them. The covariance is the inverse
    curvature at the mode, at most the prior's.
    """
    farthest = np.argsort(-np.abs(mode), kind="stable")[:_TOLD]
    settled = np.union1d(farthest, [len(mode) - 2, len(mode) - 1])
    slope = pairs.slope(mode)[1][settled]
    curvature = np.empty((len(settled), len(settled)))
    for i, j in enumerate(settled.tolist()):
        moved = mode.copy()
        moved[j] -= _STEP
        curvature[i] = (pairs.slope(moved)[1][settled] - slope) / _STEP
    values, vectors = np.linalg.eigh(0.5 * (curvature + curvature.T))
    return settled, (vectors / np.sqrt(np.maximum(values, 1.0))) @ vectors.T


def posterior(pairs: Pairs, *, seed: int, proposals: int = 120) -> Posterior:
    """Return the tempered posterior of the kernel's parameters.

    The mode from two starts; proposals from a t distribution with 6 degrees of freedom whose
    precision is the curvature there, at least half of the prior's, with truncated importance
    weights. With more than 50 hyperparameters, where no weights would be alike, the states of a
    chain that begins at the mode from one start.
    """
    from scipy.optimize import minimize

    def downhill(u: Array) -> tuple[float, Array]:
        value, gradient = pairs.slope(u)
        return -value, -gradient

    rng = np.random.default_rng(seed)
    size = len(pairs.prior.moments[0])
    mode = gradient = np.zeros(size)
    least = np.inf
    starts = [np.zeros(size), 0.7 * rng.normal(size=size)]
    for start in starts if size <= _MOST else starts[:1]:
        result = minimize(
            downhill,
            start,
            jac=True,
            method="L-BFGS-B",
            # a third of the steps that the default takes, for a mode within 0.02 of its log
            # density; where a line search does not end soon, only rounding is left to gain
            options={"maxiter": 60, "ftol": 1e-5, "maxls": 6},
        )
        if result.fun < least:
            mode = result.x
            gradient = -result.jac
            least = result.fun
    if size > _MOST:
        return chain(pairs, mode, rng)
    root = _spread(pairs, mode, gradient)
    degrees = 6
    t = rng.normal(size=(proposals, size))
    t /= np.sqrt(rng.chisquare(degrees, proposals) / degrees)[:, None]
    U = mode + t @ root.T
    of_proposal = -(degrees + size) / 2.0 * np.log1p((t * t).sum(axis=1) / degrees)
    logs = np.array([pairs.value(u) for u in U]) - of_proposal
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    weights = np.minimum(weights, math.sqrt(proposals) / proposals)
    in_order = np.argsort(-weights, kind="stable")
    return Posterior(pairs.prior, U[in_order], weights[in_order] / weights.sum())
