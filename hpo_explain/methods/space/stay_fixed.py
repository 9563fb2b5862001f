"""What can stay at a configuration's values, all at once, and leave one near the best.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
θ          the configuration
Θ          rows that may be the best: the least of each draw, and those of least mean
loss(F)    ``min f(Θ with F as in θ) - min f`` of a draw f of the cost
=========  ============================================================================

F can stay fixed if in every draw no more is lost than allowed: with 95 % of the draws one in ten
such sets was wrong, with all of them none of 70. Shares of variance cannot tell this: what explains
little of the whole may decide what is left to gain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hpo_explain.belief.drawn import Draws
from hpo_explain.space import Array, Bools, ranked
from hpo_explain.space.searches import filled

_LEAST_MEAN = 100
_FAILURES = 3  # so many that cannot be added: the others are not looked at


def stay_fixed(
    draws: Draws, x: Array, lose: float, inside: Bools | None = None
) -> tuple[list[int], Array]:
    """Return the columns that can stay fixed, all at once, and what each draw loses by that, (k,).

    Those with a single value are left out, and so is what is inactive there.

    Parameters
    ----------
    draws : Draws
        Functions that the trials allow.
    x : ndarray of shape (d,)
        The encoded configuration.
    lose : float
        What may be lost, in the objective's units.
    inside : ndarray of bool, optional
        Which of the landscape's rows are left; what is lost by that already is not held against F.
    """
    space = draws.space
    loss = _losses(draws, x, inside)
    allowed = np.maximum(lose, loss([]))
    columns = [
        j for j in space.order.tolist() if space.parameters[j].size != 1 and not np.isnan(x[j])
    ]
    fixed, lost, failures = list[int](), np.zeros(len(draws.landscape.least)), 0
    means = np.array([loss([j]).mean() for j in columns])
    for j in [columns[i] for i in ranked(means)]:
        then = loss([*fixed, j])
        if (then <= allowed).all():
            fixed, lost = [*fixed, j], then
        elif (failures := failures + 1) == _FAILURES:
            break
    return sorted(fixed), lost


def _losses(draws: Draws, x: Array, inside: Bools | None) -> Callable[[Sequence[int]], Array]:
    """Return what tells what each draw loses if some columns are as in a configuration."""
    land, space = draws.landscape, draws.space
    some = np.arange(len(land.all_rows)) if inside is None else np.flatnonzero(inside)
    values = land.all_values[:, some]
    best = ranked(values.mean(axis=0))[:_LEAST_MEAN]
    which = np.union1d(best, values.argmin(axis=1))
    rows = np.vstack([x, land.all_rows[some[which]]])
    complete = filled(space, rows, draws.seed)
    alone = draws.costs(x[None])[:, 0]

    def loss(columns: Sequence[int]) -> Array:
        changed = complete.copy()
        changed[:, columns] = x[columns]
        found = np.minimum(draws.costs(space.project(changed)).min(axis=1), alone)
        return np.asarray(np.maximum(found - land.least, 0.0))

    return loss
