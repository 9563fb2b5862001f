"""Values and lists in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from hpo_explain.space import Array

NOTHING = 0.005  # of the whole: written as a percentage, nothing is left of less


def format_value(value: Any, *, width: int = 40) -> str:
    """Return a value as people write it: four significant digits, long texts shortened."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= width else text[: width - 1] + "…"


def format_level(value: float, difference: float, least: int = 4) -> str:
    """Return a number with the digits in which one so far from it differs, and some at least."""
    digits = least
    if value and difference and np.isfinite([value, difference]).all():
        # two of the difference
        digits = int(np.floor(np.log10(abs(value))) - np.floor(np.log10(abs(difference)))) + 2
    return f"{value:.{min(max(digits, least), 15)}g}"


def join_words(words: Sequence[str]) -> str:
    """Return "a", "a and b", or "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + " and " + words[-1]


def worth_naming(
    order: Sequence[int], sizes: Sequence[float] | Array, most: int, whole: float = 1.0
) -> list[int]:
    """Return the first `most` of an order by size, without those that are 0 % of the whole.

    The first is named however small it is, if it is not 0.
    """
    return [
        int(j)
        for rank, j in enumerate(order[:most])
        if sizes[j] > 0.0 and (rank == 0 or sizes[j] >= NOTHING * whole)
    ]


def plain_json(value: Any) -> Any:
    """Return a value that `json.dumps` accepts: numpy as Python, NaN as None, others as text."""
    if isinstance(value, dict):
        return {str(key): plain_json(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return plain_json(value.tolist())
    if isinstance(value, np.generic):
        return plain_json(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return str(value)
    return value
