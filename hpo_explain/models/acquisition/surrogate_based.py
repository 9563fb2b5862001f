"""Acquisition functions on a surrogate, risk-averse ones included."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from hpo_explain.base.checks import check_direction, check_number
from hpo_explain.base.errors import InputError
from hpo_explain.base.options import Direction
from hpo_explain.models.acquisition.criteria import (
    expected_improvement,
    log_expected_improvement,
    lower_confidence_bound,
    noise_share,
    probability_of_improvement,
)
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.protocols import SupportsRelevance, Surrogate
from hpo_explain.space import Array, Bools, SearchSpace


def _sign(direction: Direction) -> float:
    return 1.0 if direction == "minimize" else -1.0


@dataclass(frozen=True, eq=False)
class _OnSurrogate(ABC):
    """What acquisition functions of a surrogate's predictions have in common."""

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
    """The confidence bound, as the utility ``-m + κ s``, in the objective's units.

    Where the objective is maximized, this is its upper confidence bound.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    kappa : float, default 1.96
        Weight of the standard deviation, at least 0.
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
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import GaussianProcessSurrogate
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> surrogate = GaussianProcessSurrogate.fit(space, X, X[:, 0] ** 2)
    >>> terms = LowerConfidenceBound(surrogate, kappa=2.0).terms(np.array([[0.1], [0.9]]))
    >>> bool(terms["mean"][0] > terms["mean"][1])
    True
    """

    kappa: float = 1.96
    direction: Direction = "minimize"

    term_names = ("mean", "uncertainty")

    def __post_init__(self) -> None:
        check_direction(self.direction)
        if check_number("kappa", self.kappa) < 0.0:
            problem = f"must be at least 0, but was {self.kappa!r}"
            raise InputError("kappa", problem, self.kappa, "0 ignores the standard deviation.")

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
    direction: Direction = "minimize"

    _name: ClassVar[str]

    def __post_init__(self) -> None:
        check_direction(self.direction)
        check_number("best", self.best)
        check_number("xi", self.xi)

    def _cost(self, mean: Array) -> tuple[Array, float]:
        sign = _sign(self.direction)
        return sign * mean, sign * self.best

    @property
    def label(self) -> str:
        """Name of the criterion with its settings, for captions."""
        return f"{self._name} (ξ = {self.xi:g})" if self.xi else self._name


@dataclass(frozen=True, eq=False)
class ExpectedImprovement(_Improvement):
    """Expected improvement over the best objective so far, in its units, as two terms.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    best : float
        The best objective so far, in the user's units.
    xi : float, default 0.0
        Smallest improvement that counts, in the objective's units.
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
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import GaussianProcessSurrogate
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
    """Probability of an improvement over the best objective so far, in [0, 1], as one term.

    Parameters
    ----------
    surrogate, best, xi, direction
        As in :class:`ExpectedImprovement`.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import GaussianProcessSurrogate
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
    """The natural logarithm of the expected improvement, as one term.

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
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import GaussianProcessSurrogate
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


@dataclass(frozen=True, eq=False)
class _OfNoise(_Improvement):
    """What criteria of noisy evaluations have in common: the noise of one, at least 0."""

    noise_std: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if check_number("noise_std", self.noise_std) < 0.0:
            problem = f"must be at least 0, but was {self.noise_std!r}"
            raise InputError("noise_std", problem, self.noise_std, "0 is no noise.")


@dataclass(frozen=True, eq=False)
class AugmentedExpectedImprovement(_OfNoise):
    """Expected improvement times ``1 - τ / √(s² + τ²)``, as the two terms of EI: AEI.

    The factor is small where little but the noise τ of one more evaluation is left to learn.

    Parameters
    ----------
    surrogate, best, xi, direction
        As in :class:`ExpectedImprovement`; `best` is the *predicted* objective of the effective
        best trial, that of the lowest ``m + s`` (of costs).
    noise_std : float, default 0.0
        τ, the standard deviation of one evaluation, in the objective's units.

    References
    ----------
    .. [1] Huang, D., Allen, T. T., Notz, W. I. and Zeng, N. (2006). Global optimization of
       stochastic black-box systems via sequential kriging meta-models, Eq. 13.
       https://doi.org/10.1007/s10898-005-2454-3

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import GaussianProcessSurrogate
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> surrogate = GaussianProcessSurrogate.fit(space, X, X[:, 0] ** 2)
    >>> quiet = AugmentedExpectedImprovement(surrogate, best=0.01).terms(X[:1])
    >>> noisy = AugmentedExpectedImprovement(surrogate, best=0.01, noise_std=1.0).terms(X[:1])
    >>> bool(sum(noisy.values())[0] < sum(quiet.values())[0])
    True
    """

    term_names = ("exploitation", "exploration")
    _name = "AEI"

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective."""
        m, best = self._cost(mean)
        terms = expected_improvement(m, std, best, self.xi)
        left = 1.0 - noise_share(std, self.noise_std)
        return dict(zip(self.term_names, (left * term for term in terms), strict=True))


