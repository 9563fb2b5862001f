"""Values of sets of hyperparameters: what each does alone, and what several do only together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hpo_explain.base.checks import check_name
from hpo_explain.base.claim import between, worth_naming
from hpo_explain.base.errors import InputError
from hpo_explain.base.numbers import format_level, format_value, percent
from hpo_explain.base.options import Game, InteractionIndex, Over, sign_of
from hpo_explain.base.phrases import counted, join_words, listed
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.base.result import Claim, Result, Table
from hpo_explain.base.text import MAY_BE_NOTHING, Estimate, declared_fact
from hpo_explain.belief.decide import (
    INTERACTS,
    LEVEL,
    MATTERS,
    Decision,
    decide,
)
from hpo_explain.methods.importance.set_values import SetValues
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

NEGLIGIBLE = 0.1
"""Interactions that are surely a smaller part of the spread of what is explained are none."""
_MAIN_COUNT = 3
_LIKELY = 0.5  # what is less probable is not told of one by itself

_SEEMS = declared_fact(
    "may_be_elsewhere",
    "what nobody tried may be further from the default than it seems",
)
PLAY_AS_ONE = declared_fact(
    "play_as_one",
    "{players} contribute least and play as one: what they do among themselves is not told apart",
    players=lambda told: listed(list(told.names), 6),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sets(Result):
    """Values of sets of hyperparameters that add up to a whole.

    Attributes
    ----------
    index : {"k-SII", "STII", "FSII"}
        How what hyperparameters do together is shared out.
    order : int
        The size of the largest sets.
    total : SetValues
        The values.
    """

    table: ClassVar[Table] = Table(columns={})
    index: InteractionIndex
    order: int
    total: SetValues

    @property
    def all_names(self) -> tuple[str, ...]:
        """The hyperparameters that play."""
        return tuple(name for player in self.total.players for name in player)

    @property
    def posterior(self) -> PosteriorDraws:
        """The values of sets for functions that the trials allow, by label; the largest first."""
        if self.total.drawn is None:
            return super().posterior
        return PosteriorDraws(
            self.total.labels, self.total.drawn, "farthest from 0"
        )

    @property
    def start(self) -> float:
        """What the values of sets are added to."""
        return 0.0

    @property
    def columns(self) -> dict[str, Any]:
        """Further columns of the table."""
        return {}

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold values in one unit."""
        return (*self.columns, "value")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set, the largest value first.

        Columns members, order, value (what it does beyond smaller sets), half_width (of
        integrating), model_std. Of a game also alone (the value of the set as a coalition), and of
        several runs the value in each, such as "in seed 0"; of several terms each of them.
        """
        return self.total.to_frame(**self.columns)


# ---------------------------------------------------------------------- games of tuning


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GameExplanation(Sets):
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
    index, order, total
        The values of sets, which add up to that of all hyperparameters: in the objective's units,
        squared for the sensitivity. Gains are positive where they improve it.
    coalitions : ndarray of shape (2 ** number of players,)
        The value of every coalition: player i is in coalition c where bit i of c is set.
    noise : float
        Standard deviation of one evaluation: to gain or to lose less is nothing.
    rows : ndarray of shape (2 ** number of players, d) or None
        The encoded configuration that is best (worst) in every coalition; None for the sensitivity.
    reference : ndarray of shape (2 ** number of players, d) or None
        Those with which the optimizer's are compared; None for other games.
    drawn : ndarray of shape (number of draws, 2 ** number of players) or None
        The value of every coalition for each function that the trials allow, with a best (worst)
        configuration of its own; None of a model without any.
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
    >>> found = hx.methods.tunability(table, 1, objective="loss")
    >>> found.gain("x") > 0.0, found.gain()
    (True, 0.0)
    """

    says: ClassVar[Mapping[str, str]] = {
        "tunability": "Tuning gains {size} over {found.at}{levels}.",
        "mistunability": "The worst values lose {size} against {found.at}{levels}.",
        "sensitivity": "With all hyperparameters free, the {found.what} has a standard deviation "
        "of {std} around {found.at}.",
        "optimizer_bias": "The values that {who} tried miss {size} of the "
        "{found.subject.objective_name} that can be gained over {found.at}.",
        "no tunability": "Tuning gains nothing over the default.",
        "no mistunability": "No values are worse than the default.",
        "no sensitivity": "The predicted objective does not vary.",
        "no optimizer_bias": "The values that were tried miss nothing of what can be gained.",
        "alone tunability": "Alone, {each}. | {player} gains {size}",
        "alone mistunability": "Alone, {each}. | {player} loses {size}",
        "alone sensitivity": "With only one of them free: {each}. | {player} {std}",
        "alone optimizer_bias": "Alone, {each}. | {player} misses {size}",
        "together": "{names} {do} {more} together than they add up to alone ({estimate}).",
    }

    game: Game
    default: Mapping[str, Any]
    default_trial: int | None
    default_prediction: float
    coalitions: Array
    noise: float = 0.0
    rows: Array | None = None
    reference: Array | None = None
    drawn: Array | None = None
    over: Over | float | None = None
    games: Mapping[str, GameExplanation] = field(default_factory=dict)

    @property
    def whole(self) -> float:
        """The value of all hyperparameters together."""
        return float(self.coalitions[-1])

    @property
    def whole_half(self) -> float | None:
        """Half the 95 % interval of the value of all hyperparameters; None if not known."""
        if self.drawn is None:
            return None
        return decide(
            self.drawn[:, -1] - self.drawn[:, 0], stretch=self.total.stretch
        ).half

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
            problem = (
                "is of several runs, each with its own best configuration"
            )
            raise InputError(
                "game",
                problem,
                self.game,
                f"Ask .games[{next(iter(self.games))!r}].",
            )
        if self.rows is None:
            problem = f"is {self.game!r}, which has no best configuration"
            raise InputError(
                "game", problem, self.game, "Ask hx.methods.tunability."
            )
        code = self._code(names)
        return dict(self.subject.space.decode(self.rows[code : code + 1])[0])

    def _code(self, names: tuple[str, ...]) -> int:
        for name in names:
            check_name("names", name, self.all_names, "hyperparameter")
        code = 0
        for p, player in enumerate(self.total.players):
            named = [name for name in player if name in names]
            if named and len(named) < len(player):
                problem = f"has {named} without {[n for n in player if n not in named]}"
                raise InputError(
                    "names",
                    problem,
                    names,
                    "These play as one: name all or none.",
                )
            code |= bool(named) << p
        return code

    def alone(self) -> Array:
        """Return the value of each player by itself, (number of players,)."""
        single = self.coalitions[1 << np.arange(len(self.total.players))]
        return np.asarray(single - self.coalitions[0])

    @property
    def columns(self) -> dict[str, Any]:
        """The value of each set as a coalition, and the value in each of several runs."""
        codes = [sum(1 << p for p in members) for members in self.total.sets]
        each = {
            f"in {name}": game.total.values
            for name, game in self.games.items()
        }
        return {
            "alone": self.coalitions[codes] if codes else np.array([]),
            **each,
        }

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
            "whole_half_width": self.whole_half,
            "over": self.over,
            "runs": {
                name: game._numbers() for name, game in self.games.items()
            },
            "alone": [
                {"members": list(player), "value": float(value)}
                for player, value in zip(
                    self.total.players, self.alone(), strict=True
                )
            ],
        }

    # ------------------------------------------------------------------ in the claims

    @property
    def at(self) -> str:
        """The default in words."""
        trial = self.default_trial
        return (
            "the default" if trial is None else f"the default (trial {trial})"
        )

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What all hyperparameters can do, what single ones do by themselves, who acts together."""
        names, last = self.all_names, len(self.coalitions) - 1
        varies = self.game == "sensitivity"
        kind = "share" if varies else "difference"
        whole = self._decision(last)
        unlikely = (
            whole is not None
            and whole.probability <= 1.0 - LEVEL
            and not varies
        )
        if not names or self.whole == 0.0 or unlikely:
            probability = np.nan if whole is None else 1.0 - whole.probability
            claim = self.told(
                kind,
                names,
                self.whole,
                says=f"no {self.game}",
                certain=False,
                side="below",
                because=(_SEEMS(),),
            )
            return (replace(claim, probability=probability),)
        alone = self.alone()
        order = np.argsort(-np.abs(alone), kind="stable").tolist()
        told = [
            self._said(
                kind,
                self.total.players[p],
                1 << p,
                f"alone {self.game}",
                player=" + ".join(self.total.players[p]),
            )
            for p in worth_naming(
                order, np.abs(alone), _MAIN_COUNT, abs(self.whole)
            )
            if (found := self._decision(1 << p)) is None
            or found.probability >= _LIKELY
        ]
        first = self._said(
            kind,
            names,
            last,
            self.game,
            levels=self._levels(),
            who="the optimizers" if self.games else self.optimizer,
        )
        return (first, *told, *self._together())

    @property
    def _loses(self) -> bool:
        return self.game in ("mistunability", "optimizer_bias")

    def _decision(self, code: int) -> Decision | None:
        """Return whether a coalition gains (loses) more than noise, or varies by a share.

        All together more than noise makes evaluations scatter, or some by more than 2 % of both.
        """
        if self.drawn is None:
            return None
        draws, stretch = (
            self.drawn[:, code] - self.drawn[:, 0],
            self.total.stretch,
        )
        if self.game == "sensitivity":
            of_evaluations = self.drawn[:, -1] + self.noise**2
            shares = draws / np.maximum(of_evaluations, np.finfo(float).tiny)
            every = code == len(self.coalitions) - 1
            return decide(shares, 0.5 if every else MATTERS, side="above")
        if self._loses:
            return decide(draws, -self.noise, side="below", stretch=stretch)
        return decide(draws, self.noise, side="above", stretch=stretch)

    def _said(
        self,
        kind: Any,
        names: tuple[str, ...],
        code: int,
        says: str,
        **words: Any,
    ) -> Claim:
        value = float(self.coalitions[code] - self.coalitions[0])
        found = self.decided(
            kind,
            names,
            self._decision(code),
            says=says,
            estimate=value,
            std=math.sqrt(max(value, 0.0)),
            **words,
        )
        return replace(found, side="above")

    def _together(self) -> list[Claim]:
        """Return the strongest interaction, where it is surely one."""
        ranking = self.total.order(range(2, self.order + 1))
        if not ranking or self.drawn is None:
            return []
        i, value = ranking[0], float(self.total.values[ranking[0]])
        least = self.noise
        if self.game == "sensitivity":
            least = INTERACTS * (self.whole + self.noise**2)
        sign = 1.0 if value > 0.0 else -1.0
        found = self.total.decided(
            i, sign * least, "above" if value > 0.0 else "below"
        )
        if found is None or not found.certain:
            return []
        do = {
            "tunability": "gain",
            "mistunability": "lose",
            "sensitivity": "make it vary",
        }
        more = "more" if value * self.whole > 0.0 else "less"
        claim = self.decided(
            "difference",
            self.total.names(i),
            found,
            says="together",
            more=more,
            do=do.get(self.game, "miss"),
        )
        return [replace(claim, side="above")]

    def _levels(self) -> str:
        """Return what is predicted for the default, and at best or at worst."""
        if self.games:
            return ""
        start = self.default_prediction
        end = start - sign_of(self.direction) * self.whole
        levels = [format_level(level, self.whole) for level in (start, end)]
        end_word = "best" if self.game == "tunability" else "worst"
        return f" (predicted {self.objective_name} {levels[0]}, at {end_word} {levels[1]})"

    @property
    def finding(self) -> str:
        """The claims in words; of several runs first how their values became one."""
        text = super().finding
        start = self.over_runs
        return (
            f"{start[0].upper()}{start[1:]}: {text[0].lower()}{text[1:]}"
            if start
            else text
        )

    @property
    def over_runs(self) -> str:
        """How the values of several runs became one, in words; empty for a single run."""
        if not self.games:
            return ""
        runs, over = counted(len(self.games), "run"), self.over
        losses = self._loses  # told the other way round
        if isinstance(over, float):
            return f"at the {100.0 * (1.0 - over if losses else over):g} % quantile over {runs}"
        if over in ("min", "max"):
            least = losses == (over == "max")
            return (
                f"at least, in each of {runs}"
                if least
                else f"at most, in any of {runs}"
            )
        return f"on average over {runs}"


# ---------------------------------------------------------------------- one configuration


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ShapleyInteractions(Sets):
    """Shapley interactions of a prediction or an acquisition, or of the variance of a prediction.

    The values of all sets add up to the difference between what is explained at one configuration
    and its average over the background, or to the variance over the space. A single
    hyperparameter's value is what it does by itself, that of several is what they do together
    beyond that.

    Attributes
    ----------
    of : {"prediction", "acquisition", "variance"}
        What is explained.
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out. Empty for a
        variance.
    index, order, total
        The values of sets, in the units of what is explained.
    terms : tuple of str
        The terms of which they are sums.
    by_term : ndarray of shape (number of sets, number of terms)
        The values of each term.
    prediction, baseline, efficiency_gap : float
        What is explained, its mean over the background (0 for a variance), and what the values
        miss of their difference.
    spread : float
        The standard deviation of what is explained over the background.
    background_size : int
        Number of background rows; of configurations for a variance.
    noise : float
        Standard deviation of one evaluation, of which a share of a variance is told.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Bordt, S. and von Luxburg, U. (2023). From Shapley values to generalized additive models
       and back. AISTATS. https://arxiv.org/abs/2209.04012

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.methods.shapley_interactions(table, objective="loss", background=50)
    >>> sorted(found.total.labels)
    ['x', 'x × y', 'y']
    """

    says: ClassVar[Mapping[str, str]] = {
        "none": "No hyperparameters act together on it.",
        "sure": "Beyond what each does by itself, {each}. | {which} {changes} it by {size}",
        "shared": "Beyond what each does by itself, {each}. | {which} explain {size:%} of it "
        "together",
        "perhaps": "The strongest interaction seems to be that of {which} ({estimate}).",
        "perhaps shared": "The strongest interaction seems to be that of {which} ({estimate:%}).",
    }

    of: Literal["prediction", "acquisition", "variance"]
    config: Mapping[str, Any]
    terms: tuple[str, ...]
    by_term: Array
    prediction: float
    baseline: float
    efficiency_gap: float
    spread: float
    background_size: int = 0
    noise: float = 0.0

    @property
    def start(self) -> float:
        """What is explained, on average."""
        return self.baseline

    def value(self, *names: str) -> float:
        """Return what hyperparameters do together beyond what fewer of them do, or one alone.

        Raises
        ------
        ValueError
            If a name is unknown, or there is no value of these together.
        """
        return self.total.of(*names)

    @property
    def columns(self) -> dict[str, Any]:
        """The values of each term, where there are several."""
        several = len(self.terms) > 1
        return (
            {t: self.by_term[:, i] for i, t in enumerate(self.terms)}
            if several
            else {}
        )

    def _numbers(self) -> dict[str, Any]:
        beside = (
            "prediction",
            "baseline",
            "efficiency_gap",
            "spread",
            "background_size",
        )
        return {
            "of": self.of,
            "config": dict(self.config),
            "index": self.index,
            "order": self.order,
            "values": [
                {
                    **one,
                    "terms": dict(
                        zip(self.terms, by_term.tolist(), strict=True)
                    ),
                }
                for one, by_term in zip(
                    self.total.to_dict(), self.by_term, strict=True
                )
            ],
            **{name: getattr(self, name) for name in beside},
        }

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The strongest interactions, or that there is none."""
        total = self.total
        ranking = total.order(range(2, self.order + 1))
        sizes = np.abs(total.values)
        named = worth_naming(
            ranking, sizes.tolist(), _MAIN_COUNT, float(sizes.sum())
        )
        if not named or self._none(ranking):
            return (self._no_interaction(ranking),)
        found = [self._claim(i) for i in named]
        certain = [claim for claim in found if claim.certain]
        if not certain and found[0].probability < _LIKELY:
            return (self._no_interaction(ranking),)
        return tuple(certain or found[:1])

    @property
    def _kind(self) -> Any:
        return "share" if self.of == "variance" else "contribution"

    def _draws(self, sets: list[int]) -> Array | None:
        """Return the draws' values of sets, (k, sets): of a variance as shares of evaluations'."""
        drawn = self.total.drawn
        if drawn is None or self.of != "variance":
            return None if drawn is None else drawn[:, sets]
        whole = drawn.sum(axis=1, keepdims=True) + self.noise**2
        return np.asarray(
            drawn[:, sets] / np.maximum(whole, np.finfo(float).tiny)
        )

    def _none(self, ranking: list[int]) -> bool:
        """Return whether interactions are surely small, but for integration if of an acquisition.

        A share of the variance is small below half a percent, all else below a tenth of the spread.
        """
        drawn = self._draws(ranking)
        if self.of == "acquisition":
            error = (
                0.0
                if self.total.half_width is None
                else self.total.half_width[ranking]
            )
            return bool(
                (
                    np.abs(self.total.values[ranking]) + error <= self._limit
                ).all()
            )
        return drawn is not None and self._smallness(drawn).certain

    @property
    def _limit(self) -> float:
        return INTERACTS if self.of == "variance" else NEGLIGIBLE * self.spread

    def _smallness(self, drawn: Array) -> Decision:
        largest = np.abs(drawn).max(axis=1, initial=0.0)
        return decide(largest, np.nextafter(self._limit, np.inf), side="below")

    def _no_interaction(self, ranking: list[int]) -> Claim:
        drawn = self._draws(ranking)
        if self.of == "acquisition":
            return self.told(
                self._kind,
                self.all_names,
                0.0,
                says="none",
                certain=True,
                because=(),
                side="below",
            )
        found = None if drawn is None else self._smallness(drawn)
        claim = self.decided(
            self._kind, self.all_names, found, says="none", estimate=0.0
        )
        return replace(claim, side="below")

    def _claim(self, i: int) -> Claim:
        names, value = self.total.names(i), float(self.total.values[i])
        values = (
            tuple(self.config.get(name) for name in names)
            if self.config
            else ()
        )
        told = [
            name
            if self.config.get(name) is None
            else f"{name} = {format_value(self.config[name])}"
            for name in names
        ]
        changes = "raises" if value > 0.0 else "lowers"
        words: dict[str, Any] = {
            "which": " with ".join(told),
            "changes": changes,
        }
        if self.of == "acquisition":
            half = (
                None
                if self.total.half_width is None
                else float(self.total.half_width[i])
            )
            certain = half is None or abs(value) > half
            return self.told(
                "contribution",
                names,
                value,
                between(value, half),
                values=values,
                certain=certain,
                because=() if certain else (MAY_BE_NOTHING(),),
                about=Estimate(value, half),
                says="sure" if certain else "perhaps",
                **words,
            )
        drawn, found, shared = (
            self._draws([i]),
            None,
            " shared" * (self.of == "variance"),
        )
        if drawn is not None and shared:
            found = decide(drawn[:, 0], INTERACTS, side="above")
        elif drawn is not None:
            found = self.total.decided(i)
        sure = found is not None and found.certain
        says = (shared.strip() or "sure") if sure else f"perhaps{shared}"
        estimate = value / self.prediction if shared else value
        claim = self.decided(
            self._kind,
            names,
            found,
            says=says,
            values=values,
            estimate=estimate,
            **words,
        )
        return replace(claim, side="above")

    @property
    def finding(self) -> str:
        """What is explained, and what hyperparameters do to it only together."""
        return f"{self._start()} {super().finding}"

    def _start(self) -> str:
        if self.of != "variance":
            gap = self.prediction - self.baseline
            return (
                f"The {self.what} of {self.where} is {format_level(self.prediction, gap)}, on "
                f"average {format_level(self.baseline, gap)}."
            )
        total, whole = self.total, self.prediction
        start = (
            f"The variance of the {self.what} over the space is {whole:.3g}"
        )
        first = total.order([1])[:_MAIN_COUNT] if whole > 0.0 else []
        told = [
            f"{total.labels[i]} {percent(float(total.values[i]) / whole)}"
            for i in first
        ]
        return (
            f"{start}; by themselves, {join_words(told)}."
            if told
            else f"{start}."
        )
