"""The recommended space: right, monotone, with the trial to keep, small, and without crashes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

import hpo_explain as hx
from tests.claims.asked import Asked, Scored
from tests.claims.boxes import Box

LOSSES = (0.2, 0.1, 0.05, 0.02, 0.01)
"""What may be lost, as shares of median minus best."""
USUAL = 0.05


def narrowing(asked: Asked) -> Iterator[Scored]:
    """Ask for the space at several losses, the largest first."""
    problem = asked.problem
    if problem.spread <= 0.0:
        return
    found = {loss: hx.recommended_space(asked.run, lose=loss * problem.spread) for loss in LOSSES}
    for loss, result in found.items():
        yield from _at(asked, loss, result)
    volumes = [result.volume for result in found.values()]
    monotone = all(a <= b * (1.0 + 1e-9) for a, b in pairwise(volumes))
    yield Scored("narrowing monotone", right=monotone)


def _at(asked: Asked, loss: float, result: Any) -> Iterator[Scored]:
    problem = asked.problem
    box = Box.of(problem.space, result.space)
    least, rows = problem.best_in(result.space)
    right = bool(least <= problem.best + loss * problem.spread * (1.0 + 1e-9) + 1e-12)
    made = result.volume < 0.999
    certain = made and all(c.certain for c in result.claims if c.kind == "keep")
    near = problem.costs <= problem.best + loss * problem.spread
    yield Scored(
        f"keep at {loss:.0%}",
        made=made,
        certain=certain,
        right=right if made else None,
        could=bool(near.mean() < 0.5),
        width=result.volume,
    )
    inside = bool(box.holds(problem.row_of(asked.kept))[0])
    yield Scored("trial to keep inside", right=inside)
    if loss != USUAL:
        return
    if not problem.is_whole and len(rows):
        crashing = float((~problem.gives_result(rows)).mean())
        yield Scored("box crashes", stated=crashing)
    yield from _fixed(asked, result)


def _fixed(asked: Asked, result: Any) -> Iterator[Scored]:
    """Hyperparameters of which one value is kept."""
    problem = asked.problem
    certain = all(c.certain for c in result.claims if c.kind == "keep")
    for j, p in enumerate(problem.space.parameters):
        if p.name not in result.space.names or p.size == 1 or not problem.has_table:
            continue
        codes = result.space[p.name]
        values = getattr(codes, "choices", None) or {codes.low, codes.high}
        if len(values) > 1:
            continue
        reached = problem.attainable(j)
        at = problem.level(j, float(p.encode(list(values))[0]))
        slack = USUAL * problem.spread
        right = bool(reached[at] <= np.min(reached) + slack)
        yield Scored("fix", certain=certain, right=right, could=True)
