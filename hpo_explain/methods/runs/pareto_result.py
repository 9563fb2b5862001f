"""The Pareto front of several objectives, and what moving along it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    INACTIVE,
    Claim,
    Direction,
    PosteriorDraws,
    Result,
    Table,
    attributes,
    format_value,
    join_names,
    join_words,
    percent,
    plus_minus,
)
from hpo_explain.belief import Decision
from hpo_explain.methods._engines.decision_words import few, one_digit, setting
from hpo_explain.methods.proposals.contributions_result import PredictionExplanation
from hpo_explain.space import Array, Bools, Ints

_MOST_CLAIMED, _MOST_TOLD = 3, 2  # hyperparameters of a move


@dataclass(frozen=True, eq=False)
class Move:
    """From one trial to another: what each hyperparameter does to each objective.

    Attributes
    ----------
    source, target : int
        The trials.
    before, after : mapping of str to object
        Their configurations.
    reasons : tuple of PredictionExplanation
        For each objective the Shapley values of the target's values against the source's.
    """

    source: int
    target: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    reasons: tuple[PredictionExplanation, ...]

    def gains(self) -> Array:
        """Return how much each hyperparameter improves each objective, (d, m), in its units."""
        return np.column_stack([-reason.subject.sign * reason.phi for reason in self.reasons])

    def halves(self) -> Array:
        """Return half the 95 % interval of each gain under the model, (d, m); NaN if unknown."""
        return np.column_stack([one.model_half_width for one in self.reasons])


@dataclass(frozen=True)
class Saving:
    """What another trial than the best one in an objective saves in another objective.

    Attributes
    ----------
    objective, other : str
        The objective in which little is lost, and the one in which something is saved.
    best, instead : int
        The best trial in the first, and the one in its place.
    loss : float
        How much of the first objective was allowed to be lost, as a share of its best value.
    saved : Decision
        What is saved, as a share of the other objective's value at the best trial, and how
        probable it is that something is, and no more than allowed is lost.
    """

    objective: str
    other: str
    best: int
    instead: int
    loss: float
    saved: Decision


@dataclass(frozen=True, eq=False)
class Choice:
    """The trial of the front that is expected to be best at a trade-off.

    Attributes
    ----------
    trial : int
        The trial.
    trade_off : mapping of str to float
        What one unit of each objective is worth.
    is_best : Decision
        How probable it is that no other trial of the front is better at this trade-off.
    """

    trial: int
    trade_off: Mapping[str, float]
    is_best: Decision

    def to_dict(self) -> dict[str, Any]:
        """Return the trial, the trade-off, and the probability."""
        probability = self.is_best.probability
        return {"trial": self.trial, "trade_off": self.trade_off, "probability": probability}


@dataclass(frozen=True, eq=False)
class Extension:
    """The configuration that is expected to add most to the hypervolume of the front.

    Attributes
    ----------
    configuration : mapping of str to object
        What to try.
    predicted : tuple of Decision
        What is predicted for each objective, with its 95 % interval.
    gain : float
        The expected gain in hypervolume, in units of the box that the front spans.
    joins : Decision
        How probable it is that no trial dominates it.
    """

    configuration: Mapping[str, Any]
    predicted: tuple[Decision, ...]
    gain: float
    joins: Decision

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration, what is predicted, the gain, and the probability."""
        return {
            "configuration": self.configuration,
            "predicted": [one.estimate for one in self.predicted],
            "lower": [one.interval[0] for one in self.predicted],
            "upper": [one.interval[1] for one in self.predicted],
            "gain": self.gain,
            "probability": self.joins.probability,
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ParetoFront(Result):
    """The trials that no other one beats in all of m objectives, and what moving along them costs.

    Attributes
    ----------
    objectives : tuple of str
        The objectives.
    directions : tuple of {"minimize", "maximize"}
        Which way each is better.
    trials : ndarray of int, shape (n,)
        The trials.
    values : ndarray of shape (n, m)
        Their objectives, in the user's units.
    feasible : ndarray of bool, shape (n,)
        Which of them meet the constraints.
    ranks : ndarray of int, shape (n,)
        Their Pareto ranks: 1 for the front.
    front : ndarray of int, shape (f,)
        Rows of the front, the best of the first objective first.
    contribution : ndarray of shape (f,)
        What each of them adds to the hypervolume, in units of the box that the front spans.
    configurations : tuple of mapping
        Their configurations.
    predicted : ndarray of shape (f, m)
        What the models predict for them: what was observed may be luck.
    moves : tuple of Move
        From one end of the front to the other, and then along it; empty where it is one trial.
    savings : tuple of Saving
        What could be saved for a small loss.
    draws : tuple of ndarray of int, shapes (k,) and (number of draws, k)
        Trials, and their Pareto ranks in functions drawn from the posterior of each objective.
    choice : Choice or None
        The trial to take at the trade-off that was given.
    extension : Extension or None
        What to try to extend the front; None where nothing is expected to.

    References
    ----------
    .. [1] Theodorakopoulos, D., Stahl, F. and Lindauer, M. (2024). Hyperparameter importance
       analysis for multi-objective AutoML. ECAI. https://arxiv.org/abs/2405.07640
    .. [2] Zitzler, E. and Thiele, L. (1999). Multiobjective evolutionary algorithms. IEEE Trans.
       Evol. Comput. 3 (4), 257-271 (hypervolume).

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("width", 0.0, 1.0)])
    >>> X = space.sample(20)
    >>> runs = {
    ...     "loss": hx.Run(space, X, (1.0 - X[:, 0]) ** 2, "minimize", objective_name="loss"),
    ...     "size": hx.Run(space, X, X[:, 0], "minimize", objective_name="size"),
    ... }
    >>> found = hx.pareto(runs)
    >>> len(found.front), found.moves[0].gains().round(1).tolist()
    (20, [[-0.9, 0.9]])
    """

    table: ClassVar[Table] = Table(
        index=("trial", "trials_on_front"),
        columns={},
        held=attributes(
            "objectives",
            "directions",
            "trials",
            "values",
            "ranks",
            "predicted",
            "on_front",
            "configurations",
            front="trials_on_front",
            hypervolume="contribution",
            moves=lambda result: [
                {
                    "source": move.source,
                    "target": move.target,
                    "gains": move.gains(),
                    "half_widths": move.halves(),
                }
                for move in result.moves
            ],
            choice=lambda result: result.choice and result.choice.to_dict(),
            extension=lambda result: result.extension and result.extension.to_dict(),
        ),
    )
    objectives: tuple[str, ...]
    directions: tuple[Direction, ...]
    trials: Ints
    values: Array
    feasible: Bools
    ranks: Ints
    front: Ints
    contribution: Array
    configurations: tuple[Mapping[str, Any], ...]
    predicted: Array
    draws: tuple[Ints, Ints]
    moves: tuple[Move, ...] = ()
    savings: tuple[Saving, ...] = ()
    choice: Choice | None = None
    extension: Extension | None = None

    @property
    def posterior(self) -> PosteriorDraws:
        """The Pareto ranks of trials for functions drawn from the posteriors; the lowest first.

        Without the noise: what was observed may be luck. The objectives' models know nothing of
        each other, and their kernels' parameters are those of the models. Of many trials those
        with the lowest ranks are among them.
        """
        trials, ranks = self.draws
        names = tuple(trials.tolist())
        return self.drawn(names, ranks.astype(float), "smallest")

    @property
    def on_front(self) -> Array:
        """How probable it is that each trial of the front is on it without the noise, (f,).

        The share of the functions drawn; NaN where an objective has no posterior.
        """
        trials, ranks = self.draws
        if len(ranks) < 2:
            return np.full(len(self.front), np.nan)
        place = {int(trial): i for i, trial in enumerate(trials)}
        return np.array(
            [(ranks[:, place[t]] == 1).mean() for t in self.trials[self.front].tolist()]
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def objectives_in_words(self) -> str:
        """The objectives, one after the other."""
        return join_names(self.objectives)

    @property
    def trials_on_front(self) -> Ints:
        """The numbers of the trials of the front."""
        return self.trials[self.front]

    @property
    def columns(self) -> dict[str, Any]:
        """The columns by trial of the front: objectives, predictions, configuration.

        Column "on front" is how probable it is that the trial is on it without the noise.
        """
        columns: dict[str, Any] = {}
        for k, name in enumerate(self.objectives):
            columns[name] = self.values[self.front, k]
            columns[f"predicted {name}"] = self.predicted[:, k]
        columns["hypervolume"] = self.contribution
        columns["on front"] = self.on_front
        for name in self.names:
            own = [config.get(name) for config in self.configurations]
            columns[name if name not in columns else f"{name} (hyperparameter)"] = own
        return columns

    # ------------------------------------------------------------------ what it says

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What to take, what pays for the way along the front, what can be saved, what to try."""
        advised = [*self._of_choice(), *self._of_extension()]
        if not self.moves:
            best, n = int(self.trials[self.front[0]]), len(self.trials)
            objectives = self.objectives_in_words
            text = f"Trial {best} is the best of {n} trials in all objectives ({objectives})."
            return (Claim("best", (), values=(best,), text=text), *advised)
        return (*self._trades(self.moves[0]), *map(self._of_saving, self.savings), *advised)

    @property
    def answer(self) -> str:
        """How large the front is."""
        return f"{self._size}."

    @property
    def _size(self) -> str:
        return f"{len(self.front)} of {len(self.trials)} trials are on the Pareto front"

    @property
    def finding(self) -> str:
        """How large the front is, what pays for the way along it, and what can be saved."""
        if not self.moves:
            return super().finding
        ends = []
        for row in self.front[[0, -1]].tolist():
            each = zip(self.objectives, self.values[row].tolist(), strict=True)
            values = ", ".join(f"{name} {format_value(value)}" for name, value in each)
            ends.append(f"trial {self.trials[row]} ({values})")
        front = f"{self._size} of {self.objectives_in_words}: from {' to '.join(ends)}."
        return f"{front} {super().finding}"

    def _trades(self, move: Move) -> list[Claim]:
        """Return what the hyperparameters that matter most do to each objective.

        What is certain of the first two is told; else that nothing is.
        """
        gains = move.gains()
        whole = np.maximum(np.abs(gains).sum(axis=0), np.finfo(float).tiny)
        size = (np.abs(gains) / whole).max(axis=1)
        largest = np.argsort(-size, kind="stable")[:_MOST_CLAIMED].tolist()
        places = [j for j in largest if size[j] > 0.0]
        judged = {(j, k): r.claim_of(j) for j in places for k, r in enumerate(move.reasons)}
        certain = list(dict.fromkeys(j for (j, _), claim in judged.items() if claim.certain))
        claims, named = list[Claim](), set[int]()
        for (j, k), claim in judged.items():
            gain, objective = float(gains[j, k]), self.objectives[k]
            ends = tuple(c.get(self.names[j], INACTIVE) for c in (move.before, move.after))
            frame, text = "{each}", "It is not certain which hyperparameters pay for the way."
            text *= not (certain or claims)
            verb = "improves" if gain > 0.0 else "worsens"
            if claim.certain and j in certain[:_MOST_TOLD]:
                change = "" if j in named else f"{self.names[j]} {_change(*ends)} "
                named.add(j)
                frame = "On the way, {each}."
                text = f"{change}{verb} {objective} by {plus_minus(abs(gain), claim.half)}"
            turned = None
            if claim.interval is not None:
                low, high = sorted(-move.reasons[k].subject.sign * end for end in claim.interval)
                turned = (low, high)
            claims.append(
                replace(
                    claim,
                    estimate=gain,
                    interval=turned,
                    values=(ends,),
                    term=objective,
                    text=text,
                    frame=frame,
                )
            )
        return claims

    def _of_saving(self, saving: Saving) -> Claim:
        saved, lost = saving.saved, format_value(100.0 * saving.loss)
        text = (
            f"Trial {saving.instead} in place of trial {saving.best}, the best in "
            f"{saving.objective}, saves {saved.estimate:.0%} of the {saving.other} (at least "
            f"{saved.bound:.0%}) and loses at most {lost}% of the {saving.objective}."
        )
        values = (saving.instead, saving.best, saving.loss)
        claim = saved.claim("difference", (), values=values, text=text * saved.certain)
        return replace(claim, term=saving.other)

    def _of_choice(self) -> Iterator[Claim]:
        if self.choice is None:
            return
        trial, is_best = self.choice.trial, self.choice.is_best
        each = self.choice.trade_off.items()
        worth = join_words([f"one unit of {name} counts {format_value(n)}" for name, n in each])
        sure = f" ({percent(is_best.probability)} sure that it is the best of the front)"
        text = f"If {worth}, take trial {trial}{sure * is_best.known}."
        yield replace(is_best.claim("best", (), values=(trial,), text=text), because=())

    def _of_extension(self) -> Iterator[Claim]:
        if self.extension is None:
            return
        config, joins = self.extension.configuration, self.extension.joins
        named = few([setting(self.subject.space, *one) for one in config.items()])
        text = (
            f"To extend the front, try {named} ({percent(joins.probability)} sure that no trial "
            f"beats it in all objectives; expect {one_digit(self.extension.gain)} more "
            "hypervolume)."
        )
        yield Claim(
            "action",
            tuple(config),
            self.extension.gain,
            values=tuple(config.values()),
            probability=joins.probability,
            certain=False,
            term="try",
            text=text,
        )


def _change(was: Any, now: Any) -> str:
    if now is INACTIVE:
        return "becoming inactive"
    if was is INACTIVE:
        return f"becoming active ({format_value(now)})"
    return f"= {format_value(now)} (was {format_value(was)})"
