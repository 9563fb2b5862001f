"""What users type: each function picks the surrogate and the defaults, and calls an explainer."""

from hpo_explain.facade.advice import Analysed, advise
from hpo_explain.facade.around import ablation, lime, local_importance
from hpo_explain.facade.comparison import compare
from hpo_explain.facade.effects import (
    accumulated_local_effects,
    h_statistic,
    next_experiments,
    partial_dependence,
    partial_dependences,
    regional_partial_dependence,
)
from hpo_explain.facade.expected_minimum import expected_minimum
from hpo_explain.facade.fanova import importance, subspace
from hpo_explain.facade.footprint import footprint
from hpo_explain.facade.games import mistunability, optimizer_bias, sensitivity, tunability
from hpo_explain.facade.history import configurations, history
from hpo_explain.facade.learning_curves import learning_curves
from hpo_explain.facade.noise import noise
from hpo_explain.facade.overview import guide, trust
from hpo_explain.facade.pareto import pareto
from hpo_explain.facade.predictions import explain_prediction, explain_predictions
from hpo_explain.facade.proposals import (
    density_path,
    desirability_path,
    explain_proposal,
    proposal_densities,
)
from hpo_explain.facade.recommended_space import recommended_space
from hpo_explain.facade.shapley_interactions import shapley_interactions
from hpo_explain.facade.symbolic import symbolic
from hpo_explain.facade.weights import weighted_importance

__all__ = [
    "Analysed",
    "ablation",
    "accumulated_local_effects",
    "advise",
    "compare",
    "configurations",
    "density_path",
    "desirability_path",
    "expected_minimum",
    "explain_prediction",
    "explain_predictions",
    "explain_proposal",
    "footprint",
    "guide",
    "h_statistic",
    "history",
    "importance",
    "learning_curves",
    "lime",
    "local_importance",
    "mistunability",
    "next_experiments",
    "noise",
    "optimizer_bias",
    "pareto",
    "partial_dependence",
    "partial_dependences",
    "proposal_densities",
    "recommended_space",
    "regional_partial_dependence",
    "sensitivity",
    "shapley_interactions",
    "subspace",
    "symbolic",
    "trust",
    "tunability",
    "weighted_importance",
]
