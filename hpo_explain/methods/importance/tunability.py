"""What tuning gains over a default, and what else values can do to it: games of HyperSHAP.

Of several runs (HyperSHAP's multi-data games) the value of a coalition is the mean, the least
or the largest of its values in the runs, each by the run's own model. Interactions are those
of that value. The models of the runs know nothing of each other, so that functions are drawn from
each by itself, and what the value would be is computed function by function. HyperSHAP joins values
rather than gains over the default, which is the same where the default's are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hpo_explain.base import GAMES, OVER, Fact, Game, InputError, Over, check_option, fact
from hpo_explain.belief import equally_many
from hpo_explain.methods.importance.games import players_of, spread, tuning_game
from hpo_explain.methods.importance.interaction_indices import of_coalitions
from hpo_explain.methods.importance.tunability_result import GameExplanation
from hpo_explain.models import Surrogate
from hpo_explain.question import Question, explains, shared_subject
from hpo_explain.space import Array, Config, Shared

_UNEVEN = 10.0  # times the value of all hyperparameters in the run where it is least

_OF_MODEL = fact("compared with the best values that the model predicts")


@explains(several="runs", without=("acquisition",))
def tunability(
    question: Question,
    default: Config | int | None = None,
    *,
    kind: Game = "tunability",
    over: Over = "mean",
    order: int = 2,
) -> GameExplanation:
    """Say what each set of hyperparameters does to the objective around a default.

    The best (or worst) values of every set are searched for on the surrogate while the others stay
    at the default; the model's uncertainty of what they gain comes with them.

    Parameters
    ----------
    default : dict or int, optional
        The default: a configuration, or the number of a trial. By default the first trial; where
        that is the incumbent, the trial in the middle of the ranking. Of several runs (a dict of
        runs by name, of the same space) it must be given: a configuration, such as that which
        :func:`compare` finds to be good in all.
    kind : {"tunability", "mistunability", "sensitivity", "optimizer_bias"}, default "tunability"
        What is asked of a set: what tuning it gains over the default; what its worst values lose
        against it (gains below 0); the variance of the prediction over its values, the others at
        the default (:func:`importance` averages over them); or what the values of it that the run
        tried, put into the default, miss of the best that the model predicts (below 0).
    over : {"mean", "min", "max"}, default "mean"
        How the values of several runs become one: what a set gains on average, at least (in every
        run) or at most (in some run). Of losses, which are gains below 0, "min" is the largest.
        They are in the units of the objective, so that a run in which it varies more counts more.
    order : int, default 2
        The size of the largest sets.

    Returns
    -------
    GameExplanation
        ``gain("lr", "depth")`` is what these two gain together, ``configuration("lr", "depth")``
        with which values; ``total`` shares the gain of all among single ones and sets. Of
        "sensitivity" they are variances, in squared units of the objective.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the default is not a configuration of the space, or
        an option is not allowed.

    References
    ----------
    .. [1] Wever, M. et al. (2025). HyperSHAP: Shapley values and interactions for explaining
       hyperparameter optimization. https://arxiv.org/abs/2502.01276

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.methods.tunability(table, {"x": 0.9}, objective="loss").configuration("x")
    {'x': 0.1}
    >>> lost = hx.methods.tunability(table, {"x": 0.1}, kind="mistunability", objective="loss")
    >>> lost.configuration("x"), lost.gain("x") < 0.0
    ({'x': 0.9}, True)
    """
    check_option("kind", kind, GAMES)
    check_option("over", over, OVER)
    notes = (_OF_MODEL,) if kind == "optimizer_bias" else ()
    if question.runs:
        return _of_several(kind, question, default, over, notes, order)
    if over != "mean":
        problem = f"was {over!r}, but there is a single run"
        raise InputError("over", problem, over, "Leave it out, or give a dict of runs.")
    if default is None:
        default = question.default_source(question.run.incumbent)
        notes = (fact(f"default: trial {default}, as none was given", trials=[default]), *notes)
    return tuning_game(
        kind,
        question.model,
        question.config("default", default),
        order=order,
        trial=question.trial(default),
        subject=question.subject(notes=notes),
        seed=question.seed,
    )


def _of_several(
    game: Game,
    question: Question,
    default: Config | int | None,
    over: Over,
    notes: tuple[Fact, ...],
    order: int,
) -> GameExplanation:
    runs = question.runs
    if not Shared.of([run.space for run in runs.values()]).same:
        names = {name: list(run.space.names) for name, run in runs.items()}
        problem = "are not of the same search space"
        raise InputError("run", problem, names, "Compare them with hx.compare.")
    if len({run.direction for run in runs.values()}) > 1:
        directions = {name: run.direction for name, run in runs.items()}
        raise InputError("run", "are not of the same direction", directions)
    if default is None:
        problem = "was not given, but there are several runs"
        remedy = "Give a configuration, such as hx.compare(runs).default.configuration."
        raise InputError("default", problem, default, remedy)
    config = question.config("default", default)
    of_runs = {name: replace(question, run=run, runs={}) for name, run in runs.items()}
    models = [of_run.model for of_run in of_runs.values()]
    players = shared_players(models, config, seed=question.seed)
    games = {
        name: tuning_game(
            game,
            of_run.model,
            config,
            subject=of_run.subject(notes=notes),
            players=players,
            # another seed for each, so that functions drawn are independent
            seed=question.seed + i,
            order=order,
        )
        for i, (name, of_run) in enumerate(of_runs.items())
    }
    return shared_game(games, over)


def shared_players(models: Sequence[Surrogate], default: Config, *, seed: int) -> list[list[int]]:
    """Return the columns of each player: those that matter in some run, the same in all."""
    spreads = np.array([spread(model, default, seed=seed) for model in models])
    somewhere = ~np.isnan(spreads).all(axis=0)
    return players_of(np.where(somewhere, np.nansum(spreads, axis=0), np.nan))


def shared_game(games: Mapping[str, GameExplanation], over: Over) -> GameExplanation:
    """Return the game whose value of a coalition is that over several runs.

    Parameters
    ----------
    games : mapping of str to GameExplanation
        The game of each run, with the same default, players and order.
    over : {"mean", "min", "max"}
        How the values of the runs become one.
    """
    each = list(games.values())
    first = each[0]
    of_runs = equally_many([game.coalition_draws for game in each])
    draws = _over(np.stack(of_runs), over)
    predictions = [game.default_prediction for game in each]
    return replace(
        first,
        subject=shared_subject(first.subject.space, [game.subject for game in each]),
        notes=_shared_notes(games, over),
        default_trial=None,
        default_prediction=float(np.mean(predictions)),
        **of_coalitions(draws, len(first.players), first.order),
        coalition_draws=draws,
        noise=max(game.noise for game in each),
        rows=first.rows[:0],
        over=over,
        games=dict(games),
    )


def _shared_notes(games: Mapping[str, GameExplanation], over: Over) -> tuple[Fact, ...]:
    """Return the notes of all games, and whether one makes up most of the average."""
    notes = [note for game in games.values() for note in game.notes]
    wholes = np.abs([game.whole for game in games.values()])
    if over == "mean" and wholes.max() > _UNEVEN * wholes.min():
        most = list(games)[int(np.argmax(wholes))]
        share = f"{most} makes up {wholes.max() / wholes.sum():.0%} of the average"
        notes.insert(0, fact(f"{share}, as the objective varies most in it"))
    return tuple(dict.fromkeys(notes))


def _over(values: Array, over: Over) -> Array:
    """Combine the values of several runs, (R, ...), into one."""
    return np.asarray({"mean": np.mean, "min": np.min, "max": np.max}[over](values, axis=0))
