"""Whether a surrogate can be trusted, and where the trials it rests on were never made."""

from hpo_explain.diagnostics._sampling_bias import SamplingBias, sampling_bias
from hpo_explain.diagnostics._trust import LEVELS, Level, Trust, trust

__all__ = ["LEVELS", "Level", "SamplingBias", "Trust", "sampling_bias", "trust"]
