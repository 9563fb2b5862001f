"""What the adapters have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

RANDOM_START = 10
"""Trials of a random search that count as its start: before, there is too little to explain."""


def not_finite(
    objective: Array, trials: Sequence[int] | npt.NDArray[np.int64], name: str = "objective"
) -> dict[int, str]:
    """Return the trials whose objective is NaN or infinite, with the reason to leave them out."""
    return {
        int(trials[i]): f"its {name} is {objective[i]}"
        for i in np.flatnonzero(~np.isfinite(objective)).tolist()
    }


def repeated(X: Array) -> list[str]:
    """Note how many rows are equal to an earlier one."""
    again = len(X) - len({row.tobytes() for row in X})
    if not again:
        return []
    return [f"repeated: {again} trial(s) repeat an earlier configuration; every one counts"]
