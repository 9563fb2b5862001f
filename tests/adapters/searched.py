"""Tables of a search of which it is known what each column is."""

import itertools

import numpy as np
import pandas as pd
from scipy.stats import qmc

N = 48


def objective_of(lr, depth, rng):
    """A loss that depends on both, and is noisy."""
    noise = rng.normal(0.0, 0.05, len(lr))
    return 0.3 + (np.log10(lr) + 2.0) ** 2 / 4 + 0.03 * depth + np.abs(noise)


def designed(design, rng):
    """Learning rates and depths, as a search of some kind tries them."""
    if design == "grid":
        pairs = [*itertools.product(np.logspace(-4, -1, 8), range(1, 7))]
        lr, depth = map(np.array, zip(*pairs, strict=True))
        return lr, depth
    points = rng.random((N, 2))
    if design == "sobol":
        points = qmc.Sobol(2, seed=0).random(64)[:N]
    if design == "converging":  # ever closer to the best
        away = np.geomspace(1.0, 0.02, N)[:, None]
        points = np.array([0.7, 0.4]) + away * (points - [0.7, 0.4])
    if design == "sorted":
        points = points[np.argsort(points[:, 1])]
    return 10 ** (-4 + 3 * points[:, 0]), 1 + (6 * points[:, 1]).astype(int)


def table_of(design="random", **more):
    """A table of a search; each further column is made from the table and a generator."""
    rng = np.random.default_rng(1)
    lr, depth = designed(design, rng)
    table = pd.DataFrame({"lr": lr, "depth": depth})
    table["loss"] = objective_of(lr, depth, rng)
    for name, make in more.items():
        table[name] = make(table, rng)
    return table


DESIGNS = ("random", "grid", "sobol", "converging", "sorted")
