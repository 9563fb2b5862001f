"""The public names and where they are; ``python -m tests.stubs`` writes this file."""

from ._engines.background import baseline_background as baseline_background
from ._engines.background import global_background as global_background
from ._engines.background import hybrid_background as hybrid_background
from ._engines.background import local_background as local_background
from .advice.advise import advise as advise
from .advice.optimum import optimum as optimum
from .advice.summary import summary as summary
from .around.changes import AblationExplainer as AblationExplainer
from .around.changes import changes as changes
from .around.lime import LimeExplainer as LimeExplainer
from .around.lime import lime as lime
from .around.local_importance import LocalImportanceExplainer as LocalImportanceExplainer
from .around.local_importance import local_importance as local_importance
from .around.tolerance import tolerance as tolerance
from .effects.contours import contours as contours
from .effects.effects import partial_dependence as partial_dependence
from .effects.partial_dependence import PartialDependenceExplainer as PartialDependenceExplainer
from .effects.regional_partial_dependence import (
    RegionalPartialDependenceExplainer as RegionalPartialDependenceExplainer,
)
from .effects.slices import slices as slices
from .importance.fanova import FanovaExplainer as FanovaExplainer
from .importance.h_statistic import InteractionExplainer as InteractionExplainer
from .importance.h_statistic import h_statistic as h_statistic
from .importance.shapley_interactions import shapley_interactions as shapley_interactions
from .importance.tunability import tunability as tunability
from .proposals.densities import density_path as density_path
from .proposals.densities import proposal_densities as proposal_densities
from .proposals.desirability_path import desirability_path as desirability_path
from .proposals.explain_prediction import PredictionExplainer as PredictionExplainer
from .proposals.explain_prediction import explain_prediction as explain_prediction
from .proposals.explain_prediction import explain_predictions as explain_predictions
from .proposals.explain_proposal import ProposalExplainer as ProposalExplainer
from .proposals.explain_proposal import explain_proposal as explain_proposal
from .proposals.sample_size import check_sample_size as check_sample_size
from .proposals.shapley import ShapleyExplainer as ShapleyExplainer
from .runs.compare import compare as compare
from .runs.history import history as history
from .runs.luck import luck as luck
from .runs.noise import noise as noise
from .runs.pareto import pareto as pareto
from .runs.pruning import pruning as pruning
from .runs.sampling_bias import sampling_bias as sampling_bias
from .runs.timeline import timeline as timeline
from .runs.trust import trust as trust
from .space.recommended_space import recommended_space as recommended_space
