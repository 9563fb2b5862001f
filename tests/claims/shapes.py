"""Regions of another shape: whether what a split explains counts, or shapes are all the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import hpo_explain as hx
from tests.claims.asked import Asked, Scored, covers
from tests.claims.problem import Problem
from tests.claims.shares import INTERACTS, MATTERS, SLACK

MOST = 2  # hyperparameters of a run that are asked for
ROWS, LEVELS = 1000, 20  # at which the truth is asked


def shapes(asked: Asked) -> Iterator[Scored]:
    """Of some hyperparameters each split that was made, or that none was."""
    problem = asked.problem
    if not problem.is_whole or problem.asked is not None:
        return
    if len(problem.space) < 2:
        return
    if any(p.active_when for p in problem.space.parameters):
        return
    rows = np.random.default_rng(7).choice(problem.rows, ROWS)
    configs = problem.space.decode(rows)
    for j, name in enumerate(problem.space.names[:MOST]):
        result = hx.partial_dependence(asked.run, name, regions=True, criterion="interaction")
        curves = curves_of(problem, j, rows)
        scatter = float(curves.var()) + asked.noise**2
        if scatter == 0.0:
            continue
        curves -= curves.mean(axis=1, keepdims=True)
        apart = float(curves.var(axis=0).mean()) / scatter
        for node, one in splits_of(result):
            inside = np.array([node.holds(config) for config in configs])
            there = np.array([one.holds(config) for config in configs])
            share = explained(curves, there, inside & ~there) / scatter
            yield Scored(
                "shape differs",
                certain=node.gain.certain,
                right=share > INTERACTS,
                covered=covers(node.gain.interval, share, SLACK),
                stated=node.gain.estimate,
                known=share,
            )
        (claim,) = result.claims
        is_same = claim.side == "below"
        yield Scored(
            "shape differs somewhere",
            made=not is_same,
            certain=not is_same and claim.certain,
            right=None if is_same else apart > INTERACTS,
            could=apart > MATTERS,
        )
        yield Scored(
            "shape is the same",
            made=is_same,
            certain=is_same and claim.certain,
            right=apart <= MATTERS,
            could=apart <= MATTERS,
        )


def splits_of(result: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each region that was split, and one of its two parts."""
    first: dict[int, Any] = {}
    for node in result.tree:
        if node.parent is not None:
            first.setdefault(node.parent, node)
    for place, one in first.items():
        yield result.tree[place], one


def curves_of(problem: Problem, j: int, rows: np.ndarray) -> np.ndarray:
    """Return the true cost of rows along a hyperparameter, (number of rows, number of values)."""
    levels = problem.levels[j]
    some = np.linspace(0, len(levels) - 1, min(len(levels), LEVELS))
    curves = []
    for value in levels[some.round().astype(int)]:
        moved = rows.copy()
        moved[:, j] = value
        curves.append(problem.cost(moved))
    return np.stack(curves, axis=1)


def explained(curves: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Return the variance of centred curves that the means of two groups of rows explain."""
    if not (first.any() and second.any()):
        return 0.0
    both = curves[first | second]
    left = sum(side.sum() * curves[side].var(axis=0) for side in (first, second))
    removed = len(both) * both.var(axis=0) - left
    return float(removed.mean() / len(curves))
