"""Games of tuning: tunability, mistunability, sensitivity and optimizer bias (HyperSHAP).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
θ⁰         the default
S          a coalition: the hyperparameters that may take any value, the others have θ⁰'s
c(θ)       the predicted cost: the objective, negated where it is maximized
v(S)       tunability: ``c(θ⁰) - min_S c``; mistunability: ``c(θ⁰) - max_S c``;
           sensitivity: the variance of c over the measure of S; optimizer bias: the tunability that
           the tried values of S reach, minus the one that is possible
=========  ============================================================================

The first two are games of gains: positive is better than the default. The best and the worst of a
coalition are searched for on the functions that the model allows (`_coalition_search`). The value
of a coalition is the mean over them, each with a best (worst) of its own.

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

from hpo_explain.base import (
    GAMES,
    OVER,
    Direction,
    Fact,
    Game,
    InputError,
    Over,
    Subject,
    check_count,
    check_option,
    check_seed,
    fact,
    listed,
    steps,
)
from hpo_explain.belief import Draws, equally_many
from hpo_explain.methods._engines.coalitions import EXACT_PLAYERS, free_columns
from hpo_explain.methods._engines.game import relevant
from hpo_explain.methods._engines.orders import COMPOSED_ROWS
from hpo_explain.methods.importance._coalition_search import least_of_draws, least_of_tried
from hpo_explain.methods.importance.interaction_indices import of_coalitions
from hpo_explain.methods.importance.sets import about_players, players_of
from hpo_explain.methods.importance.tunability_result import GameExplanation
from hpo_explain.models import Surrogate, mean_of
from hpo_explain.question import Explained, PredictedObjective, Question, explains, shared_subject
from hpo_explain.space import Array, Bools, Config, SearchSpace, Shared, filled

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
    """Measure how much tuning each set of hyperparameters improves on a default.

    For every set it searches the best (or worst) values on the surrogate while the others stay at
    the default, and returns the gain with its uncertainty.

    Parameters
    ----------
    default : dict or int, optional
        A configuration, or the number of a trial. If not given, it is the first trial, or the
        median one if the first is the incumbent. Required for several runs (a dict of runs by
        name with the same space), for example the configuration that `compare` finds good in all.
    kind : {"tunability", "mistunability", "sensitivity", "optimizer_bias"}, default "tunability"
        What to measure for each set. "tunability" is the gain of its best values over the default,
        and "mistunability" the loss by its worst values, as a gain below 0. "sensitivity" is the
        variance of the prediction over its values, with the others at the default (`importance`
        averages over the others). "optimizer_bias" is how far its tried values, inserted into the
        default, fall short of the best predicted ones, as a gain below 0.
    over : {"mean", "min", "max"}, default "mean"
        How to combine several runs: the gain on average, in the worst run ("min") or in the best
        run ("max"). Gains are in the objective's units, so runs with a larger variation count
        more.
    order : int, default 2
        The size of the largest sets.

    Returns
    -------
    GameExplanation
        ``gain("lr", "depth")`` is the gain of the two together, ``configuration("lr", "depth")``
        has their values, and ``total`` divides the gain of all among single hyperparameters and
        sets. With "sensitivity" they are variances, in squared units of the objective.

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
    return players_of(np.where(somewhere, np.nansum(spreads, axis=0), np.nan), EXACT_PLAYERS)


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
    if over == "mean" and wholes.max() > 10.0 * wholes.min():
        most = list(games)[int(np.argmax(wholes))]
        share = f"{most} makes up {wholes.max() / wholes.sum():.0%} of the average"
        notes.insert(0, fact(f"{share}, as the objective varies most in it"))
    return tuple(dict.fromkeys(notes))


def _over(values: Array, over: Over) -> Array:
    """Combine the values of several runs, (R, ...), into one."""
    if over == "mean":
        return values.mean(axis=0)
    return np.asarray(values.min(axis=0) if over == "min" else values.max(axis=0))


_SPREAD = 200  # configurations of the space over which one moves the prediction
_DRAWN = 32_768  # configurations of all coalitions at which functions are drawn
_LEAST, _MOST = 16, 1024  # configurations of a variance of draws


