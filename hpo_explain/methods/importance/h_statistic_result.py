"""How strongly hyperparameters act together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import NORMAL_95, Claim, InputError, Table, join_names, printable
from hpo_explain.belief import INTERACTS, MATTERS, STRETCH, Decision, decide, interval, varying
from hpo_explain.methods.importance.estimates import Estimates
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InteractionStrength(Estimates):
    """The H-statistic of pairs of hyperparameters, and of each with any others.

    H is 0 where two effects only add up, and 1 where there is nothing but interaction. It is
    relative to the joint effect of the pair, so a pair that hardly matters can have a large H;
    `absolute` is the size of the interaction.

    All is the mean over functions that the trials allow, ``H² = V_jk / (V_j + V_k + V_jk)`` by the
    functional ANOVA of each. Of a forest, a model without a joint posterior and an acquisition
    there is one function, and nothing is certain.

    Attributes
    ----------
    players, sets : tuple
        The hyperparameters, and the pairs that were looked at, by their places.
    values, half_width : ndarray of shape (number of pairs,)
        H of each pair (Eq. 44), and 1.96 times its standard deviation; NaN of a single function.
    draws : ndarray of shape (number of functions, number of pairs)
        H of each pair in each function.
    draws_beside : ndarray of shape (number of functions, number of pairs)
        The same if what the function leaves out of the objective is the pair's interaction.
    absolute : ndarray of shape (number of pairs,)
        Root mean square of each pair's interaction, in the objective's (or acquisition's) units.
    total : ndarray of shape (d,)
        H of each hyperparameter with any others (Eq. 45, by pairs alone); NaN for those that were
        not looked at, where there are many.
    shares : ndarray of shape (number of functions, number of pairs)
        Share of each pair's interaction in what evaluations vary by.
    focus : str or None
        The hyperparameter whose pairs were asked for; None for all.
    subject, notes
        As in every result.

    References
    ----------
    .. [1] Friedman, J. H. and Popescu, B. E. (2008). Predictive learning via rule ensembles. Annals
       of Applied Statistics 2(3), 916-954, Eq. 44 and 45. https://doi.org/10.1214/07-AOAS148

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.methods.h_statistic(table, objective="loss")
    >>> found.to_frame().index.tolist()
    ['x × y']
    """

    table: ClassVar[Table] = Table(
        index=("pair", "labels"),
        columns={
            "members": "members",
            "H": "values",
            "std": lambda result: result.half_width / NORMAL_95,
            "absolute": "absolute",
            "lower": lambda result: result.ends[:, 0],
            "upper": lambda result: result.ends[:, 1],
        },
        order="by_size",
        hidden=("players", "sets", "draws", "draws_beside", "shares", "half_width"),
    )

    absolute: Array
    total: Array
    draws_beside: Array
    shares: Array
    focus: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def stretch(self) -> float:
        """Intervals of H are stretched as those of shares of pairs."""
        return STRETCH["pair"]

    def interval(self, place: int) -> tuple[float, float]:
        """Return the 95 % interval of a pair's H over the draws, between 0 and 1.

        Whoever has what the draws leave out of the objective: others, or the pair.
        """
        low, _ = interval(self.draws[:, place], stretch=self.stretch)
        _, high = interval(self.draws_beside[:, place], stretch=self.stretch)
        return max(low, 0.0), min(high, 1.0)

    def strength(self, first: str, second: str | None = None) -> float:
        """Return H of a pair, or of one hyperparameter with any others.

        Raises
        ------
        ValueError
            If a name is unknown, or the pair was not asked for.
        """
        if second is not None:
            return self.value(first, second)
        total = float(self.total[self.subject.space.index(first)])
        if np.isnan(total):
            problem = f"is {first!r}, which was not considered"
            raise InputError("first", problem, first, "Ask for the pairs of this one.")
        return total

    def by_size(self, orders: Any = ()) -> list[int]:
        """Return the places of the pairs, the one with most interaction first.

        They are ordered by `absolute`: the largest H may be that of a pair that hardly matters.
        """
        return [int(i) for i in np.argsort(-self.absolute, kind="stable")]

    def half(self, place: int) -> float | tuple[float, float]:
        """Return how far H of a pair reaches down and up: its 95 % interval, or its error."""
        low, high = self.interval(place)
        if math.isnan(low):
            return super().half(place)
        H = float(self.values[place])
        return max(H - low, 0.0), max(high - H, 0.0)

    @property
    def answer(self) -> str:
        """The pair with most interaction."""
        (first,) = self.claims
        if first.side == "below":
            return "No hyperparameters interact."
        verb = "interact" if first.certain else "may interact"
        return printable(f"{join_names(first.hyperparameters)} {verb} most.")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The pair with most interaction, or that there is none."""
        order = self.by_size()
        if not order:
            nothing = self._none(decide(np.zeros(1), side="below"))
            return (replace(nothing, certain=True, because=()),)
        shares = self.shares[:, order]
        largest = decide(varying(shares.max(axis=1)), MATTERS, side="below")
        interacts = decide(shares[:, 0], INTERACTS, side="above")
        is_nothing = self.values[order[0]] == 0.0
        if is_nothing or (largest.certain and not interacts.certain):
            return (self._none(largest),)
        leads = (shares.argmax(axis=1) == 0).astype(float)
        is_first = decide(leads, 0.5, side="above")
        verb = "seem to interact" if is_first.doubtful else "interact"
        return (self._most(order, interacts, verb=verb),)

    def _none(self, largest: Decision) -> Claim:
        """Return that there is no interaction, of which the largest is known or not."""
        about = [
            name for name, total in zip(self.names, self.total, strict=True) if not np.isnan(total)
        ]
        if self.focus is not None:
            about = [self.focus]
        at_most = ""
        if largest.known:
            percent = max(math.ceil(100.0 * largest.bound), 1)
            at_most = f": each pair explains less than {percent}% of its variance"
        nobody = "No hyperparameters interact in their"
        if self.focus is not None:
            nobody = f"No hyperparameter interacts with {self.focus} in its"
        text = f"{nobody} effect on the {self.what}{at_most}."
        return replace(largest.claim("share", tuple(about), text=text), side="below")

    def _most(self, order: list[int], interacts: Decision, *, verb: str) -> Claim:
        """Return which pair interacts most, with its H, and whether it does is certain."""
        first = order[0]
        H, (low, high) = float(self.values[first]), self.interval(first)
        low, high = min(low, H), max(high, H)
        interacts = replace(interacts, estimate=H, interval=(low, high))
        shown: Any = self.estimate(first)
        if interacts.known:
            shown = f"between {low:.2f} and {high:.2f}"
        names = self.members[first]
        pairs = "all pairs" if self.focus is None else f"all pairs with {self.focus}"
        return interacts.claim(
            "share",
            names,
            text=f"Of {pairs}, {join_names(names)} {verb} most in their effect on the {self.what}: "
            f"H is {shown}.{self._larger(first)}",
        )

    def _larger(self, first: int) -> str:
        """Return which pair has a larger H than the one that interacts most; empty if none has."""
        largest = max(self.by_size(), key=lambda i: float(self.values[i]))
        H = f"{self.values[largest]:.2f}"
        if H == f"{self.values[first]:.2f}":
            return ""
        both = " and ".join(self.members[largest])
        return f" H is larger for {both} ({H}), which matter less together."
