"""Hyperparameters whose conditions exclude each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import Fact, fact
from hpo_explain.models._tree_boxes import activity_codes
from hpo_explain.space import CategoricalParameter, SearchSpace


def excluded_pair(space: SearchSpace, j: int, k: int) -> Fact | None:
    """Return why two hyperparameters are never active together; None if they may be.

    The fact names both, their common ancestor, and its values for which each is active.
    """
    one, other = (activity_codes(space)[member] for member in (j, k))
    for ancestor in one.keys() & other.keys():
        if not np.intersect1d(one[ancestor], other[ancestor]).size:
            return fact(
                "never_active_together",
                names=[space.names[j], space.names[k]],
                ancestor=space.names[ancestor],
                first=_values(space, ancestor, one[ancestor]),
                second=_values(space, ancestor, other[ancestor]),
            )
    return None


def _values(space: SearchSpace, j: int, codes: npt.NDArray[np.int64]) -> tuple[Any, ...]:
    """Return the values of a parent that have these codes."""
    parameter = space.parameters[j]
    if isinstance(parameter, CategoricalParameter):
        return tuple(parameter.choices[code] for code in codes)
    return tuple(codes.tolist())
