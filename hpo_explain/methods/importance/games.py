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
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.base import (
    Direction,
    Fact,
    Game,
    Subject,
    check_count,
    check_seed,
    fact,
    listed,
    steps,
)
from hpo_explain.belief import Draws
from hpo_explain.methods._engines.coalitions import EXACT_PLAYERS, all_coalitions
from hpo_explain.methods._engines.game import relevant
from hpo_explain.methods.importance._coalition_search import least_of_draws, least_of_tried
from hpo_explain.methods.importance.interaction_indices import of_coalitions
from hpo_explain.methods.importance.sets import play_as_one
from hpo_explain.methods.importance.tunability_result import GameExplanation
from hpo_explain.models import Surrogate, mean_of
from hpo_explain.question import Explained, PredictedObjective
from hpo_explain.space import Array, Bools, Config, SearchSpace, filled

_SPREAD = 200  # configurations of the space over which one moves the prediction
_DRAWN = 32_768  # configurations of all coalitions at which functions are drawn
_LEAST, _MOST = 16, 1024  # configurations of a variance of draws
_AT_ONCE = 8192


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
        The columns of each player, as :func:`players_of` returns them; by default every
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
        players = players_of(spread(surrogate, default, seed=seed))
    start, names = _completed(space, default), space.names
    values, rows = _reached(game, belief, subject, start, _free(len(space), players))
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
    notes = [play_as_one([space.names[j] for j in player]) for player in players if len(player) > 1]
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
    optional = np.array([p.optional is not None for p in space.parameters])
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


def players_of(spread: Array) -> list[list[int]]:
    """Return the columns of each player: where there are too many, those that move least are one.

    Parameters
    ----------
    spread : ndarray of shape (d,)
        As :func:`spread` returns it.
    """
    columns = np.flatnonzero(~np.isnan(spread)).tolist()
    if len(columns) <= EXACT_PLAYERS:
        return [[j] for j in columns]
    order = np.argsort(-spread[columns], kind="stable")
    first = sorted(columns[i] for i in order[: EXACT_PLAYERS - 1])
    return [*([j] for j in first), [j for j in columns if j not in first]]


def _free(d: int, players: Sequence[Sequence[int]]) -> Bools:
    """Return the columns that are free in every coalition, (2^p, d)."""
    coalitions = all_coalitions(len(players))
    free = np.zeros((len(coalitions), d), dtype=bool)
    for place, columns in enumerate(players):
        free[:, columns] = coalitions[:, [place]]
    return free


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
    sample, at_once = belief.landscape.latent[:n], max(1, _AT_ONCE // n)
    variances = []
    for first in steps(range(0, len(free), at_once), "batches"):
        z = np.where(free[first : first + at_once, None], sample, start)
        costs = belief.costs(belief.space.project(z.reshape(-1, len(start)))).astype(float)
        variances.append(costs.reshape(len(costs), -1, n).var(axis=2))
    return np.concatenate(variances, axis=1)
