"""Moved to `wording.numbers`; goes when no result writes numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


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
