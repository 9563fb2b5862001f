"""Hyperparameters whose conditions exclude each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.space import CategoricalParameter, SearchSpace
from hpo_explain.surrogates._tree_boxes import activity_codes


def never_together(space: SearchSpace, j: int, k: int) -> str:
    """Say in words why two hyperparameters are never active together; empty if they may be."""
    one, other = (activity_codes(space)[member] for member in (j, k))
    for ancestor in one.keys() & other.keys():
        if not np.intersect1d(one[ancestor], other[ancestor]).size:
            first, second = (_among(space, ancestor, codes[ancestor]) for codes in (one, other))
            return (
                f"{space.names[j]} and {space.names[k]} are never active together "
                f"({space.names[j]} is active when {first}, {space.names[k]} when {second})"
            )
    return ""


def _among(space: SearchSpace, j: int, codes: npt.NDArray[np.int64]) -> str:
    """Return in words that a hyperparameter has one of the values with these codes."""
    parameter = space.parameters[j]
    choices = parameter.choices if isinstance(parameter, CategoricalParameter) else None
    values = [str(choices[code] if choices else code) for code in codes]
    if len(values) == 1:
        return f"{parameter.name} = {values[0]}"
    return f"{parameter.name} in {{{', '.join(values)}}}"