@dataclass(frozen=True, eq=False)
class ExpectedQuantileImprovement(_OfNoise):
    """Expected improvement of a quantile of the model by one more noisy evaluation: EQI.

    Parameters
    ----------
    surrogate, best, xi, direction
        As in :class:`ExpectedImprovement`; `best` is the best quantile ``m + Φ⁻¹(β) s`` (of
        costs) among the trials.
    noise_std : float, default 0.0
        τ, the standard deviation of that evaluation, in the objective's units.
    beta : float, default 0.9
        The level β of the quantile, from 0.5 to below 1.

    References
    ----------
    .. [1] Picheny, V., Ginsbourger, D., Richet, Y. and Caplin, G. (2013). Quantile-based
       optimization of noisy computer experiments with tunable precision, Eq. 6 to 8.
       https://doi.org/10.1080/00401706.2012.707580

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import GaussianProcessSurrogate
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> surrogate = GaussianProcessSurrogate.fit(space, X, X[:, 0] ** 2)
    >>> ExpectedQuantileImprovement(surrogate, best=0.01, noise_std=0.1).label
    'EQI (β = 0.9)'
    """

    beta: float = 0.9

    term_names = ("exploitation", "exploration")
    _name = "EQI"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.5 <= check_number("beta", self.beta) < 1.0:
            problem = f"must be at least 0.5 and below 1, but was {self.beta!r}"
            raise InputError("beta", problem, self.beta, "0.5 is the mean.")

    @property
    def label(self) -> str:
        """Name of the criterion with its settings, for captions."""
        return f"{self._name} (β = {self.beta:g})"

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective."""
        m, best = self._cost(mean)
        share = noise_share(std, self.noise_std)
        later = m + ndtri(self.beta) * share * std  # the quantile's mean after the evaluation
        terms = expected_improvement(later, std * np.sqrt(1.0 - share**2), best, self.xi)
        return dict(zip(self.term_names, terms, strict=True))


_TERMS = ("mean", "uncertainty", "noise")


@dataclass(frozen=True, eq=False)
class RiskAverseConfidenceBound:
    """The risk-averse confidence bound, as the utility ``-m + κ s - α r``.

    In the objective's units: m is the predicted objective (negated where it is maximized), s what
    the model does not know of it (epistemic: more trials reduce it), r the standard deviation of
    the noise (aleatoric: no trial reduces it).

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    noise : Surrogate
        The model of the noise: its mean is r, such as ``run.noise()``. A model that predicts the
        variance r² makes it the bound of [2]_.
    kappa : float, default 1.96
        Weight κ of the model's uncertainty, at least 0.
    alpha : float, default 1.0
        Weight α of the noise, at least 0.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective; noise is never desirable.

    Raises
    ------
    ValueError
        If `kappa` or `alpha` is negative or infinite, `direction` is unknown, or the two models
        are of different spaces.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F. et al. (2024). Explaining Bayesian optimization by Shapley
       values facilitates human-AI collaboration. https://arxiv.org/abs/2403.04629
    .. [2] Makarova, A., Usmanova, I., Bogunovic, I. and Krause, A. (2021). Risk-averse
       heteroscedastic Bayesian optimization. NeurIPS. https://arxiv.org/abs/2111.03637

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = np.repeat(np.linspace(0.0, 1.0, 30), 3)[:, None]  # each configuration three times
    >>> y = X[:, 0] + (0.01 + X[:, 0]) * rng.standard_normal(90)
    >>> run = hx.Run(space, X, y, "minimize")
    >>> bound = hx.models.RiskAverseConfidenceBound(run.surrogate(), run.noise(), alpha=2.0)
    >>> quiet, noisy = bound.terms(np.array([[0.1], [0.9]]))["noise"]
    >>> bool(noisy < quiet < 0.0)
    True
    """

    surrogate: Surrogate
    noise: Surrogate
    kappa: float = 1.96
    alpha: float = 1.0
    direction: Direction = "minimize"

    term_names = _TERMS

    def __post_init__(self) -> None:
        check_direction(self.direction)
        for name in ("kappa", "alpha"):
            value = getattr(self, name)
            if check_number(name, value) < 0.0:
                problem = f"must be at least 0, but was {value!r}"
                raise InputError(name, problem, value, "0 leaves its term out.")
        own, other = self.surrogate.space.names, self.noise.space.names
        if own != other:
            problem = f"is a model of {list(other)}, but the surrogate is one of {list(own)}"
            raise InputError("noise", problem, self.noise, "Fit both to the same run.")

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        return self.surrogate.space

    @property
    def label(self) -> str:
        """Name of the criterion with its settings, for captions."""
        side = "LCB" if self.direction == "minimize" else "UCB"
        return f"risk-averse {side} (κ = {self.kappa:g}, α = {self.alpha:g})"

    def terms(self, X: Array) -> dict[str, Array]:
        """Return each of ``term_names``, (n,), at encoded rows (n, d)."""
        bound, noise = self._bound.terms(X), self._noise.terms(X)
        return {**bound, "noise": noise["noise"]}

    def parts(self) -> tuple[Acquisition, ...]:
        """Return the confidence bound and the noise, each with the terms of all."""
        return self._bound, self._noise

    def relevant(self) -> Bools:
        """Return for each column whether one of the two models can depend on it, (d,)."""
        models = (self.surrogate, self.noise)
        every = np.ones(len(self.space), dtype=bool)
        found = [m.relevant() if isinstance(m, SupportsRelevance) else every for m in models]
        return np.asarray(found[0] | found[1])

    @property
    def _bound(self) -> _Bound:
        return _Bound(LowerConfidenceBound(self.surrogate, self.kappa, self.direction))

    @property
    def _noise(self) -> _Noise:
        return _Noise(self.noise, self.alpha, self.direction)


@dataclass(frozen=True, eq=False)
class _Bound:
    """The two terms of the confidence bound, and none of the noise."""

    bound: LowerConfidenceBound

    label = "confidence bound"
    term_names = _TERMS

    @property
    def space(self) -> SearchSpace:
        return self.bound.space

    @property
    def surrogate(self) -> Surrogate:
        return self.bound.surrogate

    @property
    def direction(self) -> Direction:
        return self.bound.direction

    def terms(self, X: Array) -> dict[str, Array]:
        return self.terms_of(*self.surrogate.predict(X))

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        return {**self.bound.terms_of(mean, std), "noise": np.zeros_like(mean)}


@dataclass(frozen=True, eq=False)
class _Noise:
    """The term of the noise alone; its surrogate predicts the standard deviation of the noise."""

    surrogate: Surrogate
    alpha: float
    direction: Direction

    label = "noise"
    term_names = _TERMS

    @property
    def space(self) -> SearchSpace:
        return self.surrogate.space

    def terms(self, X: Array) -> dict[str, Array]:
        return self.terms_of(*self.surrogate.predict(X))

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        nothing = np.zeros_like(mean)
        return {"mean": nothing, "uncertainty": nothing, "noise": -self.alpha * mean}
