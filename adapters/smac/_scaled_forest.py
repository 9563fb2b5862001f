"""SMAC's forest, whose trees predict the cost where they learned it on another scale."""

from __future__ import annotations

import copy
from typing import Any

from smac.model.random_forest.random_forest import EPMRandomForest

from hpo_explain.adapters.smac._scale import Scale
from hpo_explain.space import Array


class ScaledForest(EPMRandomForest):  # type: ignore[misc]
    """SMAC's forest on the scale that it learns from its costs; its leaves hold costs.

    The variance is that between the trees, as SMAC has it: leaves have none of their own.
    """

    _scale: Scale

    @classmethod
    def of(cls, forest: Any, scale: Scale) -> ScaledForest:
        """Return a fitted forest of SMAC, itself left as it is, with the costs of its leaves."""
        found = cls(**forest.get_params(deep=False))
        found.__dict__.update(forest.__dict__)
        found.estimators_ = copy.deepcopy(forest.estimators_)
        found._scale = scale
        return found._with_costs(scale)

    def __sklearn_clone__(self) -> ScaledForest:
        found = type(self)(**self.get_params(deep=False))
        found._scale = self._scale
        return found

    def fit(self, X: Array, y: Array) -> ScaledForest:
        """Fit to costs (n,) as SMAC does: on the scale that it learns from them."""
        scale = self._scale.learned(y)
        super().fit(X, scale(y))
        return self._with_costs(scale)

    def _with_costs(self, scale: Scale) -> ScaledForest:
        for estimator in self.estimators_:
            estimator.tree_.value[...] = scale.back(estimator.tree_.value)
            estimator.tree_.impurity[...] = 0.0
        return self
