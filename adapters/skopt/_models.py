"""skopt's stored models as surrogates, and which of them chose which trial."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.multioutput import MultiOutputRegressor

from hpo_explain.adapters.skopt._dimensions import ModelColumns
from hpo_explain.adapters.skopt._specs import Specs
from hpo_explain.base.facts import Fact, fact
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import LARGEST
from hpo_explain.space import Array, SearchSpace

_SAME = 1e-5  # of a column's largest value: dimensions may be of dtype float32


def objective_model(model: Any) -> Any:
    """Return the model of the objective: acquisitions per second store one of the time as well."""
    return model.estimators_[0] if isinstance(model, MultiOutputRegressor) else model


def trials_seen(model: Any) -> int | None:
    """Return how many trials a model was fitted on, or None where it does not tell."""
    model = objective_model(model)
    if hasattr(model, "X_train_"):
        return len(model.X_train_)
    trees = _trees(model)
    if trees and getattr(model, "max_samples", None) is None:
        # with bootstrap the weights of a tree count every trial as often as it was drawn
        return round(float(trees[0].weighted_n_node_samples[0]))
    return None


def _trees(model: Any) -> list[Any]:
    """Return the trees of a forest, none for any other model."""
    if not isinstance(model, (RandomForestRegressor, ExtraTreesRegressor)):
        return []
    return [estimator.tree_ for estimator in model.estimators_]


@dataclass(frozen=True, eq=False)
class StoredModels:
    """The models a result kept.

    Attributes
    ----------
    models : tuple
        skopt's models, in the order in which they were fitted.
    seen : tuple of int
        Number of trials each was fitted on, strictly increasing.
    """

    models: tuple[Any, ...] = ()
    seen: tuple[int, ...] = ()

    def of(self, trial: int) -> tuple[Any, int] | None:
        """Return the model that chose a trial and the number of trials it had seen, or None.

        A model chooses the next trial after those it was fitted on; where several trials were
        asked for or told together, it chooses all until the next model.
        """
        k = bisect_right(self.seen, trial) - 1
        return (self.models[k], self.seen[k]) if k >= 0 else None


def read_models(models: Sequence[Any], specs: Specs, n: int) -> tuple[StoredModels, list[Fact]]:
    """Return the models of a result of n trials, and notes.

    Models that were not fitted on the first trials of the result are left out: which trial they
    chose is not known.
    """
    seen = [trials_seen(model) for model in models]
    if None in seen:
        # they do not tell, so the count must: one model per trial, the last one after the last
        seen = list(range(n - len(models) + 1, n + 1))
        kept_all = specs.queue_size is None or len(models) < specs.queue_size
        if kept_all and specs.initial != seen[0]:
            return StoredModels(), [fact("models_not_placed")]
    counts = [count for count in seen if count is not None]
    if counts != sorted(set(counts)) or (counts and counts[-1] > n):
        return StoredModels(), [fact("models_of_another_result", counts=tuple(counts), read=n)]
    return StoredModels(tuple(models), tuple(counts)), []


def as_surrogate(
    model: Any,
    space: SearchSpace,
    columns: Sequence[ModelColumns],
    X: Array,
    objective: Array,
    *,
    negated: bool,
) -> Surrogate | None:
    """Return a stored model as a surrogate that predicts what it does, None if it is unusable.

    Parameters
    ----------
    model : object
        The stored model.
    space : SearchSpace
        The search space.
    columns : sequence of ModelColumns
        Columns it may have been fitted on, the likeliest first.
    X : ndarray of shape (n, d)
        The trials it was fitted on, encoded.
    objective : ndarray of shape (n,)
        Their objective, in the user's units.
    negated : bool
        Whether the model was fitted on the negated objective.
    """
    if not np.isfinite(X).all() or not (np.abs(objective) <= LARGEST).all():
        return None  # it was fitted on what cannot be read, or computed with
    model = objective_model(model)
    fitting = [c for c in columns if _was_fitted_on(model, c(X))]
    if not fitting:
        return None
    if hasattr(model, "X_train_") and hasattr(model, "kernel_"):
        return GaussianProcessSurrogate(space, model, columns=fitting[0], negated=negated, rows=X)
    if _trees(model):
        return ForestSurrogate(
            space,
            model,
            columns=fitting[0],
            data=(X, objective),
            min_variance=float(getattr(model, "min_variance", 0.0)),
            negated=negated,
        )
    surrogate = _ModelSurrogate(space, model, fitting[0], negated)
    try:
        surrogate.predict(X[:1])
    except Exception:  # a model of others, or of another release, may raise anything
        return None
    return surrogate


def _was_fitted_on(model: Any, Z: Array) -> bool:
    """Return whether a model may have been fitted on these columns.

    Two optimizers that were given the same dimension objects share them, and a Gaussian process
    sets their transform: what stands in a result need not be what its models were fitted on.
    """
    if hasattr(model, "X_train_"):
        seen = np.asarray(model.X_train_, dtype=float)
        if seen.shape != Z.shape:
            return False
        return bool((np.abs(seen - Z) <= _SAME * np.abs(seen).max(axis=0, initial=1e-300)).all())
    if getattr(model, "n_features_in_", Z.shape[1]) != Z.shape[1]:
        return False
    trees = _trees(model)
    if not trees:
        return True
    # a threshold lies between two values that were observed
    slack = _SAME * np.abs(Z).max(axis=0)
    low, high = Z.min(axis=0) - slack, Z.max(axis=0) + slack
    feature = np.concatenate([tree.feature for tree in trees])
    threshold = np.concatenate([tree.threshold for tree in trees])[feature >= 0]
    feature = feature[feature >= 0]
    return bool(((threshold >= low[feature]) & (threshold <= high[feature])).all())


class _ModelSurrogate:
    """Any other model of skopt, by its own predictions."""

    def __init__(
        self, space: SearchSpace, model: Any, columns: ModelColumns, negated: bool
    ) -> None:
        self._space = space
        self._model = model
        self._columns = columns
        self._sign = -1.0 if negated else 1.0
        self.label = f"skopt's {type(model).__name__}"

    @property
    def space(self) -> SearchSpace:
        return self._space

    def predict(self, X: Array) -> tuple[Array, Array]:
        Z = self._columns(self._space.check_rows("X", X))
        mean, std = self._model.predict(Z, return_std=True)
        return self._sign * np.ravel(mean), np.ravel(std)
