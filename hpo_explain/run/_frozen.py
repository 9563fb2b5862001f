"""Arrays that can no longer be written to."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array itself, which can no longer be written to."""
    array.setflags(write=False)
    return array


def refreeze(state: dict[str, Any]) -> None:
    """Freeze the arrays of an unpickled object: pickle forgets that an array is read-only."""
    for value in state.values():
        if isinstance(value, np.ndarray):
            frozen(value)
