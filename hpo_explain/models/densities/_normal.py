"""Masses of the standard normal distribution, without cancellation."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from hpo_explain.space import Array

_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
_NARROW = 1e-4  # of an interval: below, its mass is density times width to the last digit


def log_mass(a: Array, b: Array) -> Array:
    """Return ``log(Φ(b) - Φ(a))`` for a ≤ b, each of the same shape; -∞ where they are equal.

    Examples
    --------
    >>> bool(np.isclose(np.exp(log_mass(np.array([-1.0]), np.array([1.0])))[0], 0.6826894921370859))
    True
    """
    a, b = np.broadcast_arrays(a, b)
    # the lower tail keeps its digits, the upper one does not
    upper = a > 0.0
    low, high = np.where(upper, -b, a), np.where(upper, -a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = log_ndtr(high) + np.log(-np.expm1(log_ndtr(low) - log_ndtr(high)))
        central = np.log1p(-ndtr(low) - ndtr(-high))
    mass = np.where(high <= 0.0, tail, central)
    width = high - low
    narrow = width < _NARROW
    if narrow.any():
        middle = 0.5 * (low + high)[narrow]
        h = width[narrow]
        # ∫ exp(-m t - t²/2) dt over t in ±h/2, with m the middle
        slope = np.maximum(np.abs(0.5 * middle * h), 1e-12)
        with np.errstate(divide="ignore"):  # a width that the range cannot resolve has no mass
            size = np.log(h)
        mass[narrow] = log_density(middle) + size + np.log(np.sinh(slope) / slope) - h**2 / 24.0
    return np.asarray(mass, dtype=float)


def log_density(z: Array) -> Array:
    """Return ``log φ(z)``."""
    return np.asarray(-0.5 * z**2 - _LOG_SQRT_2PI, dtype=float)


def quantile(u: Array, a: Array, b: Array) -> Array:
    """Return the value below which a share `u` of the mass between `a` and `b` lies."""
    upper = a > 0.0
    low, high = np.where(upper, -b, a), np.where(upper, -a, b)
    share = np.where(upper, 1.0 - u, u)
    z = ndtri(ndtr(low) + share * (ndtr(high) - ndtr(low)))
    z = np.clip(z, low, high)
    return np.asarray(np.where(upper, -z, z), dtype=float)
