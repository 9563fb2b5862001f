"""The frozen results: plain arrays and names, with a table, a plot and words for each."""

from hpo_explain.explanations.ablation import Ablation
from hpo_explain.explanations.accumulated_local_effects import AccumulatedLocalEffects
from hpo_explain.explanations.advice import Action, Advice
from hpo_explain.explanations.attainable import Attainable
from hpo_explain.explanations.certainty import Commonness, ObjectiveContributions
from hpo_explain.explanations.claims import Claim
from hpo_explain.explanations.comparison import Comparison, Default
from hpo_explain.explanations.configurations import Configurations
from hpo_explain.explanations.densities import DensityCurve, ProposalDensities
from hpo_explain.explanations.density_path import DensityPath
from hpo_explain.explanations.fanova import Axis, FanovaImportance, ModelDifference, ShareIntervals
from hpo_explain.explanations.footprint import Footprint
from hpo_explain.explanations.games import GameExplanation
from hpo_explain.explanations.h_statistic import InteractionBounds, InteractionStrength
from hpo_explain.explanations.history import History
from hpo_explain.explanations.learning_curves import LearningCurves, PrunerReplay
from hpo_explain.explanations.lime import LimeExplanation, LimeStatement, Presence
from hpo_explain.explanations.local_importance import LocalImportance
from hpo_explain.explanations.marginal import Marginal
from hpo_explain.explanations.next_experiments import Experiments
from hpo_explain.explanations.noise import Noise
from hpo_explain.explanations.pareto import Move, ParetoFront, Saving
from hpo_explain.explanations.partial_dependence import PartialDependence
from hpo_explain.explanations.partial_dependences import PartialDependences
from hpo_explain.explanations.path import DesirabilityPath, TurningPoint
from hpo_explain.explanations.posterior import PosteriorDraws
from hpo_explain.explanations.prediction import PredictionExplanation
from hpo_explain.explanations.prediction_overview import PredictionOverview
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.explanations.recommended_space import Evidence, Recommendation
from hpo_explain.explanations.regional import Condition, Region, RegionalPartialDependence
from hpo_explain.explanations.repeated_runs import RepeatedRuns
from hpo_explain.explanations.result import Result
from hpo_explain.explanations.sample_size import Closest, SampleSizeCheck
from hpo_explain.explanations.set_values import SetValues
from hpo_explain.explanations.shapley_interactions import ShapleyInteractions
from hpo_explain.explanations.subject import Subject
from hpo_explain.explanations.subspace import Subspace
from hpo_explain.explanations.symbolic import Factor, SymbolicEffect, Term
from hpo_explain.explanations.weights import WeightedImportance

__all__ = [
    "Ablation",
    "AccumulatedLocalEffects",
    "Action",
    "Advice",
    "Attainable",
    "Axis",
    "Claim",
    "Closest",
    "Commonness",
    "Comparison",
    "Condition",
    "Configurations",
    "Default",
    "DensityCurve",
    "DensityPath",
    "DesirabilityPath",
    "Evidence",
    "Experiments",
    "Factor",
    "FanovaImportance",
    "Footprint",
    "GameExplanation",
    "History",
    "InteractionBounds",
    "InteractionStrength",
    "LearningCurves",
    "LimeExplanation",
    "LimeStatement",
    "LocalImportance",
    "Marginal",
    "ModelDifference",
    "Move",
    "Noise",
    "ObjectiveContributions",
    "ParetoFront",
    "PartialDependence",
    "PartialDependences",
    "PosteriorDraws",
    "PredictionExplanation",
    "PredictionOverview",
    "Presence",
    "ProposalDensities",
    "ProposalExplanation",
    "PrunerReplay",
    "Recommendation",
    "Region",
    "RegionalPartialDependence",
    "RepeatedRuns",
    "Result",
    "SampleSizeCheck",
    "Saving",
    "SetValues",
    "ShapleyInteractions",
    "ShareIntervals",
    "Subject",
    "Subspace",
    "SymbolicEffect",
    "Term",
    "TurningPoint",
    "WeightedImportance",
]
