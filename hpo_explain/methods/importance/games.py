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
from typing import cast

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_count, check_option, check_seed
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import unit_of
from hpo_explain.base.options import INDICES, Direction, Game, InteractionIndex
from hpo_explain.base.phrases import listed
from hpo_explain.base.progress import shows_progress, steps
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.belief.decide import STRETCH
from hpo_explain.belief.drawn import Draws, as_draws
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
from hpo_explain.methods.importance.set_values import SetValues
from hpo_explain.methods.importance.sets_result import (
    PLAY_AS_ONE,
    GameExplanation,
)
from hpo_explain.models.protocols import Surrogate, mean_of
from hpo_explain.question.explained import Explained, PredictedObjective
from hpo_explain.space import Array, Config, encode_one
from hpo_explain.space.searches import filled
from hpo_explain.space.sobol import sobol

_COMPLETED = declared_fact(
    "default_completed",
    "{which} have no value in the default: where a coalition activates them, "
    "they have the middle of their range",
    which=lambda told: listed(list(told.names), 6),
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
_ROUNDED = 1e-12  # of the largest cost: less is no difference
_LEAST, _MOST = 16, 1024  # configurations of a variance of draws
_AT_ONCE = 8192


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
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> found = hx.methods.GameExplainer(surrogate).tunability({"x": 0.5, "y": 0.5})
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
            PredictedObjective(
                surrogate, subject.direction if subject else direction
            )
            if isinstance(surrogate, Surrogate)
            else surrogate
        )
        self._surrogate = surrogate
        self._explained = explained
        self._belief = as_draws(surrogate, explained.direction, seed=seed)
        self._subject = explained.completed(subject)
        self._index = cast(
            InteractionIndex, check_option("index", index, INDICES)
        )
        self._order = check_count("order", order)
        self._players = (
            None if players is None else [list(player) for player in players]
        )
        self._seed = check_seed(seed)

    @property
    def subject(self) -> Subject:
        """What is explained."""
        return self._subject

    @shows_progress
    def tunability(
        self, default: Config, *, trial: int | None = None
    ) -> GameExplanation:
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
    def mistunability(
        self, default: Config, *, trial: int | None = None
    ) -> GameExplanation:
        """Return what the worst values of every set of hyperparameters lose (gains below 0).

        Arguments are those of :meth:`tunability`.
        """
        return self._searched("mistunability", default, trial, -1.0)

    @shows_progress
    def sensitivity(
        self, default: Config, *, trial: int | None = None
    ) -> GameExplanation:
        """Return how much the prediction varies with every set of hyperparameters.

        Arguments are those of :meth:`tunability`.
        """
        table = self._table(default)
        if self._belief is not None:
            return self._result(
                "sensitivity", table, trial, self._drawn_variances(table)
            )
        from scipy.stats import t

        space = self._explained.space
        n = _SAMPLE if len(table.players) <= _MANY else _SAMPLE_OF_MANY
        seeds = np.random.default_rng(self._seed).integers(2**31, size=_SETS)
        values_of_set = []
        for seed in steps(seeds, "samples"):
            # scrambled anew: independent sets, each much more even than a random one
            rows = space.from_latent(sobol(len(space), n, int(seed)))
            mean = predicted_in_coalitions(
                self._surrogate, table.default, rows, table.free
            )
            values_of_set.append(mean.var(axis=0))
        by_set = np.stack(values_of_set)
        values = by_set.mean(axis=0)
        unit = unit_of(by_set)  # squares of variances may overflow
        phi = by_set / unit @ table.weights(self._order, self._index).T
        half = (
            t.ppf(0.975, _SETS - 1)
            * phi.std(axis=0, ddof=1)
            * unit
            / np.sqrt(_SETS)
        )
        return self._result(
            "sensitivity", table, trial, values, half_width=np.asarray(half)
        )

    def _drawn_variances(self, table: _Table) -> Array:
        """Return the variance of each draw in every coalition, (k, m)."""
        belief, free = cast(Draws, self._belief), table.free
        n = 2 ** int(
            np.clip(
                np.log2(_DRAWN / len(free)), np.log2(_LEAST), np.log2(_MOST)
            )
        )
        rows, at_once = belief.landscape.latent[:n], max(1, _AT_ONCE // n)
        found = []
        for first in steps(range(0, len(free), at_once), "batches"):
            own = free[first : first + at_once, None]
            z = np.where(own, rows, table.default).reshape(
                -1, len(table.default)
            )
            costs = belief.costs(belief.space.project(z)).astype(float)
            found.append(costs.reshape(len(costs), -1, n).var(axis=2))
        return np.concatenate(found, axis=1)

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
        own = np.vstack(
            [table.default, filled(space, self._subject.tried, self._seed)]
        )
        them = np.vstack(
            [own, *(filled(space, np.asarray(X), self._seed) for X in others)]
        )
        if self._belief is not None:
            belief = self._belief
            reached, own_rows = least_of_tried(
                belief, table.default, table.free, own
            )
            if len(others):
                best, rows = least_of_tried(
                    belief, table.default, table.free, them
                )
            else:
                best, rows = least_of_draws(
                    belief, table.default, table.free, 1.0
                )
            return self._result(
                "optimizer_bias",
                table,
                trial,
                np.minimum(best, reached) - reached,
                rows=own_rows,
                reference=rows,
            )
        own_cost, own_rows = at_best_of(
            table.default, own, self._costs(table, own), table.free
        )
        if len(others):
            cost, rows = at_best_of(
                table.default, them, self._costs(table, them), table.free
            )
        else:
            cost, rows = self._search(table, 1.0)
            better = own_cost <= cost + _ROUNDED * np.abs(cost).max()
            cost, rows = (
                np.where(better, own_cost, cost),
                np.where(better[:, None], own_rows, rows),
            )
        values = cost - own_cost
        return self._result(
            "optimizer_bias",
            table,
            trial,
            values,
            rows=own_rows,
            reference=rows,
        )

    # ------------------------------------------------------------------ the values of coalitions

    def _searched(
        self, game: Game, default: Config, trial: int | None, sign: float
    ) -> GameExplanation:
        """Return the game of the best (sign 1) or the worst (sign -1) of every coalition."""
        table = self._table(default)
        if self._belief is None:
            cost, rows = self._search(table, sign)
        else:
            cost, rows = least_of_draws(
                self._belief, table.default, table.free, sign
            )
        return self._result(
            game, table, trial, sign * (cost[..., :1] - cost), rows=rows
        )

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
            space,
            table.default,
            rows,
            sign * self._costs(table, rows),
            table.free,
            seed=self._seed,
        )

    def _costs(self, table: _Table, rows: Array) -> Array:
        """Return the costs of rows in every coalition, (n, m)."""
        mean = predicted_in_coalitions(
            self._surrogate, table.default, rows, table.free
        )
        return np.asarray(self._explained.sign * mean)

    def _table(self, default: Config) -> _Table:
        """Return the default with all coalitions; where there are too many, the least play as one.

        What is inactive in the default has the middle of its range where a coalition activates it.
        """
        space = self._explained.space
        x, row = self._completed(default)
        players = (
            players_of(self.spread(default))
            if self._players is None
            else self._players
        )
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
        found[columns] = predicted_in_coalitions(
            self._surrogate, row, sample, alone
        ).std(axis=0)
        return found

    # ------------------------------------------------------------------ the result

    def _result(
        self,
        game: Game,
        table: _Table,
        trial: int | None,
        values: Array,
        *,
        half_width: Array | None = None,
        rows: Array | None = None,
        reference: Array | None = None,
    ) -> GameExplanation:
        """Return the game of the coalitions' values, (m,), or of those of each draw, (k, m)."""
        drawn, values = (
            (None, values)
            if self._belief is None
            else (values, values.mean(axis=0))
        )
        space = self._explained.space
        names = tuple(
            tuple(space.names[j] for j in player) for player in table.players
        )
        order = min(self._order, len(names))
        weights = table.weights(self._order, self._index)
        total = SetValues(
            names,
            sets_up_to(len(names), order) if names else (),
            weights @ values,
            half_width,
            None if drawn is None else drawn @ weights.T,
            STRETCH["average" if game == "sensitivity" else "attainable"],
        )
        return GameExplanation(
            subject=self._subject,
            game=game,
            default=table.config,
            default_trial=trial,
            default_prediction=float(
                mean_of(
                    self._surrogate, space.project(table.default[None, :])
                )[0]
            ),
            index=self._index,
            order=order,
            total=total,
            coalitions=values,
            rows=None if rows is None else space.project(rows),
            reference=None if reference is None else space.project(reference),
            drawn=drawn,
            noise=0.0 if self._belief is None else self._belief.noise_std,
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
