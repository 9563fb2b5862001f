"""A model of configuration and instance, and how well a model of its averages does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from hpo_explain.base.options import Direction
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.protocols import HeldOut, Surrogate
from hpo_explain.run.diverged import diverged_above, winsorized
from hpo_explain.run.instances import Instances
from hpo_explain.space import Array, CategoricalParameter, SearchSpace

_FOLDS = 5

Fit = Callable[[Array, Array], Surrogate]
"""From encoded configurations (n, d) and objectives (n,) to a model."""


@dataclass(frozen=True, eq=False)
class OverInstances:
    """What a forest on configuration and instance predicts.

    Attributes
    ----------
    space : SearchSpace
        The space of the configurations.
    instances : Instances
        The evaluations.
    direction : {"minimize", "maximize"}
        Which way the objective is better.
    cap : float or None
        The objective beyond which averages are capped; None where they are not.
    n_trees, seed : int
        Of the forest.
    """

    space: SearchSpace
    instances: Instances
    direction: Direction
    cap: float | None = None
    n_trees: int = 64
    seed: int = 0
    _forest: list[ForestSurrogate] = field(default_factory=list, init=False, repr=False)

    def predict(self, X: Array) -> Array:
        """Return the predicted objective of configurations (n, d) on each instance, (n, k)."""
        if not self._forest:
            self._forest.append(self._fitted())
        instances = range(len(self.instances.names))
        columns = [np.column_stack([X, np.full(len(X), float(i))]) for i in instances]
        return np.column_stack([self._forest[0].predict(rows)[0] for rows in columns])

    def _fitted(self) -> ForestSurrogate:
        name = "instance"
        while name in self.space.names:
            name += "_"
        k = len(self.instances.names)
        both = SearchSpace([*self.space.parameters, CategoricalParameter(name, range(k))])
        rows = np.column_stack([self.instances.X, self.instances.index])
        return ForestSurrogate.fit(
            both, rows, self._learned(), n_trees=self.n_trees, seed=self.seed
        )

    def _learned(self) -> Array:
        sign = 1.0 if self.direction == "minimize" else -1.0
        cost = sign * self.instances.objective
        return sign * winsorized(cost, diverged_above(cost))

    def _capped(self, objective: Array) -> Array:
        if self.cap is None:
            return objective
        better = np.minimum if self.direction == "minimize" else np.maximum
        return np.asarray(better(objective, self.cap))

    def held_out(self, fit: Fit) -> HeldOut:
        """Return predictions of configurations that neither model had seen, and what was observed.

        Observed is the mean over a configuration's evaluations, each without what its instance
        adds on average over all configurations, as the forest predicts it.

        Parameters
        ----------
        fit : callable
            Fits the second model: the one of the averages.
        """
        keys = [row.tobytes() for row in self.instances.X]
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        which = np.array([numbers[key] for key in keys])
        X = self.instances.X[np.unique(which, return_index=True)[1]]
        predicted = self.predict(X)
        effects = predicted.mean(axis=0) - predicted.mean()
        without = self._learned() - effects[self.instances.index]
        observed = self._capped(np.bincount(which, without) / np.bincount(which))
        mean, std = np.empty(len(X)), np.empty(len(X))
        folds = min(_FOLDS, len(X))
        for k in range(folds if folds > 1 else 0):
            out = np.arange(len(X)) % folds == k
            part = replace(self, instances=self._without(out[which]))
            model = fit(X[~out], part._capped(part.predict(X[~out]).mean(axis=1)))
            mean[out], std[out] = model.predict(X[out])
            std[out] = np.hypot(std[out], getattr(model, "noise_std", 0.0))
        n = len(X) if folds > 1 else 0
        method = "five-fold cross-validation over configurations with all their instances"
        return HeldOut(method=method, observed=observed[:n], mean=mean[:n], std=std[:n], rows=X[:n])

    def _without(self, out: npt.NDArray[np.bool_]) -> Instances:
        kept, all_of = ~out, self.instances
        return Instances(all_of.names, all_of.X[kept], all_of.index[kept], all_of.objective[kept])
