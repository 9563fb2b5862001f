"""What is asked of drawn functions by those that only look at them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from hpo_explain.space import Array, Bools, SearchSpace


class DrawnCosts(ABC):
    """Functions of the cost, drawn from a posterior over the objective."""

    space: SearchSpace
    X: Array
    seed: int

    @property
    @abstractmethod
    def noise_std(self) -> float:
        """Standard deviation of one evaluation among good trials, in the user's units."""

    @property
    @abstractmethod
    def roughness(self) -> float:
        """Standard deviation of what draws leave out of the objective, in the user's units."""

    @abstractmethod
    def costs(self, X: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n)."""

    @abstractmethod
    def own_costs(self, rows: Array) -> Array:
        """Return the cost of each draw at rows of its own (k, m, d), (k, m)."""

    @abstractmethod
    def feasible(self, X: Array) -> Bools:
        """Return which encoded rows are safe to give a result that counts, (n,)."""
