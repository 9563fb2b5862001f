"""Table 2 of the ShapleyMBO thesis (Croppi 2021): ablation is unfair where changes act together.

    python examples/papers/shapleymbo_ablation_example.py

u = θ1 + θ2 θ3 + ε with θ uniform on [0, 1]³ and ε ~ N(0, 0.05²) is minimized; a random forest
learns it from 10,000 configurations. From (½, ½, ½) to (0, 0, 0), θ2 and θ3 gain the same when they
are changed first, but the one that ablation changes last gains almost nothing, since the other one
has taken their common part. Shapley values divide it: exactly (2/3, 1/6, 1/6) of the whole. Which
of the two comes last is decided by the forest's noise: θ3 in the thesis, θ2 with the seed 0 here.

The thesis's Shapley values compare with the average over the space; those that `ablation` shows
beside its gains compare with the same source (baseline Shapley). Both treat θ2 and θ3 alike.

Set as in the thesis: the forest as it is fitted, its leaves not chosen out of bag; its mean only
(κ = 0); a background of the whole space.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

import hpo_explain as hx

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
    return hx.models.ForestSurrogate.fit(
        space, X, X[:, 0] + X[:, 1] * X[:, 2] + noise, n_trees=64, seed=seed
    )


def table_2(n: int, seed: int) -> tuple[pd.DataFrame, hx.methods.Ablation]:
    """Return Table 2 here, relative contributions by hyperparameter, and the ablation.

    Columns: the gain in ablation's first round (`alone`), and the shares of the whole by ablation,
    by Shapley values against the space (`shapley`) and against the source (`baseline`).
    """
    forest = surrogate_of(n, seed)
    source, target = dict.fromkeys(NAMES, 0.5), dict.fromkeys(NAMES, 0.0)
    ablation = hx.methods.AblationExplainer(forest, direction="minimize").explain(source, target)
    shapley = hx.methods.ShapleyExplainer(
        hx.models.LowerConfidenceBound(forest, kappa=0.0, direction="minimize"),
        background=hx.methods.global_background(forest.space, 3000, seed=seed),
        estimator="exact",
    ).explain(target)
    table = ablation.to_frame().loc[list(NAMES)]
    found = pd.DataFrame(
        {
            "alone": table["alone"],
            "ablation": table["gain"] / ablation.total_gain,
            "shapley": pd.Series(shapley.total / shapley.payout["total"], index=shapley.names),
            "baseline": table["shapley"] / ablation.total_gain,
        }
    )
    return found.loc[list(NAMES)], ablation


def main() -> None:
    """Print Table 2 beside the thesis's numbers and the exact ones."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="1,000 configurations")
    options = parser.parse_args()
    table, ablation = table_2(1000 if options.quick else options.trials, options.seed)
    print(f"{'':4}{'AA round 1':>22}{'relative AA':>22}{'relative SV':>22}{'baseline SV':>13}")
    print(f"{'':4}" + f"{'here  thesis  exact':>22}" * 3 + f"{'here':>13}")
    for name, row in table.iterrows():
        here = (row["alone"], row["ablation"], row["shapley"])
        cells = "".join(
            f"{a:>9.3f}{b:>7.2f}{c:>6.2f}"
            for a, b, c in zip(here, PAPER[name], EXACT[name], strict=True)
        )
        print(f"{name:4}{cells}{row['baseline']:>13.3f}")
    print(f"flipped in the order {', '.join(ablation.labels)} (thesis: θ1, θ2, θ3)")
    print(ablation.sentence)


if __name__ == "__main__":
    main()
