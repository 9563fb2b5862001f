"""Explanations of hyperparameter optimization: why this proposal, and can the answer be trusted.

Every public name is loaded when it is first used, so that ``import hpo_explain`` costs
milliseconds although scikit-learn, shap and matplotlib cost seconds.

Examples
--------
>>> import hpo_explain as hx
>>> space = hx.SearchSpace([hx.FloatParameter("lr", 1e-5, 1e-1, log=True)])
>>> space.encode({"lr": 1e-3})
array([[0.5]])
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hpo_explain.acquisition import Acquisition as Acquisition
    from hpo_explain.acquisition import ExpectedImprovement as ExpectedImprovement
    from hpo_explain.acquisition import LogExpectedImprovement as LogExpectedImprovement
    from hpo_explain.acquisition import LowerConfidenceBound as LowerConfidenceBound
    from hpo_explain.acquisition import ProbabilityOfImprovement as ProbabilityOfImprovement
    from hpo_explain.acquisition import SupportsCandidates as SupportsCandidates
    from hpo_explain.acquisition import SupportsParts as SupportsParts
    from hpo_explain.acquisition import SupportsTermCoalitions as SupportsTermCoalitions
    from hpo_explain.acquisition import SurrogateBased as SurrogateBased
    from hpo_explain.acquisition import TermBlock as TermBlock
    from hpo_explain.adapters import from_frame as from_frame
    from hpo_explain.adapters import from_optuna as from_optuna
    from hpo_explain.adapters import from_skopt as from_skopt
    from hpo_explain.densities import DensityBlock as DensityBlock
    from hpo_explain.densities import DensityRatio as DensityRatio
    from hpo_explain.diagnostics import SamplingBias as SamplingBias
    from hpo_explain.diagnostics import Trust as Trust
    from hpo_explain.explainers import AblationExplainer as AblationExplainer
    from hpo_explain.explainers import InteractionExplainer as InteractionExplainer
    from hpo_explain.explainers import LimeExplainer as LimeExplainer
    from hpo_explain.explainers import LocalImportanceExplainer as LocalImportanceExplainer
    from hpo_explain.explainers import PredictionExplainer as PredictionExplainer
    from hpo_explain.explainers import ProposalExplainer as ProposalExplainer
    from hpo_explain.explainers import ShapleyExplainer as ShapleyExplainer
    from hpo_explain.explainers import aggregate as aggregate
    from hpo_explain.explainers import baseline_background as baseline_background
    from hpo_explain.explainers import check_sample_size as check_sample_size
    from hpo_explain.explainers import explain_path as explain_path
    from hpo_explain.explainers import find_sample_size as find_sample_size
    from hpo_explain.explainers import global_background as global_background
    from hpo_explain.explainers import hybrid_background as hybrid_background
    from hpo_explain.explainers import local_background as local_background
    from hpo_explain.explainers.fanova import FanovaExplainer as FanovaExplainer
    from hpo_explain.explainers.partial_dependence import (
        PartialDependenceExplainer as PartialDependenceExplainer,
    )
    from hpo_explain.explainers.regional import (
        RegionalPartialDependenceExplainer as RegionalPartialDependenceExplainer,
    )
    from hpo_explain.explanations import Ablation as Ablation
    from hpo_explain.explanations import Condition as Condition
    from hpo_explain.explanations import DensityCurve as DensityCurve
    from hpo_explain.explanations import DensityPath as DensityPath
    from hpo_explain.explanations import DesirabilityPath as DesirabilityPath
    from hpo_explain.explanations import FanovaImportance as FanovaImportance
    from hpo_explain.explanations import InteractionStrength as InteractionStrength
    from hpo_explain.explanations import LimeExplanation as LimeExplanation
    from hpo_explain.explanations import LimeStatement as LimeStatement
    from hpo_explain.explanations import LocalImportance as LocalImportance
    from hpo_explain.explanations import Marginal as Marginal
    from hpo_explain.explanations import PartialDependence as PartialDependence
    from hpo_explain.explanations import PredictionExplanation as PredictionExplanation
    from hpo_explain.explanations import PredictionOverview as PredictionOverview
    from hpo_explain.explanations import ProposalDensities as ProposalDensities
    from hpo_explain.explanations import ProposalExplanation as ProposalExplanation
    from hpo_explain.explanations import Recommendation as Recommendation
    from hpo_explain.explanations import Region as Region
    from hpo_explain.explanations import RegionalPartialDependence as RegionalPartialDependence
    from hpo_explain.explanations import RepeatedRuns as RepeatedRuns
    from hpo_explain.explanations import SampleSizeCheck as SampleSizeCheck
    from hpo_explain.explanations import Subspace as Subspace
    from hpo_explain.facade import ablation as ablation
    from hpo_explain.facade import density_path as density_path
    from hpo_explain.facade import desirability_path as desirability_path
    from hpo_explain.facade import explain_prediction as explain_prediction
    from hpo_explain.facade import explain_predictions as explain_predictions
    from hpo_explain.facade import explain_proposal as explain_proposal
    from hpo_explain.facade import guide as guide
    from hpo_explain.facade import importance as importance
    from hpo_explain.facade import interactions as interactions
    from hpo_explain.facade import lime as lime
    from hpo_explain.facade import local_importance as local_importance
    from hpo_explain.facade import next_experiments as next_experiments
    from hpo_explain.facade import partial_dependence as partial_dependence
    from hpo_explain.facade import proposal_densities as proposal_densities
    from hpo_explain.facade import regional_partial_dependence as regional_partial_dependence
    from hpo_explain.facade import trust as trust
    from hpo_explain.reporting import report as report
    from hpo_explain.run import Instances as Instances
    from hpo_explain.run import OptimizerRecord as OptimizerRecord
    from hpo_explain.run import OwnAcquisition as OwnAcquisition
    from hpo_explain.run import Run as Run
    from hpo_explain.space import CategoricalParameter as CategoricalParameter
    from hpo_explain.space import FloatParameter as FloatParameter
    from hpo_explain.space import IntParameter as IntParameter
    from hpo_explain.space import SearchSpace as SearchSpace
    from hpo_explain.surrogates import ForestSurrogate as ForestSurrogate
    from hpo_explain.surrogates import GaussianProcessSurrogate as GaussianProcessSurrogate
    from hpo_explain.surrogates import Surrogate as Surrogate

__version__ = "0.1.0"

_MODULE_OF = {
    "Ablation": "explanations",
    "AblationExplainer": "explainers",
    "Acquisition": "acquisition",
    "CategoricalParameter": "space",
    "Condition": "explanations",
    "DensityBlock": "densities",
    "DensityCurve": "explanations",
    "DensityPath": "explanations",
    "DensityRatio": "densities",
    "DesirabilityPath": "explanations",
    "ExpectedImprovement": "acquisition",
    "FanovaExplainer": "explainers.fanova",
    "FanovaImportance": "explanations",
    "FloatParameter": "space",
    "ForestSurrogate": "surrogates",
    "GaussianProcessSurrogate": "surrogates",
    "Instances": "run",
    "IntParameter": "space",
    "InteractionExplainer": "explainers",
    "InteractionStrength": "explanations",
    "LimeExplainer": "explainers",
    "LimeExplanation": "explanations",
    "LimeStatement": "explanations",
    "LocalImportance": "explanations",
    "LocalImportanceExplainer": "explainers",
    "LogExpectedImprovement": "acquisition",
    "LowerConfidenceBound": "acquisition",
    "Marginal": "explanations",
    "OptimizerRecord": "run",
    "OwnAcquisition": "run",
    "PartialDependence": "explanations",
    "PartialDependenceExplainer": "explainers.partial_dependence",
    "PredictionExplainer": "explainers",
    "PredictionExplanation": "explanations",
    "PredictionOverview": "explanations",
    "ProbabilityOfImprovement": "acquisition",
    "ProposalExplainer": "explainers",
    "ProposalDensities": "explanations",
    "ProposalExplanation": "explanations",
    "Recommendation": "explanations",
    "Region": "explanations",
    "RegionalPartialDependence": "explanations",
    "RegionalPartialDependenceExplainer": "explainers.regional",
    "RepeatedRuns": "explanations",
    "Run": "run",
    "SampleSizeCheck": "explanations",
    "SamplingBias": "diagnostics",
    "SearchSpace": "space",
    "ShapleyExplainer": "explainers",
    "Subspace": "explanations",
    "SupportsCandidates": "acquisition",
    "SupportsParts": "acquisition",
    "SupportsTermCoalitions": "acquisition",
    "Surrogate": "surrogates",
    "SurrogateBased": "acquisition",
    "TermBlock": "acquisition",
    "Trust": "diagnostics",
    "ablation": "facade",
    "aggregate": "explainers",
    "baseline_background": "explainers",
    "check_sample_size": "explainers",
    "density_path": "facade",
    "desirability_path": "facade",
    "explain_path": "explainers",
    "explain_prediction": "facade",
    "explain_predictions": "facade",
    "explain_proposal": "facade",
    "find_sample_size": "explainers",
    "from_frame": "adapters",
    "from_optuna": "adapters",
    "from_skopt": "adapters",
    "global_background": "explainers",
    "guide": "facade",
    "hybrid_background": "explainers",
    "importance": "facade",
    "local_background": "explainers",
    "interactions": "facade",
    "lime": "facade",
    "local_importance": "facade",
    "next_experiments": "facade",
    "partial_dependence": "facade",
    "proposal_densities": "facade",
    "regional_partial_dependence": "facade",
    "report": "reporting",
    "trust": "facade",
}

__all__ = ["__version__", *_MODULE_OF]


if not TYPE_CHECKING:  # a type checker that saw it would accept every misspelled name

    def __getattr__(name: str) -> object:
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'hpo_explain' has no attribute {name!r}")
        value = getattr(import_module(f"hpo_explain.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
