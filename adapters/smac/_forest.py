"""SMAC's forest: the columns and the scale that it learns on, and its expected improvement."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr

from hpo_explain.base.options import Direction
from hpo_explain.models.acquisition.split import SplitCriterion
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.space import Array, CategoricalParameter, SearchSpace

LEAST = 1e-10  # SMAC's VERY_SMALL_NUMBER


class VectorColumns:
    """ConfigSpace's vectors of encoded rows; a forest's without the NaN of what is inactive.

    Parameters
    ----------
    space : SearchSpace
        The space that was read from the configuration space.
    configspace : ConfigSpace.ConfigurationSpace
        The configuration space.
    imputed : bool, default True
        Whether inactive values are replaced as SMAC's forests do: below every number, above every
        category.

    Attributes
    ----------
    owners : ndarray of int
        For each column the column of the encoded row that it comes from.
    """

    def __init__(self, space: SearchSpace, configspace: Any, *, imputed: bool = True) -> None:
        self._space = space
        self._given = [configspace[name] for name in space.names]
        self._inactive = [_inactive(given) if imputed else np.nan for given in self._given]
        self.owners: npt.NDArray[np.int64] = np.arange(len(space))

    def __call__(self, X: Array) -> Array:
        """Return the vectors (n, d) of encoded rows (n, d)."""
        found = np.empty(X.shape)
        for j, (parameter, given) in enumerate(zip(self._space, self._given, strict=True)):
            active = ~np.isnan(X[:, j])
            found[~active, j] = self._inactive[j]
            if isinstance(parameter, CategoricalParameter):
                table = np.array([given.to_vector(choice) for choice in parameter.choices])
                found[active, j] = table[np.round(X[active, j]).astype(np.int64)]
            elif active.any():
                values = np.asarray(parameter.decode(X[active, j]))
                found[active, j] = given.to_vector(values)
        return found


def _inactive(given: Any) -> float:
    """Return what SMAC's forests take in place of an inactive value."""
    choices = getattr(given, "choices", getattr(given, "sequence", None))
    if choices is not None:
        return float(len(choices))
    return 1.0 if hasattr(given, "value") else -1.0


# ---------------------------------------------------------------------- the scale of the cost


@dataclass(frozen=True)
class Plain:
    """The cost itself."""

    def back(self, value: Array) -> Array:
        """Return the same."""
        return value

    def __call__(self, cost: Array) -> Array:
        """Return the same."""
        return cost


@dataclass(frozen=True)
class LogScaled:
    """The logarithm of the cost as a share of its range, which begins below the least cost.

    By so much as the percentile lies above it (the 5th).

    Attributes
    ----------
    low, high : float
        The range.
    """

    low: float
    high: float

    @classmethod
    def of(cls, cost: Array, percentage: float) -> LogScaled:
        """Return the scale of some costs."""
        least, high = float(np.min(cost)), float(np.max(cost))
        low = least - (float(np.percentile(cost, percentage)) - least) - LEAST
        if low == high:
            low *= 1 - 1e-10
        return cls(low, high)

    def back(self, value: Array) -> Array:
        """Return the costs of values on the scale."""
        return self.low + (self.high - self.low) * np.exp(value)

    def __call__(self, cost: Array) -> Array:
        """Return the values of costs on the scale."""
        return np.log((cost - self.low) / (self.high - self.low))


Scale: TypeAlias = Plain | LogScaled
"""The scale on which SMAC's models learn a cost, and back."""


def scale_of(encoder: Any, cost: Array) -> Scale | None:
    """Return the scale of a run history's encoder for some costs; None for one that is not known.

    Examples
    --------
    >>> import numpy as np
    >>> cost = np.array([1.0, 2.0, 5.0])
    >>> scale = LogScaled.of(cost, 5)
    >>> np.allclose(scale.back(scale(cost)), cost)
    True
    """
    kind = type(encoder).__name__
    if kind == "RunHistoryEncoder":
        return Plain()
    if kind == "RunHistoryLogScaledEncoder":
        return LogScaled.of(cost, float(encoder._scale_percentage))
    return None


