"""What the figures of experiments share: colors, curves with bands, and bars by hyperparameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

BLUE, ORANGE, GREEN, GREY, BLACK = ("#0072b2", "#e69f00", "#009e73", "#999999", "#222222")


def averaged(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation over repetitions."""
    return np.mean(values, axis=0), np.std(values, axis=0, ddof=1)


def band(ax: Any, x: Any, middle: Any, half: Any, color: str = BLUE, **line: Any) -> None:
    """Draw a curve with a band."""
    middle, half = np.asarray(middle), np.asarray(half)
    ax.fill_between(x, middle - half, middle + half, color=color, alpha=0.25, lw=0)
    ax.plot(x, middle, color=color, **line)


def bars(ax: Any, names: Sequence[str], *values: Any, half: Any = None) -> None:
    """Draw horizontal bars by name: grey ones, or blue and orange ones beside each other."""
    y, n = np.arange(len(names)), len(values)
    for k, one in enumerate(values):
        shift, color = (0.4 * k - 0.2, (BLUE, ORANGE)[k]) if n > 1 else (0.0, GREY)
        ax.barh(y + shift, one, 0.76 / n, xerr=None if half is None else half[k], color=color)
    ax.set_yticks(y, names)
