"""The unit in which objectives are fitted, so that any scale is large enough for scikit-learn."""

from __future__ import annotations

import math

import numpy as np

from hpo_explain.space import Array


def unit_of(y: Array) -> float:
    """Return the power of two in which the spread of objectives is about 1 (1 without spread).

    scikit-learn's trees do not split what varies by less than 1e-8, and its Gaussian process does
    not standardize what varies by less than 1e-15. A power of two changes no digit.
    """
    spread = float(np.ptp(y))
    return 2.0 ** (math.frexp(spread)[1] - 1) if spread else 1.0
