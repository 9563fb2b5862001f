"""Values of sets of hyperparameters: what each does alone, and what several do only together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.base.checks import check_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.numbers import unit_of
from hpo_explain.belief.decide import STRETCH, Decision, Side, decide
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_OTHERS_NAMED = 1  # in the label of a player; the facts of a result name all


@dataclass(frozen=True, eq=False)
class SetValues:
    """Shapley interactions, in one unit: the values of sets of players add up to the whole.

    Attributes
    ----------
    players : tuple of tuple of str
        The hyperparameters of each player: one, or several that play as one.
    sets : tuple of tuple of int
        The sets, by the players' places, the smaller ones first.
    values : ndarray of shape (m,)
        The value of each set.
    half_width : ndarray of shape (m,) or None
        Half the 95 % interval of each, from integrating over the background; None where that was
        given, or where nothing is integrated.
    drawn : ndarray of shape (number of draws, m) or None
        The values for each function that the trials allow; None of a model without any.
    stretch : float
        How far intervals of such values are stretched, as of :func:`decide`.

    Examples
    --------
    >>> import numpy as np
    >>> found = SetValues((("x",), ("y",)), ((0,), (1,), (0, 1)), np.array([1.0, 2.0, -0.5]))
    >>> found.of("y", "x"), found.labels
    (-0.5, ('x', 'y', 'x × y'))
    """

    players: tuple[tuple[str, ...], ...]
    sets: tuple[tuple[int, ...], ...]
    values: Array
    half_width: Array | None = None
    drawn: Array | None = None
    stretch: float = STRETCH["average"]

    def names(self, i: int) -> tuple[str, ...]:
        """Return the hyperparameters of set i."""
        return tuple(
            name for player in self.sets[i] for name in self.players[player]
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The sets as they are written: "lr", or "lr × depth"."""
        return tuple(
            " × ".join(map(self.player, members)) for members in self.sets
        )

    def player(self, i: int) -> str:
        """Return player i as it is written: "lr", "lr + depth", or "lr + 8 others"."""
        first, *others = self.players[i]
        if len(others) > _OTHERS_NAMED:
            return f"{first} + {len(others)} others"
        return " + ".join([first, *others])

    def of(self, *names: str) -> float:
        """Return the value of a set of hyperparameters, in any order.

        Raises
        ------
        ValueError
            If a name is unknown or plays together with others, or the set is none of those.
        """
        single = {
            player[0]: p
            for p, player in enumerate(self.players)
            if len(player) == 1
        }
        places = tuple(
            sorted(
                single[check_name("names", n, single, "hyperparameter")]
                for n in names
            )
        )
        if places not in self.sets:
            problem = (
                f"was {list(names)}, but there is no value of these together"
            )
            raise InputError(
                "names", problem, names, "Ask for a higher order."
            )
        return float(self.values[self.sets.index(places)])

    def order(self, sizes: Sequence[int] | None = None) -> list[int]:
        """Return the places of sets (of some sizes), the largest value (by size) first."""
        some = [
            i
            for i, s in enumerate(self.sets)
            if sizes is None or len(s) in sizes
        ]
        return sorted(some, key=lambda i: -abs(float(self.values[i])))

    @property
    def model_std(self) -> Array | None:
        """Standard deviation of each over the draws, (m,); None without any."""
        if self.drawn is None:
            return None
        unit = unit_of(self.drawn)  # in which no square overflows
        return np.asarray((self.drawn / unit).std(axis=0) * unit)

    def decided(
        self, i: int, threshold: float = 0.0, side: Side = "either"
    ) -> Decision | None:
        """Return whether the value of set i lies beyond a threshold; None without draws."""
        if self.drawn is None:
            return None
        return decide(
            self.drawn[:, i], threshold, side=side, stretch=self.stretch
        )

    def half(self, i: int) -> float | None:
        """Return half the 95 % interval of a set over the draws; None without any."""
        found = self.decided(i)
        return None if found is None else found.half

    def to_frame(self, **more: Any) -> pd.DataFrame:
        """Return one row per set, the largest value first, with more columns where given."""
        import pandas as pd

        unknown = np.full(len(self.sets), np.nan)
        frame = pd.DataFrame(
            {
                "members": [self.names(i) for i in range(len(self.sets))],
                "order": [len(s) for s in self.sets],
                **more,
                "value": self.values,
                "half_width": unknown
                if self.half_width is None
                else self.half_width,
                "model_std": unknown
                if self.model_std is None
                else self.model_std,
            },
            index=pd.Index(self.labels, name="hyperparameters"),
        )
        return frame.iloc[self.order()]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return one plain dict per set."""
        return [
            {
                "members": list(self.names(i)),
                "order": len(self.sets[i]),
                "value": float(self.values[i]),
                "half_width": None
                if self.half_width is None
                else float(self.half_width[i]),
                "model_std": None
                if self.model_std is None
                else float(self.model_std[i]),
            }
            for i in range(len(self.sets))
        ]
