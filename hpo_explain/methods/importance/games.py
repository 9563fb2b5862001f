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
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hpo_explain.base import (
    Direction,
    Fact,
    Game,
    Subject,
    check_count,
    check_seed,
    declared_fact,
    listed,
    steps,
)
from hpo_explain.belief import Draws
from hpo_explain.methods._engines.coalitions import EXACT_PLAYERS, all_coalitions
from hpo_explain.methods._engines.game import relevant
from hpo_explain.methods.importance._coalition_search import least_of_draws, least_of_tried
from hpo_explain.methods.importance.interaction_indices import interaction_weights, sets_up_to
from hpo_explain.methods.importance.sets import PLAY_AS_ONE
from hpo_explain.methods.importance.tunability_result import GameExplanation
from hpo_explain.models import Surrogate, mean_of
from hpo_explain.question import Explained, PredictedObjective
from hpo_explain.space import Array, Bools, Config, SearchSpace, filled

_COMPLETED = declared_fact(
    "default_completed",
    "{which} have no value in the default: where a coalition activates them, "
    "they have the middle of their range",
    which=lambda fact: listed(list(fact.names), 6),
)
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
    names = tuple(tuple(space.names[j] for j in player) for player in players)
    weights, sets = np.zeros((0, 1)), tuple[tuple[int, ...], ...]()
    if players:
        weights = interaction_weights(len(players), order)
        sets = sets_up_to(len(players), order)
    table = _Table(belief, subject, _completed(space, default), players)
    reached = table.reached(game)
    coalitions = reached.values.mean(axis=0)
    return GameExplanation(
        subject=subject,
        players=names,
        sets=sets,
        values=weights @ coalitions,
        draws=reached.values @ weights.T,
        order=min(order, len(names)),
        game=game,
        default=space.decode(space.row(default, "default")[None, :])[0],
        default_trial=trial,
        default_prediction=float(mean_of(surrogate, space.project(table.default[None, :]))[0]),
        coalitions=coalitions,
        coalition_draws=reached.values,
        noise=belief.noise_std,
        rows=None if reached.rows is None else space.project(reached.rows),
        reference=None if reached.reference is None else space.project(reached.reference),
        notes=(*_notes(space, default, players), *subject.notes),
    )


def _explained(surrogate: Surrogate, direction: Direction) -> Explained:
    if not isinstance(surrogate, Surrogate):
        return Explained.of(surrogate)
    return Explained.of(PredictedObjective(surrogate, direction))


def _notes(space: SearchSpace, default: Config, players: Sequence[Sequence[int]]) -> list[Fact]:
    """Return which hyperparameters play as one, and which the default does not have."""
    notes = [
        PLAY_AS_ONE(names=[space.names[j] for j in player]) for player in players if len(player) > 1
    ]
    x = space.row(default, "default")
    inactive = [space.names[j] for player in players for j in player if np.isnan(x[j])]
    if inactive:
        notes.append(_COMPLETED(names=inactive))
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


@dataclass(frozen=True, eq=False)
class _Reached:
    """The value of every coalition in each function, (k, m), and the rows that have them."""

    values: Array
    rows: Array | None = None
    reference: Array | None = None


@dataclass(frozen=True, eq=False)
class _Table:
    """A default with latent values for what is inactive, and all coalitions of its players."""

    belief: Draws
    subject: Subject
    default: Array
    players: Sequence[Sequence[int]]

    @cached_property
    def free(self) -> Bools:
        """The columns that are free in every coalition, (2^p, d)."""
        coalitions = all_coalitions(len(self.players))
        free = np.zeros((len(coalitions), len(self.default)), dtype=bool)
        for place, columns in enumerate(self.players):
            free[:, columns] = coalitions[:, [place]]
        return free

    def reached(self, game: Game) -> _Reached:
        """Return what every coalition reaches in a game."""
        if game == "sensitivity":
            return _Reached(self._variances())
        if game == "optimizer_bias":
            return self._missed()
        sign = 1.0 if game == "tunability" else -1.0
        cost, rows = self._best(sign)
        return _Reached(sign * (cost[:, :1] - cost), rows)

    def _variances(self) -> Array:
        """Return the variance of each function in every coalition, (k, m)."""
        belief = self.belief
        exponent = np.log2(_DRAWN / len(self.free))
        n = 2 ** int(np.clip(exponent, np.log2(_LEAST), np.log2(_MOST)))
        rows, at_once = belief.landscape.latent[:n], max(1, _AT_ONCE // n)
        variances = []
        for first in steps(range(0, len(self.free), at_once), "batches"):
            own = self.free[first : first + at_once, None]
            z = np.where(own, rows, self.default)
            z = z.reshape(-1, len(self.default))
            costs = belief.costs(belief.space.project(z)).astype(float)
            variances.append(costs.reshape(len(costs), -1, n).var(axis=2))
        return np.concatenate(variances, axis=1)

    def _best(self, sign: float) -> tuple[Array, Array]:
        """Return the best cost times a sign in every coalition, and the rows that have it."""
        return least_of_draws(self.belief, self.default, self.free, sign)

    def _missed(self) -> _Reached:
        """Return what tried values of every coalition gain less than the best."""
        belief = self.belief
        tried = filled(belief.space, self.subject.tried, belief.seed)
        own = np.vstack([self.default, tried])
        reached, own_rows = least_of_tried(belief, self.default, self.free, own)
        best, rows = self._best(1.0)
        return _Reached(np.minimum(best, reached) - reached, own_rows, rows)
