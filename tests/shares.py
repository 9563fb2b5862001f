"""Results of a functional ANOVA whose shares are given, for the tests of their plots and words."""

from itertools import combinations

import numpy as np

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.methods.importance.fanova_of_forest import ForestImportance
from hpo_explain.methods.importance.fanova_result import Axis


def shares_of(
    shares,
    *,
    names=None,
    activity=None,
    totals=None,
    objective_name="loss",
    direction="minimize",
    **changes,
):
    """Return a result with these shares.

    `shares` maps positions of hyperparameters to one share per tree; pairs that are not in it
    have the share 0. `activity` and `totals` (one for all trees) go by position.
    """
    d = 1 + max(j for u in shares for j in u)
    order = max(len(u) for u in shares)
    names = list(names or (f"x{j}" for j in range(d)))
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    members = [u for size in range(1, order + 1) for u in combinations(range(d), size)]
    n_trees = len(next(iter(shares.values())))
    grid = np.linspace(0.0, 0.9, 4)
    fields = {
        "subject": Subject(space, direction, objective_name),
        "order": order,
        "members": tuple(members),
        "shares": np.array([shares.get(u, [0.0] * n_trees) for u in members]).T,
        "variances": np.ones(n_trees),
        "axes": tuple(Axis(tuple(grid), grid, (activity or {}).get(j, 1.0)) for j in range(d)),
        "boxes": (),
    }
    found = ForestImportance(**{**fields, **changes})
    if totals is not None:  # as if they had been asked for
        vars(found)["totals"] = np.tile([totals[j] for j in range(d)], (n_trees, 1))
    return found


def one_tree(*singles, **options):
    """Return a result of one tree with these shares of single hyperparameters."""
    return shares_of({(j,): [share] for j, share in enumerate(singles)}, **options)
