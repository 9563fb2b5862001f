"""Results of a functional ANOVA whose shares are given, for the tests of their plots."""

from dataclasses import replace
from itertools import combinations

import numpy as np

import hpo_explain as hx


def shares_of(shares, *, names=None, activity=None, totals=None, **changes):
    """Return a result with these shares.

    `shares` maps positions of hyperparameters to one share per tree; pairs that are not in it
    have the share 0. `activity` and `totals` (one for all trees) go by position.
    """
    d = 1 + max(j for u in shares for j in u)
    order = max(len(u) for u in shares)
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(8, seed=0)
    result = hx.importance(hx.Run(space, X, X[:, 0], "minimize"), n_trees=2)
    members = [u for size in range(1, order + 1) for u in combinations(range(d), size)]
    n_trees = len(next(iter(shares.values())))
    found = replace(
        result,
        **{
            "names": tuple(names or (f"x{j}" for j in range(d))),
            "order": order,
            "members": tuple(members),
            "shares": np.array([shares.get(u, [0.0] * n_trees) for u in members]).T,
            "variances": np.ones(n_trees),
            "axes": tuple(
                replace(result.axes[0], activity=(activity or {}).get(j, 1.0)) for j in range(d)
            ),
            "objective_name": "loss",
            **changes,
        },
    )
    # Worked out from the boxes of a forest, which there is not.
    known = None if totals is None else np.tile([totals[j] for j in range(d)], (n_trees, 1))
    vars(found)["totals"] = known
    return found


def one_tree(*singles, **options):
    """Return a result of one tree with these shares of single hyperparameters."""
    return shares_of({(j,): [share] for j, share in enumerate(singles)}, **options)
