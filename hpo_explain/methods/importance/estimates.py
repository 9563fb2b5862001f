"""Numbers of sets of hyperparameters: what importances, interactions and games have in common.

Each has a value in every function that the trials allow; its interval, whether it is certain, its
place in the order, its row of the table and its bar follow from these.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from hpo_explain.base import (
    MOST_NAMED,
    Estimate,
    InputError,
    Order,
    PosteriorDraws,
    Result,
    Table,
    check_name,
    listed,
)
from hpo_explain.belief import STRETCH, Decision, Side, decide, std_of_draws
from hpo_explain.space import Array

SEPARATOR = " × "


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Estimates(Result):
    """Numbers in one unit, each of a set of hyperparameters.

    Attributes
    ----------
    players : tuple of tuple of str
        The hyperparameters, each alone, or several that are looked at as one.
    sets : tuple of tuple of int
        What each number is about, by the places of `players`.
    values : ndarray of shape (m,)
        The numbers.
    draws : ndarray of shape (number of draws, m)
        The numbers in each function that the trials allow; in the only one, where the model does
        not know how its predictions vary together.
    half_width : ndarray of shape (m,)
        Half the 95 % interval of each where it is estimated from a sample, for that alone; else
        NaN.
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameters", "labels"),
        columns={
            "members": "members",
            "order": lambda result: [len(places) for places in result.sets],
            "value": "values",
            "half_width": "half_width",
            "model_std": "model_std",
        },
        order="by_size",
        contributions=("value",),
        hidden=("players", "sets", "draws"),
    )
    first: ClassVar[Order] = "largest"
    """Which number comes first, as of `PosteriorDraws`."""

    players: tuple[tuple[str, ...], ...]
    sets: tuple[tuple[int, ...], ...]
    values: Array
    draws: Array
    half_width: Array

    @property
    def members(self) -> list[tuple[str, ...]]:
        """The hyperparameters that each number is about."""
        return [
            tuple(chain.from_iterable(self.players[place] for place in places))
            for places in self.sets
        ]

    @property
    def labels(self) -> tuple[str, ...]:
        """What each number is about, as it is written: "lr", or "lr × depth"."""
        return tuple(SEPARATOR.join(map(self.player, places)) for places in self.sets)

    def player(self, place: int) -> str:
        """Return a player as it is written: "lr", "lr + depth", or "lr + 8 others"."""
        first, *others = self.players[place]
        if len(others) > 1:
            return f"{first} + {len(others)} others"
        return " + ".join([first, *others])

    def value(self, *names: str) -> float:
        """Return the number of a set of hyperparameters, in any order.

        Raises
        ------
        ValueError
            If a name is unknown, or there is no number of these together.
        """
        return float(self.values[self.place(*names)])

    def place(self, *names: str) -> int:
        """Return where the number of a set of hyperparameters stands; see `value`."""
        players = list(chain.from_iterable(self.players))
        for name in names:
            check_name("names", name, players, "hyperparameter")
        members = [set(one) for one in self.members]
        if set(names) not in members or len({*names}) < len(names):
            raise InputError(
                "names",
                f"were {list(names)}, but there is no number of these together",
                names,
                f"There is one of {listed(self.labels, 2 * MOST_NAMED)}.",
            )
        return members.index(set(names))

    def by_size(self, orders: Collection[int] = ()) -> list[int]:
        """Return where the numbers stand (of some sizes of sets), the one farthest from 0 first."""
        places = [i for i, members in enumerate(self.sets) if not orders or len(members) in orders]
        return sorted(places, key=lambda i: -abs(float(self.values[i])))

    @property
    def ends(self) -> Array:
        """The ends of each number's interval, (m, 2); NaN of a single function."""
        ends = [self.interval(place) for place in range(len(self.sets))]
        return np.array(ends).reshape(-1, 2)

    def estimate(self, place: int) -> Estimate:
        """Return a number as it is written, with its error."""
        return Estimate(float(self.values[place]), float(self.half_width[place]))

    # ------------------------------------------------------------------ from the draws

    @property
    def stretch(self) -> float:
        """How far intervals are stretched, as of `decide`."""
        return STRETCH["average"]

    @property
    def model_std(self) -> Array:
        """Standard deviation of each number over the draws; NaN of a single one."""
        return std_of_draws(self.draws)

    def interval(self, place: int) -> tuple[float, float]:
        """Return the 95 % interval of a number over the draws; NaN of a single one."""
        return self.decision(place).interval

    def decision(self, place: int, threshold: float = 0.0, side: Side = "either") -> Decision:
        """Return whether a number lies beyond a threshold."""
        return decide(self.draws[:, place], threshold, side=side, stretch=self.stretch)

    @property
    def posterior(self) -> PosteriorDraws:
        """The numbers in functions that the trials allow, by label."""
        return self.drawn(self.labels, self.draws, self.first)

    # ------------------------------------------------------------------ as bars

    def half(self, place: int) -> float | tuple[float, float]:
        """Return how far a whisker reaches: to both sides, or down and up; NaN if not known."""
        half = self.decision(place).half
        return float(self.half_width[place]) if np.isnan(half) else half
