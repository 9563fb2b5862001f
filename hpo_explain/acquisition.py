"""Acquisition functions as named additive terms of a utility that is larger for more desirable.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
m, s        mean and standard deviation of the *cost*: the objective, negated where it is
            maximized, so that smaller is better
f*          the best cost so far
z           ``(f* - ξ - m) / s``
Φ, φ        distribution function and density of the standard normal
==========  ============================================================================

References
----------
.. [1] Cox, D. D. and John, S. (1992). A statistical method for global optimization. (LCB)
.. [2] Jones, D. R., Schonlau, M. and Welch, W. J. (1998). Efficient global optimization of
   expensive black-box functions. J. Global Optimization 13, 455-492. (EI)
   https://doi.org/10.1023/A:1008306431147
.. [3] Ament, S. et al. (2023). Unexpected improvements to expected improvement for Bayesian
   optimization. NeurIPS. (log EI) https://arxiv.org/abs/2310.20708
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from scipy.special import erfcx, log_ndtr, ndtr

from hpo_explain._checks import check_direction
from hpo_explain.space import Array, SearchSpace
from hpo_explain.surrogates import Surrogate

_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
_Z_MAX = 1e6
_ROUNDED = 1e-12  # of the numbers that a gain is the difference of


@runtime_checkable
class Acquisition(Protocol):
    """A utility over the search space, the sum of named terms; larger is more desirable."""

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        ...

    @property
    def label(self) -> str:
        """Name of the criterion with its settings, for captions."""
        ...

    @property
    def term_names(self) -> tuple[str, ...]:
        """The names of the terms, in the order in which they are shown."""
        ...

    def terms(self, X: Array) -> dict[str, Array]:
        """Return the additive terms, each (n,), at encoded rows (n, d)."""
        ...


@runtime_checkable
class SurrogateBased(Protocol):
    """An acquisition that looks at the space through a surrogate of the objective."""

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate."""
        ...

    @property
    def direction(self) -> str:
        """Whether the objective is minimized or maximized."""
        ...

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective, each of their shape."""
        ...


@dataclass(frozen=True, eq=False)
class TermBlock:
    """The terms for some background rows in every coalition asked for.

    Attributes
    ----------
    rows : slice
        The background rows.
    terms : dict of str to ndarray of shape (number of rows, number of coalitions)
        The terms for each background row and coalition.

    Examples
    --------
    >>> import numpy as np
    >>> TermBlock(slice(0, 2), {"mean": np.zeros((2, 8))}).terms["mean"].shape
    (2, 8)
    """

    rows: slice
    terms: dict[str, Array]


@runtime_checkable
class SupportsTermCoalitions(Protocol):
    """An acquisition that values the coalitions of a Shapley game itself, without composed rows."""

    def coalition_terms(
        self,
        x: Array,
        background: Array,
        players: npt.NDArray[np.int64],
        coalitions: npt.NDArray[np.bool_],
    ) -> Iterator[TermBlock]:
        """Return the terms in coalitions, block by block of background rows.

        Arguments are as in :meth:`SupportsCoalitions.predict_coalitions`.
        """
        ...


@runtime_checkable
class SupportsParts(Protocol):
    """An acquisition that is a sum of acquisitions, each of a few hyperparameters.

    Shapley values are linear: those of the parts, which are games of few players, add up to those
    of the whole.
    """

    def parts(self) -> tuple[Acquisition, ...]:
        """Return the parts, over the same space and with the same terms."""
        ...


@runtime_checkable
class SupportsCandidates(Protocol):
    """An acquisition that knows which configurations the optimizer compares it on."""

    def candidates(self, n: int, *, seed: int = 0) -> Array:
        """Draw `n` latent rows, (n, d), as the optimizer draws its candidates."""
        ...


# ---------------------------------------------------------------------- criteria


def lower_confidence_bound(m: Array, s: Array, kappa: float) -> tuple[Array, Array]:
    """Return the two terms of -LCB: ``-m`` and ``+κ s``."""
    return -m, kappa * s


def expected_improvement(m: Array, s: Array, best: float, xi: float = 0.0) -> tuple[Array, Array]:
    """Return the two terms of EI: exploitation ``(f* - ξ - m) Φ(z)`` and exploration ``s φ(z)``."""
    gain = _gain(m, best, xi)
    z = _standardize(gain, s)
    return gain * ndtr(z), s * np.exp(-0.5 * z**2 - _LOG_SQRT_2PI)


def probability_of_improvement(m: Array, s: Array, best: float, xi: float = 0.0) -> Array:
    """Return ``Φ(z)``."""
    return np.asarray(ndtr(_standardize(_gain(m, best, xi), s)), dtype=float)


def log_expected_improvement(m: Array, s: Array, best: float, xi: float = 0.0) -> Array:
    """Return ``log EI``, accurate far below the best cost where EI itself underflows.

    A logarithm of 0 could not be explained, so z counts as at least -10⁶: a prediction that
    surely does not improve stands below the others, but at a finite value.
    """
    gain = _gain(m, best, xi)
    floor = np.maximum(np.abs(gain) / _Z_MAX, np.finfo(float).tiny)
    return np.asarray(_log_h(_standardize(gain, s)) + np.log(np.maximum(s, floor)), dtype=float)


def _gain(m: Array, best: float, xi: float) -> Array:
    """Return ``f* - ξ - m``; one of rounding size is 0: its sign would be the last digit's."""
    gain = best - xi - m
    return np.where(np.abs(gain) <= _ROUNDED * np.maximum(np.abs(m), abs(best)), 0.0, gain)


