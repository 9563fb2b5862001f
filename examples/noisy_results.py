"""Ask where results scatter.

Each configuration was evaluated on five folds, whose difficulty differs: that is no noise.

python examples/noisy_results.py --configurations 40
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

import hpo_explain as hx


def made_up(n: int) -> pd.DataFrame:
    """Return the loss of configurations on five folds: large learning rates make it unstable."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "learning_rate": np.repeat(10.0 ** rng.uniform(-4, 0, n), 5),
            "dropout": np.repeat(rng.uniform(0.0, 0.5, n), 5),
            "fold": np.tile(np.arange(5), n),
        }
    )
    far = np.log10(table.learning_rate) + 0.7
    noise = 0.3 * table.learning_rate**0.5 * rng.standard_normal(5 * n)
    table["loss"] = 0.1 * far**2 + 0.2 * table.dropout + 0.5 * (table.fold == 3) + noise
    return table


def main() -> None:
    """Explain the noise of a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--configurations", type=int, default=40)
    table = made_up(parser.parse_args().configurations)

    run = hx.from_frame(table, objective="loss", instance="fold")
    noise = hx.methods.noise(run)
    print(noise.sentence)
    noise.plot()
    if noise.main is not None:
        print(noise.effect(noise.main).to_string(index=False, float_format="{:.3g}".format))


if __name__ == "__main__":
    main()
