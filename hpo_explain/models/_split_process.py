"""A Gaussian process whose kernel splits by hyperparameter: it predicts composed rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpo_explain.models._split_kernel import SplitKernel
from hpo_explain.models._whitening import Whitening
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class SplitProcess:
    """A process of which covariances with its n trials are made of parts of hyperparameters."""

    columns: Callable[[Array], Array]
    """From encoded rows (m, d) to its columns (m, p)."""
    owners: npt.NDArray[np.int64]
    """The hyperparameter of each column, (p,)."""
    kernel: SplitKernel
    train: Array
    """(n, p)"""
    alpha: Array
    """α times the factor that the kernel leaves out."""
    whitening: Whitening
    prior: float

    def predicted(self, k: Array) -> tuple[Array, Array]:
        """Return standardized mean and variance, each (m,), by covariances (m, n) with trials."""
        return k @ self.alpha, self.prior - self.whitening.explained(k)
