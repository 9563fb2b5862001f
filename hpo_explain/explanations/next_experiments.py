"""Experiments that are worth their cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hpo_explain.base.facts import Fact
from hpo_explain.space import Array, SearchSpace


@dataclass(frozen=True, eq=False)
class Experiments:
    """Configurations whose evaluation would narrow the band of a partial dependence.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        Encoded configurations, all different, the most useful first.
    notes : tuple of Fact
        ``no_joint_posterior`` where they are only those of largest ŝ, and ``fewer_experiments``
        where there are not as many different ones as were asked for.
    """

    space: SearchSpace
    X: Array
    notes: tuple[Fact, ...] = ()

    @property
    def configurations(self) -> list[dict[str, Any]]:
        """The configurations in the user's units, as ``study.enqueue_trial`` takes them."""
        return self.space.decode(self.X)
