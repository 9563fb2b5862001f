"""The attainable effect: the best over all other hyperparameters, at each value of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class Attainable:
    """The best objective that can be expected at each value of a hyperparameter.

    Attributes
    ----------
    mean, std : ndarray of shape (G,)
        Expected best and its standard deviation, in the objective's units; NaN where no
        configuration is valid, or feasible.
    covariance : ndarray of shape (G, G) or None
        Covariance between values; None for models without a joint posterior or trees.
    configurations : tuple of mapping
        The predicted best configuration at each value; empty where there is none.
    """

    mean: Array
    std: Array
    covariance: Array | None
    configurations: tuple[Mapping[str, Any], ...]
