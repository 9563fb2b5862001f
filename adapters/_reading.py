"""What the adapters have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hpo_explain.space import LARGEST_WHOLE, Array, FloatParameter, IntParameter

LEAST_KNOWN = 2
"""Trials that are known before a model, assumed where none chose them, can say anything."""


def not_finite(
    objective: Array, trials: Sequence[int] | npt.NDArray[np.int64], name: str = "objective"
) -> dict[int, str]:
    """Return the trials whose objective is NaN or infinite, with the reason to leave them out."""
    return {
        int(trials[i]): f"its {name} is {objective[i]}"
        for i in np.flatnonzero(~np.isfinite(objective)).tolist()
    }


def nothing_left(source: str, excluded: Mapping[int, str]) -> str:
    """Say that no trial can be read, and why those that there are cannot."""
    found = Counter(excluded.values())
    listed = "; ".join(f"{count} x {reason}" for reason, count in found.most_common(10))
    return (
        f"{source} has no trial that can be read: of its {len(excluded)} trial(s), {listed}. "
        "A run needs a finished trial with a finite value: run more trials, or choose another "
        f"{source}."
    )


def repeated(X: Array) -> list[str]:
    """Note how many rows are equal to an earlier one."""
    again = len(X) - len({row.tobytes() for row in X})
    if not again:
        return []
    return [f"repeated: {again} trial(s) repeat an earlier configuration; every one counts"]


def whole_numbers(
    name: str, low: int, high: int, *, log: bool = False, step: int = 1
) -> tuple[IntParameter | FloatParameter, list[str]]:
    """Return a hyperparameter of integers, and a note where there are too many to be counted."""
    if max(abs(low), abs(high)) <= LARGEST_WHOLE:
        return IntParameter(name, low, high, log=log, step=step), []
    note = f"{name}: integers beyond 2**45 are too many to be told apart; read as real-valued"
    return FloatParameter(name, float(low), float(high), log=log), [note]
