"""Explainers: one method per file, each asking a surrogate or an acquisition."""

from hpo_explain.explainers.background import (
    baseline_background,
    global_background,
    hybrid_background,
    local_background,
)
from hpo_explain.explainers.fanova import FanovaExplainer
from hpo_explain.explainers.partial_dependence import PartialDependenceExplainer
from hpo_explain.explainers.regional import RegionalPartialDependenceExplainer
from hpo_explain.explainers.shapley import ShapleyExplainer

__all__ = [
    "FanovaExplainer",
    "PartialDependenceExplainer",
    "RegionalPartialDependenceExplainer",
    "ShapleyExplainer",
    "baseline_background",
    "global_background",
    "hybrid_background",
    "local_background",
]
