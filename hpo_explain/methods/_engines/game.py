"""The game of an acquisition function: who plays, and the Shapley values over hypercubes.

Symbols as in `shapley`: x the explained row, b a background row, S a coalition, v the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hpo_explain.base import Fact, InputError, Option, counted, fact, steps
from hpo_explain.methods._engines.coalitions import (
    EXACT_PLAYERS,
    all_coalitions,
    kernel_shap,
    shapley_weights,
)
from hpo_explain.methods._engines.orders import (
    COMPOSED_ROWS,
    columns_of,
    crossed_in_coalitions,
    terms_at,
    walked_shapley,
    with_shares,
)
from hpo_explain.models import (
    Acquisition,
    Split,
    SupportsDensities,
    SupportsRelevance,
    SurrogateBased,
)
from hpo_explain.space import Array, Bools, Ints

LEAST_WALKED = 8  # players: with fewer, all coalitions are hardly more than a few orders
LEAST_WALKS = 100  # orders, however few background rows there are


@dataclass(frozen=True, eq=False)
class CoalitionGame:
    """The game in which hyperparameters earn what the explained row's acquisition gains.

    Attributes
    ----------
    acquisition : Acquisition
        The utility.
    x : ndarray of shape (d,)
        The explained row, encoded.
    players : ndarray of int
        The columns of the hyperparameters that take part.
    estimator : {"auto", "exact", "kernel"}
        How coalitions are valued.
    seed : int
        Seed of sampled coalitions.
    absent : tuple of int
        Columns that have no value in `x` although they may be active: they keep the background's.
    grows : bool
        Whether the background grows until contributions are precise enough: then its rows differ
        more than orders do, and few orders of each row are walked from eight players on.
    """

    acquisition: Acquisition
    x: Array
    players: Ints
    estimator: str
    seed: int
    absent: tuple[int, ...] = ()
    grows: bool = False

    @classmethod
    def of(
        cls,
        acquisition: Acquisition,
        x: Array,
        *,
        estimator: str,
        seed: int,
        absent: tuple[int, ...] = (),
        grows: bool = False,
    ) -> CoalitionGame:
        """Return the game at a row, in which only hyperparameters that can matter play."""
        players = _players(acquisition, x, absent)
        return cls(acquisition, x, players, estimator, seed, absent, grows)

    def explained(self, background: Array) -> Array:
        """Return the latent rows of which the explained row's acquisition is the mean.

        The row itself; where it has no value of all that may be active, it completed by each
        background row.
        """
        if not self.absent:
            return self.x[None, :]
        rows = np.array(background)
        rows[:, self.players] = self.x[self.players]
        return rows

    @property
    def walks_orders(self) -> bool:
        """Whether orders are walked in place of all coalitions."""
        if self.estimator != "auto":
            return False
        values_coalitions = isinstance(self.acquisition, SupportsDensities)
        if self._too_many:
            return self.grows or values_coalitions
        many = len(self.players) >= LEAST_WALKED
        return self.grows and many and not values_coalitions

    @property
    def predicted_rows(self) -> int:
        """Number of composed rows that are predicted for each background row; 0 if none is."""
        return 2 * (len(self.players) + 1) if self.walks_orders else 0

    @property
    def _too_many(self) -> bool:
        return any(len(game.players) > EXACT_PLAYERS for game in self.parts() or [self])

    def parts(self) -> list[CoalitionGame]:
        """Return the games of which this one is the sum; empty where it is not a sum."""
        if self.estimator == "kernel" or not isinstance(self.acquisition, SupportsDensities):
            return []
        acquisitions = self.acquisition.parts()
        if len(acquisitions) < 2:
            return []
        return [
            replace(self, acquisition=part, players=_players(part, self.x, self.absent))
            for part in acquisitions
        ]

    def shapley(self, cubes: list[Array]) -> tuple[Array, Fact]:
        """Return Shapley values (hypercube, player, column), and how they came about.

        The columns are those of `columns_of`.

        Raises
        ------
        ValueError
            If the estimator is "exact" where that is not possible.
        """
        n, columns = len(self.players), columns_of(self.acquisition)
        if n == 0:
            return np.zeros((len(cubes), 0, len(columns))), fact(
                "no hyperparameter can matter here"
            )
        games = self.parts()
        if games:
            return self._sum_of(games, cubes)
        if self.walks_orders:
            how = fact(f"sampled orders of {n} hyperparameters", sampled=True)
            return self._walked(cubes), how
        if not self._too_many:
            return self._of_all(cubes)
        if self.estimator == "exact":
            raise InputError(
                "estimator",
                f"is 'exact', which needs at most {EXACT_PLAYERS} hyperparameters that can matter "
                f"(there are {n})",
                self.estimator,
                ("Use ", Option("estimator", "kernel"), "."),
            )
        how = fact(f"KernelExplainer, sampled coalitions of {n} hyperparameters", sampled=True)
        return self._sampled(cubes), how

    def _of_all(self, cubes: list[Array]) -> tuple[Array, Fact]:
        """Return Shapley values from those of all coalitions, and how they came about."""
        n, rows = len(self.players), np.vstack(cubes)
        coalitions = all_coalitions(n)
        blocks = self._in_coalitions(coalitions, rows)
        values, crossed = self._averaged(blocks, coalitions, cubes)
        if self.estimator == "kernel":
            games = [partial(_looked_up, of_cube) for of_cube in values]
            phi = np.stack([kernel_shap(game, n) for game in games])
            how = fact(f"KernelExplainer, all {2**n} coalitions")
        else:
            phi = np.asarray(shapley_weights(n) @ values)
            how = fact(f"exact, all {2**n} coalitions")
        return self._shared(phi, crossed), how

    def _sampled(self, cubes: list[Array]) -> Array:
        """Return Shapley values from coalitions that KernelExplainer draws."""
        # other coalitions for every hypercube: the interval then covers their choice as well
        rng = np.random.default_rng(self.seed)
        phi = np.stack(
            [
                kernel_shap(
                    partial(self._over_one, cube), len(self.players), seed=int(rng.integers(2**31))
                )
                for cube in cubes
            ]
        )
        if not isinstance(self.acquisition, Split):
            return phi
        # drawn coalitions are hardly ever pairs, of which one has a player more: walks are
        shares = self._walked(cubes)[..., -2:]
        return self._shared(phi, shares[..., 0] - shares[..., 1])

    def values(self, coalitions: Bools, cubes: list[Array]) -> Array:
        """Return v (hypercube, coalition, term)."""
        return np.stack([self._over_one(cube, coalitions) for cube in cubes])

    def _over_one(self, cube: Array, coalitions: Bools) -> Array:
        """Return v (coalition, term) over one hypercube."""
        terms = [terms for _, terms in self._in_coalitions(coalitions, cube)]
        return np.column_stack(
            [
                np.concatenate([block[name] for block in terms]).mean(axis=0)
                for name in self.acquisition.term_names
            ]
        )

    def _walked(self, cubes: list[Array]) -> Array:
        # of few rows each is walked in several orders
        times = -(-LEAST_WALKS // sum(map(len, cubes)))
        rows = [np.tile(cube, (times, 1)) for cube in cubes]
        return walked_shapley(self.acquisition, self.x, self.players, rows, seed=self.seed)

    def _shared(self, phi: Array, crossed: Array) -> Array:
        """Return Shapley values of the terms with the shares of a split."""
        if not isinstance(self.acquisition, Split):
            return phi
        return with_shares(phi, crossed, self.acquisition.own)

    def _sum_of(self, games: list[CoalitionGame], cubes: list[Array]) -> tuple[Array, Fact]:
        """Return Shapley values as the sum of those of the parts, and how they came about."""
        phi = np.zeros((len(cubes), len(self.players), len(self.acquisition.term_names)))
        players, terms = self.players.tolist(), self.acquisition.term_names
        for part in steps(games, "games"):
            rows = [players.index(j) for j in part.players.tolist()]
            columns = [terms.index(t) for t in part.acquisition.term_names]
            place = np.ix_(range(len(cubes)), rows, columns)
            phi[place] += part.shapley(cubes)[0]
        most = max(len(part.players) for part in games)
        if most <= 1:
            return phi, fact("exact, hyperparameter by hyperparameter")
        sampled = most > EXACT_PLAYERS
        how = "sampled" if sampled else "exact"
        of_games = f"a sum of {counted(len(games), 'game')} of at most {most} hyperparameters"
        return phi, fact(f"{how}, as {of_games}", sampled=sampled)

    def _averaged(
        self,
        blocks: Iterator[tuple[slice, dict[str, Array]]],
        coalitions: Bools,
        cubes: list[Array],
    ) -> tuple[Array, Array]:
        """Return v (hypercube, coalition, term), and D of a split (hypercube, player)."""
        acquisition, n = self.acquisition, len(self.players)
        names = acquisition.term_names
        sizes = np.array([len(b) for b in cubes])
        cube = np.repeat(np.arange(len(cubes)), sizes)
        values = np.zeros((len(cubes), len(coalitions), len(names)))
        crossed = np.zeros((len(cubes), n))
        for rows, terms in blocks:
            here = cube[rows]
            share = np.zeros((len(cubes), len(here)))
            share[here, np.arange(len(here))] = 1.0 / sizes[here]
            for t, name in enumerate(names):
                values[:, :, t] += share @ terms[name]
            if isinstance(acquisition, Split):
                crossed += share @ crossed_in_coalitions(acquisition, terms, n)
        return values, crossed

    def _in_coalitions(
        self, coalitions: Bools, rows: Array
    ) -> Iterator[tuple[slice, dict[str, Array]]]:
        """Yield the terms in coalitions for some of the background rows, each (rows, coalitions).

        Every row is composed, which any acquisition allows, unless it knows a way of its own.
        """
        if self.estimator != "kernel" and isinstance(self.acquisition, SupportsDensities):
            terms = self.acquisition.coalition_terms(self.x, rows, self.players, coalitions)
            if terms is not None:
                yield slice(0, len(rows)), terms
                return
        players, shape = self.players, (-1, len(coalitions))
        at_once = max(1, COMPOSED_ROWS // len(coalitions))
        for a in steps(range(0, len(rows), at_once), "batches"):
            some = slice(a, min(a + at_once, len(rows)))
            z = np.repeat(rows[some, None, :], len(coalitions), axis=1)
            z[:, :, players] = np.where(coalitions, self.x[players], z[:, :, players])
            terms = terms_at(self.acquisition, z.reshape(-1, len(self.x)))
            yield some, {name: v.reshape(shape) for name, v in terms.items()}


def _looked_up(values: Array, coalitions: Bools) -> Array:
    """Return the values of coalitions, from those of all in the order of `all_coalitions`."""
    return values[coalitions @ (1 << np.arange(coalitions.shape[1]))]


def _players(acquisition: Acquisition, x: Array, absent: tuple[int, ...]) -> Ints:
    """Return the columns that take part.

    Active hyperparameters do, and optional ones left out by choice; not those of a single value,
    nor those without a value that may be active, nor those on which the acquisition or its
    surrogate cannot depend.
    """
    space = acquisition.space
    present = ~np.isnan(x)
    for j, parameter in enumerate(space.parameters):
        if parameter.optional < 1.0:
            present[j] |= bool(space.allowed(x[None, :], j)[0])
    present[list(absent)] = False
    return space.order[(present & relevant(acquisition))[space.order]]


def relevant(acquisition: Acquisition) -> Bools:
    """Return for each column whether an acquisition can depend on it, (d,).

    As it says itself, else as its surrogate does; not on a hyperparameter of a single value, but on
    the parents of one that matters, as they switch it on and off.
    """
    space = acquisition.space
    matters = np.array([p.size != 1 or p.optional < 1.0 for p in space.parameters])
    if isinstance(acquisition, SupportsRelevance):
        matters &= acquisition.relevant()
    elif isinstance(acquisition, SurrogateBased):
        surrogate = acquisition.surrogate
        if isinstance(surrogate, SupportsRelevance):
            matters &= surrogate.relevant()
    for j in reversed(space.parents_first):
        if matters[j]:
            matters[[parent for parent, _ in space.conditions[j]]] = True
    return matters
