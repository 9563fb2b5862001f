"""A forest fitted again: with larger leaves, and to what the trials might have been."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

from hpo_explain.base.errors import InputError
from hpo_explain.models.protocols import HeldOut, Refits, SupportsBoxes
from hpo_explain.space import Array

_TREES = 8  # of a refit: several refits have as many together as any forest
_FEWEST_LEAVES = 6  # that a tree may have, about: with fewer nothing is left to explain
_PAYS = 0.98  # of the error: larger leaves must lower it by more than chance does


class Refittable(SupportsBoxes, Protocol):
    """What is asked of a forest: members of `ForestSurrogate`, which cannot be imported here."""

    @property
    def forest(self) -> Any: ...
    @property
    def data(self) -> tuple[Array, Array] | None: ...
    def predict(self, X: Array) -> tuple[Array, Array]: ...
    def held_out(self) -> HeldOut: ...
    def refitted(self, X: Array, y: Array, **settings: Any) -> Any: ...
    def with_leaves(self, size: int) -> tuple[HeldOut, Callable[[], Any]]: ...


T = TypeVar("T", bound=Refittable)


def data_of(forest: Refittable) -> tuple[Array, Array]:
    if forest.data is None:
        raise InputError(
            "data",
            "was not given to this ForestSurrogate, so it cannot be fitted again",
            None,
            "Pass data=(X, y), the rows and objectives the forest was fitted on.",
        )
    return forest.data


def _error(held_out: HeldOut) -> float:
    """Return the mean square of the held-out residuals."""
    if not len(held_out.observed):
        return 0.0
    return float(np.mean((held_out.observed - held_out.mean) ** 2))


def tuned(forest: T) -> T:
    """Return the forest with the size of leaves that predicts held-out trials best."""
    _, y = data_of(forest)
    best: Callable[[], T] | None = None
    lowest = _error(forest.held_out())
    size = 2 * int(forest.forest.min_samples_leaf)
    while size * _FEWEST_LEAVES <= len(y):
        held_out, fit = forest.with_leaves(size)
        error = _error(held_out)
        if error > lowest:
            break
        if error < _PAYS * lowest:
            best, lowest = fit, error
        size *= 2
    return forest if best is None else best()


def refits(forest: Refittable, n: int, seed: int) -> Refits:
    """Return forests fitted to redrawn noise, and to redrawn trials."""
    X, y = data_of(forest)
    rng = np.random.default_rng(seed)
    trees = min(_TREES, len(forest.forest.estimators_))
    held_out = forest.held_out()
    residuals = held_out.observed - held_out.mean
    residuals = residuals - residuals.mean() if len(residuals) else np.zeros(1)
    predicted = forest.predict(X)[0]
    states = rng.integers(2**31, size=2 * n)
    noise = [
        forest.refitted(
            X,
            predicted + rng.choice(residuals, len(y)),
            n_estimators=trees,
            random_state=int(state),
        )
        for state in states[:n]
    ]
    drawn = [rng.integers(len(y), size=len(y)) for _ in range(n)]
    again = [
        forest.refitted(X[rows], y[rows], n_estimators=trees, random_state=int(state))
        for rows, state in zip(drawn, states[n:], strict=True)
    ]
    return Refits(tuple(noise), tuple(again))
