"""Whether a surrogate can be trusted, and where the trials it rests on were never made."""

from hpo_explain.diagnostics._branch import Branch, branch_of
from hpo_explain.diagnostics._densities import trust_of_densities
from hpo_explain.diagnostics._sampling_bias import SamplingBias, sampling_bias
from hpo_explain.diagnostics._support import FEW, Support, supported_at
from hpo_explain.diagnostics._trust import (
    LEVELS,
    SCOPES,
    Level,
    Scope,
    Trust,
    Verdict,
    trust,
)

__all__ = [
    "FEW",
    "LEVELS",
    "SCOPES",
    "Branch",
    "Level",
    "SamplingBias",
    "Scope",
    "Support",
    "Trust",
    "Verdict",
    "branch_of",
    "sampling_bias",
    "supported_at",
    "trust",
    "trust_of_densities",
]
