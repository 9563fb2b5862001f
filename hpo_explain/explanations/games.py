"""Games of tuning: what hyperparameters can gain or lose over a default, alone and together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hpo_explain.base.checks import check_name
from hpo_explain.base.claim import Claim, between, worth_naming
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import InteractionIndex, Over
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.explanations.set_values import SetValues
from hpo_explain.methods._engines.certainty import NORMAL_95
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Game = Literal["tunability", "mistunability", "sensitivity", "optimizer_bias"]

_MAIN_COUNT = 3


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GameExplanation(Result):
    """A game of tuning: the value of every coalition, and what each set does beyond smaller ones.

    A coalition of hyperparameters may take any value while the others stay at the default. Its
    value is what it gains over the default (*tunability*), what its worst values gain, which is
    below 0 (*mistunability*), how much the predicted objective varies with it (*sensitivity*), or
    what the tried values of it gain less than others could (*optimizer bias*, below 0).

    Attributes
    ----------
    game : {"tunability", "mistunability", "sensitivity", "optimizer_bias"}
        Which game.
    default : mapping
        The default, in the user's units.
    default_trial : int or None
        The trial that it is, if it is one.
    default_prediction : float
        What is predicted for it.
    index : {"k-SII", "STII", "FSII"}
        How what hyperparameters do together is shared out.
    order : int
        The size of the largest sets.
    total : SetValues
        The values of sets, which add up to that of all hyperparameters: in the objective's units,
        squared for the sensitivity. Gains are positive where they improve it.
    coalitions : ndarray of shape (2 ** number of players,)
        The value of every coalition: player i is in coalition c where bit i of c is set.
    whole_std : float or None
        Standard deviation of the value of all hyperparameters under the model.
    rows : ndarray of shape (2 ** number of players, d) or None
        The encoded configuration that is best (worst) in every coalition; None for the sensitivity.
    reference : ndarray of shape (2 ** number of players, d) or None
        Those with which the optimizer's are compared; None for other games.
    drawn : ndarray of shape (number of draws, 2 ** number of players) or None
        The value of every coalition for functions drawn from the posterior; None without one, or
        where there are too many coalitions.
    over : {"mean", "min", "max"} or float, optional
        How the values of several runs became one, coalition by coalition; a number is the quantile.
        None for a game of a single run.
    games : mapping of str to GameExplanation
        The game of each run, by name; empty for a game of a single run.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Wever, M. et al. (2025). HyperSHAP: Shapley values and interactions for explaining
       hyperparameter optimization. https://arxiv.org/abs/2502.01276

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.tunability(table, 1, objective="loss")
    >>> found.gain("x") > 0.0, found.gain()
    (True, 0.0)
    """

    scope: ClassVar[Scope] = "everywhere"
    game: Game
    default: Mapping[str, Any]
    default_trial: int | None
    default_prediction: float
    index: InteractionIndex
    order: int
    total: SetValues
    coalitions: Array
    whole_std: float | None
    rows: Array | None = None
    reference: Array | None = None
    drawn: Array | None = None
    over: Over | float | None = None
    games: Mapping[str, GameExplanation] = field(default_factory=dict)

    @property
    def posterior(self) -> PosteriorDraws:
        """The values of sets for functions drawn from the posterior, by label; the largest first.

        In each the coalitions keep the configurations that are best (worst) by the model's mean;
        the kernel's parameters are those of the model.
        """
        drawn = self.total.posterior
        return super().posterior if drawn is None else drawn

    @property
    def whole(self) -> float:
        """The value of all hyperparameters together."""
        return float(self.coalitions[-1])

    @property
    def whole_half(self) -> float | None:
        """Half the 95 % interval of the value of all hyperparameters under the model."""
        return None if self.whole_std is None else NORMAL_95 * self.whole_std

    def gain(self, *names: str) -> float:
        """Return the value of a coalition: these hyperparameters are free, the others are not.

        Raises
        ------
        ValueError
            If a name is unknown, or plays together with others that are not named.
        """
        return float(self.coalitions[self._code(names)])

    def configuration(self, *names: str) -> dict[str, Any]:
        """Return the best (worst) configuration in which only these differ from the default.

        Raises
        ------
        ValueError
            If a name is unknown, or the game has no configurations.
        """
        if self.games:
            problem = "is of several runs, each with its own best configuration"
            raise InputError("game", problem, self.game, f"Ask .games[{next(iter(self.games))!r}].")
        if self.rows is None:
            problem = f"is {self.game!r}, which has no best configuration"
            raise InputError("game", problem, self.game, "Ask hx.tunability.")
        code = self._code(names)
        return dict(self.subject.space.decode(self.rows[code : code + 1])[0])

    def _code(self, names: tuple[str, ...]) -> int:
        known = [name for player in self.total.players for name in player]
        for name in names:
            check_name("names", name, known, "hyperparameter")
        code = 0
        for p, player in enumerate(self.total.players):
            named = [name for name in player if name in names]
            if named and len(named) < len(player):
                problem = f"has {named} without {[n for n in player if n not in named]}"
                raise InputError("names", problem, names, "These play as one: name all or none.")
            code |= bool(named) << p
        return code

    def alone(self) -> Array:
        """Return the value of each player by itself, (number of players,)."""
        single = self.coalitions[1 << np.arange(len(self.total.players))]
        return np.asarray(single - self.coalitions[0])

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What all hyperparameters can do, what single ones do by themselves, who acts together."""
        names = tuple(name for player in self.total.players for name in player)
        if not names or self.whole == 0.0:
            doubts = self.subject.doubts(self.scope)
            return (Claim("no_effect", names, estimate=0.0, certain=not doubts, because=doubts),)
        half = self.whole_half
        doubts = self._doubts(abs(self.whole), half)
        alone = self.alone()
        sizes = np.abs(alone)
        order = np.argsort(-sizes, kind="stable").tolist()
        told: tuple[Claim, ...] = tuple(
            Claim(
                "importance" if self.game == "sensitivity" else "gain",
                self.total.players[p],
                estimate=float(alone[p]),
                certain=not doubts,
                because=doubts,
            )
            for p in worth_naming(order, sizes, _MAIN_COUNT, abs(self.whole))
        )
        whole = Claim(
            "total_gain", names, estimate=self.whole, interval=between(self.whole, half),
            certain=not doubts, because=doubts,
        )  # fmt: skip
        return (whole, *told, *self._together(doubts))

    def _together(self, doubts: tuple[Fact, ...]) -> tuple[Claim, ...]:
        """Return the strongest interaction, where it is surely one."""
        ranking = self.total.order(range(2, self.order + 1))
        if not ranking or doubts:
            return ()
        i = ranking[0]
        half, value = self.total.half(i, len(ranking)), float(self.total.values[i])
        if half is None or abs(value) <= half:
            return ()
        interval = between(value, half)
        return (Claim("interaction", self.total.names(i), estimate=value, interval=interval),)

    def _doubts(self, size: float, half: float | None) -> tuple[Fact, ...]:
        if half is None:
            return (fact("uncertainty_unknown"), *self.subject.doubts(self.scope))
        within = [] if size > half else [fact("gain_within_uncertainty")]
        return (*within, *self.subject.doubts(self.scope))

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold values."""
        return ("value", "alone", *(f"in {name}" for name in self.games))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set, the largest value first.

        Columns members, order, alone (the value of the set as a coalition), value (what it does
        beyond smaller sets), half_width (of integrating), model_std. Of several runs also the value
        in each, such as "in seed 0".
        """
        codes = [sum(1 << p for p in members) for members in self.total.sets]
        each = {f"in {name}": game.total.values for name, game in self.games.items()}
        alone = self.coalitions[codes] if codes else np.array([])
        return self.total.to_frame(alone=alone, **each)

    def plot_matrix(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw single hyperparameters and pairs as a matrix of colors; return the axes."""
        return self._drawn("matrix", ax, width)

    def plot_waterfall(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw how the values of sets add up to that of all; return the axes."""
        return self._drawn("waterfall", ax, width)

    def _numbers(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "default": dict(self.default),
            "default_trial": self.default_trial,
            "default_prediction": self.default_prediction,
            "index": self.index,
            "order": self.order,
            "values": self.total.to_dict(),
            "whole": self.whole,
            "whole_std": self.whole_std,
            "over": self.over,
            "runs": {name: game._numbers() for name, game in self.games.items()},
            "alone": [
                {"members": list(player), "value": float(value)}
                for player, value in zip(self.total.players, self.alone(), strict=True)
            ],
        }
