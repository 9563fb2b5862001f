"""How much of a Gaussian process's prior variance the trials explain."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from hpo_explain.space import Array

_PANEL = 32  # columns of the triangular L⁻ᵀ at once: half of it is zero


class Whitening:
    """Products with L⁻ᵀ: faster than solving anew for every block of rows.

    Parameters
    ----------
    cholesky : ndarray of shape (m, m)
        L, the lower triangle of the Cholesky factorization of the trials' covariance.
    factor : float, default 1.0
        Factor of the covariances that are whitened.
    """

    def __init__(self, cholesky: Array, factor: float = 1.0) -> None:
        m = len(cholesky)
        inverse = solve_triangular(cholesky, factor * np.eye(m), lower=True).T
        self._panels = [
            np.ascontiguousarray(inverse[: start + _PANEL, start : start + _PANEL])
            for start in range(0, m, _PANEL)
        ]

    def explained(self, k: Array, spare: Array | None = None) -> Array:
        """Return ``|k L⁻ᵀ|²`` for covariances k with the trials, one per row.

        `spare` is an array of the shape of `k` to work in.
        """
        v = np.empty_like(k) if spare is None else spare
        for panel in self._panels:
            stop, width = panel.shape
            np.matmul(k[:, :stop], panel, out=v[:, stop - width : stop])
        return np.asarray(np.vecdot(v, v))
