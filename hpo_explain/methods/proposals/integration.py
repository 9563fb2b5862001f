"""Shapley values with the error of integrating over a background, or of drawing orders."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hpo_explain.base import Fact, counted, fact
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods._engines.orders import sampled_shapley
from hpo_explain.methods.proposals.reference import Reference
from hpo_explain.space import Array, Config, Ints

FIRST_ROWS = 200  # of a background that grows
MOST_ROWS = 2000
MOST_PREDICTED = 50_000  # composed rows: each is predicted
_PLACES = {
    "global": " from the whole space",
    "local": " close to it",
    "hybrid": ", half of them close to it",
    "candidates": ", drawn as the optimizer draws its candidates",
}


@dataclass(frozen=True, eq=False)
class ShapleyEstimate:
    """Shapley values, and how they came about.

    Attributes
    ----------
    phi : ndarray of shape (players, columns)
        The values.
    repetitions : ndarray of shape (repetitions, players, columns)
        Independent ones of which they are the mean; none or one where there are not several.
    background : ndarray of shape (n, d)
        The latent rows that they are compared with.
    how : Fact
        How coalitions were valued.
    notes : tuple of Fact
        What else is said.
    """

    phi: Array
    repetitions: Array
    background: Array
    how: Fact
    notes: tuple[Fact, ...] = ()

    @classmethod
    def over(
        cls, cubes: list[Array], by_cube: Array, how: Fact, notes: tuple[Fact, ...] = ()
    ) -> ShapleyEstimate:
        """Return the mean over the rows of hypercubes."""
        phi = np.average(by_cube, axis=0, weights=[len(b) for b in cubes])
        return cls(phi, by_cube, np.vstack(cubes), how, notes)

    def of_all(self, players: Ints, d: int) -> ShapleyEstimate:
        """Return it by hyperparameter, of which those that are no players contribute nothing."""
        phi = np.zeros((d, self.phi.shape[1]))
        phi[players] = self.phi
        repetitions = np.zeros((len(self.repetitions), *phi.shape))
        repetitions[:, players] = self.repetitions
        return replace(self, phi=phi, repetitions=repetitions)

    @property
    def degrees_of_freedom(self) -> int:
        """Of t-intervals; 0 where nothing is repeated."""
        return len(self.repetitions) - 1

    def standard_error(self, columns: slice) -> Array:
        """Return the standard error of some columns and of their sum, (players, columns + 1).

        NaN where it is not known.
        """
        return _error(_with_total(self.repetitions[..., columns]))

    def difference_error(self, columns: slice) -> Array:
        """Return the standard errors of differences, (columns + 1, players, players)."""
        values = _with_total(self.repetitions[..., columns])
        each = [_error(values[:, [i]] - values) for i in range(values.shape[1])]
        return np.moveaxis(np.array(each), 2, 0)


def integrated(
    game: CoalitionGame, reference: Reference, config: Config, *, columns: slice, precision: float
) -> ShapleyEstimate:
    """Return Shapley values by hypercubes of a background, of as many rows as needed.

    Of a background that grows until half of the widest 95 % interval of a sum over the `columns` is
    within `precision` of the largest.
    """
    if not reference.grows:
        cubes = reference.cubes(config)
        return ShapleyEstimate.over(cubes, *game.shapley(cubes))
    bound, rows = MOST_ROWS, FIRST_ROWS
    if game.predicted_rows:
        bound = min(bound, max(FIRST_ROWS, MOST_PREDICTED // game.predicted_rows))
    while True:
        cubes = reference.cubes(config, rows)
        by_cube, how = game.shapley(cubes)
        width = _relative_half_width(by_cube[..., columns].sum(axis=2))
        if width <= precision or rows >= bound:
            break
        # the error falls with the root of the rows, or with them where effects are additive
        needed = 1.2 * rows * (width / precision) ** 1.5
        rows = int(min(bound, max(2 * rows, needed)))
    most = "" if width <= precision else ", the most that are drawn"
    grown = fact(
        f"it is compared with {counted(rows, 'configuration')}{_PLACES[reference.place]}{most}; "
        f"averaging over them leaves an error of up to {width:.1%} of the largest contribution "
        "(95 % intervals)"
    )
    return ShapleyEstimate.over(cubes, by_cube, how, (grown,))


def sampled(
    game: CoalitionGame, reference: Reference, config: Config, *, orders: int
) -> ShapleyEstimate:
    """Return Shapley values by draws of background rows and orders."""
    background = np.vstack(reference.cubes(config))
    by_draw = sampled_shapley(
        game.acquisition, game.x, game.players, background, orders=orders, seed=game.seed
    )
    how = fact(f"sampling, {orders} draws of a background row and an order")
    return ShapleyEstimate(by_draw.mean(axis=0), by_draw, background, how)


def _with_total(repetitions: Array) -> Array:
    """Return contributions with their sum over the columns in a last one."""
    total = repetitions.sum(axis=2, keepdims=True)
    return np.concatenate([repetitions, total], axis=2)


def _error(repetitions: Array) -> Array:
    """Return the standard error of means over independent repetitions, the first axis."""
    if len(repetitions) < 2:
        return np.full(repetitions.shape[1:], np.nan)
    spread = repetitions.std(axis=0, ddof=1)
    return spread / np.sqrt(len(repetitions))


def _relative_half_width(totals: Array) -> float:
    """Return the widest half 95 % interval of totals (hypercube, player) by the largest total."""
    from scipy.special import stdtrit

    largest = np.abs(totals.mean(axis=0)).max(initial=0.0)
    if largest == 0.0:
        return 0.0
    half = stdtrit(len(totals) - 1, 0.975) * _error(totals)
    return float(half.max() / largest)
