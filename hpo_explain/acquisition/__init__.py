"""Acquisition functions as named additive terms of a utility that is larger for better candidates.

`criteria` holds the formulas, `surrogate_based` the acquisition functions that apply them to a
surrogate, `protocols` what explainers ask of any acquisition function.
"""

from hpo_explain.acquisition.criteria import (
    expected_improvement,
    log_expected_improvement,
    lower_confidence_bound,
    probability_of_improvement,
)
from hpo_explain.acquisition.protocols import (
    Acquisition,
    Draws,
    LeftOut,
    OfPredictions,
    SupportsBootstrap,
    SupportsCandidates,
    SupportsMarginals,
    SupportsParts,
    SupportsTermCoalitions,
    SupportsWalks,
    SupportsWeight,
    SurrogateBased,
    TermBlock,
)
from hpo_explain.acquisition.risk_averse import RiskAverseConfidenceBound
from hpo_explain.acquisition.surrogate_based import (
    ExpectedImprovement,
    LogExpectedImprovement,
    LowerConfidenceBound,
    ProbabilityOfImprovement,
)

__all__ = [
    "Acquisition",
    "Draws",
    "ExpectedImprovement",
    "LeftOut",
    "LogExpectedImprovement",
    "LowerConfidenceBound",
    "OfPredictions",
    "ProbabilityOfImprovement",
    "RiskAverseConfidenceBound",
    "SupportsBootstrap",
    "SupportsCandidates",
    "SupportsMarginals",
    "SupportsParts",
    "SupportsTermCoalitions",
    "SupportsWalks",
    "SupportsWeight",
    "SurrogateBased",
    "TermBlock",
    "expected_improvement",
    "log_expected_improvement",
    "lower_confidence_bound",
    "probability_of_improvement",
]
