"""Whether a surrogate can be trusted, and where the trials it rests on were never made."""

from hpo_explain.diagnostics._trust import LEVELS, Level, Trust, trust
from hpo_explain.diagnostics.discrepancy import SamplingBias, sampling_bias

__all__ = ["LEVELS", "Level", "SamplingBias", "Trust", "sampling_bias", "trust"]
