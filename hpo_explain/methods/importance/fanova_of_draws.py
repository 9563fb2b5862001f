"""What matters in functions that the trials allow: their functional ANOVA."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base import (
    Claim,
    fact,
    join_names,
    percent,
    percent_range,
    share_not_settled,
    sign_of,
)
from hpo_explain.belief import (
    INTERACTS,
    MATTERS,
    PROBABLE,
    STRETCH,
    Anova,
    Decision,
    decide,
    interval,
    interval_beside,
)
from hpo_explain.methods.importance.estimates import SEPARATOR
from hpo_explain.methods.importance.fanova_result import (
    FanovaImportance,
    Rows,
    term_of,
    told,
)
from hpo_explain.methods.importance.most import (
    ALL,
    ALONE,
    APART,
    TOLD,
    WITH,
    foremost,
    how_sure,
    parts_of,
)
from hpo_explain.space import Array

if TYPE_CHECKING:
    from hpo_explain.belief import Best


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DrawnImportance(FanovaImportance):
    """Shares of the variance of functions that the trials allow.

    Attributes
    ----------
    anova : Anova or Best
        The decomposition of the functions, or of being among the best.
    order, members, shares, variances, axes, top, within, cap, given, fidelity, subject, notes
        As in `FanovaImportance`.
    """

    rows: ClassVar[Rows] = "draws"

    anova: Anova | Best

    @property
    def functions(self) -> Array:
        """The shares in each function that the trials allow, (k, number of sets)."""
        return self.shares

    @property
    def mattering(self) -> Array:
        """What each takes part in, of what evaluations vary by, in each function, (k, d)."""
        return self.anova.totals * self.anova.of_evaluations[:, None]

    @property
    def totals(self) -> Array:
        """Share of everything in which a hyperparameter takes part, (draws, d)."""
        return self.anova.totals

    @property
    def known_totals(self) -> Array:
        """The same."""
        return self.anova.totals

    def interval_of(self, share: Array, order: int) -> tuple[float, float]:
        """Return the 95 % interval of a share; what functions leave out may be any pair's."""
        if order != 2 or not isinstance(self.anova, Anova):
            return super().interval_of(share, order)
        low, high = interval_beside(share, self.anova.left_out, stretch=self.stretch_of(order))
        return max(low, 0.0), min(high, 1.0)

    @property
    def ends_with(self) -> Array:
        """The ends of the intervals of these, (number of sets, 2)."""
        shares = np.full((len(self.members), 2), np.nan)
        stretch = self.stretch_of(1)
        for j, total in enumerate(self.anova.totals.T):
            shares[j] = np.clip(interval(total, stretch=stretch), 0.0, 1.0)
        return shares

    def averaged(self, members: Sequence[int], grid: Sequence[tuple[Any, ...]]) -> Array:
        """Return the marginal of each function in the user's units, the functions last."""
        anova, parameters = self.anova, self.subject.space.parameters
        at = [parameters[j].encode(values) for j, values in zip(members, grid, strict=True)]
        if len(members) == 1:
            costs = anova.curve(members[0], at[0])
        else:
            costs = anova.surface(members[0], members[1], at[0], at[1])
        sign = 1.0 if self.top is not None else sign_of(self.direction)
        return sign * np.moveaxis(costs, 0, -1)

    def _claims(self, ranking: list[int], named: list[int]) -> Iterator[Claim]:
        """Yield what matters most, every share, and which of two neighbours matters more."""
        anova = self.anova
        # of a part of the space draws are too certain
        shares = parts_of(anova, 1.0 if self.within is None else self.stretch_of(1))
        matters = [decide(part, MATTERS, side="above") for part in shares.T]
        first, most = foremost(shares)
        is_clear = most.probability >= PROBABLE or any(one.certain for one in matters)
        yield self._most(first, most, is_clear=is_clear)
        for i in [*named, *(i for i in ranking if i not in named)]:
            members, share = self.members[i], self.shares[:, i]
            decision = matters[members[0]]
            if len(members) > 1:
                decision = decide(share * anova.of_evaluations, self._interacts, side="above")
            is_told = is_clear and i in named and decision.probability >= TOLD
            claim = self._share(self._named(members), share, decision, term_of(members))
            yield claim if is_told else replace(claim, frame="{each}", text="")
        yield from self._orders()
        if len(self.names) > 1:
            # where nothing matters for sure, shares are those of nothing
            decision = matters[int(shares.mean(axis=0).argmax())]
            claim = self._share(self.names, self.alone, decision, ALL)
            yield claim if is_clear else replace(claim, text="")

    @property
    def _interacts(self) -> float:
        """The share beyond which two interact.

        What the belief does not explain may lie in any pair, and does in some where there are as
        many pairs as trials: with 100 random trials in 12 dimensions, 4 of 66 pairs that do not
        interact were told with 2 % each while 6 % of the variance was not explained.
        """
        trust = self.subject.trust
        if trust is None or self.top is not None:
            return INTERACTS
        pairs = math.comb(len(self.names), 2)
        crowded = pairs / (pairs + trust.n_trials / 2.0)
        unexplained = min(1.0 - trust.r2, 1.0)
        return INTERACTS + unexplained * crowded

    def _most(self, j: int, decision: Decision, *, is_clear: bool) -> Claim:
        """Return which hyperparameter matters most, or that nothing is known to matter.

        By all that it takes part in: where a pair explains more than it does alone, that is named.
        """
        name, other = self.names[j], self._larger_pair(j)
        claim = self._share((name,), self.totals[:, j], decision, WITH)
        claim = replace(claim, side="above" if is_clear else "below", because=(), frame="{each}")
        pair = ""
        if other:
            both = f"{name} and {other} matter mostly together"
            together = fact(both, kind="matters_in_a_pair", names=[name, other], role="said")
            claim, pair = replace(claim, because=(together,)), f", mostly with {other}"
        most = f"{name} matters most for {self.matter}"
        sure = f"({percent(decision.probability)})"
        text = {
            "certainly": f"{most}{pair}.",
            "probably": f"Probably {most} {sure}{pair}.",
            "perhaps": f"Perhaps {most} {sure}{pair}.",
            "nothing": f"Nothing is known to matter for {self.matter} yet.",
        }[how_sure(claim)]
        return replace(claim, text=text)

    def _larger_pair(self, j: int) -> str:
        """Return with which other one it explains more than alone; empty where with none."""
        anova = self.anova
        shares = anova.of_pairs.mean(axis=0).tolist()
        with_it = {
            share: pair for pair, share in zip(anova.pairs, shares, strict=True) if j in pair
        }
        largest = max(with_it, default=0.0)
        if largest <= float(anova.mains[:, j].mean()):
            return ""
        a, b = with_it[largest]
        return self.names[b if a == j else a]

    def _orders(self) -> Iterator[Claim]:
        """Return, for neighbours in the ranking of single hyperparameters, which matters more."""
        d = len(self.names)
        ranking = np.argsort(-self.estimate[:d], kind="stable")
        if self.within is not None:  # of a part of the space: not right
            return
        for a, b in itertools.pairwise(ranking.tolist()):
            more = decide(self.shares[:, a] - self.shares[:, b], side="above")
            yield more.claim("order", self._named((a, b)))

    def _share(self, names: tuple[str, ...], share: Array, decision: Decision, term: str) -> Claim:
        """Return a share in functions drawn, with what was decided about it."""
        if term == ALL:
            ends = interval(share, stretch=STRETCH["average"])
            low, high = np.clip(ends, 0.0, 1.0).tolist()
        else:
            low, high = self.interval_of(share, len(names))
        # shares of draws are estimates, whose sum may exceed the whole
        estimate = float(np.clip(share.mean(), 0.0, 1.0))
        shown = replace(
            decision, estimate=estimate, interval=(min(low, estimate), max(high, estimate))
        )
        label = SEPARATOR.join(names)
        explained = told(percent_range(low, high), term)
        if term == ALONE:
            explained += self._and_with_interactions(names[0], estimate)
        # of single hyperparameters together something else was decided
        unsettled, frame = None, "{each}"
        text = f"Without interactions all hyperparameters explain {explained}."
        if term != ALL:
            frame = "Shares of the variance: {each}."
            text = f"{join_names([label])} ({explained})"
            one = len(names) == 1  # matters by all that it takes part in
            unsettled = share_not_settled(
                label=f"{label} with its interactions" if one else label,
                threshold=decision.threshold,
                probability=decision.probability,
            )
        return shown.claim("share", names, frame=frame, text=text, unsettled=unsettled, term=term)

    def _and_with_interactions(self, name: str, alone: float) -> str:
        """Return the other share of a hyperparameter, where that is another one by a third."""
        j = self._index(name)
        whole = float(self.with_interactions[j])
        if not whole - alone > APART * whole or percent(whole) == percent(alone):
            return ""
        low, high = self.ends_with[j].tolist()
        return f", {percent_range(low, high)} with its interactions"
