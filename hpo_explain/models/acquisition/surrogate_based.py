"""Acquisition functions on a surrogate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from hpo_explain.base import Direction, InputError, check_direction, check_number, sign_of
from hpo_explain.models.acquisition.criteria import (
    expected_improvement,
    log_expected_improvement,
    lower_confidence_bound,
    probability_of_improvement,
)
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.own_model import mean_and_std
from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array, SearchSpace


def _check_at_least_0(name: str, value: float, remedy: str) -> None:
    if check_number(name, value) < 0.0:
        raise InputError(name, f"must be at least 0, but was {value!r}", value, remedy)


@dataclass(frozen=True, eq=False)
class _OnSurrogate(ABC):
    """What acquisition functions of a surrogate's predictions have in common."""

    surrogate: Surrogate

    term_names: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        check_direction(self.direction)
        if not isinstance(self.surrogate, Surrogate):
            raise InputError(
                "surrogate",
                "must be a surrogate, with a SearchSpace as its `space` and a method predict, "
                f"but was {self.surrogate!r}",
                self.surrogate,
                "Give run.surrogate(), or hpo_explain.models.ModelSurrogate(space, model).",
            )

    def through(self, surrogate: Surrogate) -> Acquisition:
        """Return the same criterion of a surrogate's predictions."""
        return replace(self, surrogate=surrogate)

    @property
    @abstractmethod
    def direction(self) -> Direction:
        """Direction of the objective."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Name of the criterion with its settings."""

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        return self.surrogate.space

    def terms(self, X: Array) -> dict[str, Array]:
        """Return each of ``term_names``, (n,), at encoded rows (n, d)."""
        return self.terms_of(*mean_and_std(self.surrogate, X))

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective.

        Of a model without uncertainty, whose standard deviation is NaN, it counts as 0.
        """
        values = self._values(sign_of(self.direction) * mean, np.nan_to_num(std))
        return dict(zip(self.term_names, values, strict=True))

    @abstractmethod
    def _values(self, m: Array, s: Array) -> tuple[Array, ...]:
        """Return the terms at predictions of the cost."""


@dataclass(frozen=True, eq=False)
class MeanResponse(_OnSurrogate):
    """The predicted objective as the utility ``-m``, in its units, as one term.

    Parameters
    ----------
    surrogate, direction
        As in :class:`LowerConfidenceBound`.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> better, worse = MeanResponse(run.surrogate()).terms(run.X[:2])["mean"]
    >>> bool(better > worse)
    True
    """

    direction: Direction = "minimize"

    term_names = ("mean",)
    label = "mean response"

    def _values(self, m: Array, s: Array) -> tuple[Array, ...]:
        return (-m,)


@dataclass(frozen=True, eq=False)
class StandardError(_OnSurrogate):
    """The standard deviation s of the prediction, in the objective's units, as one term.

    Parameters
    ----------
    surrogate, direction
        As in :class:`LowerConfidenceBound`; the direction makes no difference.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> tried, untried = StandardError(run.surrogate()).terms([[0.4], [0.65]])["uncertainty"]
    >>> bool(tried < untried)
    True
    """

    direction: Direction = "minimize"

    term_names = ("uncertainty",)
    label = "standard error"

    def _values(self, m: Array, s: Array) -> tuple[Array, ...]:
        return (s,)


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
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> terms = LowerConfidenceBound(run.surrogate(), kappa=2.0).terms(run.X[:2])
    >>> bool(terms["mean"][0] > terms["mean"][1])
    True
    """

    kappa: float = 1.96
    direction: Direction = "minimize"

    term_names = ("mean", "uncertainty")

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_at_least_0("kappa", self.kappa, "0 ignores the standard deviation.")

    @classmethod
    def adaptive(
        cls,
        surrogate: Surrogate,
        start: float,
        end: float,
        progress: float,
        direction: Direction = "minimize",
    ) -> LowerConfidenceBound:
        """Return the adaptive bound of mlrMBO, whose κ goes from `start` to `end` during a run.

        Parameters
        ----------
        surrogate, direction
            As above.
        start, end : float
            κ at the beginning and at the end of the run, at least 0.
        progress : float
            How much of the run is done p, from 0 to 1: κ is ``(1 - p) start + p end``.

        Raises
        ------
        ValueError
            If `start` or `end` is negative or infinite, `progress` is outside [0, 1], or
            `direction` is unknown.

        Examples
        --------
        >>> import hpo_explain as hx
        >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
        >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
        >>> LowerConfidenceBound.adaptive(run.surrogate(), 4.0, 1.0, progress=0.5).kappa
        2.5
        """
        for name, value in (("start", start), ("end", end)):
            _check_at_least_0(name, value, "0 ignores the standard deviation.")
        if not 0.0 <= check_number("progress", progress) <= 1.0:
            problem = f"must be from 0 to 1, but was {progress!r}"
            raise InputError("progress", problem, progress, "Divide trials done by all planned.")
        return cls(surrogate, (1.0 - progress) * start + progress * end, direction)

    @property
    def label(self) -> str:
        """Name of the criterion with its settings, for captions."""
        return f"{'LCB' if self.direction == 'minimize' else 'UCB'} (κ = {self.kappa:g})"

    def _values(self, m: Array, s: Array) -> tuple[Array, ...]:
        return lower_confidence_bound(m, s, self.kappa)


@dataclass(frozen=True, eq=False)
class _Improvement(_OnSurrogate):
    """What EI, PI and log EI have in common: the best objective so far."""

    best: float
    xi: float = 0.0
    direction: Direction = "minimize"

    _name: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("best", self.best)
        check_number("xi", self.xi)

    @property
    def _least(self) -> float:
        """f*, the best cost."""
        return sign_of(self.direction) * self.best

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
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> sorted(ExpectedImprovement(run.surrogate(), best=1.0).terms(run.X))
    ['exploitation', 'exploration']
    """

    term_names = ("exploitation", "exploration")
    _name = "EI"

    def _values(self, m: Array, s: Array) -> tuple[Array, ...]:
        return expected_improvement(m, s, self._least, self.xi)


@dataclass(frozen=True, eq=False)
class ProbabilityOfImprovement(_Improvement):
    """Probability of an improvement over the best objective so far, in [0, 1], as one term.

    Parameters
    ----------
    surrogate, best, xi, direction
        As in :class:`ExpectedImprovement`.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> mean, _ = run.surrogate().predict(run.X[:1])
    >>> even = ProbabilityOfImprovement(run.surrogate(), best=float(mean[0]))  # as likely as not
    >>> float(even.terms(run.X[:1])["probability of improvement"][0])
    0.5
    """

    term_names = ("probability of improvement",)
    _name = "PI"

    def _values(self, m: Array, s: Array) -> tuple[Array, ...]:
        return (probability_of_improvement(m, s, self._least, self.xi),)


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
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> log = LogExpectedImprovement(run.surrogate(), best=3.0).terms(run.X[:1])
    >>> plain = ExpectedImprovement(run.surrogate(), best=3.0).terms(run.X[:1])
    >>> bool(np.isclose(sum(log.values()), np.log(sum(plain.values()))).all())
    True
    """

    term_names = ("log expected improvement",)
    _name = "log EI"

    def _values(self, m: Array, s: Array) -> tuple[Array, ...]:
        return (log_expected_improvement(m, s, self._least, self.xi),)
