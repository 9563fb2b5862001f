"""Learning curves: how early the final rank is known, and what stopping early would cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact, fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.fanova import FanovaImportance
from hpo_explain.explanations.result import Result
from hpo_explain.run import Curves
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class PrunerReplay:
    """What a pruner would have done to the trials of a run.

    Attributes
    ----------
    label : str
        The pruner.
    own : bool
        Whether it is the one that the run has on record.
    stopped : ndarray of bool, shape (n,)
        Which finished trials it would have stopped, in the run's order.
    saved : float
        Share of the steps of the finished trials that would not have been paid for.
    regret : float
        How much worse the best trial that would have finished is than the best one, in the
        objective's units.
    rank : int
        The rank of that trial: 1 where the best one would have finished.
    orders : int
        In how many random orders of the same trials it was replayed, too; 0 for none.
    best_stopped : float
        In what share of these orders the best trial would have been stopped; NaN for none.
    regret_mean, regret_high : float
        The regret's mean and 95 % quantile over these orders; NaN for none.
    """

    label: str
    own: bool
    stopped: npt.NDArray[np.bool_]
    saved: float
    regret: float
    rank: int
    orders: int = 0
    best_stopped: float = float("nan")
    regret_mean: float = float("nan")
    regret_high: float = float("nan")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LearningCurves(Result):
    """How early trials have their final rank, and what stopping them early would have cost.

    Correlations and regrets are those of the finished trials: a pruned one has no final value.
    Shares at a step are those of all trials that reached it.

    Attributes
    ----------
    curves : Curves
        What the trials reported.
    final : ndarray of shape (m,)
        The objective of each of them; NaN where it has none.
    trials, finished : ndarray of int, shape (S,)
        How many trials have a value at each step, and how many of these have a final one.
    correlation : ndarray of shape (S,)
        Rank correlation (Spearman) of the value at each step with the final one; NaN where there
        are fewer than 3 finished trials, or all are the same.
    lower, upper : ndarray of shape (S,)
        Its 95 % interval over trials; NaN for fewer than 5.
    enough : float
        The correlation that is asked for.
    related_from, known_from : float or None
        From which step on the lower end stays above 0, and above `enough`; None where it does not.
        Over all steps together a wrong one is named once in 40 times at most.
    pick_rank, pick_regret : ndarray of shape (S,)
        The final rank of the trial that is best at each step (1 for the best), and how much worse
        it ends than the best one among those with a value there, in the objective's units.
    replays : tuple of PrunerReplay
        What pruners would have done.
    shares : mapping of float to FanovaImportance
        At a few steps, which hyperparameters the value depends on.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Bonett, D. G. and Wright, T. A. (2000). Sample size requirements for estimating Pearson,
       Kendall and Spearman correlations. Psychometrika 65. Eq. 6.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rows = [(i, i / 20, epoch, i + 9.0 / epoch) for i in range(20) for epoch in (1, 2, 3)]
    >>> table = pd.DataFrame(rows, columns=["id", "lr", "epoch", "loss"])
    >>> found = hx.learning_curves(table, objective="loss", trial="id", fidelity="epoch")
    >>> found.known_from, found.to_frame()["correlation"].tolist()
    (1.0, [1.0, 1.0, 1.0])
    """

    scope: ClassVar[Scope] = "everywhere"
    curves: Curves
    final: Array
    trials: npt.NDArray[np.int64]
    finished: npt.NDArray[np.int64]
    correlation: Array
    lower: Array
    upper: Array
    enough: float
    related_from: float | None
    known_from: float | None
    pick_rank: Array
    pick_regret: Array
    replays: tuple[PrunerReplay, ...] = ()
    shares: Mapping[float, FanovaImportance] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def steps(self) -> Array:
        """The steps."""
        return self.curves.steps

    @property
    def unfinished(self) -> int:
        """How many trials reported values, but have no final one."""
        return int(np.isnan(self.final).sum())

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How early ranks are known, what pruners would cost, and which shares change."""
        return (*self._ranks(), *self._pruning(), *self._changes())

    def _ranks(self) -> tuple[Claim, ...]:
        steps = self.steps.tolist()
        if self.known_from is not None and self.known_from < steps[-1]:
            return (self._rank_at(steps.index(self.known_from)),)
        known = np.flatnonzero(~np.isnan(self.correlation[:-1]))
        if not len(known):
            return ()
        unknown = fact("rank_not_told", enough=self.enough, n=int(self.finished[known].max()))
        found = self._rank_at(int(known[len(known) // 2]), unknown)
        return (found,)

    def _rank_at(self, i: int, *because: Fact) -> Claim:
        interval = (float(self.lower[i]), float(self.upper[i]))
        return Claim(
            "early_rank",
            values=(float(self.steps[i]),),
            estimate=float(self.correlation[i]),
            interval=None if np.isnan(interval).any() else interval,
            certain=not because,
            because=because,
        )

    def _pruning(self) -> tuple[Claim, ...]:
        doubts = (fact("finished_only", unfinished=self.unfinished),) if self.unfinished else ()
        return tuple(
            Claim(
                "pruning",
                values=(replay.label,),
                estimate=replay.regret,
                certain=not doubts,
                because=doubts,
            )
            for replay in self.replays
        )

    def _changes(self) -> tuple[Claim, ...]:
        """Return for each hyperparameter the largest difference of its shares at two steps."""
        found = [c for pair in combinations(sorted(self.shares), 2) for c in self._changed(*pair)]
        found.sort(key=lambda claim: (not claim.certain, -abs(claim.estimate)))
        return tuple({claim.hyperparameters: claim for claim in reversed(found)}.values())[::-1]

    def _changed(self, first: float, last: float) -> list[Claim]:
        early, late = self.shares[first], self.shares[last]
        at = [int(np.searchsorted(self.steps, step)) for step in (first, last)]
        doubts = (*early.subject.doubts(self.scope), *late.subject.doubts(self.scope))
        if self.trials[at[0]] != self.trials[at[1]]:
            doubts = (*doubts, fact("other_trials", trials_at=[int(self.trials[i]) for i in at]))
        found = []
        for j, name in enumerate(self.names):
            ends = [result.bounds(j) for result in (early, late)]
            if None in ends:
                continue
            (low, high), (below, above) = (end or (0.0, 1.0) for end in ends)
            if high < below or above < low:
                found.append(
                    Claim(
                        "share_changes",
                        (name,),
                        (first, last),
                        estimate=float(late.estimate[j] - early.estimate[j]),
                        interval=(below - high, above - low),
                        certain=not doubts,
                        because=tuple(dict.fromkeys(doubts)),
                    )
                )
        return found

    def to_frame(self) -> pd.DataFrame:
        """Return a row per step: trials, the correlation with its interval, and what it picks."""
        import pandas as pd

        return pd.DataFrame(
            {
                self.curves.step_name: self.steps,
                "trials": self.trials,
                "finished": self.finished,
                "correlation": self.correlation,
                "lower": self.lower,
                "upper": self.upper,
                "pick_rank": self.pick_rank,
                "pick_regret": self.pick_regret,
            }
        )

    def pruners(self) -> pd.DataFrame:
        """Return a row per pruner: what it would have stopped, saved and lost.

        The columns from `orders` on are about random orders of the same trials.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "pruner": [replay.label for replay in self.replays],
                "stopped": [int(replay.stopped.sum()) for replay in self.replays],
                **{
                    name: [getattr(replay, name) for replay in self.replays]
                    for name in ("saved", "rank", "regret", "orders")
                    + ("best_stopped", "regret_mean", "regret_high")
                },
            }
        )

    def shares_by_step(self) -> pd.DataFrame:
        """Return a row per hyperparameter and step: its share of the variance, and the interval."""
        import pandas as pd

        rows = []
        for step, result in self.shares.items():
            for j, name in enumerate(self.names):
                lower, upper = result.bounds(j) or (np.nan, np.nan)
                share = float(result.estimate[j])
                rows.append((name, step, _trials(result), share, lower, upper))
        columns = ["hyperparameter", self.curves.step_name, "trials", "share", "lower", "upper"]
        return pd.DataFrame(rows, columns=columns)

    def plot_curves(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw the learning curves of all trials; return the axes, as :meth:`plot` does."""
        return self._drawn("curves", ax, width)

    def plot_shares(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw the shares of hyperparameters at a few steps; return the axes."""
        return self._drawn("shares", ax, width)

    def _numbers(self) -> dict[str, Any]:
        return {
            "step_name": self.curves.step_name,
            "steps": self.to_frame().to_dict(orient="list"),
            "enough": self.enough,
            "related_from": self.related_from,
            "known_from": self.known_from,
            "unfinished": self.unfinished,
            "pruners": self.pruners().to_dict(orient="list"),
            "shares": self.shares_by_step().to_dict(orient="list"),
        }


def _trials(result: FanovaImportance) -> int:
    tried = result.subject.tried
    return 0 if tried is None else len(tried)
