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
coalition are searched for on the model (`_coalition_search`). Of a model that draws functions the
value of a coalition is the mean over the draws, each with a best (worst) of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from hpo_explain.base import (
    ROUNDING,
    Direction,
    Fact,
    Game,
    Subject,
    check_count,
    check_seed,
    declared_fact,
    listed,
    steps,
    unit_of,
)
from hpo_explain.belief import Draws
from hpo_explain.methods._engines.coalitions import (
    EXACT_PLAYERS,
    all_coalitions,
)
from hpo_explain.methods._engines.game import relevant
from hpo_explain.methods.importance._coalition_search import (
    at_best_of,
    best_in_coalitions,
    least_of_draws,
    least_of_tried,
    predicted_in_coalitions,
)
from hpo_explain.methods.importance.interaction_indices import (
    interaction_weights,
    sets_up_to,
)
from hpo_explain.methods.importance.sets import PLAY_AS_ONE, half_of_samples
from hpo_explain.methods.importance.tunability_result import GameExplanation
from hpo_explain.models import Surrogate, mean_of
from hpo_explain.question import Explained, PredictedObjective
from hpo_explain.space import (
    Array,
    Bools,
    Config,
    SearchSpace,
    filled,
)
from hpo_explain.space.sobol import sobol

_COMPLETED = declared_fact(
    "default_completed",
    "{which} have no value in the default: where a coalition activates them, "
    "they have the middle of their range",
    which=lambda fact: listed(list(fact.names), 6),
)
_START = 200  # configurations of the space among which the search starts
_TRIED = 300  # of the tried ones, the best
_SETS = 10  # independent samples of the space over which variances are taken
_SAMPLE = 512  # configurations of each
_SAMPLE_OF_MANY = 128  # where there are more than 8 players
_MANY = 8  # players
_DRAWN = (
    32_768  # configurations of all coalitions at which functions are drawn
)
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
        What is explained; by default it is made from the model and `direction`. Searches start at
        what it says was tried.
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
    explained = _explained(
        surrogate, subject.direction if subject else direction
    )
    subject = explained.completed(subject)
    space, belief = explained.space, explained.draws(check_seed(seed))
    if players is None:
        players = players_of(spread(surrogate, default, seed=seed))
    names = tuple(tuple(space.names[j] for j in player) for player in players)
    weights, sets = np.zeros((0, 1)), tuple[tuple[int, ...], ...]()
    if players:
        weights = interaction_weights(len(players), order)
        sets = sets_up_to(len(players), order)
    table = _Table(
        explained, subject, belief, _completed(space, default), players, seed
    )
    reached = table.reached(game)
    draws, coalitions = None, reached.values
    if belief is not None:
        draws, coalitions = (
            reached.values @ weights.T,
            reached.values.mean(axis=0),
        )
    half_width = None
    if reached.of_samples is not None:
        # squares of variances may overflow
        unit = unit_of(reached.of_samples)
        of_sets = reached.of_samples / unit @ weights.T
        half_width = unit * half_of_samples(of_sets)
    return GameExplanation(
        subject=subject,
        players=names,
        sets=sets,
        values=weights @ coalitions,
        draws=draws,
        half_width=half_width,
        order=min(order, len(names)),
        game=game,
        default=space.decode(space.row(default, "default")[None, :])[0],
        default_trial=trial,
        default_prediction=float(
            mean_of(surrogate, space.project(table.default[None, :]))[0]
        ),
        coalitions=coalitions,
        coalition_draws=None if belief is None else reached.values,
        noise=0.0 if belief is None else belief.noise_std,
        rows=None if reached.rows is None else space.project(reached.rows),
        reference=None
        if reached.reference is None
        else space.project(reached.reference),
        notes=(*_notes(space, default, players), *subject.notes),
    )


def _explained(surrogate: Surrogate, direction: Direction) -> Explained:
    if not isinstance(surrogate, Surrogate):
        return Explained.of(surrogate)
    return Explained.of(PredictedObjective(surrogate, direction))


