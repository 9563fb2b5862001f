"""The frozen results: plain arrays and names, with a table, a plot and words for each."""

from hpo_explain.explanations._format import format_level, format_value
from hpo_explain.explanations.ablation import Ablation
from hpo_explain.explanations.claims import Claim
from hpo_explain.explanations.densities import DensityCurve, DensityPath, ProposalDensities
from hpo_explain.explanations.h_statistic import InteractionStrength
from hpo_explain.explanations.importance import Axis, FanovaImportance
from hpo_explain.explanations.lime import LimeExplanation, LimeStatement
from hpo_explain.explanations.local_importance import LocalImportance
from hpo_explain.explanations.marginal import Marginal
from hpo_explain.explanations.next_experiments import Experiments
from hpo_explain.explanations.partial_dependence import PartialDependence
from hpo_explain.explanations.path import DesirabilityPath
from hpo_explain.explanations.prediction import PredictionExplanation, PredictionOverview
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.explanations.questions import QUESTIONS, Question, questions_text
from hpo_explain.explanations.recommendation import Evidence, LatentSpace, Recommendation
from hpo_explain.explanations.regional import Condition, Region, RegionalPartialDependence
from hpo_explain.explanations.repeated_runs import RepeatedRuns, aggregate
from hpo_explain.explanations.result import Result
from hpo_explain.explanations.subject import Subject
from hpo_explain.explanations.subspace import Subspace

__all__ = [
    "QUESTIONS",
    "Ablation",
    "Axis",
    "Claim",
    "Condition",
    "DensityCurve",
    "DensityPath",
    "DesirabilityPath",
    "Evidence",
    "Experiments",
    "FanovaImportance",
    "InteractionStrength",
    "LatentSpace",
    "LimeExplanation",
    "LimeStatement",
    "LocalImportance",
    "Marginal",
    "PartialDependence",
    "PredictionExplanation",
    "PredictionOverview",
    "ProposalDensities",
    "ProposalExplanation",
    "Question",
    "Recommendation",
    "Region",
    "RegionalPartialDependence",
    "RepeatedRuns",
    "Result",
    "Subject",
    "Subspace",
    "aggregate",
    "format_level",
    "format_value",
    "questions_text",
]
