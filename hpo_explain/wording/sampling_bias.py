"""Sampling bias in words."""

from __future__ import annotations

from hpo_explain.diagnostics._sampling_bias import SamplingBias
from hpo_explain.wording._registry import sentence_of


@sentence_of(SamplingBias)
def sentence(result: SamplingBias) -> str:
    """Say what the discrepancy means for explanations that average over the space."""
    numbers = (
        f"the MMD between the {result.n_trials} tried configurations and a uniform sample is "
        f"{result.mmd:.2f}; by chance alone it would stay below {result.chance:.2f} in 95 % of "
        "cases"
    )
    if result.concentrated:
        return (
            f"The trials are concentrated in a part of the space: {numbers}. Averages over the "
            "whole space rest on regions with few trials; check the width of the bands, and look "
            "at single regions."
        )
    return f"The trials do not differ significantly from a uniform sample: {numbers}."
