"""A model of the noise: how much results of one configuration scatter, over the search space.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
z_i         estimate of the logarithm of the noise's variance at configuration i
e_i         its known error, the root of ψ'(ν_i/2) (`repeats`)
==========  ============================================================================

The noise varies where functions that the z_i allow, seen with errors e_i, say that a hyperparameter
matters to it; otherwise it is constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpo_explain.base import ROUNDED_95, Fact, Kind, fact, shorten
from hpo_explain.belief import MATTERS, Belief, decide
from hpo_explain.models import ForestSurrogate, GaussianProcessSurrogate, SupportsRelevance
from hpo_explain.run.repeats import Repeats
from hpo_explain.space import Array, Bools, SearchSpace

_FEWEST = 8  # configurations: of fewer nothing is learned

Model = Belief | GaussianProcessSurrogate | ForestSurrogate


def no_repeats(objective: str, repeated: int) -> Fact:
    """Return that so few configurations were repeated that nothing is known of the noise."""
    was = "only one configuration was" if repeated else "no configuration was"
    return fact(
        f"{was} evaluated several times, so nothing is known of the noise of the "
        f"{shorten(objective, 200)}. Repeat some trials, spread over the space, with other seeds, "
        "or read the results of single folds as instances."
    )


@dataclass(frozen=True, eq=False)
class NoiseModel:
    """The standard deviation of the noise of one evaluation, as a surrogate of it.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    repeats : Repeats
        What it was learned from.
    log_variance : Surrogate or None
        The model of the logarithm of the noise's variance; None where the noise is the same
        everywhere, as far as can be told.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F. et al. (2024). Explaining Bayesian optimization by Shapley
       values facilitates human-AI collaboration. https://arxiv.org/abs/2403.04629
    .. [2] Ankenman, B., Nelson, B. L. and Staum, J. (2010). Stochastic kriging for simulation
       metamodeling. Operations Research 58(2), 371-382.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> rng = np.random.default_rng(0)
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.repeat(np.linspace(0.0, 1.0, 30), 4)[:, None]  # each configuration four times
    >>> noise = np.exp(3.0 * X[:, 0] - 3.0) * rng.standard_normal(120)
    >>> model = Run(space, X, X[:, 0] + noise, "minimize").noise()
    >>> mean, std = model.predict(np.array([[1.0]]))
    >>> model.varies, bool(0.6 < mean[0] < 1.6)
    (True, True)
    """

    space: SearchSpace
    repeats: Repeats
    log_variance: Model | None = None

    @classmethod
    def fit(
        cls, space: SearchSpace, repeats: Repeats, *, kind: Kind = "auto", seed: int = 0
    ) -> NoiseModel:
        """Fit the model to sample variances.

        Parameters
        ----------
        space : SearchSpace
            The search space.
        repeats : Repeats
            Sample variances of at least two configurations.
        kind : {"auto", "gp", "forest"}, default "auto"
            The model of the logarithm: by default functions that the variances allow.
        seed : int, default 0
            Seed of the fit.

        Returns
        -------
        NoiseModel
            The fitted model.
        """
        z = repeats.log_variance
        if len(z) < _FEWEST or not np.ptp(z):
            return cls(space, repeats)
        error = float(np.sqrt(np.mean(repeats.error**2)))
        belief = Belief(space, repeats.X, z, "minimize", noise_std=error, seed=seed)
        totals = belief.anova.totals * belief.anova.of_evaluations[:, None]
        if not any(decide(total, MATTERS, side="above").certain for total in totals.T):
            return cls(space, repeats)
        if kind == "auto":
            return cls(space, repeats, belief)
        return cls(space, repeats, _fitted(space, repeats, kind, error, seed))

    @property
    def varies(self) -> bool:
        """Whether the trials say that the noise is not the same everywhere."""
        return self.log_variance is not None

    @property
    def label(self) -> str:
        """What the model is, as in "a GP"; empty where the noise is the same everywhere."""
        return "" if self.log_variance is None else self.log_variance.label

    def predict(self, X: npt.ArrayLike) -> tuple[Array, Array]:
        """Return the standard deviation of the noise and how uncertain it is, each (n,).

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Encoded configurations.

        Returns
        -------
        tuple of ndarray
            In the objective's units: σ, the root of the variance whose logarithm is the predicted
            one, and its standard deviation, σ/2 times that of the logarithm.
        """
        rows = self.space.check_rows("X", X)
        if self.log_variance is not None:
            return _of_log(*self.log_variance.predict(rows))
        pooled, lower, upper = self.repeats.pooled()
        error = (upper - lower) / (2.0 * ROUNDED_95)
        return np.full(len(rows), pooled), np.full(len(rows), error)

    def relevant(self) -> Bools:
        """Return for each column whether the prediction can depend on it, (d,)."""
        if self.log_variance is None:
            return np.zeros(len(self.space), dtype=bool)
        if not isinstance(self.log_variance, SupportsRelevance):
            return np.ones(len(self.space), dtype=bool)
        return self.log_variance.relevant()


def _fitted(space: SearchSpace, repeats: Repeats, kind: Kind, error: float, seed: int) -> Model:
    """Return a model of the logarithm of the variance."""
    X = repeats.X
    z = repeats.log_variance
    if kind == "gp":
        return GaussianProcessSurrogate.fit(space, X, z, least_noise=error, seed=seed)
    return ForestSurrogate.fit(space, X, z, seed=seed).tuned()


def _of_log(mean: Array, std: Array) -> tuple[Array, Array]:
    """Return σ and its standard deviation from those of log σ²."""
    sigma = np.exp(mean / 2.0)
    return sigma, sigma * std / 2.0
