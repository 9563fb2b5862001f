"""The path of ablation from one configuration to another (Fawcett and Hoos 2016).

Every round makes the change that gains most: ``ĝ(θ) - ĝ(θ[j])``, where ĝ is what is explained as a
cost (with surrogates: Biedenkapp et al. 2017), and θ[j] is θ with hyperparameter j as in the
target. A change that would switch on a hyperparameter that has a value in neither configuration
waits for others. Where changes act together, the gain of each depends on the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from hpo_explain.methods.around.changes_result import Step
from hpo_explain.methods.around.mixtures import Mixtures, differing
from hpo_explain.question import Explained
from hpo_explain.space import Array

_MOST_SETS = 1000  # of changes that wait for each other, among which the smallest is looked for
_A_ROUND = 25  # of so many changes that are left, a round makes one


def ablation_path(explained: Explained, changes: Mixtures) -> tuple[Array, tuple[Step, ...]]:
    """Return the rows along the path (k + 1, d), and its k steps.

    A round makes one change; where many are left, several, while all can be made one by one.
    """
    names = changes.space.names
    rows, steps = [changes.x], list[Step]()
    alone = dict[tuple[int, ...], float]()
    done: list[int] = []
    while len(done) < len(changes.columns):
        candidates, after = _next_after(changes, done)
        cost = explained.sign * explained(np.vstack([rows[-1], after]))
        gains = cost[0] - cost[1:]
        alone = alone or dict(zip(candidates, gains.tolist(), strict=True))
        many = len(candidates) // _A_ROUND if len(candidates[0]) == 1 else 1
        for i in np.argsort(-gains, kind="stable")[: max(1, many)].tolist():
            changed = candidates[i]
            row = changes.row([*done, *changed])
            if not changes.space.is_valid(row[None]).all():
                break
            follow = [j for j in differing(rows[-1], row) if j not in changed]
            steps.append(
                Step(
                    tuple(names[j] for j in changed),
                    tuple(names[j] for j in follow),
                    alone.get(changed, np.nan),
                )
            )
            rows.append(row)
            done += changed
    return np.array(rows), tuple(steps)


def _next_after(changes: Mixtures, done: Sequence[int]) -> tuple[list[tuple[int, ...]], Array]:
    """Return what can be changed next, and the rows: single ones, else the smallest sets."""
    left = [j for j in changes.columns if j not in done]
    for size in range(1, len(left)):
        if size > 1 and comb(len(left), size) > _MOST_SETS:
            break
        sets = list(combinations(left, size))
        rows = changes.rows(np.array([np.isin(changes.columns, [*done, *one]) for one in sets]))
        valid = changes.space.is_valid(rows)
        if valid.any():
            return [one for one, there in zip(sets, valid, strict=True) if there], rows[valid]
    return [tuple(left)], changes.row([*done, *left])[None, :]
