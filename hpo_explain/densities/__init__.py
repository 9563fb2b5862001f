"""Densities of good and bad configurations, and the acquisition function made of them."""

from hpo_explain.densities.groups import Group
from hpo_explain.densities.kernels import CategoryKernels, Curves, Kernels, NumericKernels
from hpo_explain.densities.mixture import ProductMixture
from hpo_explain.densities.ratio import DensityBlock, DensityRatio

__all__ = [
    "CategoryKernels",
    "Curves",
    "DensityBlock",
    "DensityRatio",
    "Group",
    "Kernels",
    "NumericKernels",
    "ProductMixture",
]
