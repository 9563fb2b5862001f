"""Which hyperparameter matters most, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hpo_explain.base import Claim
from hpo_explain.belief import MATTERS, PROBABLE, Decision, decide, stretched
from hpo_explain.space import Array

if TYPE_CHECKING:
    from hpo_explain.belief import Anova, Best

WITH, ALONE = ("with interactions", "alone")
TOGETHER, ALL = ("interaction", "all alone")
"""Terms of claims about shares: all that a hyperparameter takes part in, what it explains without
any other, what several explain only together, and all without any interaction."""
APART = 1.0 / 3.0  # from here on both shares of a hyperparameter are said
TOLD = 0.05  # of probability: what is less probable is not told

Sure = Literal["nothing", "perhaps", "probably", "certainly"]
"""How sure it is what matters most; nothing where it is not known that anything matters."""


def parts_of(anova: Anova | Best, stretch: float = 1.0) -> Array:
    """Return what each hyperparameter takes part in, of what evaluations vary by, (draws, d).

    A share of what is hardly there beside the noise is next to nothing of what evaluations vary by.
    """
    totals = stretched(anova.totals, stretch)
    return totals * anova.of_evaluations[:, None]


def foremost(shares: Array) -> tuple[int, Decision]:
    """Return which hyperparameter most often matters more than all others, and matters at all.

    Examples
    --------
    >>> import numpy as np
    >>> parts = np.array([[0.5, 0.1], [0.4, 0.3], [0.2, 0.3], [0.01, 0.0]])
    >>> first, found = foremost(parts)
    >>> first, found.probability, found.certain
    (0, 0.5, False)
    """
    largest = shares == shares.max(axis=1, keepdims=True)
    alone = largest.sum(axis=1, keepdims=True) == 1
    leads = largest & alone & (shares > MATTERS)
    often, mean = leads.mean(axis=0), shares.mean(axis=0)
    first = max(range(shares.shape[1]), key=lambda j: (often[j], mean[j]))
    return first, decide(leads[:, first].astype(float), 0.5, side="above")


def how_sure(most: Claim) -> Sure:
    """Return how sure the claim is about which hyperparameter matters most."""
    if most.side == "below":
        return "nothing"
    if most.certain:
        return "certainly"
    return "probably" if most.probability >= PROBABLE else "perhaps"
