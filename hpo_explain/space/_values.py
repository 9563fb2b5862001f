"""Values and positions, as every kind of hyperparameter understands them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Config: TypeAlias = Mapping[str, Any]

POSITION_TOLERANCE = 1e-9
"""Positions that differ by less are the same: one of them was rounded."""


def plain(value: Any) -> Any:
    """Return the Python value of a numpy scalar, and a list for an array, also inside of lists."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    return value
