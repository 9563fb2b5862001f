"""What the page's panel says of configurations that were not tried: the value, and the chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hpo_explain.belief import STRETCH, interval
from hpo_explain.question import RunDecision
from tests.claims.asked import Asked, Scored, covers

CONFIGS = 16  # drawn from the space, and as many next to the trial to keep


def what_if(asked: Asked) -> Iterator[Scored]:
    """Whether intervals hold the objective, and how good chances of a better one are."""
    run, problem, slack = asked.run, asked.problem, asked.slack
    decision = RunDecision.of(run)
    if decision is None or problem.spread <= 0.0:
        return
    space = run.space
    keep = decision.row_to_keep
    uniform = space.sample(CONFIGS, seed=1)
    # moves as people make them: one control of the trial to keep
    moved = np.repeat(keep[None], CONFIGS, axis=0)
    for i, row in enumerate(space.sample(CONFIGS, seed=2)):
        j = i % len(space)
        moved[i, j] = keep[j] if np.isnan(keep[j]) else row[j]
    near = space.project(moved)
    for kind, rows in (("space", uniform), ("next to keep", near)):
        rows = rows[space.is_valid(rows)]
        configs = space.decode(rows)
        counts = asked.gives_result(configs) if configs else []
        objective = run.sign * run.belief().costs(rows)
        kept = run.sign * run.belief().costs(keep[None])
        better = (run.sign * (kept - objective) > 0.0).mean(axis=0)
        for i in np.flatnonzero(counts):
            cost = problem.cost_of(configs[i])
            ends = interval(objective[:, i], stretch=STRETCH["average"])
            truth = asked.sign * cost
            yield Scored(
                f"what if: {kind}",
                covered=covers(ends, truth, slack),
                width=np.ptp(ends) / problem.spread,
                stated=better[i],
                known=float(cost < asked.kept_cost),
            )
