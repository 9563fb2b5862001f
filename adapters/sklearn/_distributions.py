"""Distributions of a random search, read as ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.adapters._scales import scale_of

_LOG, _UNIFORM, _WHOLE = ("loguniform", "reciprocal"), ("uniform",), ("randint",)
_TAIL = 0.001


@dataclass(frozen=True, eq=False)
class Range:
    """The range of a distribution.

    Attributes
    ----------
    low, high : float
        Its ends.
    log, whole : bool
        Whether its scale is logarithmic, and whether its values are integers.
    exact : bool
        Whether the distribution is uniform on that scale.
    law : str
        What the distribution is called.
    tried : tuple
        The values drawn from it, among others.
    """

    low: float
    high: float
    log: bool
    whole: bool
    exact: bool
    law: str
    tried: tuple[Any, ...]


def is_distribution(given: Any) -> bool:
    """Say whether values are drawn from an object, rather than listed by it."""
    return callable(getattr(given, "rvs", None))


def range_of(given: Any, tried: Sequence[Any]) -> Range:
    """Return the range of a distribution.

    A uniform one of scipy is read exactly, on a linear or logarithmic scale; of another one the
    range between its quantiles 0.001 and 0.999, its ends included where it has such, on the scale
    on which its quantiles spread. An object that only draws is read from what it drew.

    Examples
    --------
    >>> from scipy import stats
    >>> found = range_of(stats.loguniform(1e-3, 10.0), [])
    >>> found.low, found.high, found.log, found.exact
    (0.001, 10.0, True, True)
    """
    if hasattr(given, "prior") and hasattr(given, "low"):  # a dimension of skopt
        log, whole = given.prior == "log-uniform", type(given).__name__ == "Integer"
        ends = float(given.low), float(given.high)
        return Range(*ends, log, whole, True, str(given.prior), tuple(tried))
    law = str(getattr(getattr(given, "dist", None), "name", "") or type(given).__name__)
    numbers = [float(value) for value in tried]
    try:
        low, high = (float(end) for end in given.support())
        whole = not hasattr(given.dist, "pdf")
        quantiles = np.asarray(given.ppf(np.linspace(_TAIL, 1.0 - _TAIL, 21)), dtype=float)
    except (AttributeError, TypeError, NotImplementedError):
        low, high = min(numbers), max(numbers)
        whole = all(isinstance(value, (int, np.integer)) for value in tried)
        return Range(low, high, scale_of(numbers).log, whole, False, law, tuple(tried))
    if law in _LOG + _UNIFORM + _WHOLE:
        return Range(low, high, law in _LOG, whole, True, law, tuple(tried))
    low = min([low if np.isfinite(low) and low == quantiles[0] else float(quantiles[0]), *numbers])
    high = max(
        [high if np.isfinite(high) and high == quantiles[-1] else float(quantiles[-1]), *numbers]
    )
    return Range(low, high, scale_of(quantiles).log, whole, False, law, tuple(tried))
