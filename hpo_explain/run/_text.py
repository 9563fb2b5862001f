"""Trials in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt


def by_reason(excluded: Mapping[int, str]) -> dict[str, list[int]]:
    """Return the trials that were left out for each reason, in the order of the first ones."""
    reasons: dict[str, list[int]] = {}
    for trial, reason in excluded.items():
        reasons.setdefault(reason, []).append(trial)
    return reasons


def spans(numbers: Sequence[int] | npt.NDArray[np.int64]) -> str:
    """Return numbers as ranges: "0-4, 7"."""
    ordered = sorted(int(number) for number in numbers)
    if not ordered:
        return "none"
    parts: list[list[int]] = []
    for number in ordered:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    shown = [str(a) if a == b else f"{a}-{b}" for a, b in parts[:12]]
    return ", ".join(shown) + (", ..." if len(parts) > 12 else "")
