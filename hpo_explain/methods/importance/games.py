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
coalition are searched for with an optimizer on the model (`_coalition_search`). For a given best
configuration of every coalition the interactions are linear in the objective, so that the model's
posterior gives their uncertainty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from hpo_explain.asked.explained import Explained, PredictedObjective
from hpo_explain.base.checks import check_count, check_option, check_seed
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import unit_of
from hpo_explain.base.options import INDICES, Direction, InteractionIndex
from hpo_explain.base.phrases import listed
from hpo_explain.base.posterior import DRAWS, normal_draws
from hpo_explain.base.progress import shows_progress, steps
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.methods._engines.coalitions import EXACT_PLAYERS, all_coalitions
from hpo_explain.methods._engines.game import relevant
from hpo_explain.methods._engines.spread import sums_under
from hpo_explain.methods.importance._coalition_search import (
    at_best_of,
    best_in_coalitions,
    in_order,
    predicted_in_coalitions,
)
from hpo_explain.methods.importance._drawn_functions import DrawnFunctions
from hpo_explain.methods.importance.interaction_indices import interaction_weights, sets_up_to
from hpo_explain.methods.importance.set_values import SetValues
from hpo_explain.methods.importance.sets_result import PLAY_AS_ONE, Game, GameExplanation
from hpo_explain.models.protocols import SupportsJoint, Surrogate, mean_of, std_from_variance
from hpo_explain.space import Array, Config, encode_one
from hpo_explain.space.searches import filled

_COMPLETED = declared_fact(
    "default_completed", "{which} have no value in the default: where a coalition activates them, "
    "they have the middle of their range", which=lambda told: listed(list(told.names), 6),
)  # fmt: skip
_START = 200  # configurations of the space among which the search starts
_TRIED = 300  # of the tried ones, the best
_SETS = 10  # independent samples of the space over which variances are taken
_SAMPLE = 512  # configurations of each
_SAMPLE_OF_MANY = 128  # where there are more than 8 players
_MANY = 8  # players
_DRAWN = 16_384  # configurations at which functions are drawn
_ROUNDED = 1e-12  # of the largest cost: less is no difference
_LEAST = 16  # configurations of a variance of draws


