"""Models of the objective, the Protocols that explainers need, and acquisition functions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "_on_columns": ["best_mean"],
        "acquisition.criteria": [
            "expected_improvement",
            "log_expected_improvement",
            "lower_confidence_bound",
            "probability_of_improvement",
        ],
        "acquisition.protocols": [
            "Acquisition",
            "Draws",
            "LeftOut",
            "OfPredictions",
            "SupportsParts",
            "SupportsTermCoalitions",
            "SurrogateBased",
            "TermBlock",
        ],
        "acquisition.surrogate_based": [
            "ExpectedImprovement",
            "LogExpectedImprovement",
            "LowerConfidenceBound",
            "ProbabilityOfImprovement",
            "RiskAverseConfidenceBound",
        ],
        "columns": ["KernelColumns", "OrderedColumns", "ValueColumns"],
        "forest": ["ForestSurrogate"],
        "gaussian_process": ["GaussianProcessSurrogate"],
        "given": ["ModelSurrogate", "as_surrogate"],
        "protocols": [
            "AnovaDraws",
            "CoalitionBlock",
            "Curve",
            "DrawnFunctions",
            "HeldOut",
            "KnowsTrainingRows",
            "Refits",
            "SupportsBoxes",
            "SupportsCoalitions",
            "SupportsDifference",
            "SupportsHeldOut",
            "SupportsJoint",
            "SupportsRelevance",
            "SupportsTrees",
            "Surrogate",
            "TreeBoxes",
            "mean_of",
            "std_from_variance",
        ],
    },
)
