"""How probable it is that a configuration meets the constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpo_explain.base.numbers import normal_quantile
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run.fits import choose_kind
from hpo_explain.space import Array, Bools, SearchSpace

_SLOPES = 1e-2, 1e3  # of the sigmoid: labels are 2 apart
_INTERCEPTS = -50.0, 50.0

PROBABLE = 0.5
"""Configurations less probably feasible are not proposed, and their effects not relied on."""


@dataclass(frozen=True, eq=False)
class Feasibility:
    """A classifier of the configurations that meet the constraints.

    A surrogate of the labels +1 (feasible) and -1 (infeasible) in the run's trials, whose
    predictions a sigmoid turns into probabilities: Φ((a m + b) / sqrt(1 + a² s²)) with the mean m
    and the standard deviation s of a new label [1]_. Its parameters a and b are fitted to the
    predictions of trials that were held out, the labels drawn towards each other as if one more
    trial of each kind had been seen [2]_.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    surrogate : Surrogate or None
        The surrogate of the labels; None where all trials have the same.
    slope, intercept : float
        The parameters a and b.
    feasible, infeasible : int
        How many trials met the constraints, and how many did not.

    References
    ----------
    .. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
       Section 6.5 (least-squares classification), Eqs. 6.41 and 6.42.
    .. [2] Platt, J. (1999). Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods. Advances in Large Margin Classifiers, Section 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> x = np.linspace(0.0, 1.0, 21)[:, None]
    >>> run = Run(space, x, x[:, 0], "maximize", feasible=x[:, 0] < 0.6)
    >>> run.feasibility().probability([[0.2], [0.9]]).round(1).tolist()
    [1.0, 0.0]
    """

    space: SearchSpace
    surrogate: Surrogate | None
    slope: float
    intercept: float
    feasible: int
    infeasible: int

    @classmethod
    def fit(cls, space: SearchSpace, X: Array, feasible: Bools, *, seed: int = 0) -> Feasibility:
        """Fit the classifier to trials.

        Parameters
        ----------
        space : SearchSpace
            The search space.
        X : ndarray of shape (n, d)
            Encoded configurations of the trials.
        feasible : ndarray of bool, shape (n,)
            Which of them met the constraints.
        seed : int, default 0
            Seed of the surrogate.

        Returns
        -------
        Feasibility
            The fitted classifier.
        """
        good = int(np.sum(feasible))
        bad = len(feasible) - good
        if not good or not bad:
            share = (good + 1) / (good + bad + 2)  # the rule of succession
            return cls(space, None, 0.0, normal_quantile(share), good, bad)
        labels = np.where(feasible, 1.0, -1.0)
        model: GaussianProcessSurrogate | ForestSurrogate
        if choose_kind(len(X), space)["surrogate"] == "gp":
            model = GaussianProcessSurrogate.fit(space, X, labels, seed=seed)
        else:
            model = ForestSurrogate.fit(space, X, labels, seed=seed)
        held_out = model.held_out()
        slope, intercept = _calibrated(held_out.mean, held_out.std, held_out.observed > 0.0)
        return cls(space, model, slope, intercept, good, bad)

    def probability(self, X: npt.ArrayLike) -> Array:
        """Return the probability of being feasible, (n,), at encoded configurations (n, d)."""
        from scipy.special import ndtr

        rows = self.space.check_rows("X", X)
        if self.surrogate is None:
            return np.full(len(rows), float(ndtr(self.intercept)))
        mean, std = self.surrogate.predict(rows)
        std = np.hypot(std, getattr(self.surrogate, "noise_std", 0.0))
        return np.asarray(ndtr(_latent(mean, std, self.slope, self.intercept)))


def _latent(mean: Array, std: Array, slope: float, intercept: float) -> Array:
    return np.asarray((slope * mean + intercept) / np.sqrt(1.0 + (slope * std) ** 2))


def _calibrated(mean: Array, std: Array, feasible: Bools) -> tuple[float, float]:
    """Return slope and intercept under which held-out labels are most likely."""
    from scipy.optimize import minimize
    from scipy.special import log_ndtr

    good = int(feasible.sum())
    bad = len(feasible) - good
    target = np.where(feasible, (good + 1) / (good + 2), 1 / (bad + 2))

    def loss(parameters: Array) -> float:
        z = _latent(mean, std, float(np.exp(parameters[0])), float(parameters[1]))
        return -float(target @ log_ndtr(z) + (1.0 - target) @ log_ndtr(-z))

    bounds = [(float(np.log(_SLOPES[0])), float(np.log(_SLOPES[1]))), _INTERCEPTS]
    found = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=bounds)
    return float(np.exp(found.x[0])), float(found.x[1])