class GameExplainer:
    """Says what tuning hyperparameters can gain over a default, and what else they can do to it.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    index : {"k-SII", "STII", "FSII"}, default "k-SII"
        How what hyperparameters do together is shared out, as in `interaction_weights`.
    order : int, default 2
        The size of the largest sets, at least 1.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained, with names for plots and sentences, such as ``Subject.of(run)``; by
        default it is made from the model and `direction`. Searches start at what it says was tried.
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
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> found = hx.GameExplainer(surrogate).tunability({"x": 0.5, "y": 0.5})
    >>> round(found.gain("x"), 1), round(found.gain("x", "y"), 1)
    (1.5, 2.0)
    """

    def __init__(
        self,
        surrogate: Surrogate,
        *,
        index: InteractionIndex = "k-SII",
        order: int = 2,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        players: Sequence[Sequence[int]] | None = None,
        seed: int = 0,
    ) -> None:
        explained = Explained.of(
            PredictedObjective(surrogate, subject.direction if subject else direction)
            if isinstance(surrogate, Surrogate)
            else surrogate
        )
        self._surrogate = surrogate
        self._explained = explained
        self._subject = explained.completed(subject)
        self._index = cast(InteractionIndex, check_option("index", index, INDICES))
        self._order = check_count("order", order)
        self._players = None if players is None else [list(player) for player in players]
        self._seed = check_seed(seed)

    @property
    def subject(self) -> Subject:
        """What is explained."""
        return self._subject

    @shows_progress
    def tunability(self, default: Config, *, trial: int | None = None) -> GameExplanation:
        """Return what tuning every set of hyperparameters gains over a default.

        Parameters
        ----------
        default : dict
            The default, in the user's units.
        trial : int, optional
            The trial that it is, if it is one.
        """
        return self._searched("tunability", default, trial, 1.0)

    @shows_progress
    def mistunability(self, default: Config, *, trial: int | None = None) -> GameExplanation:
        """Return what the worst values of every set of hyperparameters lose (gains below 0).

        Arguments are those of :meth:`tunability`.
        """
        return self._searched("mistunability", default, trial, -1.0)

    @shows_progress
    def sensitivity(self, default: Config, *, trial: int | None = None) -> GameExplanation:
        """Return how much the prediction varies with every set of hyperparameters.

        Arguments are those of :meth:`tunability`.
        """
        table = self._table(default)
        from scipy.stats import t
        from scipy.stats.qmc import Sobol

        space = self._explained.space
        n = _SAMPLE if len(table.players) <= _MANY else _SAMPLE_OF_MANY
        seeds = np.random.default_rng(self._seed).integers(2**31, size=_SETS)
        values_of_set = []
        for seed in steps(seeds, "samples"):
            # scrambled anew: independent sets, each much more even than a random one
            rows = space.from_latent(Sobol(len(space), seed=int(seed)).random(n))
            mean = predicted_in_coalitions(self._surrogate, table.default, rows, table.free)
            values_of_set.append(mean.var(axis=0))
        by_set = np.stack(values_of_set)
        values = by_set.mean(axis=0)
        unit = unit_of(by_set)  # squares of variances may overflow
        phi = by_set / unit @ table.weights(self._order, self._index).T
        half = t.ppf(0.975, _SETS - 1) * phi.std(axis=0, ddof=1) * unit / np.sqrt(_SETS)
        known = self._variance_known(table, values)
        return self._result("sensitivity", table, trial, values, known, half_width=np.asarray(half))

    @shows_progress
    def optimizer_bias(
        self,
        default: Config,
        others: Sequence[npt.ArrayLike] = (),
        *,
        trial: int | None = None,
    ) -> GameExplanation:
        """Return what the values that a run tried miss of what every set of them could gain.

        Parameters
        ----------
        default : dict
            The default, in the user's units.
        others : sequence of ndarray of shape (n, d)
            Encoded configurations that other optimizers tried: the best of all is the reference.
            By default it is the best that the model predicts.
        trial : int, optional
            The trial that the default is, if it is one.
        """
        table, space = self._table(default), self._explained.space
        own = np.vstack([table.default, filled(space, self._subject.tried, self._seed)])
        own_cost, own_rows = at_best_of(table.default, own, self._costs(table, own), table.free)
        if len(others):
            them = np.vstack([own, *(filled(space, np.asarray(X), self._seed) for X in others)])
            cost, rows = at_best_of(table.default, them, self._costs(table, them), table.free)
        else:
            cost, rows = self._search(table, 1.0)
            better = own_cost <= cost + _ROUNDED * np.abs(cost).max()
            cost, rows = np.where(better, own_cost, cost), np.where(better[:, None], own_rows, rows)
        values = cost - own_cost
        known = self._known(table, values, own_rows, rows)
        return self._result(
            "optimizer_bias", table, trial, values, known, rows=own_rows, reference=rows
        )

    # ------------------------------------------------------------------ the values of coalitions

    def _searched(
        self, game: Game, default: Config, trial: int | None, sign: float
    ) -> GameExplanation:
        """Return the game of the best (sign 1) or the worst (sign -1) of every coalition."""
        table = self._table(default)
        cost, rows = self._search(table, sign)
        values = sign * (cost[0] - cost)
        known = self._known(table, values, rows)
        return self._result(game, table, trial, values, known, rows=rows)

    def _search(self, table: _Table, sign: float) -> tuple[Array, Array]:
        """Return the best cost times a sign in every coalition, and the rows that have it."""
        space, subject = self._explained.space, self._subject
        start = [space.sample(_START, seed=self._seed, latent=True)]
        if len(subject.tried):
            order = np.argsort(sign * subject.costs, kind="stable")[:_TRIED]
            start.append(filled(space, subject.tried[order], self._seed))
        rows = np.vstack(start)
        to_cost = sign * self._explained.sign
        return best_in_coalitions(
            lambda z: to_cost * mean_of(self._surrogate, space.project(z)),
            space, table.default, rows, sign * self._costs(table, rows), table.free,
            seed=self._seed,
        )  # fmt: skip

    def _costs(self, table: _Table, rows: Array) -> Array:
        """Return the costs of rows in every coalition, (n, m)."""
        mean = predicted_in_coalitions(self._surrogate, table.default, rows, table.free)
        return np.asarray(self._explained.sign * mean)

    def _table(self, default: Config) -> _Table:
        """Return the default with all coalitions; where there are too many, the least play as one.

        What is inactive in the default has the middle of its range where a coalition activates it.
        """
        space = self._explained.space
        x, row = self._completed(default)
        players = players_of(self.spread(default)) if self._players is None else self._players
        columns = [j for player in players for j in player]
        notes = [
            PLAY_AS_ONE(names=[space.names[j] for j in player])
            for player in players
            if len(player) > 1
        ]
        if np.isnan(x[columns]).any():
            names = [space.names[j] for j in columns if np.isnan(x[j])]
            notes.append(_COMPLETED(names=names))
        return _Table(space.decode(x[None, :])[0], row, players, tuple(notes))

    def _completed(self, default: Config) -> tuple[Array, Array]:
        """Return the default encoded, and with the middle of their range for what is inactive."""
        space = self._explained.space
        x = encode_one(space, default, "default")
        middle = space.from_latent(np.full((1, len(space)), 0.5))[0]
        optional = np.array([p.optional is not None for p in space.parameters])
        return x, np.where(np.isnan(x) & ~optional, middle, x)

    def spread(self, default: Config) -> Array:
        """Return how much each hyperparameter alone moves the prediction from a default, (d,).

        A standard deviation over the space's measure; NaN where it cannot matter.
        """
        space, row = self._explained.space, self._completed(default)[1]
        columns = np.flatnonzero(relevant(self._explained.game))
        alone = np.zeros((len(columns), len(space)), dtype=bool)
        alone[np.arange(len(columns)), columns] = True
        sample = space.sample(_START, seed=self._seed, latent=True)
        found = np.full(len(space), np.nan)
        found[columns] = predicted_in_coalitions(self._surrogate, row, sample, alone).std(axis=0)
        return found

    # ------------------------------------------------------------------ their uncertainty

    def _weights(self, table: _Table) -> Array:
        """Return the weights of the coalitions in the values of all sets, and in the whole."""
        whole = np.zeros((1, len(table.free)))
        whole[0, 0] -= 1.0
        whole[0, -1] += 1.0
        return np.vstack([table.weights(self._order, self._index), whole])

    def _known(
        self, table: _Table, values: Array, rows: Array, reference: Array | None = None
    ) -> _Known | None:
        """Return how uncertain coalitions' values are, which are differences of predictions.

        They are those at a row of each coalition minus those at another, or at the default's. The
        signs do not matter to their covariance.
        """
        weights, m = self._weights(table), len(rows)
        few = m <= 2**_MANY
        # the covariance of all coalitions, or of sets alone where there are too many coalitions
        asked = np.eye(m) if few else weights
        if reference is None:
            asked = asked - np.outer(asked.sum(axis=1), np.arange(m) == 0)
        else:
            asked, rows = np.hstack([asked, -asked]), np.vstack([rows, reference])
        X = self._surrogate.space.project(rows)
        key = np.nan_to_num(X, nan=-1.0)
        _, first, which = np.unique(key, axis=0, return_index=True, return_inverse=True)
        summed = np.zeros((len(asked), len(first)))
        np.add.at(summed.T, which.ravel(), asked.T)
        if few and not isinstance(self._surrogate, SupportsJoint):
            summed = weights @ summed
        sums = sums_under(self._surrogate, X[first], summed)
        if sums is None or sums.covariance is None:
            return None if sums is None else _Known(sums.std[:-1], float(sums.std[-1]))
        covariance = weights @ sums.covariance @ weights.T if few else sums.covariance
        std = std_from_variance(np.diag(covariance))
        n = self._subject.draws or DRAWS
        if few:
            coalitions = normal_draws(values, sums.covariance, n, self._seed).T
            return _Known(std[:-1], float(std[-1]), coalitions @ weights[:-1].T, coalitions)
        phi = weights[:-1] @ values
        drawn = normal_draws(phi, covariance[:-1, :-1], n, self._seed).T
        return _Known(std[:-1], float(std[-1]), drawn)

    def _variance_known(self, table: _Table, values: Array) -> _Known | None:
        """Return how uncertain interactions of variances are, from functions drawn."""
        from scipy.stats.qmc import Sobol

        space, m = self._explained.space, len(table.free)
        n = 2 ** int(np.clip(np.log2(_DRAWN / m), np.log2(_LEAST), np.log2(_SAMPLE)))
        sample = space.from_latent(Sobol(len(space), seed=self._seed).random(n))
        z = np.where(table.free[:, None, :], sample, table.default).reshape(-1, len(space))
        X = space.project(z)
        # functions are drawn near the same configurations, whatever the order of the players
        places = X.reshape(m, n, -1)[in_order(space, table.free)].reshape(X.shape)
        functions = DrawnFunctions.near(
            self._surrogate, places, draws=self._subject.draws, seed=self._seed
        )
        if functions is None:
            return None
        of_draws = functions(X).reshape(m, n, -1).var(axis=1)
        # they tell how far the function may be from its mean, in either direction
        apart = self._weights(table) @ (of_draws[:, 1:] - of_draws[:, :1])
        unit = unit_of(apart)
        std = unit * np.sqrt(((apart / unit) ** 2).mean(axis=1))
        drawn = (self._weights(table) @ values)[:, None] + apart
        coalitions = values[:, None] + of_draws[:, 1:] - of_draws[:, :1]
        return _Known(std[:-1], float(std[-1]), drawn[:-1].T, coalitions.T)

    # ------------------------------------------------------------------ the result

    def _result(
        self, game: Game, table: _Table, trial: int | None, values: Array, known: _Known | None,
        *, half_width: Array | None = None, rows: Array | None = None,
        reference: Array | None = None,
    ) -> GameExplanation:  # fmt: skip
        space = self._explained.space
        names = tuple(tuple(space.names[j] for j in player) for player in table.players)
        order = min(self._order, len(names))
        total = SetValues(
            names,
            sets_up_to(len(names), order) if names else (),
            table.weights(self._order, self._index) @ values,
            half_width,
            None if known is None else known.std,
            None if known is None else known.drawn,
        )
        return GameExplanation(
            subject=self._subject,
            game=game,
            default=table.config,
            default_trial=trial,
            default_prediction=float(
                mean_of(self._surrogate, space.project(table.default[None, :]))[0]
            ),
            index=self._index,
            order=order,
            total=total,
            coalitions=values,
            whole_std=None if known is None else known.whole_std,
            rows=None if rows is None else space.project(rows),
            reference=None if reference is None else space.project(reference),
            drawn=None if known is None else known.coalitions,
            notes=(*table.notes, *self._subject.notes),
        )


