"""The box: the smallest part of a space that holds a configuration near the best.

How it is found is told in `narrowing`. What could only be active for values given up is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from hpo_explain.belief.decisions import Decision
from hpo_explain.belief.draws import Draws
from hpo_explain.belief.narrowing import Levels, Narrowing, allowed, part_of
from hpo_explain.space import (
    Array,
    Bools,
    Parameter,
    SearchSpace,
    inside_of,
    lowest,
    still_possible,
)


@dataclass(frozen=True, eq=False)
class Box:
    """The smallest part of a space that holds a configuration near the best.

    Attributes
    ----------
    search : Narrowing
        How it was found.
    levels : list of ndarray of bool
        Which levels of each hyperparameter are left.
    loss : Decision
        By how much the best that is left is worse, and how probable it is that this is allowed.
    """

    search: Narrowing
    levels: Levels
    loss: Decision

    @classmethod
    def of(
        cls,
        draws: Draws,
        lose: float,
        *,
        keep: Array | None = None,
        tried: Array | None = None,
        enough: float = 0.0,
    ) -> Box:
        """Find it.

        Parameters
        ----------
        draws : Draws
            Functions that the trials allow, for questions about the best.
        lose : float
            By how much the best that is left may be worse, in the objective's units.
        keep : ndarray of shape (d,), optional
            The encoded configuration that it must hold; by default the tried one with the lowest
            expected cost.
        tried : ndarray of shape (n, d), optional
            Encoded rows of all trials, those without a result too; by default those that the draws
            were learned from. What nobody tried is not given up.
        enough : float, default 0
            What counts: values that lose less are not given up.
        """
        if keep is None and len(draws.X):
            keep = draws.X[lowest(draws.costs(draws.X).mean(axis=0))]
        search = Narrowing(draws, lose, keep=keep, tried=tried, enough=enough)
        levels = search.found()
        loss = allowed(search.loss(levels), lose)
        if any(p.optional < 1.0 for p in draws.space):
            loss = replace(loss, certain=False)
        return cls(search, levels, loss)

    @property
    def whole(self) -> SearchSpace:
        """The space that it is a part of."""
        return self.search.draws.space

    @cached_property
    def parts(self) -> tuple[Parameter, ...]:
        """What is left of each hyperparameter."""
        draws, levels = self.search.draws, self.levels
        return tuple(part_of(draws, levels, j) for j in range(len(levels)))

    @cached_property
    def space(self) -> SearchSpace:
        """What is left, without hyperparameters that are never active there."""
        return SearchSpace(still_possible(self.parts)[0])

    @property
    def never_active(self) -> list[str]:
        """The hyperparameters that are never active in it."""
        return still_possible(self.parts)[1]

    @cached_property
    def volume(self) -> float:
        """Its share of the space's measure."""
        return self.search.volume(self.levels)

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each hyperparameter's own measure that is left."""
        axes = self.search.land.axes
        return tuple(
            float(axis.weights[of].sum()) for axis, of in zip(axes, self.levels, strict=True)
        )

    @property
    def narrowed(self) -> tuple[Parameter, ...]:
        """What is left of those of which levels are given up, and that are ever active in it."""
        return tuple(
            part
            for part, of in zip(self.parts, self.levels, strict=True)
            if not of.all() and part.name not in self.never_active
        )

    def holds(self, X: Array) -> Bools:
        """Return which encoded rows lie in it, (n,)."""
        return inside_of(self.whole, self.narrowed, X)