def _standardize(gain: Array, s: Array) -> Array:
    """Return z within ±10⁶, where Φ and φ have long reached their limits, as they have at s = 0."""
    bounded = np.maximum(s, np.abs(gain) / _Z_MAX)
    return np.divide(gain, bounded, out=np.full_like(gain, -_Z_MAX), where=bounded > 0)


def _log_h(z: Array) -> Array:
    """Return ``log(φ(z) + z Φ(z))`` by Eq. 9 of [3]_, whose branches keep it from cancelling."""
    direct = np.maximum(z, -1.0)
    log_h = np.log(np.exp(-0.5 * direct**2 - _LOG_SQRT_2PI) + direct * np.exp(log_ndtr(direct)))
    t = np.minimum(z, -1.0)
    # 1 - |z| Φ/φ; its large-|z| form is 1/z² - 3/z⁴ + ...
    ratio = np.sqrt(np.pi / 2) * erfcx(-t / np.sqrt(2)) * -t
    near = np.log1p(-np.where(t > -1e4, ratio, 0.5))
    tail = np.where(t > -1e4, near, -2.0 * np.log(-t))
    return np.asarray(np.where(z > -1.0, log_h, -0.5 * t**2 - _LOG_SQRT_2PI + tail), dtype=float)


def _sign(direction: str) -> float:
    return 1.0 if direction == "minimize" else -1.0


# ---------------------------------------------------------------------- on a surrogate


@dataclass(frozen=True, eq=False)
class _OnSurrogate(ABC):
    """What acquisition functions of predictions have in common."""

    surrogate: Surrogate

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        return self.surrogate.space

    def terms(self, X: Array) -> dict[str, Array]:
        """Return each of ``term_names``, (n,), at encoded rows (n, d)."""
        return self.terms_of(*self.surrogate.predict(X))

    @abstractmethod
    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective."""


@dataclass(frozen=True, eq=False)
class LowerConfidenceBound(_OnSurrogate):
    """The confidence bound, as the utility ``-m + κ s``.

    Where the objective is maximized this is the upper confidence bound of the objective.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    kappa : float, default 1.96
        Weight of the standard deviation; at least 0.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.

    Raises
    ------
    ValueError
        If `kappa` is negative or infinite, or `direction` is unknown.

    References
    ----------
    .. [1] Cox, D. D. and John, S. (1992). A statistical method for global optimization.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, GaussianProcessSurrogate, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> surrogate = GaussianProcessSurrogate.fit(space, X, X[:, 0] ** 2)
    >>> terms = LowerConfidenceBound(surrogate, kappa=2.0).terms(np.array([[0.1], [0.9]]))
    >>> bool(terms["mean"][0] > terms["mean"][1])
    True
    """

    kappa: float = 1.96
    direction: str = "minimize"

    term_names = ("mean", "uncertainty")

    def __post_init__(self) -> None:
        check_direction(self.direction)
        if not 0 <= self.kappa < np.inf:
            raise ValueError(f"kappa must be at least 0 and finite, but was {self.kappa!r}.")

    @property
    def label(self) -> str:
        """Name of the criterion with its settings, for captions."""
        return f"{'LCB' if self.direction == 'minimize' else 'UCB'} (κ = {self.kappa:g})"

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective."""
        attraction, uncertainty = lower_confidence_bound(
            _sign(self.direction) * mean, std, self.kappa
        )
        return {"mean": attraction, "uncertainty": uncertainty}


