"""The search space, its encoding, its conditions, and the measure every method integrates over."""

from hpo_explain.space.parameters import (
    LARGEST_WHOLE,
    Array,
    CategoricalParameter,
    Config,
    FloatParameter,
    IntParameter,
    Parameter,
    category_index,
)
from hpo_explain.space.search_space import SearchSpace

__all__ = [
    "LARGEST_WHOLE",
    "Array",
    "CategoricalParameter",
    "Config",
    "FloatParameter",
    "IntParameter",
    "Parameter",
    "SearchSpace",
    "category_index",
]
