"""What tuning gains over a default, and what else values can do to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    Claim,
    Game,
    InputError,
    Over,
    Table,
    check_name,
    counted,
    fact,
    format_level,
    format_value,
    join_names,
    worth_naming,
)
from hpo_explain.belief import INTERACTS, LEVEL, MATTERS, PROBABLE, STRETCH, Decision, Side, decide
from hpo_explain.methods.importance.sets import Sets
from hpo_explain.space import Array

_DOES = {
    "tunability": "gain",
    "mistunability": "lose",
    "sensitivity": "make it vary",
    "optimizer_bias": "fall short",
}

_ALONE = {
    "tunability": "gains ",
    "mistunability": "loses ",
    "sensitivity": "",
    "optimizer_bias": "falls short by ",
}
_NOTHING = {
    "tunability": "Tuning gains nothing over the default.",
    "mistunability": "No values are worse than the default.",
    "sensitivity": "The predicted objective does not vary.",
    "optimizer_bias": "The tried values are as good as the best predicted ones.",
}
_SEEMS = fact("untried values may differ more from the default than they seem to")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GameExplanation(Sets):
    """A tuning game: the value of every set of hyperparameters, and its interactions.

    A coalition of hyperparameters may take any value while the others stay at the default. Its
    value is what it gains over the default (*tunability*), what its worst values gain, which is
    below 0 (*mistunability*), how much the predicted objective varies with it (*sensitivity*), or
    what the tried values of it gain less than the best could (*optimizer bias*, below 0).

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
    players, sets, values, draws, half_width, order
        The values of sets, as of `Sets`, which add up to that of all hyperparameters: in the
        objective's units, squared for the sensitivity. Gains are positive where they improve it.
    coalitions : ndarray of shape (2 ** number of players,)
        The value of every coalition: player i is in coalition c where bit i of c is set.
    noise : float
        Standard deviation of one evaluation: to gain or to lose less is nothing.
    rows : ndarray of shape (2 ** number of players, d)
        The encoded configuration that is best (worst) in every coalition; empty for the
        sensitivity, and for several runs.
    coalition_draws : ndarray of shape (number of draws, 2 ** number of players)
        The value of every coalition for each function that the trials allow, with a best (worst)
        configuration of its own.
    over : {"mean", "min", "max"}, optional
        How the values of several runs became one, coalition by coalition. None for a game of a
        single run.
    games : mapping of str to GameExplanation
        The game of each run, by name; empty for a game of a single run.
    subject, notes
        As in every result.

    References
    ----------
    .. [1] Wever, M. et al. (2025). HyperSHAP: Shapley values and interactions for explaining
       hyperparameter optimization. https://arxiv.org/abs/2502.01276

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.methods.tunability(table, 1, objective="loss")
    >>> found.gain("x") > 0.0, found.gain()
    (True, 0.0)
    """

    table: ClassVar[Table] = replace(
        Sets.table,
        beside=("whole", "whole_half", "over_runs"),
        hidden=(*Sets.table.hidden, "coalitions", "coalition_draws", "rows", "games"),
    )
    game: Game
    default: Mapping[str, Any]
    default_trial: int | None
    default_prediction: float
    coalition_draws: Array
    rows: Array
    noise: float = 0.0
    over: Over | None = None
    games: Mapping[str, GameExplanation] = field(default_factory=dict)

    @property
    def whole(self) -> float:
        """The value of all hyperparameters together."""
        return float(self.coalitions[-1])

    @property
    def stretch(self) -> float:
        """How far intervals are stretched: those of averages, or of what can be reached."""
        is_average = self.game == "sensitivity"
        return STRETCH["average" if is_average else "attainable"]

    @property
    def whole_half(self) -> float:
        """Half the 95 % interval of the value of all hyperparameters; NaN if not known."""
        return decide(self._gains(-1), stretch=self.stretch).half

    def _gains(self, code: int) -> Array:
        """Return what a coalition does beyond none, in each function."""
        draws = self.coalition_draws
        return draws[:, code] - draws[:, 0]

    @property
    def start(self) -> float:
        """The value of no hyperparameters."""
        return float(self.coalitions[0])

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
        if not len(self.rows):
            problem = f"is {self.game!r}, which has no best configuration"
            raise InputError("game", problem, self.game, "Ask hx.methods.tunability.")
        code = self._code(names)
        return dict(self.subject.space.decode(self.rows[code : code + 1])[0])

    def _code(self, names: tuple[str, ...]) -> int:
        for name in names:
            check_name("names", name, self.all_names, "hyperparameter")
        code = 0
        for place, player in enumerate(self.players):
            left_out = [name for name in player if name not in names]
            if not left_out:
                code |= 1 << place
            elif len(left_out) < len(player):
                problem = f"leave out {left_out} of {list(player)}"
                raise InputError(
                    "names", problem, names, "These count as one player: name all or none."
                )
        return code

    def alone(self) -> Array:
        """Return the value of each player by itself, (number of players,)."""
        single = self.coalitions[1 << np.arange(len(self.players))]
        return single - self.coalitions[0]

    @property
    def columns(self) -> dict[str, Any]:
        """Those of every `Sets`, the value of each set as a coalition, and in each of the runs."""
        codes = [sum(1 << place for place in places) for places in self.sets]
        of_runs = {f"in {name}": game.values for name, game in self.games.items()}
        return {**super().columns, "alone": self.coalitions[np.array(codes, dtype=int)], **of_runs}

    # ------------------------------------------------------------------ in the claims

    @property
    def at(self) -> str:
        """The default in words."""
        trial = self.default_trial
        return "the default" if trial is None else f"the default (trial {trial})"

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What all hyperparameters can do, what single ones do by themselves, who acts together."""
        last = len(self.coalitions) - 1
        whole = self._decided_whether(last)
        unlikely = whole.probability <= 1.0 - LEVEL and self.game != "sensitivity"
        if not self.players or self.whole == 0.0 or unlikely:
            return (self._nothing(whole),)
        of_all = self._said(self.all_names, last, self._of_all(self._size(last)))
        return (of_all, *self._alone(), *self._together())

    @property
    def _kind(self) -> Any:
        return "share" if self.game == "sensitivity" else "difference"

    def _nothing(self, whole: Decision) -> Claim:
        """Return that nothing can be gained, lost or varied."""
        claim = Claim(
            self._kind,
            self.all_names,
            self.whole,
            text=_NOTHING[self.game],
            certain=False,
            side="below",
            because=(_SEEMS,),
        )
        return replace(claim, probability=1.0 - whole.probability)

    def _alone(self) -> list[Claim]:
        """Return what single players do by themselves, the largest first."""
        sizes = np.abs(self.alone())
        order = np.argsort(-sizes, kind="stable").tolist()
        frame = "Alone, {each}."
        if self.game == "sensitivity":
            frame = "With only one of them free: {each}."
        claims = []
        for place in worth_naming(order, sizes, abs(self.whole)):
            code, player = 1 << place, self.players[place]
            if not self._decided_whether(code).probability < PROBABLE:
                text = f"{' + '.join(player)} {_ALONE[self.game]}{self._size(code)}"
                claims.append(self._said(player, code, text, frame))
        return claims

    @property
    def _loses(self) -> bool:
        return self.game in ("mistunability", "optimizer_bias")

    def _decided_whether(self, code: int) -> Decision:
        """Return whether a coalition gains (loses) more than noise, or varies by a share.

        All together more than noise makes evaluations scatter, or some by more than 2 % of both.
        """
        gains = self._gains(code)
        if self.game == "sensitivity":
            of_evaluations = self.coalition_draws[:, -1] + self.noise**2
            shares = gains / np.maximum(of_evaluations, np.finfo(float).tiny)
            is_whole = code == len(self.coalitions) - 1
            return decide(shares, 0.5 if is_whole else MATTERS, side="above")
        least = -self.noise if self._loses else self.noise
        side: Side = "below" if self._loses else "above"
        return decide(gains, least, side=side, stretch=self.stretch)

    def _size(self, code: int) -> str:
        """Return in words what a coalition does."""
        if self.game != "sensitivity":
            return f"{abs(self._decided_whether(code).shown)}"
        return format_value(math.sqrt(max(float(self.coalitions[code] - self.start), 0.0)))

    def _said(self, names: tuple[str, ...], code: int, text: str, frame: str = "{each}") -> Claim:
        decision = self._decided_whether(code)
        claim = decision.claim(self._kind, names, text=text, frame=frame)
        return replace(claim, side="above")

    def _of_all(self, size: str) -> str:
        """Return in words what all hyperparameters do together."""
        tried = "the optimizers" if self.games else self.optimizer
        return {
            "tunability": f"Tuning gains {size} over {self.at}{self._levels()}.",
            "mistunability": f"The worst values lose {size} against {self.at}{self._levels()}.",
            "sensitivity": f"With all hyperparameters free, the {self.what} has a standard "
            f"deviation of {size} around {self.at}.",
            "optimizer_bias": f"The values that {tried} tried fall {size} short of the "
            f"{self.objective_name} that tuning {self.at} can reach.",
        }[self.game]

    def _together(self) -> list[Claim]:
        """Return the strongest interaction, where it is surely one."""
        ranking = self.by_size(range(2, self.order + 1))
        if not ranking:
            return []
        i, value = ranking[0], float(self.values[ranking[0]])
        least = self.noise
        if self.game == "sensitivity":
            least = INTERACTS * (self.whole + self.noise**2)
        decision = self.decision(i, least, "above")
        if value <= 0.0:
            decision = self.decision(i, -least, "below")
        if not decision.certain:
            return []
        more = "more" if value * self.whole > 0.0 else "less"
        claim = decision.claim(
            "difference",
            self.members[i],
            text=f"{join_names(self.members[i])} {_DOES[self.game]} {more} together than "
            f"separately ({decision.shown}).",
        )
        return [replace(claim, side="above")]

    def _levels(self) -> str:
        """Return what is predicted for the default, and at best or at worst."""
        if self.games:
            return ""
        start = self.default_prediction
        at_start = format_level(start, self.whole)
        at_end = format_level(start - self.subject.sign * self.whole, self.whole)
        end = "best" if self.game == "tunability" else "worst"
        return f" (predicted {self.objective_name} {at_start}, at {end} {at_end})"

    @property
    def finding(self) -> str:
        """The claims in words; of several runs first how their values became one."""
        text, start = super().finding, self.over_runs
        return f"{start[0].upper()}{start[1:]}: {text[0].lower()}{text[1:]}" if start else text

    @property
    def over_runs(self) -> str:
        """How the values of several runs became one, in words; empty for a single run."""
        if not self.games:
            return ""
        runs, over = counted(len(self.games), "run"), self.over
        if over == "mean":
            return f"on average over {runs}"
        # losses are told as positive numbers: the largest gain is the least loss
        is_least = self._loses == (over == "max")
        return f"at least, in each of {runs}" if is_least else f"at most, in any of {runs}"
