"""The public names and where they are; ``python -m tests.stubs`` writes this file."""

from .adapters import from_ax as from_ax
from .adapters import from_flaml as from_flaml
from .adapters import from_frame as from_frame
from .adapters import from_hyperopt as from_hyperopt
from .adapters import from_keras_tuner as from_keras_tuner
from .adapters import from_optuna as from_optuna
from .adapters import from_ray as from_ray
from .adapters import from_sklearn as from_sklearn
from .adapters import from_skopt as from_skopt
from .adapters import from_smac as from_smac
from .base.claim import Claim as Claim
from .base.errors import InputError as InputError
from .base.errors import NothingToExplain as NothingToExplain
from .base.facts import Fact as Fact
from .base.facts import Origin as Origin
from .base.posterior import PosteriorDraws as PosteriorDraws
from .base.subject import Subject as Subject
from .catalog.guide import guide as guide
from .methods._engines.background import baseline_background as baseline_background
from .methods._engines.background import global_background as global_background
from .methods._engines.background import hybrid_background as hybrid_background
from .methods._engines.background import local_background as local_background
from .methods._engines.conditions import Condition as Condition
from .methods.advice.advise import AdviceExplainer as AdviceExplainer
from .methods.advice.advise import advise as advise
from .methods.advice.advise_result import Action as Action
from .methods.advice.advise_result import Advice as Advice
from .methods.advice.expected_minimum import expected_minimum as expected_minimum
from .methods.advice.next_experiments import choose_experiments as choose_experiments
from .methods.advice.next_experiments import next_experiments as next_experiments
from .methods.around.ablation import AblationExplainer as AblationExplainer
from .methods.around.ablation import ablation as ablation
from .methods.around.ablation_result import Ablation as Ablation
from .methods.around.lime import LimeExplainer as LimeExplainer
from .methods.around.lime import lime as lime
from .methods.around.lime_result import LimeExplanation as LimeExplanation
from .methods.around.lime_result import LimeStatement as LimeStatement
from .methods.around.local_importance import LocalImportanceExplainer as LocalImportanceExplainer
from .methods.around.local_importance import local_importance as local_importance
from .methods.around.local_importance_result import LocalImportance as LocalImportance
from .methods.effects.accumulated_local_effects import (
    AccumulatedLocalEffectsExplainer as AccumulatedLocalEffectsExplainer,
)
from .methods.effects.accumulated_local_effects import (
    accumulated_local_effects as accumulated_local_effects,
)
from .methods.effects.effect_result import Effect as Effect
from .methods.effects.effect_result import PartialDependence as PartialDependence
from .methods.effects.partial_dependence import (
    PartialDependenceExplainer as PartialDependenceExplainer,
)
from .methods.effects.partial_dependence import partial_dependence as partial_dependence
from .methods.effects.partial_dependences_result import PartialDependences as PartialDependences
from .methods.effects.regional_partial_dependence import (
    RegionalPartialDependenceExplainer as RegionalPartialDependenceExplainer,
)
from .methods.effects.regional_partial_dependence import (
    regional_partial_dependence as regional_partial_dependence,
)
from .methods.effects.regional_partial_dependence_result import Region as Region
from .methods.effects.regional_partial_dependence_result import (
    RegionalPartialDependence as RegionalPartialDependence,
)
from .methods.importance.fanova import FanovaExplainer as FanovaExplainer
from .methods.importance.fanova_result import FanovaImportance as FanovaImportance
from .methods.importance.games import GameExplainer as GameExplainer
from .methods.importance.h_statistic import InteractionExplainer as InteractionExplainer
from .methods.importance.h_statistic import h_statistic as h_statistic
from .methods.importance.h_statistic_result import InteractionStrength as InteractionStrength
from .methods.importance.importance import importance as importance
from .methods.importance.partial_dependences import partial_dependences as partial_dependences
from .methods.importance.set_values import SetValues as SetValues
from .methods.importance.sets_result import GameExplanation as GameExplanation
from .methods.importance.sets_result import ShapleyInteractions as ShapleyInteractions
from .methods.importance.shapley_interactions import (
    ShapleyInteractionExplainer as ShapleyInteractionExplainer,
)
from .methods.importance.shapley_interactions import shapley_interactions as shapley_interactions
from .methods.importance.tunability import mistunability as mistunability
from .methods.importance.tunability import optimizer_bias as optimizer_bias
from .methods.importance.tunability import sensitivity as sensitivity
from .methods.importance.tunability import tunability as tunability
from .methods.proposals.contributions_result import PredictionExplanation as PredictionExplanation
from .methods.proposals.contributions_result import ProposalExplanation as ProposalExplanation
from .methods.proposals.densities import density_path as density_path
from .methods.proposals.densities import proposal_densities as proposal_densities
from .methods.proposals.densities_result import DensityCurve as DensityCurve
from .methods.proposals.densities_result import DensityPath as DensityPath
from .methods.proposals.densities_result import ProposalDensities as ProposalDensities
from .methods.proposals.desirability_path import desirability_path as desirability_path
from .methods.proposals.desirability_path_result import DesirabilityPath as DesirabilityPath
from .methods.proposals.explain_prediction import PredictionExplainer as PredictionExplainer
from .methods.proposals.explain_prediction import explain_prediction as explain_prediction
from .methods.proposals.explain_prediction import explain_predictions as explain_predictions
from .methods.proposals.explain_predictions_result import PredictionOverview as PredictionOverview
from .methods.proposals.explain_proposal import ProposalExplainer as ProposalExplainer
from .methods.proposals.explain_proposal import explain_proposal as explain_proposal
from .methods.proposals.repeated_runs_result import RepeatedRuns as RepeatedRuns
from .methods.proposals.sample_size import check_sample_size as check_sample_size
from .methods.proposals.sample_size import find_sample_size as find_sample_size
from .methods.proposals.sample_size_result import SampleSizeCheck as SampleSizeCheck
from .methods.proposals.shapley import ShapleyExplainer as ShapleyExplainer
from .methods.runs.compare import ComparedRun as ComparedRun
from .methods.runs.compare import ComparisonExplainer as ComparisonExplainer
from .methods.runs.compare import compare as compare
from .methods.runs.compare_result import Comparison as Comparison
from .methods.runs.history import history as history
from .methods.runs.history_result import History as History
from .methods.runs.learning_curves import LearningCurvesExplainer as LearningCurvesExplainer
from .methods.runs.learning_curves import learning_curves as learning_curves
from .methods.runs.learning_curves_result import LearningCurves as LearningCurves
from .methods.runs.noise import NoiseExplainer as NoiseExplainer
from .methods.runs.noise import noise as noise
from .methods.runs.noise_result import Noise as Noise
from .methods.runs.pareto import ParetoExplainer as ParetoExplainer
from .methods.runs.pareto import pareto as pareto
from .methods.runs.pareto_result import ParetoFront as ParetoFront
from .methods.runs.sampling_bias import SamplingBias as SamplingBias
from .methods.runs.sampling_bias import sampling_bias as sampling_bias
from .methods.runs.trust import trust as trust
from .methods.runs.trust_result import RunTrust as RunTrust
from .methods.space.footprint import FootprintExplainer as FootprintExplainer
from .methods.space.footprint import footprint as footprint
from .methods.space.footprint_result import Footprint as Footprint
from .methods.space.recommended_space import RecommendedSpaceExplainer as RecommendedSpaceExplainer
from .methods.space.recommended_space import recommended_space as recommended_space
from .methods.space.recommended_space_result import Recommendation as Recommendation
from .methods.space.subspace import SubspaceExplainer as SubspaceExplainer
from .methods.space.subspace import subspace as subspace
from .methods.space.subspace_result import Subspace as Subspace
from .models import ExpectedImprovement as ExpectedImprovement
from .models import ForestSurrogate as ForestSurrogate
from .models import GaussianProcessSurrogate as GaussianProcessSurrogate
from .models import LogExpectedImprovement as LogExpectedImprovement
from .models import LowerConfidenceBound as LowerConfidenceBound
from .models import ModelSurrogate as ModelSurrogate
from .models import ProbabilityOfImprovement as ProbabilityOfImprovement
from .models import RiskAverseConfidenceBound as RiskAverseConfidenceBound
from .reporting import report as report
from .run import Curves as Curves
from .run import Instances as Instances
from .run import NoiseModel as NoiseModel
from .run import Run as Run
from .space import CategoricalParameter as CategoricalParameter
from .space import FloatParameter as FloatParameter
from .space import IntParameter as IntParameter
from .space import SearchSpace as SearchSpace

__version__: str
