"""Sampling bias in words."""

from hpo_explain.diagnostics._sampling_bias import SamplingBias


def test_what_the_discrepancy_means():
    numbers = (
        "the MMD between the 60 tried configurations and a uniform sample is 0.50; by chance alone "
        "it would stay below 0.10 in 95 % of cases"
    )
    assert str(SamplingBias(0.5, 0.1, 0.005, 0.4, 60, 1000)) == (
        f"The trials are concentrated in a part of the space: {numbers}. Averages over the whole "
        "space rest on regions with few trials; check the width of the bands, and look at single "
        "regions."
    )
    assert str(SamplingBias(0.5, 0.1, 0.2, 0.4, 60, 1000)) == (
        f"The trials do not differ significantly from a uniform sample: {numbers}."
    )
