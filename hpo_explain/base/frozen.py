"""Arrays that can no longer be written to, in objects that stay so when they are unpickled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array itself, which can no longer be written to."""
    array.setflags(write=False)
    return array


def set_fields(instance: object, **values: Any) -> None:
    """Set fields of a frozen dataclass while it is made; arrays can no longer be written to."""
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            frozen(value)
        object.__setattr__(instance, name, value)


class Frozen:
    """What stays frozen when it is unpickled: pickle forgets that an array is read-only."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        set_fields(self, **state)
