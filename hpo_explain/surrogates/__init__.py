"""Models of the objective: the Protocol every explainer needs, and two models that keep it."""

from hpo_explain.surrogates.columns import OneHotColumns, OrderedColumns
from hpo_explain.surrogates.forest import ForestSurrogate
from hpo_explain.surrogates.gaussian_process import GaussianProcessSurrogate
from hpo_explain.surrogates.protocols import (
    CoalitionBlock,
    HeldOut,
    KnowsTrainingRows,
    SupportsBoxes,
    SupportsCoalitions,
    SupportsDifference,
    SupportsGrid,
    SupportsHeldOut,
    SupportsJoint,
    SupportsPlausible,
    SupportsRelevance,
    SupportsTrees,
    Surrogate,
    TreeBoxes,
    std_from_variance,
)

__all__ = [
    "CoalitionBlock",
    "ForestSurrogate",
    "GaussianProcessSurrogate",
    "HeldOut",
    "KnowsTrainingRows",
    "OneHotColumns",
    "OrderedColumns",
    "SupportsBoxes",
    "SupportsCoalitions",
    "SupportsDifference",
    "SupportsGrid",
    "SupportsHeldOut",
    "SupportsJoint",
    "SupportsPlausible",
    "SupportsRelevance",
    "SupportsTrees",
    "Surrogate",
    "TreeBoxes",
    "std_from_variance",
]
