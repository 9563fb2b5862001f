"""Importance in the whole space and in its good regions, on LCBench (Hutter et al. 2014, Table 2).

The validation accuracy of 2000 configurations of a neural network on OpenML phoneme is explained
three times: as it is, as the improvement over the best quarter of the configurations, and as the
improvement over a default configuration.

    python examples/papers/fanova_lcbench.py --data ../shared/data
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

import pandas as pd

import hpo_explain as hx

FILE = "lcbench_phoneme.csv.gz"
OBJECTIVE = "final_val_accuracy"
# The ranges and scales over which the configurations are spread. `num_layers_raw` is mis-coded.
SPACE = hx.SearchSpace(
    [
        hx.IntParameter("batch_size", 16, 512, log=True),
        hx.FloatParameter("learning_rate", 1e-4, 1e-1, log=True),
        hx.FloatParameter("momentum", 0.1, 0.99, log=True),
        hx.FloatParameter("weight_decay", 1e-5, 1e-1),
        hx.IntParameter("num_layers", 1, 4),
        hx.IntParameter("max_units", 64, 1024, log=True),
        hx.FloatParameter("max_dropout", 0.0, 1.0),
    ]
)
# What textbooks start stochastic gradient descent with.
DEFAULT = {
    "batch_size": 128,
    "learning_rate": 1e-2,
    "momentum": 0.9,
    "weight_decay": 1e-4,
    "num_layers": 3,
    "max_units": 256,
    "max_dropout": 0.5,
}


def main() -> None:
    """Run the example."""
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=root / ".." / "shared" / "data")
    parser.add_argument("--trees", type=int, default=64)
    parser.add_argument("--quick", action="store_true", help="300 configurations, 16 trees")
    options = parser.parse_args()
    path = options.data / FILE
    if not path.exists():
        print(f"skipped: {FILE} is not in {options.data}; --data names its folder")
        return
    table = pd.read_csv(path)
    trees = options.trees
    if options.quick:
        table, trees = table.head(300), 16
    run = hx.from_frame(table, objective=OBJECTIVE, direction="maximize", space=SPACE)
    print(f"{len(run)} configurations, validation accuracy in %, {trees} trees")

    caps = {"raw": None, "over the 25% quantile": "25%", "over the default": DEFAULT}
    mains, top = {}, {}
    for label, cap in caps.items():
        start = perf_counter()
        result = hx.importance(run, order=2, n_trees=trees, cap=cap)
        seconds = perf_counter() - start
        d = len(SPACE)
        main_share = result.shares[:, :d].sum(axis=1)
        pair_share = result.shares[:, d:].sum(axis=1)
        mains[label] = main_share.mean()
        largest = result.to_frame().head(3)
        top[label] = largest.index[0]
        at = "" if result.cap is None else f", accuracies below {result.cap:.2f} count as that"
        print(f"\n{label}{at} ({seconds:.1f} s)")
        print(f"  main effects         {main_share.mean():.0%} ± {main_share.std():.0%} over trees")
        print(f"  pairwise interactions {pair_share.mean():.0%} ± {pair_share.std():.0%}")
        for name, row in largest.iterrows():
            print(f"  {name}: {row['importance']:.1%} ± {row['std']:.1%}")

    print("\nThe paper's findings in general form:")
    raw = mains.pop("raw")
    _say("main effects explain 20 to 88% of the raw variance", 0.2 <= raw <= 0.88, f"{raw:.0%}")
    for label, share in mains.items():
        _say(f"main effects explain less {label} than raw", share < raw, f"{share:.0%}")
    first = top.pop("raw")
    for label, name in top.items():
        _say(f"something else matters most {label}", name != first, f"{first}, then {name}")


def _say(claim: str, holds: bool, found: str) -> None:
    print(f"  {'agrees' if holds else 'differs'}: {claim} ({found})")


if __name__ == "__main__":
    main()