def tuning_game(
    game: Game,
    surrogate: Surrogate,
    default: Config,
    *,
    order: int = 2,
    direction: Direction = "minimize",
    subject: Subject | None = None,
    trial: int | None = None,
    players: Sequence[Sequence[int]] | None = None,
    seed: int = 0,
) -> GameExplanation:
    """Return what every set of hyperparameters can do to the objective, from a default.

    Parameters
    ----------
    game : {"tunability", "mistunability", "sensitivity", "optimizer_bias"}
        What tuning gains; what the worst values lose; how much the prediction varies; what the
        values that the run tried miss of the best that the model predicts.
    surrogate : Surrogate
        The model of the objective.
    default : dict
        The default, in the user's units.
    order
        The size of the largest sets.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained; by default it is made from the model and `direction`.
    trial : int, optional
        The trial that the default is, if it is one.
    players : sequence of sequence of int, optional
        The columns of each player, as of `players_of`; by default every
        hyperparameter that the model uses is one.
    seed : int, default 0
        Seed of searches and samples.

    Raises
    ------
    ValueError
        If `surrogate` is none, or an option is not allowed.

    References
    ----------
    .. [1] Wever, M. et al. (2025). HyperSHAP: Shapley values and interactions for explaining
       hyperparameter optimization. https://arxiv.org/abs/2502.01276
    .. [2] Probst, P., Boulesteix, A.-L. and Bischl, B. (2019). Tunability: Importance of
       hyperparameters of machine learning algorithms. JMLR 20(53).
       https://arxiv.org/abs/1802.09596

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> found = tuning_game("tunability", surrogate, {"x": 0.5, "y": 0.5})
    >>> round(found.gain("x"), 1), round(found.gain("x", "y"), 1)
    (1.5, 2.0)
    """
    check_count("order", order)
    explained = _explained(surrogate, subject.direction if subject else direction)
    subject = explained.completed(subject)
    space, belief = explained.space, explained.draws(check_seed(seed))
    if players is None:
        players = players_of(spread(surrogate, default, seed=seed), EXACT_PLAYERS)
    start, names = _completed(space, default), space.names
    values, rows = _reached(game, belief, subject, start, free_columns(players, len(space)))
    return GameExplanation(
        subject=subject,
        players=tuple(tuple(names[j] for j in player) for player in players),
        order=min(order, len(players)),
        **of_coalitions(values, len(players), order),
        game=game,
        default=space.decode(space.row(default, "default")[None, :])[0],
        default_trial=trial,
        default_prediction=float(mean_of(surrogate, space.project(start[None, :]))[0]),
        coalition_draws=values,
        noise=belief.noise_std,
        rows=space.project(rows),
        notes=(*_notes(space, default, players), *subject.notes),
    )


def _explained(surrogate: Surrogate, direction: Direction) -> Explained:
    if not isinstance(surrogate, Surrogate):
        return Explained.of(surrogate)
    return Explained.of(PredictedObjective(surrogate, direction))


def _notes(space: SearchSpace, default: Config, players: Sequence[Sequence[int]]) -> list[Fact]:
    """Return which hyperparameters play as one, and which the default does not have."""
    notes = [*about_players(space, players)]
    x = space.row(default, "default")
    inactive = [space.names[j] for player in players for j in player if np.isnan(x[j])]
    if inactive:
        completed = "where a coalition activates them, they have the middle of their range"
        no_value = f"{listed(inactive, 6)} have no value in the default"
        notes.append(fact(f"{no_value}: {completed}", names=inactive))
    return notes


def _completed(space: SearchSpace, default: Config) -> Array:
    """Return the default encoded, with the middle of their range for what is inactive."""
    x = space.row(default, "default")
    middle = space.from_latent(np.full((1, len(space)), 0.5))[0]
    optional = np.array([p.optional < 1.0 for p in space.parameters])
    return np.where(np.isnan(x) & ~optional, middle, x)


def spread(surrogate: Surrogate, default: Config, *, seed: int) -> Array:
    """Return how much each hyperparameter alone moves the prediction from a default, (d,).

    A standard deviation over the space's measure; NaN where it cannot matter.
    """
    explained = _explained(surrogate, "minimize")
    space, columns = explained.space, np.flatnonzero(relevant(explained.game))
    alone = np.zeros((len(columns), len(space)), dtype=bool)
    alone[np.arange(len(columns)), columns] = True
    sample = space.sample(_SPREAD, seed=seed, latent=True)
    rows = np.where(alone[:, None], sample, _completed(space, default))
    predicted = mean_of(surrogate, space.project(rows.reshape(-1, len(space))))
    std = np.full(len(space), np.nan)
    std[columns] = predicted.reshape(len(columns), -1).std(axis=1)
    return std


def _reached(
    game: Game, belief: Draws, subject: Subject, start: Array, free: Bools
) -> tuple[Array, Array]:
    """Return the value of every coalition in each function, (k, m), and the rows that have them.

    There are none of variances.
    """
    if game == "sensitivity":
        return _variances(belief, start, free), np.empty((0, len(start)))
    sign = -1.0 if game == "mistunability" else 1.0
    best, rows = least_of_draws(belief, start, free, sign)
    if game != "optimizer_bias":
        return sign * (best[:, :1] - best), rows
    # what tried values gain less than the best
    tried = np.vstack([start, filled(belief.space, subject.tried, belief.seed)])
    least, rows = least_of_tried(belief, start, free, tried)
    return np.minimum(best, least) - least, rows


def _variances(belief: Draws, start: Array, free: Bools) -> Array:
    """Return the variance of each function in every coalition, (k, m)."""
    exponent = np.log2(_DRAWN / len(free))
    n = 2 ** int(np.clip(exponent, np.log2(_LEAST), np.log2(_MOST)))
    sample, at_once = belief.landscape.latent[:n], max(1, COMPOSED_ROWS // n)
    variances = []
    for first in steps(range(0, len(free), at_once), "batches"):
        z = np.where(free[first : first + at_once, None], sample, start)
        costs = belief.costs(belief.space.project(z.reshape(-1, len(start)))).astype(float)
        variances.append(costs.reshape(len(costs), -1, n).var(axis=2))
    return np.concatenate(variances, axis=1)
