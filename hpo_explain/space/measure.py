"""The space's measure: every hyperparameter has a latent value of its own, uniform in [0, 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from hpo_explain.space._values import Array
from hpo_explain.space.parameter import Parameter


def latent_rows(U: Array, parameters: Sequence[Parameter]) -> Array:
    """Return the latent rows that uniform values (n, d) lead to; see `SearchSpace.from_latent`."""
    rows = np.empty_like(U)
    for j, parameter in enumerate(parameters):
        if parameter.optional is None:
            rows[:, j] = parameter.from_latent(U[:, j])
            continue
        present = U[:, j] < parameter.optional
        rows[:, j] = np.nan
        rows[present, j] = parameter.from_latent(U[present, j] / parameter.optional)
    return rows


def uniform_draws(n: int, d: int, seed: int, method: Literal["lhs", "uniform"]) -> Array:
    """Return uniform values, (n, d): a Latin hypercube, or independent draws."""
    rng = np.random.default_rng(seed)
    U = rng.random((n, d))
    if method == "lhs":
        strata = np.tile(np.arange(n), (d, 1))
        U = (rng.permuted(strata, axis=1).T + U) / n
    return U
