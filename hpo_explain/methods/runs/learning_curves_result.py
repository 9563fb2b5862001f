"""Learning curves: how early the final rank is known, and what values at a step depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hpo_explain.base import Claim, Result, Table, attributes, fact, format_value, number, printable
from hpo_explain.belief import MATTERS, Decision, decide, in_own_order
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.run import Curves
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LearningCurves(Result):
    """How early trials have their final rank, and what their values at a step depend on.

    Correlations are those of the finished trials: a pruned one has no final value.
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
    shares : mapping of float to FanovaImportance
        At a few steps, which hyperparameters the value depends on.

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
    >>> found = hx.methods.learning_curves(table, objective="loss", trial="id", fidelity="epoch")
    >>> found.known_from, found.to_frame()["correlation"].tolist()
    (1.0, [1.0, 1.0, 1.0])
    """

    table: ClassVar[Table] = Table(
        keys="by_step",
        columns=attributes("trials", "finished", "correlation", "lower", "upper"),
        held=attributes(
            "enough",
            "related_from",
            "known_from",
            "unfinished",
            step_name=lambda result: result.curves.step_name,
            steps=lambda result: result.to_frame().to_dict(orient="list"),
            shares=lambda result: result.shares_by_step().to_dict(orient="list"),
        ),
    )
    curves: Curves
    final: Array
    trials: Ints
    finished: Ints
    correlation: Array
    lower: Array
    upper: Array
    enough: float
    related_from: float | None
    known_from: float | None
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
    def by_step(self) -> list[tuple[str, Array]]:
        """The column that says which step a row of the table is about."""
        return [(self.curves.step_name, self.steps)]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How early ranks are known, and which shares change."""
        return (*self._ranks(), *self._changes())

    @property
    def ranks(self) -> str:
        """From which step on trials are ranked as in the end, in words."""
        first = self._ranks()
        if first:
            return first[0].text
        if len(self.steps) == 1:
            return f"Values were reported at a single {self.curves.step_name} only."
        return f"No {self.curves.step_name} before the last one tells trials apart by their values."

    @property
    def headline(self) -> str:
        """From which step on ranks are known."""
        ranks = self._ranks()
        if not ranks or not ranks[0].certain:
            return "Early values do not tell the final rank."
        return printable(f"Ranks are known from {self._step(*ranks[0].values)} on.")

    def _step(self, step: float) -> str:
        return f"{self.curves.step_name} {step:g} of {self.steps[-1]:g}"

    @property
    def finding(self) -> str:
        """How early ranks are known, and which shares change."""
        if self._ranks():
            return super().finding
        return f"{self.ranks} {super().finding}".strip()

    def _ranks(self) -> tuple[Claim, ...]:
        steps = self.steps.tolist()
        if self.known_from is not None and self.known_from < steps[-1]:
            return (self._rank_at(steps.index(self.known_from)),)
        defined = np.flatnonzero(~np.isnan(self.correlation[:-1]))
        if not len(defined):
            return ()
        return (self._rank_at(int(defined[len(defined) // 2]), settled=False),)

    def _rank_at(self, i: int, *, settled: bool = True) -> Claim:
        name, step, n = self.curves.step_name, float(self.steps[i]), int(self.finished[i])
        rho, low = float(self.correlation[i]), float(self.lower[i])
        high = float(self.upper[i])
        interval, shown = None, _short(rho)
        if not np.isnan([low, high]).any():
            interval = low, high
            shown = f"{_short(rho)} ({_short(low)} to {_short(high)})"
        is_lower = interval is not None and high < self.enough
        above = ""
        related = self.related_from
        if related is not None and related < self.steps[-1]:
            above = f" It is above 0 from {name} {related:g} on."
        if settled:
            text = (
                f"From {self._step(step)} on the {self.objective_name} ranks the {n} finished "
                "trials much as in the end: there the rank correlation with the final values is "
                f"{shown}."
            )
            return Claim("order", (), rho, interval, values=(step,), text=text)
        is_known = "is not" if is_lower else "is not known to be"
        text = (
            f"The rank of trials before the end {is_known} their final one: at {self._step(step)} "
            f"the rank correlation with the final values is {shown} ({n} finished trials).{above}"
        )
        most = int(self.finished[:-1][~np.isnan(self.correlation[:-1])].max())
        not_told = fact(
            f"{most} finished trials do not tell that ranks correlate by "
            f"{format_value(self.enough)} before the end",
            role="said",
        )
        return Claim(
            "order",
            (),
            rho,
            interval,
            values=(step,),
            text=text,
            certain=False,
            because=(not_told,),
        )

    def _changes(self) -> tuple[Claim, ...]:
        """Return for each hyperparameter the largest difference of its shares at two steps."""
        largest: dict[str, tuple[Decision, tuple[float, float]]] = {}
        of_draws = {
            step: result
            for step, result in sorted(self.shares.items())
            if len(result.functions) > 1
        }
        for ends in combinations(of_draws, 2):
            early, late = (of_draws[step].shares for step in ends)
            for j, name in enumerate(self.names):
                change = in_own_order(late[:, j], 1) - in_own_order(early[:, j], 0)
                decision = decide(change)
                least = MATTERS
                if name in largest:
                    least = abs(largest[name][0].estimate)
                if decision.certain and abs(decision.estimate) > least:
                    largest[name] = decision, ends
        by_size = sorted(largest.items(), key=lambda item: -abs(item[1][0].estimate))
        return tuple(
            decision.claim(
                "difference",
                (name,),
                values=ends,
                text=self._change(name, *ends, more=decision.estimate > 0.0),
            )
            for name, (decision, ends) in by_size
        )

    def _change(self, name: str, first: float, last: float, *, more: bool) -> str:
        j = self.names.index(name)
        early, late = (self.shares[step].estimate[j] for step in (first, last))
        at = f"{'more' if more else 'less'} at {self.curves.step_name} {last:g}"
        return f"{name} matters {at} ({late:.0%} of the variance) than at {first:g} ({early:.0%})."

    def shares_by_step(self) -> pd.DataFrame:
        """Return a row per hyperparameter and step: its share of the variance, and the interval."""
        import pandas as pd

        rows = []
        for step, result in self.shares.items():
            for j, name in enumerate(self.names):
                lower, upper = result.bounds(j)
                share = float(result.estimate[j])
                rows.append((name, step, len(result.subject.tried), share, lower, upper))
        columns = ["hyperparameter", self.curves.step_name, "trials", "share", "lower", "upper"]
        return pd.DataFrame(rows, columns=columns)


def _short(value: float) -> str:
    """Return a correlation: with more digits near 1, where they tell."""
    return "1" if value == 1.0 else number(value, 2 if abs(value) < 0.95 else 3)
