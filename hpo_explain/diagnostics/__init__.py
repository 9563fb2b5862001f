"""Whether a surrogate can be trusted, and where the trials it rests on were never made."""

from hpo_explain.diagnostics.sampling_bias import SamplingBias, sampling_bias
from hpo_explain.diagnostics.verdict import Trust, trust

__all__ = ["SamplingBias", "Trust", "sampling_bias", "trust"]
