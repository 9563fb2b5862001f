"""What has to be known of a model that was given, before anything is explained with it."""

from __future__ import annotations

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.models.given import ModelSurrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array

# times the error of the median at the trials: a model that has learned nothing, and predicts the
# mean, stays below it unless the objective is far more skewed than a lognormal one with σ = 2
_FAR = 1.5


def doubts_of_model(model: Surrogate, X: Array, objective: Array) -> tuple[Fact, ...]:
    """Return that a model knows no uncertainty, and that it misses the trials; empty if neither.

    Parameters
    ----------
    model : Surrogate
        The model.
    X : ndarray of shape (n, d)
        Encoded rows of the trials.
    objective : ndarray of shape (n,)
        Their objective, in the user's units.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, ModelSurrogate, SearchSpace
    >>> from sklearn.linear_model import LinearRegression
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.array([[0.1], [0.5], [0.9]])
    >>> model = ModelSurrogate(space, LinearRegression().fit(X, -X[:, 0]))
    >>> [doubt.kind for doubt in doubts_of_model(model, X, X[:, 0])]
    ['model_without_std', 'model_misses_trials']
    """
    found = []
    if isinstance(model, ModelSurrogate) and not model.has_std:
        found.append(fact("model_without_std", names=[model.label]))
    around = np.abs(objective - np.median(objective)).sum() if len(objective) else 0.0
    missed = np.abs(objective - model.predict(X)[0]).sum() if around else 0.0
    if missed > _FAR * around:
        name = getattr(model, "label", "a model of yours")
        found.append(fact("model_misses_trials", names=[name], times=float(missed / around)))
    return tuple(found)
