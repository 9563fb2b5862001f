"""What the profiler says of configurations that were not tried: the value, and the chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.claims.asked import Asked, Scored, covers
from tests.claims.decided import predicted, row_to_keep, what_counts

CONFIGS = 16  # drawn from the space, and as many next to the trial to keep


def what_if(asked: Asked) -> Iterator[Scored]:
    """Whether intervals hold the objective, and how good chances of a better one are."""
    run, problem, slack = asked.run, asked.problem, asked.slack
    if problem.spread <= 0.0:
        return
    space, keep = run.space, row_to_keep(run)
    enough = what_counts(run)
    uniform = space.sample(CONFIGS, seed=1)
    # moves as people make them: one value of the trial to keep
    moved = np.repeat(keep[None], CONFIGS, axis=0)
    for i, row in enumerate(space.sample(CONFIGS, seed=2)):
        j = i % len(space)
        moved[i, j] = keep[j] if np.isnan(keep[j]) else row[j]
    near = space.project(moved)
    for kind, rows in (("space", uniform), ("next to keep", near)):
        rows = rows[space.is_valid(rows)]
        configs = space.decode(rows)
        counts = asked.gives_result(configs) if configs else []
        each = zip(configs, counts, predicted(run, rows), strict=True)
        for config, count, (ends, better) in each:
            if not count:
                continue
            cost = problem.cost_of(config)
            yield Scored(
                f"what if: {kind}",
                covered=covers(ends, asked.sign * cost, slack),
                width=np.ptp(ends) / problem.spread,
                stated=better,
                known=float(cost < asked.kept_cost - enough),
            )
