"""How well the objective is known: trust's R², and the noise of one evaluation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import hpo_explain as hx
from tests.claims.asked import Asked, Scored, covers

MEASURABLE = 0.1  # of median minus best: from there on noise can be known within a factor of two
FACTOR = 2.0
ROWS = 2000
R2_SLACK = 0.05


def trust(asked: Asked) -> Iterator[Scored]:
    """Return what trust says of R² over the space, beside the truth."""
    problem, run = asked.problem, asked.run
    if not problem.is_whole or problem.is_constant or problem.asked is not None:
        return
    r2 = r2_of(asked)
    found = hx.trust(run)
    covered = covers(found.r2_interval, r2, R2_SLACK)
    yield Scored(f"trust {found.level}", covered=covered, stated=found.r2, known=r2)


def r2_of(asked: Asked) -> float:
    """Return the true R² of the model over the space."""
    problem, run = asked.problem, asked.run
    rows = problem.space.sample(ROWS, seed=7)
    truth = problem.cost(rows)
    own = rows
    if asked.setting.sampler == "skopt":
        own = run.space.encode(problem.space.decode(rows))
    mean = asked.sign * run.belief().predict(own)[0]
    return 1.0 - float(((truth - mean) ** 2).mean() / truth.var())


def noise(asked: Asked) -> Iterator[Scored]:
    """Return the noise of one evaluation beside the truth; where it is not settled its upper end.

    What is told as "at most" is right up to there.
    """
    found, known = asked.run.belief().noise, asked.noise
    if not found.settled:
        yield Scored("noise at most", right=known <= found.upper, stated=found.upper, known=known)
    measurable = known > 0.0 and known >= MEASURABLE * asked.problem.spread
    ratio = found.estimate / known if known > 0.0 else np.inf
    yield Scored(
        "noise" if measurable else "small noise",
        right=bool(1.0 / FACTOR <= ratio <= FACTOR) if measurable else None,
        covered=covers((found.lower, found.upper), known) if found.settled else None,
        stated=found.estimate,
        known=known,
    )
