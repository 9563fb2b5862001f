"""Explain trials of any other tool: a CSV with a column per hyperparameter and one for the result.

Exports of Weights & Biases, MLflow or Ray are such tables. Columns that are no hyperparameters are
left out by `hyperparameters=`; times tell which trials were known when.

    python examples/table_from_elsewhere.py trials.csv --objective loss

Without a file a small table is made.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

import hpo_explain as hx


def made_up() -> pd.DataFrame:
    """Return 40 trials as a tool might export them."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "learning_rate": 10.0 ** rng.uniform(-5, -1, 40),
            "optimizer": rng.choice(["adam", "sgd"], 40),
            "batch_size": rng.choice([16, 32, 64, 128], 40),
        }
    )
    far = np.log10(table.learning_rate) + 3.0
    table["loss"] = far**2 + 0.5 * (table.optimizer == "sgd") + rng.normal(0.0, 0.05, 40)
    return table


def main() -> None:
    """Explain a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--objective", default="loss")
    parser.add_argument("--direction", default="minimize")
    options = parser.parse_args()
    table = made_up() if options.file is None else pd.read_csv(options.file)

    run = hx.from_frame(table, objective=options.objective, direction=options.direction)
    print(run)  # the space it was taken for, and what was assumed
    result = hx.importance(run)
    print(result.sentence)
    effect = hx.partial_dependence(run, result.to_frame().index[0])
    print(effect.sentence)
    effect.plot()


if __name__ == "__main__":
    main()
