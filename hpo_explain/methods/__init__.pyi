"""The public names and where they are; ``python -m tests.stubs`` writes this file."""

from ._engines.background import baseline_background as baseline_background
from ._engines.background import global_background as global_background
from ._engines.background import hybrid_background as hybrid_background
from ._engines.background import local_background as local_background
from ._engines.conditions import Condition as Condition
from ._engines.effect_result import Effect as Effect
from ._engines.effect_result import PartialDependence as PartialDependence
from .advice.advise import advise as advise
from .advice.advise_result import Action as Action
from .advice.advise_result import Advice as Advice
from .advice.optimum import optimum as optimum
from .advice.optimum_result import Optimum as Optimum
from .advice.summary import summary as summary
from .advice.summary_result import Summary as Summary
from .around.ablation import AblationExplainer as AblationExplainer
from .around.ablation import ablation as ablation
from .around.ablation_result import Ablation as Ablation
from .around.changes import changes as changes
from .around.changes_result import Changes as Changes
from .around.lime import LimeExplainer as LimeExplainer
from .around.lime import lime as lime
from .around.lime_result import LimeExplanation as LimeExplanation
from .around.lime_result import LimeStatement as LimeStatement
from .around.local_importance import (
    LocalImportanceExplainer as LocalImportanceExplainer,
)
from .around.local_importance import local_importance as local_importance
from .around.local_importance_result import LocalImportance as LocalImportance
from .effects.contours import contours as contours
from .effects.contours_result import Contours as Contours
from .effects.effects import partial_dependence as partial_dependence
from .effects.partial_dependence import (
    PartialDependenceExplainer as PartialDependenceExplainer,
)
from .effects.partial_dependences_result import (
    PartialDependences as PartialDependences,
)
from .effects.regional_partial_dependence import (
    RegionalPartialDependenceExplainer as RegionalPartialDependenceExplainer,
)
from .effects.regional_partial_dependence_result import Region as Region
from .effects.regional_partial_dependence_result import (
    RegionalPartialDependence as RegionalPartialDependence,
)
from .effects.slices import slices as slices
from .effects.slices_result import Slices as Slices
from .importance.fanova import FanovaExplainer as FanovaExplainer
from .importance.fanova_result import FanovaImportance as FanovaImportance
from .importance.h_statistic import (
    InteractionExplainer as InteractionExplainer,
)
from .importance.h_statistic import h_statistic as h_statistic
from .importance.h_statistic_result import (
    InteractionStrength as InteractionStrength,
)
from .importance.shapley_interactions import (
    shapley_interactions as shapley_interactions,
)
from .importance.shapley_interactions_result import (
    ShapleyInteractions as ShapleyInteractions,
)
from .importance.trade_off_result import (
    TradeOffImportance as TradeOffImportance,
)
from .importance.tunability import tunability as tunability
from .importance.tunability_result import GameExplanation as GameExplanation
from .proposals.contributions_result import (
    PredictionExplanation as PredictionExplanation,
)
from .proposals.contributions_result import (
    ProposalExplanation as ProposalExplanation,
)
from .proposals.densities import density_path as density_path
from .proposals.densities import proposal_densities as proposal_densities
from .proposals.densities_result import DensityCurve as DensityCurve
from .proposals.densities_result import DensityPath as DensityPath
from .proposals.densities_result import ProposalDensities as ProposalDensities
from .proposals.desirability_path import desirability_path as desirability_path
from .proposals.desirability_path_result import (
    DesirabilityPath as DesirabilityPath,
)
from .proposals.explain_prediction import (
    PredictionExplainer as PredictionExplainer,
)
from .proposals.explain_prediction import (
    explain_prediction as explain_prediction,
)
from .proposals.explain_prediction import (
    explain_predictions as explain_predictions,
)
from .proposals.explain_predictions_result import (
    PredictionOverview as PredictionOverview,
)
from .proposals.explain_proposal import ProposalExplainer as ProposalExplainer
from .proposals.explain_proposal import explain_proposal as explain_proposal
from .proposals.sample_size import check_sample_size as check_sample_size
from .proposals.sample_size_result import SampleSizeCheck as SampleSizeCheck
from .proposals.shapley import ShapleyExplainer as ShapleyExplainer
from .runs.compare import ComparedRun as ComparedRun
from .runs.compare import compare as compare
from .runs.compare_result import Comparison as Comparison
from .runs.history import history as history
from .runs.history_result import History as History
from .runs.learning_curves import learning_curves as learning_curves
from .runs.learning_curves_result import LearningCurves as LearningCurves
from .runs.noise import noise as noise
from .runs.noise_result import Noise as Noise
from .runs.parallel_coordinates import (
    parallel_coordinates as parallel_coordinates,
)
from .runs.parallel_coordinates_result import (
    ParallelCoordinates as ParallelCoordinates,
)
from .runs.pareto import pareto as pareto
from .runs.pareto_result import ParetoFront as ParetoFront
from .runs.sampling_bias import SamplingBias as SamplingBias
from .runs.sampling_bias import sampling_bias as sampling_bias
from .runs.timeline import timeline as timeline
from .runs.timeline_result import Timeline as Timeline
from .runs.trust import trust as trust
from .runs.trust_result import RunTrust as RunTrust
from .space.recommended_space import recommended_space as recommended_space
from .space.recommended_space_result import Recommendation as Recommendation
