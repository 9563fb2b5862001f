"""Values of sets of hyperparameters: what each does alone, and what several do only together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hpo_explain.base import InteractionIndex, Order, declared_fact, listed
from hpo_explain.methods._engines.estimates import Estimates
from hpo_explain.space import Array

MOST_NAMED = 3
LIKELY = 0.5  # what is less probable is not told of one by itself

PLAY_AS_ONE = declared_fact(
    "play_as_one",
    "{players} contribute least and play as one: what they do among themselves is not told apart",
    players=lambda fact: listed(list(fact.names), 6),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sets(Estimates):
    """Values of sets of hyperparameters that add up to a whole.

    A value is what a set does beyond smaller ones. The table has a row per set, the largest value
    first: members, order, value, half_width (of integrating), model_std, and further columns.

    Attributes
    ----------
    index : {"k-SII", "STII", "FSII"}
        How what hyperparameters do together is shared out.
    order : int
        The size of the largest sets.
    """

    first: ClassVar[Order] = "farthest from 0"

    index: InteractionIndex
    order: int

    @property
    def all_names(self) -> tuple[str, ...]:
        """The hyperparameters that play."""
        return tuple(name for player in self.players for name in player)

    @property
    def start(self) -> float:
        """What the values of sets are added to."""
        return 0.0


def half_of_samples(values: Array) -> Array:
    """Return half the 95 % t-intervals of means over independent samples, (m,).

    Parameters
    ----------
    values : ndarray of shape (number of samples, m)
        The values over each sample, at least two.
    """
    from scipy.special import stdtrit

    n = len(values)
    error = values.std(axis=0, ddof=1) / np.sqrt(n)
    return np.asarray(stdtrit(n - 1, 0.975) * error)
