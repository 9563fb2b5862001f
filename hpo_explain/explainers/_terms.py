"""The terms of an acquisition at rows, latent or composed."""

from __future__ import annotations

import numpy as np

from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.space import Array

COMPOSED_ROWS = 10_000  # at once: bounds the memory, whatever model receives them


def evaluate(acquisition: Acquisition, latent: Array) -> Array:
    """Return the terms (n, number of terms) at the configurations that latent rows stand for."""
    terms = acquisition.terms(acquisition.space.project(latent))
    return np.column_stack([terms[name] for name in acquisition.term_names])
