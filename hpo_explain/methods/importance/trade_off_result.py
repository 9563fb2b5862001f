"""How importance changes as weight moves from one objective to another, as a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from hpo_explain.base import Claim, Result, Table
from hpo_explain.belief import MATTERS, STRETCH, decide, interval, stretched
from hpo_explain.space import Array

_MOST_NAMED = 3
# of a change: what matters less then surely mattered before, by its interval there
_LEVEL = 0.975


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TradeOffImportance(Result):
    """Shares of the variance of weighted sums of two objectives.

    Attributes
    ----------
    objectives : tuple of str
        The two objectives.
    weights : ndarray of shape (W,)
        The weight of the second one, from 0 to 1; the first one has the rest.
    shares : ndarray of shape (W, k, d)
        The share that each hyperparameter has alone, in each function that the trials allow.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30)
    >>> runs = {
    ...     "loss": hx.Run(space, X, X[:, 0], "minimize", objective_name="loss"),
    ...     "size": hx.Run(space, X, X[:, 1], "minimize", objective_name="size"),
    ... }
    >>> print(hx.importance(runs, target="trade-off").finding)
    From loss to size, x matters less (100% to 0% alone) and y matters more (0% to 100% alone).
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "of_rows"),
        columns={
            "weight": lambda result: np.repeat(result.weights, len(result.names)),
            "importance": lambda result: result.estimate.ravel(),
            "lower": lambda result: result.ends[0].ravel(),
            "upper": lambda result: result.ends[1].ravel(),
        },
        held={
            "objectives": "objectives",
            "names": "names",
            "weights": "weights",
            "importance": "estimate",
            "lower": lambda result: result.ends[0],
            "upper": lambda result: result.ends[1],
        },
    )
    says: ClassVar[Mapping[str, str]] = {
        "moves": "From {found.objectives[0]} to {found.objectives[1]}, {each}. | {name} matters "
        "{more} ({before:%} to {after:%} alone)",
        "same": "Nothing is known to matter more for one of {found.objectives} than for the other.",
    }

    objectives: tuple[str, ...]
    weights: Array
    shares: Array

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def of_rows(self) -> list[str]:
        """The hyperparameter of each row of the table."""
        return [*self.names] * len(self.weights)

    @property
    def estimate(self) -> Array:
        """The share of each hyperparameter at each weight, (W, d): the mean over the functions."""
        return np.asarray(self.shares.mean(axis=1))

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """The ends of the 95 % interval of each share, (W, d) each, as for one objective."""
        each = [
            [interval(share, stretch=STRETCH["share"]) for share in draws.T]
            for draws in self.shares
        ]
        low, high = np.moveaxis(np.array(each), -1, 0)
        return np.maximum(low, 0.0), np.minimum(high, 1.0)

    @property
    def headline(self) -> str:
        """What changes, or that nothing is known to."""
        return self.finding

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """How much more each hyperparameter matters for the second objective, the largest first."""
        change = self.estimate[-1] - self.estimate[0]
        # changes that read the same are in the order of the space
        order = np.argsort(-np.abs(change).round(2), kind="stable")
        claims = [self._change(j) for j in order.tolist()]
        named = [claim for claim in claims if claim.certain][:_MOST_NAMED]
        if not named:
            frame, text = self.words("same")
            # how probable the largest change is, is of another sentence
            claims[0] = replace(claims[0], frame=frame, text=text, because=())
            named = claims[:1]
        return tuple(
            claim if claim in named else replace(claim, frame="{each}", text="") for claim in claims
        )

    def _change(self, j: int) -> Claim:
        """Return by how much a share changes, decided by what the intervals of both ends show."""
        of_ends = self.shares[[0, -1], :, j].T
        before, after = of_ends.mean(axis=0).tolist()
        wide = np.clip(stretched(of_ends, STRETCH["share"]), 0.0, 1.0)
        change = wide[:, 1] - wide[:, 0]
        decision = decide(change, level=_LEVEL, least=MATTERS)
        return self.decided(
            "difference",
            (self.names[j],),
            decision.told_as(after - before),
            values=self.objectives,
            says="moves",
            name=self.names[j],
            more="more" if decision.side == "above" else "less",
            before=before,
            after=after,
        )
