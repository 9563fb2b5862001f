"""Table 2 of Croppi (2021): ablation is unfair where changes act together.

u = θ1 + θ2 θ3 + ε with θ uniform on [0, 1]³ and ε ~ N(0, 0.05²) is minimized; a random forest
learns it from 10,000 configurations. From (½, ½, ½) to (0, 0, 0), θ2 and θ3 gain the same when they
are changed first, but the one that ablation changes last gains almost nothing, since the other one
has taken their common part. Shapley values divide it: exactly (2/3, 1/6, 1/6) of the whole. Which
of the two comes last is decided by the forest's noise.

The thesis's Shapley values compare with the average over the space.

What reproduces the numbers: the forest as it is fitted, its leaves not chosen out of bag; its mean
only (κ = 0); a background of the whole space.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import hpo_explain as hx
from examples.papers.frame import Sheet, experiment

NAMES = ("θ1", "θ2", "θ3")
# ablation in its first round, and the relative contributions of ablation and of Shapley values
PAPER = {"θ1": (0.483, 0.66, 0.66), "θ2": (0.262, 0.31, 0.21), "θ3": (0.258, 0.03, 0.17)}
EXACT = {"θ1": (0.5, 2 / 3, 2 / 3), "θ2": (0.25, 1 / 3, 1 / 6), "θ3": (0.25, 0.0, 1 / 6)}
NOISE = 0.05


def surrogate_of(n: int, seed: int) -> hx.models.ForestSurrogate:
    """Return a forest that learned the thesis's model from n configurations."""
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in NAMES])
    X = space.sample(n, seed=seed, method="uniform")
    noise = np.random.default_rng(seed).normal(0.0, NOISE, n)
    y = X[:, 0] + X[:, 1] * X[:, 2] + noise
    return hx.models.ForestSurrogate.fit(space, X, y, n_trees=64, seed=seed)


def contributions(n: int, seed: int) -> pd.DataFrame:
    """Return relative contributions by hyperparameter.

    Columns: the gain in ablation's first round (`alone`), and the shares of the whole by ablation
    and by Shapley values.
    """
    forest = surrogate_of(n, seed)
    source, target = dict.fromkeys(NAMES, 0.5), dict.fromkeys(NAMES, 0.0)
    ablation = hx.methods.AblationExplainer(forest, direction="minimize").explain(source, target)
    shapley = hx.methods.ShapleyExplainer(
        hx.models.LowerConfidenceBound(forest, kappa=0.0, direction="minimize"),
        background=hx.methods.global_background(forest.space, 3000, seed=seed),
        estimator="exact",
    ).explain(target)
    table = pd.DataFrame(
        {
            "alone": [step.alone for step in ablation.steps],
            "ablation": ablation.gains / ablation.gains.sum(),
        },
        index=[step.names[0] for step in ablation.steps],
    ).loc[list(NAMES)]
    table["shapley"] = pd.Series(shapley.total / shapley.payout["total"], index=shapley.names)
    return table


@experiment(
    "shapleymbo", "table2", "Ablation and Shapley values where changes act together", cells=9
)
def table_2(sheet: Sheet) -> None:
    """Compare several forests with the thesis's one."""
    n = sheet.profile.size(3000, 10_000)
    [tables] = sheet.profile.over_seeds(contributions, [(n,)], 10, 30)
    found = np.array([table.to_numpy() for table in tables])
    # which of θ2 and θ3 comes last is chance: the one that gains more stands second
    later = np.sort(found[:, 1:, 1], axis=1)[:, ::-1]
    found[:, 1:, 1] = later
    columns = ("ablation, round 1", "share by ablation", "share by Shapley values")
    theirs, ours = np.transpose([*PAPER.values()]), np.swapaxes(found, 1, 2)
    # the thesis draws its Shapley values: their shares add up to 1.04
    sheet.numbers(
        "{}, {}",
        [columns, NAMES],
        theirs,
        ours,
        together="all",
        one_draw=True,
        error=np.repeat([0.0, 0.0, 0.02], len(NAMES)),
        digits=np.repeat([3, 2, 2], len(NAMES)),
    )
    more, less = later.T
    sheet.finding(
        "ablation leaves the last of the two with almost nothing, less than 0.1",
        0.1 - less,
        f"{less.mean():.2f} against {more.mean():.2f}",
    )
    two, three = found[..., 1:, 2].T
    sheet.finding(
        "Shapley values treat the two alike, within 0.05",
        [0.05 - (two - three), 0.05 + two - three],
        f"{two.mean():.3f} and {three.mean():.3f}",
    )