def with_costs(forest: Any, scale: Scale) -> Any:
    """Return a fitted forest of SMAC, itself left as it is, with the costs of its leaves.

    The variance is that between the trees, as SMAC has it: leaves have none of their own.
    """
    found = copy.copy(forest)
    found.estimators_ = copy.deepcopy(forest.estimators_)
    for estimator in found.estimators_:
        estimator.tree_.value[...] = scale.back(estimator.tree_.value)
        estimator.tree_.impurity[...] = 0.0
    return found


# ---------------------------------------------------------------------- expected improvement


@dataclass(frozen=True, eq=False)
class LogNormalImprovement:
    """The expected improvement of the cost, whose logarithm is what SMAC's forest predicts.

    Attributes
    ----------
    surrogate : ForestSurrogate
        The forest, in units of the cost.
    on_log_scale : ForestSurrogate
        The same, on the scale on which SMAC trained it: the logarithm of the cost as a share of its
        range. The improvement is such a share, too.
    best : float
        The best prediction for a trial, on that scale.
    xi : float
        Smallest improvement that counts, on that scale.

    References
    ----------
    .. [1] Watanabe, S. (2024). Derivation of closed form of expected improvement for Gaussian
       process trained on log-transformed objective. https://arxiv.org/abs/2411.18095
    """

    surrogate: ForestSurrogate
    on_log_scale: ForestSurrogate
    best: float
    xi: float = 0.0
    direction: Direction = "minimize"
    term_names: ClassVar[tuple[str, ...]] = ("expected improvement",)

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        return self.surrogate.space

    @property
    def label(self) -> str:
        """What it is called."""
        return "EI (log-normal)" if not self.xi else f"EI (log-normal, ξ = {self.xi:g})"

    def terms(self, X: Array) -> dict[str, Array]:
        """Return the one term, (n,), at encoded rows (n, d)."""
        return self._terms_of(*self.on_log_scale.predict(X))

    def relevant(self) -> npt.NDArray[np.bool_]:
        """Return for each hyperparameter whether a tree splits on it, (d,)."""
        return self.on_log_scale.relevant()

    def split(self) -> SplitCriterion:
        """Return the criterion with what the forest predicts on SMAC's scale."""
        return SplitCriterion(self, self.on_log_scale, self._terms_of)

    def _terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        return {self.term_names[0]: log_normal_improvement(mean, std, self.best - self.xi)}


def log_normal_improvement(m: Array, s: Array, best: float) -> Array:
    """Return ``E[max(exp(f*) - exp(y), 0)]`` for a normal y: Eq. 4 of [1]_.

    ``exp(f*) Φ(v) - exp(m + s²/2) Φ(v - s)`` with ``v = (f* - m) / s``.

    References
    ----------
    .. [1] Watanabe, S. (2024). Derivation of closed form of expected improvement for Gaussian
       process trained on log-transformed objective. https://arxiv.org/abs/2411.18095

    Examples
    --------
    >>> import numpy as np
    >>> drawn = np.random.default_rng(0).normal(-1.0, 0.5, size=200_000)
    >>> sampled = np.maximum(np.exp(-1.2) - np.exp(drawn), 0.0).mean()
    >>> found = log_normal_improvement(np.array([-1.0]), np.array([0.5]), -1.2)[0]
    >>> bool(abs(found / sampled - 1.0) < 0.01)
    True
    """
    s = np.maximum(s, np.finfo(float).tiny)
    v = np.clip((best - m) / s, -1e6, 1e6)
    gained = np.exp(best + log_ndtr(v)) - np.exp(m + 0.5 * s**2 + log_ndtr(v - s))
    return np.maximum(gained, 0.0)
