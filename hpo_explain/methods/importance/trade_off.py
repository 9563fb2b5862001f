"""How importance changes as weight moves from one objective to another.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f, g       the cost of a draw of either objective, over the range of its trials' costs
w          the weight of the second objective, from 0 to 1
S_j(w)     share of the variance of ``(1 - w) f + w g`` that hyperparameter j has alone
=========  ============================================================================

Each objective has a belief of its own, and the functions of both are independent. At either end
the shares are those of one objective.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from hpo_explain.base import (
    MOST_NAMED,
    Claim,
    InputError,
    Result,
    Subject,
    Table,
    fact,
    join_words,
    percent,
)
from hpo_explain.belief import MATTERS, STRETCH, Weighted, as_draws, decide, interval, stretched
from hpo_explain.models import Surrogate
from hpo_explain.run import Objectives
from hpo_explain.space import Array

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
        return self.shares.mean(axis=1)

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
    def answer(self) -> str:
        """What changes, or that nothing is known to."""
        return self.finding

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """How much more each hyperparameter matters for the second objective, the largest first."""
        change = self.estimate[-1] - self.estimate[0]
        # changes that read the same are in the order of the space
        order = np.argsort(-np.abs(change).round(2), kind="stable")
        claims = [self._change(j) for j in order.tolist()]
        named = [claim for claim in claims if claim.certain][:MOST_NAMED]
        if not named:
            one = join_words(self.objectives)
            same = f"Nothing is known to matter more for one of {one} than for the other."
            # how probable the largest change is, is of another sentence
            claims[0] = replace(claims[0], frame="{each}", text=same, because=())
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
        more = "more" if decision.side == "above" else "less"
        shares = f"{percent(before)} to {percent(after)} alone"
        first, second = self.objectives
        return decision.told_as(after - before).claim(
            "difference",
            (self.names[j],),
            values=self.objectives,
            frame=f"From {first} to {second}, {{each}}.",
            text=f"{self.names[j]} matters {more} ({shares})",
        )


def trade_off(
    objectives: Objectives, surrogates: Mapping[str, Surrogate], *, seed: int = 0
) -> TradeOffImportance:
    """Return the importance for sums of two objectives, each with its model.

    Raises
    ------
    InputError
        If there are not two objectives, or a model does not know how its predictions vary together.

    References
    ----------
    .. [1] Theodorakopoulos, D., Stahl, F. and Lindauer, M. (2024). Hyperparameter importance
       analysis for multi-objective AutoML. ECAI. https://arxiv.org/abs/2405.07640

    Examples
    --------
    >>> import hpo_explain as hx
    >>> from hpo_explain.run import Objectives
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30)
    >>> loss = hx.Run(space, X, X[:, 0], "minimize", objective_name="loss")
    >>> size = hx.Run(space, X, X[:, 1], "minimize", objective_name="size")
    >>> both = Objectives.of({"loss": loss, "size": size})
    >>> found = trade_off(both, {name: run.belief() for name, run in both.runs.items()})
    >>> found.estimate[[0, 5, 10]].round(1).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    """
    names = objectives.names
    if len(names) != 2:
        problem = f"is 'trade-off', which is between two objectives, but there are {len(names)}"
        remedy = "Give two runs by objective, such as {'loss': ..., 'size': ...}."
        raise InputError("target", problem, "trade-off", remedy)
    of_each = []
    for name, run in objectives.runs.items():
        draws = as_draws(surrogates[name], run.direction, seed=seed)
        if not draws.joint:
            problem = "is 'trade-off', which needs functions drawn from the posterior of the model"
            raise InputError("target", problem, "trade-off")
        of_each.append(draws)
    units = 1.0 / objectives.spreads
    weights = np.linspace(0.0, 1.0, 11)
    shares = [
        _shares(Weighted(of_each, [(1.0 - w) * units[0], w * units[1]])) for w in weights.tolist()
    ]
    subject = Subject.of(objectives.first)
    functions = f"{len(shares[0])} functions of each drawn from the posterior"
    units_of = "objectives are weighted in units of the range of their trials"
    return TradeOffImportance(
        subject=subject,
        objectives=names,
        weights=weights,
        shares=np.stack(shares),
        notes=(fact(f"{units_of}, with {functions}"), *subject.notes),
    )


def _shares(draws: Weighted) -> Array:
    """Return the share that each hyperparameter has alone in each draw, (k, d)."""
    anova = draws.anova
    # of a function that hardly varies beside the noise nobody can tell what decides it
    there = (anova.of_evaluations > MATTERS)[:, None]
    return np.where(there, anova.mains, 0.0)