@dataclass(frozen=True, eq=False)
class _Improvement(_OnSurrogate):
    """What EI, PI and log EI have in common: the best objective so far."""

    best: float
    xi: float = 0.0
    direction: str = "minimize"

    _name: ClassVar[str]

    def __post_init__(self) -> None:
        check_direction(self.direction)
        if not np.isfinite(self.best):
            raise ValueError(
                f"best must be the best finite objective so far, but was {self.best!r}."
            )
        if not np.isfinite(self.xi):
            raise ValueError(f"xi must be finite, but was {self.xi!r}.")

    def _cost(self, mean: Array) -> tuple[Array, float]:
        sign = _sign(self.direction)
        return sign * mean, sign * self.best

    @property
    def label(self) -> str:
        """Name of the criterion with its settings, for captions."""
        return f"{self._name} (ξ = {self.xi:g})" if self.xi else self._name


@dataclass(frozen=True, eq=False)
class ExpectedImprovement(_Improvement):
    """Expected improvement over the best objective so far, split in two terms.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    best : float
        The best objective so far, in the user's units.
    xi : float, default 0.0
        Improvement that is asked for at least.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.

    Raises
    ------
    ValueError
        If `best` or `xi` is not finite, or `direction` is unknown.

    References
    ----------
    .. [1] Jones, Schonlau and Welch (1998). Efficient global optimization of expensive black-box
       functions, Eq. 15. https://doi.org/10.1023/A:1008306431147

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, GaussianProcessSurrogate, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> surrogate = GaussianProcessSurrogate.fit(space, X, X[:, 0] ** 2)
    >>> sorted(ExpectedImprovement(surrogate, best=0.01).terms(np.array([[0.05]])))
    ['exploitation', 'exploration']
    """

    term_names = ("exploitation", "exploration")
    _name = "EI"

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective."""
        m, best = self._cost(mean)
        exploitation, exploration = expected_improvement(m, std, best, self.xi)
        return {"exploitation": exploitation, "exploration": exploration}


@dataclass(frozen=True, eq=False)
class ProbabilityOfImprovement(_Improvement):
    """Probability of an improvement over the best objective so far, one term.

    Parameters
    ----------
    surrogate, best, xi, direction
        As in :class:`ExpectedImprovement`.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, GaussianProcessSurrogate, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> surrogate = GaussianProcessSurrogate.fit(space, X, X[:, 0] ** 2)
    >>> mean, _ = surrogate.predict(X[:1])
    >>> even = ProbabilityOfImprovement(surrogate, best=float(mean[0]))  # as likely as not
    >>> float(even.terms(X[:1])["probability of improvement"][0])
    0.5
    """

    term_names = ("probability of improvement",)
    _name = "PI"

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective."""
        m, best = self._cost(mean)
        return {self.term_names[0]: probability_of_improvement(m, std, best, self.xi)}


@dataclass(frozen=True, eq=False)
class LogExpectedImprovement(_Improvement):
    """The natural logarithm of the expected improvement, one term.

    Parameters
    ----------
    surrogate, best, xi, direction
        As in :class:`ExpectedImprovement`.

    References
    ----------
    .. [1] Ament, S. et al. (2023). Unexpected improvements to expected improvement for Bayesian
       optimization. NeurIPS, Eq. 9. https://arxiv.org/abs/2310.20708

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, GaussianProcessSurrogate, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> surrogate = GaussianProcessSurrogate.fit(space, X, X[:, 0] ** 2)
    >>> value = LogExpectedImprovement(surrogate, best=0.1).terms(X[:1])["log expected improvement"]
    >>> improvement = ExpectedImprovement(surrogate, best=0.1).terms(X[:1])
    >>> bool(np.isclose(np.exp(value), sum(improvement.values())).all())
    True
    """

    term_names = ("log expected improvement",)
    _name = "log EI"

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective."""
        m, best = self._cost(mean)
        return {self.term_names[0]: log_expected_improvement(m, std, best, self.xi)}
