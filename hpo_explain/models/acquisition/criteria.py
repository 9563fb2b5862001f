"""The criteria as pure functions of predictions, which return their terms.

Every criterion is a utility: larger is more desirable. LCB and EI are in the objective's units, PI
is a probability, log EI the natural logarithm of EI.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
m, s        mean and standard deviation of the *cost*: the objective, negated where it is
            maximized, so that smaller is better
f*          the best cost so far
κ           weight of the standard deviation
ξ           smallest improvement that counts, in the objective's units
τ           standard deviation of one evaluation
z           ``(f* - ξ - m) / s``
Φ, φ        distribution function and density of the standard normal
==========  ============================================================================

References
----------
.. [1] Cox, D. D. and John, S. (1992). A statistical method for global optimization. (LCB)
.. [2] Jones, D. R., Schonlau, M. and Welch, W. J. (1998). Efficient global optimization of
   expensive black-box functions. J. Global Optimization 13, 455-492. (EI)
   https://doi.org/10.1023/A:1008306431147
.. [3] Ament, S. et al. (2023). Unexpected improvements to expected improvement for Bayesian
   optimization. NeurIPS. (log EI) https://arxiv.org/abs/2310.20708
"""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from hpo_explain.base import ROUNDING
from hpo_explain.space import Array

_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
_Z_MAX = 1e6


def lower_confidence_bound(m: Array, s: Array, kappa: float) -> tuple[Array, Array]:
    """Return the two terms of -LCB: ``-m`` and ``+κ s``."""
    return -m, kappa * s


def expected_improvement(m: Array, s: Array, best: float, xi: float = 0.0) -> tuple[Array, Array]:
    """Return the two terms of EI: exploitation ``(f* - ξ - m) Φ(z)`` and exploration ``s φ(z)``."""
    gain = _gain(m, best, xi)
    z = _standardize(gain, s)
    return gain * ndtr(z), s * np.exp(-0.5 * z**2 - _LOG_SQRT_2PI)


def probability_of_improvement(m: Array, s: Array, best: float, xi: float = 0.0) -> Array:
    """Return PI: ``Φ(z)``, in [0, 1]."""
    return ndtr(_standardize(_gain(m, best, xi), s))


def log_expected_improvement(m: Array, s: Array, best: float, xi: float = 0.0) -> Array:
    """Return ``log EI``, accurate far below the best cost where EI itself underflows.

    z counts as at least -10⁶, so that the value of a prediction that certainly does not improve
    is finite, and below all others.
    """
    gain = _gain(m, best, xi)
    floor = np.maximum(np.abs(gain) / _Z_MAX, np.finfo(float).tiny)
    return _log_h(_standardize(gain, s)) + np.log(np.maximum(s, floor))


def _gain(m: Array, best: float, xi: float) -> Array:
    """Return ``f* - ξ - m``; 0 where that is of rounding size, as its sign would be arbitrary."""
    gain = best - xi - m
    return np.where(np.abs(gain) <= ROUNDING * np.maximum(np.abs(m), abs(best)), 0.0, gain)


def _standardize(gain: Array, s: Array) -> Array:
    """Return z within ±10⁶, where Φ and φ have reached their limits; ±10⁶ at s = 0."""
    bounded = np.maximum(s, np.abs(gain) / _Z_MAX)
    return np.divide(gain, bounded, out=np.full_like(gain, -_Z_MAX), where=bounded > 0)


def _log_h(z: Array) -> Array:
    """Return ``log(φ(z) + z Φ(z))`` by Eq. 9 of [3]_, whose branches keep it from cancelling."""
    direct = np.maximum(z, -1.0)
    log_h = np.log(np.exp(-0.5 * direct**2 - _LOG_SQRT_2PI) + direct * np.exp(log_ndtr(direct)))
    t = np.minimum(z, -1.0)
    # 1 - |z| Φ/φ; its large-|z| form is 1/z² - 3/z⁴ + ...
    ratio = np.sqrt(np.pi / 2) * erfcx(-t / np.sqrt(2)) * -t
    near = np.log1p(-np.where(t > -1e4, ratio, 0.5))
    tail = np.where(t > -1e4, near, -2.0 * np.log(-t))
    return np.where(z > -1.0, log_h, -0.5 * t**2 - _LOG_SQRT_2PI + tail)
