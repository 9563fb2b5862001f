"""Densities made at random, for tests."""

import numpy as np

import hpo_explain as hx
from hpo_explain.models.densities.kernels import CategoryKernels, NumericKernels
from hpo_explain.models.densities.mixture import ProductMixture
from hpo_explain.models.densities.ratio import DensityBlock, DensityRatio

MIXED = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.IntParameter("layers", 1, 5),
        hx.CategoricalParameter("booster", ["tree", "dart", "linear"]),
        hx.FloatParameter("share", 0.0, 1.0, step=0.25),
        hx.IntParameter("units", 1, 64, log=True),
    ]
)
CONDITIONAL = hx.SearchSpace(
    [
        *MIXED.parameters[:3],
        hx.FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
        hx.IntParameter("skip", 1, 3, active_when={"booster": ["dart", "tree"]}),
        hx.FloatParameter("decay", 0.0, 1.0, optional=0.6),
    ]
)


def kernels_of(parameter, k, rng):
    if isinstance(parameter, hx.CategoricalParameter):
        weights = rng.random((k, parameter.size)) + 0.05
        return CategoryKernels(weights / weights.sum(axis=1, keepdims=True))
    half = 0.0 if parameter.step is None else parameter.step / 2.0
    low, high = parameter.low - half, parameter.high + half
    if parameter.log:
        low, high = np.log(low), np.log(high)
    return NumericKernels(
        mu=rng.uniform(low, high, k),
        sigma=(high - low) * rng.uniform(0.02, 1.0, k),
        low=low,
        high=high,
        smallest=parameter.low,
        largest=parameter.high,
        log=parameter.log,
        step=parameter.step or 0.0,
    )


def mixture_of(space, columns, k, rng):
    weights = rng.random(k) + 0.1
    return ProductMixture(
        weights / weights.sum(), tuple(kernels_of(space.parameters[j], k, rng) for j in columns)
    )


def ratio_of(space, *groups, seed=0, kernels=(4, 9)):
    """A ratio with one block per group of columns."""
    rng = np.random.default_rng(seed)
    return DensityRatio(
        space,
        [
            DensityBlock(
                tuple(group),
                good=mixture_of(space, group, kernels[0], rng),
                bad=mixture_of(space, group, kernels[1], rng),
            )
            for group in groups
        ],
    )
