"""A part of a search space as a box in encoded rows: what is in it, and its least cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hpo_explain import CategoricalParameter, SearchSpace
from hpo_explain.space import Parameter

SAMPLED = 4096  # rows of a part
STARTS, COPIES = 16, 24
STEPS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)  # of the box's sides
CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class Box:
    """Which encoded values a part of a space has.

    Attributes
    ----------
    space : SearchSpace
        The whole space.
    low, high : ndarray of shape (d,)
        The ends of each hyperparameter; of a category they are not asked.
    codes : tuple of ndarray
        The codes of each category that are left; empty of a number.
    never : ndarray of bool, shape (d,)
        Which hyperparameters are left out since they can not be active.
    """

    space: SearchSpace
    low: np.ndarray
    high: np.ndarray
    codes: tuple[np.ndarray, ...]
    never: np.ndarray

    @classmethod
    def of(cls, space: SearchSpace, part: Iterable[Parameter]) -> Box:
        """Return the box of a part; what the part does not name is whole, or never active."""
        named = {p.name: p for p in part}
        ends, codes, never = [], [], []
        for p in space.parameters:
            kept = named.get(p.name, p)
            never.append(p.name not in named and p.active_when is not None)
            if isinstance(kept, CategoricalParameter):
                codes.append(np.sort(p.encode(list(kept.choices))))
                ends.append((0.0, 1.0))
            else:
                codes.append(np.array([]))
                ends.append(tuple(p.encode([kept.low, kept.high])))
        low, high = np.array(ends).T
        return cls(space, low, high, tuple(codes), np.array(never))

    def kept(self, X: np.ndarray) -> np.ndarray:
        """Return the encoded rows that are in the box."""
        return X[self.holds(X)]

    def holds(self, X: np.ndarray) -> np.ndarray:
        """Return which encoded rows are in the box, (n,)."""
        inside = np.ones(len(X), bool)
        for j, codes in enumerate(self.codes):
            x = X[:, j]
            fits = (x >= self.low[j] - CLOSE) & (x <= self.high[j] + CLOSE)
            if len(codes):
                fits = np.isin(x, codes)
            inside &= np.where(np.isnan(x), True, fits & ~self.never[j])
        return inside

    def sample(self, seed: int = 0) -> np.ndarray:
        """Return encoded rows spread over the box."""
        return self._project(self.space.sample(SAMPLED, seed=seed, latent=True), scaled=True)

    def moved(self, rows: np.ndarray, step: float, rng: np.random.Generator) -> np.ndarray:
        """Return encoded rows with some values changed, by about `step` of the box's sides."""
        moves = rng.normal(0.0, step, rows.shape) * (self.high - self.low)
        moves *= rng.random(rows.shape) < 2.0 / rows.shape[1]
        moves[:, [len(codes) > 0 for codes in self.codes]] = 0.0
        # what was inactive becomes active where its parent is moved
        anywhere = self.low + rng.random(rows.shape) * (self.high - self.low)
        rows = np.where(np.isnan(rows), anywhere, rows)
        return self._project(rows + moves, scaled=False)

    def nearest(self, rows: np.ndarray) -> np.ndarray:
        """Return the configurations in the box that are nearest to encoded rows."""
        return self._project(rows, scaled=False)

    def _project(self, rows: np.ndarray, *, scaled: bool) -> np.ndarray:
        """Return configurations inside: positions scaled into the box, or clipped to it."""
        rows = rows.copy()
        for j, codes in enumerate(self.codes):
            if len(codes):
                rows[:, j] = codes[self._which(j, rows[:, j], scaled)]
                continue
            if scaled:
                rows[:, j] = self.low[j] + rows[:, j] * (self.high[j] - self.low[j])
            rows[:, j] = self._on_grid(j, np.clip(rows[:, j], self.low[j], self.high[j]))
        rows = self.space.project(rows)
        rows[:, self.never] = np.nan
        return rows

    def _which(self, j: int, x: np.ndarray, scaled: bool) -> np.ndarray:
        """Return which of the codes that are left each value stands for."""
        codes = self.codes[j]
        if not scaled:
            return np.abs(x[:, None] - codes).argmin(axis=1)
        if isinstance(self.space.parameters[j], CategoricalParameter):
            return x.astype(int) % len(codes)
        # values of a number
        return np.minimum((x * len(codes)).astype(int), len(codes) - 1)

    def _on_grid(self, j: int, positions: np.ndarray) -> np.ndarray:
        parameter = self.space.parameters[j]
        if parameter.size is None:
            return positions
        known = ~np.isnan(positions)
        moved = positions.copy()
        moved[known] = parameter.nearest(positions[known])
        return np.clip(moved, self.low[j], self.high[j])


def descended(
    cost: Callable[[np.ndarray], np.ndarray],
    moved: Callable[[np.ndarray, float, np.random.Generator], np.ndarray],
    rows: np.ndarray,
) -> np.ndarray:
    """Return the least costs of groups of rows, (G,), whose best ones are moved again and again.

    Parameters
    ----------
    cost : callable
        From encoded rows (n, d) to their costs, infinite where there is no result.
    moved : callable
        From encoded rows, a step and a generator to rows beside them.
    rows : ndarray of shape (G, n, d)
        Where the search starts.
    """
    groups, _, d = rows.shape
    rng = np.random.default_rng(0)
    costs = cost(rows.reshape(-1, d)).reshape(groups, -1)
    for step in STEPS:
        first = np.argsort(costs, axis=1, kind="stable")[:, :STARTS]
        starts = np.take_along_axis(rows, first[..., None], axis=1)
        copies = np.repeat(starts, COPIES, axis=1).reshape(-1, d)
        near = moved(copies, step, rng)
        rows = np.concatenate([starts, near.reshape(groups, -1, d)], axis=1)
        beside = cost(near).reshape(groups, -1)
        costs = np.concatenate([np.take_along_axis(costs, first, axis=1), beside], axis=1)
    return costs.min(axis=1)
