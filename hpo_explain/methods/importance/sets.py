"""Values of sets of hyperparameters: what each does alone, and what several do only together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from hpo_explain.base import Fact, NothingToExplain, Order, fact, listed
from hpo_explain.methods.importance.estimates import Estimates
from hpo_explain.space import Array, SearchSpace

if TYPE_CHECKING:
    import shapiq


def players_of(sizes: Array, most: int) -> list[list[int]]:
    """Return the columns of each player: where there are too many, those of least size are one.

    Columns whose size is NaN do not play.
    """
    columns = np.flatnonzero(~np.isnan(sizes))
    if len(columns) <= most:
        return [[j] for j in columns.tolist()]
    first = np.argsort(-sizes[columns], kind="stable")[: most - 1]
    alone, rest = np.sort(columns[first]), np.sort(np.delete(columns, first))
    return [*([j] for j in alone.tolist()), rest.tolist()]


def about_players(space: SearchSpace, players: Sequence[Sequence[int]]) -> tuple[Fact, ...]:
    """Return which hyperparameters play as one."""
    notes = []
    for names in ([space.names[j] for j in player] for player in players if len(player) > 1):
        words = f"{listed(names, 6)} contribute least and count as one player"
        notes.append(fact(words, names=names))
    return tuple(notes)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sets(Estimates):
    """Values of sets of hyperparameters that add up to a whole.

    A value is what a set does beyond smaller ones (k-SII). The table has a row per set, the largest
    value first: members, order, value, half_width (of integrating), model_std, and further columns.

    Attributes
    ----------
    order : int
        The size of the largest sets.
    coalitions : ndarray of shape (2 ** number of players,)
        The value of every coalition: player i is in coalition c where bit i of c is set.
    """

    first: ClassVar[Order] = "farthest from 0"

    order: int
    coalitions: Array

    @property
    def all_names(self) -> tuple[str, ...]:
        """The hyperparameters that play."""
        return tuple(name for player in self.players for name in player)

    def to_shapiq(self) -> shapiq.Game:
        """Return the game of these players as shapiq has it, for its indices and approximators.

        Returns
        -------
        shapiq.Game
            The values of all coalitions, such as for
            ``shapiq.ExactComputer(game, game.n_players)("FSII", order=2)``.

        Raises
        ------
        ImportError
            If shapiq is not installed.
        NothingToExplain
            If there is no player.
        """
        if not self.players:
            raise NothingToExplain(fact("no game: there is no player"))
        try:
            from shapiq import Game
        except ImportError as error:
            raise ImportError("A game of shapiq needs it: pip install shapiq") from error
        v, bits = self.coalitions, 1 << np.arange(len(self.players))
        game: Any = Game(
            len(bits),
            normalization_value=float(v[0]),
            player_names=[" + ".join(player) for player in self.players],
        )
        game.value_function = lambda joined: v[joined.astype(int) @ bits]
        return cast("shapiq.Game", game)

    @property
    def start(self) -> float:
        """What the values of sets are added to."""
        return 0.0


def half_of_samples(values: Array) -> Array:
    """Return half the 95 % t-intervals of means over independent samples, (m,).

    Parameters
    ----------
    values : ndarray of shape (number of samples, m)
        The values over each sample, at least two.
    """
    from scipy.special import stdtrit

    n = len(values)
    error = values.std(axis=0, ddof=1) / np.sqrt(n)
    return stdtrit(n - 1, 0.975) * error