def _notes(
    space: SearchSpace, default: Config, players: Sequence[Sequence[int]]
) -> list[Fact]:
    """Return which hyperparameters play as one, and which the default does not have."""
    notes = [
        PLAY_AS_ONE(names=[space.names[j] for j in player])
        for player in players
        if len(player) > 1
    ]
    x = space.row(default, "default")
    inactive = [
        space.names[j] for player in players for j in player if np.isnan(x[j])
    ]
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
    sample = space.sample(_START, seed=seed, latent=True)
    predicted = predicted_in_coalitions(
        surrogate, _completed(space, default), sample, alone
    )
    std = np.full(len(space), np.nan)
    std[columns] = predicted.std(axis=0)
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
    """The values of all coalitions, (m,), or of each draw, (k, m), and the rows that have them.

    `of_samples` are the values over independent samples of the space, whose mean `values` are.
    """

    values: Array
    rows: Array | None = None
    reference: Array | None = None
    of_samples: Array | None = None


@dataclass(frozen=True, eq=False)
class _Table:
    """A default with latent values for what is inactive, and all coalitions of its players."""

    explained: Explained
    subject: Subject
    belief: Draws | None
    default: Array
    players: Sequence[Sequence[int]]
    seed: int

    @property
    def space(self) -> SearchSpace:
        return self.explained.space

    @property
    def surrogate(self) -> Surrogate:
        return cast(Surrogate, self.explained.surrogate)

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
            return self._variances()
        if game == "optimizer_bias":
            return self._missed()
        sign = 1.0 if game == "tunability" else -1.0
        cost, rows = self._best(sign)
        return _Reached(sign * (cost[..., :1] - cost), rows)

    # ------------------------------------------------------------------ variances

    def _variances(self) -> _Reached:
        """Return how much the prediction, or each draw, varies in every coalition."""
        if self.belief is not None:
            return _Reached(self._variances_of_draws(self.belief))
        n = _SAMPLE if len(self.players) <= _MANY else _SAMPLE_OF_MANY
        seeds = np.random.default_rng(self.seed).integers(2**31, size=_SETS)
        of_samples = []
        for seed in steps(seeds, "samples"):
            # scrambled anew: independent sets, each much more even than a random one
            rows = self.space.from_latent(sobol(len(self.space), n, int(seed)))
            mean = predicted_in_coalitions(
                self.surrogate, self.default, rows, self.free
            )
            of_samples.append(mean.var(axis=0))
        by_sample = np.stack(of_samples)
        return _Reached(by_sample.mean(axis=0), of_samples=by_sample)

    def _variances_of_draws(self, belief: Draws) -> Array:
        """Return the variance of each draw in every coalition, (k, m)."""
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

    # ------------------------------------------------------------------ the best and the worst

    def _best(self, sign: float) -> tuple[Array, Array]:
        """Return the best cost times a sign in every coalition, and the rows that have it."""
        if self.belief is not None:
            return least_of_draws(self.belief, self.default, self.free, sign)
        start = [self.space.sample(_START, seed=self.seed, latent=True)]
        if len(self.subject.tried):
            order = np.argsort(sign * self.subject.costs, kind="stable")
            tried = self.subject.tried[order[:_TRIED]]
            start.append(filled(self.space, tried, self.seed))
        rows = np.vstack(start)
        to_cost = sign * self.explained.sign

        def cost_of(z: Array) -> Array:
            return to_cost * mean_of(self.surrogate, self.space.project(z))

        return best_in_coalitions(
            cost_of,
            self.space,
            self.default,
            rows,
            sign * self._costs(rows),
            self.free,
            seed=self.seed,
        )

    def _missed(self) -> _Reached:
        """Return what tried values of every coalition gain less than the best."""
        space = self.space
        tried = filled(space, self.subject.tried, self.seed)
        own = np.vstack([self.default, tried])
        reached, own_rows = self._best_of(own)
        best, rows = self._best(1.0)
        if self.belief is not None:
            best = np.minimum(best, reached)
        else:
            # the search may end a rounding error above what was tried
            near = reached <= best + ROUNDING * np.abs(best).max()
            best = np.where(near, reached, best)
            rows = np.where(near[:, None], own_rows, rows)
        return _Reached(best - reached, own_rows, rows)

    def _best_of(self, rows: Array) -> tuple[Array, Array]:
        """Return the best cost that rows reach in every coalition, and the rows that have it."""
        if self.belief is not None:
            return least_of_tried(self.belief, self.default, self.free, rows)
        return at_best_of(self.default, rows, self._costs(rows), self.free)

    def _costs(self, rows: Array) -> Array:
        """Return the costs of rows in every coalition, (n, m)."""
        mean = predicted_in_coalitions(
            self.surrogate, self.default, rows, self.free
        )
        return np.asarray(self.explained.sign * mean)
