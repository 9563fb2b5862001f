"""What matters to the weighted sum of several objectives, along all weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.comparison import MATTERS
from hpo_explain.explanations.fanova import FanovaImportance
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class WeightedImportance(Result):
    """Shares of the variance of the weighted sum of m objectives, for weights along the simplex.

    Attributes
    ----------
    objectives : tuple of str
        The objectives, each normalized to 0 to 1 over the trials.
    weights : ndarray of shape (W, m)
        The weights; each row adds up to 1.
    importances : tuple of FanovaImportance
        What matters with each of them.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Theodorakopoulos, D., Stahl, F. and Lindauer, M. (2024). Hyperparameter importance
       analysis for multi-objective AutoML. ECAI. https://arxiv.org/abs/2405.07640

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40)
    >>> runs = {
    ...     "loss": hx.Run(space, X, X[:, 0], "minimize", objective_name="loss"),
    ...     "size": hx.Run(space, X, X[:, 1], "minimize", objective_name="size"),
    ... }
    >>> found = hx.weighted_importance(runs, divisions=2)
    >>> found.weights.tolist(), found.shares.round().tolist()[::2]
    ([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    """

    scope: ClassVar[Scope] = "everywhere"
    objectives: tuple[str, ...]
    weights: Array
    importances: tuple[FanovaImportance, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @cached_property
    def shares(self) -> Array:
        """Share of each hyperparameter, alone, in the variance with each weights, (W, d)."""
        return np.array([i.estimate[: len(self.names)] for i in self.importances])

    @cached_property
    def bounds(self) -> Array:
        """Ends of the 95 % interval of each share, (W, d, 2); NaN where they are not known."""
        found = np.full((*self.shares.shape, 2), np.nan)
        for w, importance in enumerate(self.importances):
            for j in range(len(self.names)):
                known = importance.bounds(j)
                if known is not None:
                    found[w, j] = known
        return found

    def to_frame(self) -> pd.DataFrame:
        """Return one row per weights and hyperparameter: the share and its interval."""
        import pandas as pd

        d = len(self.names)
        columns: dict[str, Any] = {
            f"weight of {name}": np.repeat(self.weights[:, k], d)
            for k, name in enumerate(self.objectives)
        }
        columns["hyperparameter"] = np.tile(self.names, len(self.weights))
        columns["importance"] = self.shares.ravel()
        columns["lower"], columns["upper"] = self.bounds.reshape(-1, 2).T
        return pd.DataFrame(columns)

    def _doubts(self, rows: list[int]) -> tuple[Fact, ...]:
        found = [self.importances[w].subject.doubts(self.scope) for w in rows]
        return tuple(dict.fromkeys(doubt for doubts in found for doubt in doubts))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What matters whatever the weights, and what to one objective more than to another."""
        lower, upper = (np.nan_to_num(self.bounds[:, :, end]) for end in (0, 1))
        mean = self.shares.mean(axis=0)
        everything = self._doubts([*range(len(self.weights))])
        found = [
            Claim(
                "everywhere",
                (self.names[j],),
                estimate=float(mean[j]),
                interval=(float(lower[:, j].min()), float(upper[:, j].max())),
                certain=not everything,
                because=everything,
            )
            for j in np.argsort(-mean, kind="stable").tolist()
            if lower[:, j].min() > MATTERS
        ]
        ends = [int(np.argmax(self.weights[:, k])) for k in range(len(self.objectives))]
        for j, name in enumerate(self.names):
            most = max(range(len(ends)), key=lambda k: lower[ends[k], j])
            least = min(range(len(ends)), key=lambda k: upper[ends[k], j])
            gap = lower[ends[most], j] - upper[ends[least], j]
            if most == least or gap <= 0.0:
                continue
            doubts = self._doubts([ends[most], ends[least]])
            found.append(
                Claim(
                    "shares_differ",
                    (name,),
                    values=((self.objectives[most], self.objectives[least]),),
                    estimate=float(self.shares[ends[most], j] - self.shares[ends[least], j]),
                    interval=(float(gap), float(upper[ends[most], j] - lower[ends[least], j])),
                    certain=not doubts,
                    because=doubts,
                )
            )
        return tuple(found)

    def _numbers(self) -> dict[str, Any]:
        return {
            "objectives": self.objectives,
            "weights": self.weights,
            "names": self.names,
            "shares": self.shares,
            "intervals": self.bounds,
        }
