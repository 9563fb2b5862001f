"""Explainers: one method per file, each asking a surrogate or an acquisition."""

from hpo_explain.explainers.ablation import AblationExplainer
from hpo_explain.explainers.accumulated_local_effects import AccumulatedLocalEffectsExplainer
from hpo_explain.explainers.advice import AdviceExplainer
from hpo_explain.explainers.background import (
    baseline_background,
    global_background,
    hybrid_background,
    local_background,
)
from hpo_explain.explainers.comparison import ComparedRun, ComparisonExplainer
from hpo_explain.explainers.fanova import FanovaExplainer
from hpo_explain.explainers.footprint import FootprintExplainer
from hpo_explain.explainers.games import GameExplainer
from hpo_explain.explainers.h_statistic import InteractionExplainer
from hpo_explain.explainers.learning_curves import LearningCurvesExplainer
from hpo_explain.explainers.lime import LimeExplainer
from hpo_explain.explainers.local_importance import LocalImportanceExplainer
from hpo_explain.explainers.next_experiments import choose_experiments
from hpo_explain.explainers.noise import NoiseExplainer
from hpo_explain.explainers.pareto import ParetoExplainer
from hpo_explain.explainers.partial_dependence import PartialDependenceExplainer
from hpo_explain.explainers.path import explain_path
from hpo_explain.explainers.prediction import PredictionExplainer
from hpo_explain.explainers.proposal import ProposalExplainer
from hpo_explain.explainers.recommended_space import RecommendedSpaceExplainer
from hpo_explain.explainers.regional import RegionalPartialDependenceExplainer
from hpo_explain.explainers.sample_size import check_sample_size, find_sample_size
from hpo_explain.explainers.shapley import ShapleyExplainer
from hpo_explain.explainers.shapley_interactions import ShapleyInteractionExplainer
from hpo_explain.explainers.subspace import SubspaceExplainer
from hpo_explain.explainers.symbolic import SymbolicExplainer

__all__ = [
    "AblationExplainer",
    "AccumulatedLocalEffectsExplainer",
    "AdviceExplainer",
    "ComparedRun",
    "ComparisonExplainer",
    "FanovaExplainer",
    "FootprintExplainer",
    "GameExplainer",
    "InteractionExplainer",
    "LearningCurvesExplainer",
    "LimeExplainer",
    "LocalImportanceExplainer",
    "NoiseExplainer",
    "ParetoExplainer",
    "PartialDependenceExplainer",
    "PredictionExplainer",
    "ProposalExplainer",
    "RecommendedSpaceExplainer",
    "RegionalPartialDependenceExplainer",
    "ShapleyExplainer",
    "ShapleyInteractionExplainer",
    "SubspaceExplainer",
    "SymbolicExplainer",
    "baseline_background",
    "check_sample_size",
    "choose_experiments",
    "explain_path",
    "find_sample_size",
    "global_background",
    "hybrid_background",
    "local_background",
]