def players_of(spread: Array) -> list[list[int]]:
    """Return the columns of each player: where there are too many, those that move least are one.

    Parameters
    ----------
    spread : ndarray of shape (d,)
        As :meth:`GameExplainer.spread` returns it.
    """
    columns = np.flatnonzero(~np.isnan(spread)).tolist()
    if len(columns) <= EXACT_PLAYERS:
        return [[j] for j in columns]
    order = np.argsort(-spread[columns], kind="stable")
    first = sorted(columns[i] for i in order[: EXACT_PLAYERS - 1])
    return [*([j] for j in first), [j for j in columns if j not in first]]


@dataclass(frozen=True, eq=False)
class _Known:
    """Standard deviations of sets' values and of the whole, and draws of sets and coalitions."""

    std: Array
    whole_std: float
    drawn: Array | None = None
    coalitions: Array | None = None


@dataclass(frozen=True, eq=False)
class _Table:
    """A default, encoded with latent values for what is inactive, and its players."""

    config: Config
    default: Array
    players: list[list[int]]
    notes: tuple[Fact, ...]

    @property
    def free(self) -> npt.NDArray[np.bool_]:
        """The columns that are free in every coalition, (2^p, d)."""
        coalitions = all_coalitions(len(self.players))
        free = np.zeros((len(coalitions), len(self.default)), dtype=bool)
        for p, columns in enumerate(self.players):
            free[:, columns] = coalitions[:, [p]]
        return free

    def weights(self, order: int, index: InteractionIndex) -> Array:
        """Return the weights of the coalitions' values, one set after the other."""
        if not self.players:
            return np.zeros((0, 1))
        return interaction_weights(len(self.players), order, index)
