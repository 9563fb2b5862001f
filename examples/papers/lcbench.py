"""LCBench's networks as Moosbauer et al. (2021) and Croppi (2021) tune them: a forest's prediction.

Both use one program's search space and forest (github.com/slds-lmu/paper_2021_xautoml, R/), which
differ from what the papers print:

- the learning rate is searched linearly up to 0.01 and the weight decay up to 0.1, where Table 5 of
  *moosbauer* has Auto-PyTorch's logarithmic ranges, over which LCBench's configurations are spread;
- the numbers of layers are mis-coded: LCBench's file writes "True" for 1, which becomes 5, and the
  others are read as a factor by R 3.6, whose codes are one less;
- the forest (R's ranger) splits at the best of some random cuts of two hyperparameters, ranger's
  default, although all seven were tried when its settings were searched (Table 6). How many cuts
  that search found is not published. By 3-fold cross-validation on the table few cuts are best, by
  less than the errors scatter, and `CUTS` is one such number.

The error is a share, not in percent, on which the likelihood's relative improvement depends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
import pandas as pd

import hpo_explain as hx

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("batch_size", 16, 512, log=True),
        hx.FloatParameter("max_dropout", 0.0, 1.0),
        hx.FloatParameter("max_units", 64, 1024, log=True),
        hx.IntParameter("num_layers", 1, 5),
        hx.FloatParameter("learning_rate", 0.0, 0.01),
        hx.FloatParameter("momentum", 0.1, 1.0),
        hx.FloatParameter("weight_decay", 0.0, 0.1),
    ]
)
LOW, HIGH = np.array([[16, 0, 64, 1, 0, 0.1, 0], [512, 1, 1024, 5, 0.01, 1, 0.1]])
LOG = np.array([0, 2])  # columns of batch_size and max_units
LAYERS = SPACE.index("num_layers")
# hyperparameters and cuts by split, and rows that are not split
TRIED, CUTS, LEAST = (2, 5, 3)


def values(X: np.ndarray) -> np.ndarray:
    """Return the values (n, 7) of encoded rows."""
    found = LOW + X * (HIGH - LOW)
    found[:, LOG] = np.round(LOW[LOG] * (HIGH[LOG] / LOW[LOG]) ** X[:, LOG])
    found[:, LAYERS] = np.round(found[:, LAYERS])
    return found


@numba.njit(cache=True)
def tree(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple:
    """Return a tree on a bootstrap sample: feature (-1: leaf), cut, left child, value by node."""
    n, d = X.shape
    rows = rng.integers(0, n, n)
    feature, child = np.full(2 * n, -1), np.zeros(2 * n, np.int64)
    cut, value, ends = (np.zeros(2 * n), np.zeros(2 * n), np.zeros((2 * n, 2), np.int64))
    ends[0, 1], nodes, node = n, 1, 0
    while node < nodes:
        first, last = ends[node]
        total, count = y[rows[first:last]].sum(), last - first
        value[node], best = total / count, total**2 / count + 1e-12
        for j in rng.permutation(d)[:TRIED] if count > LEAST else np.empty(0, np.int64):
            column = X[rows[first:last], j]
            for c in rng.uniform(column.min(), column.max(), CUTS):
                below, m = 0.0, 0
                for i in range(count):
                    if column[i] <= c:
                        below += y[rows[first + i]]
                        m += 1
                gain = below**2 / m + (total - below) ** 2 / (count - m) if 0 < m < count else 0.0
                if gain > best:
                    best, feature[node], cut[node] = gain, j, c
        if feature[node] >= 0:
            here = rows[first:last].copy()
            left = X[here, feature[node]] <= cut[node]
            middle = first + left.sum()
            rows[first:middle], rows[middle:last] = here[left], here[~left]
            child[node] = nodes
            ends[nodes, 0], ends[nodes, 1] = first, middle
            ends[nodes + 1, 0], ends[nodes + 1, 1] = middle, last
            nodes += 2
        node += 1
    return feature[:nodes], cut[:nodes], child[:nodes], value[:nodes]


@numba.njit(cache=True)
def walk(X: np.ndarray, grown: tuple) -> np.ndarray:
    """Return a tree's prediction (n,)."""
    feature, cut, child, value = grown
    found = np.empty(len(X))
    for i in range(len(X)):
        node = 0
        while feature[node] >= 0:
            node = child[node] + (X[i, feature[node]] > cut[node])
        found[i] = value[node]
    return found


@dataclass(frozen=True, eq=False)
class Network:
    """The forest that stands for the network: validation error as a share."""

    trees: tuple[tuple, ...]

    @classmethod
    def of(cls, table: pd.DataFrame, n_trees: int = 200, seed: int = 0) -> Network:
        """Fit the forest to the table of configurations, with mis-coded layers."""
        X = table[list(SPACE.names)].to_numpy(float)
        X[:, LAYERS] = np.where(X[:, LAYERS] == 1, 5, X[:, LAYERS] - 1)
        error = 1.0 - table["final_val_accuracy"].to_numpy() / 100.0
        rng = np.random.default_rng(seed)
        return cls(tuple(tree(X, error, rng) for _ in range(n_trees)))

    def error(self, X: np.ndarray) -> np.ndarray:
        """Return the error (n,) of encoded configurations."""
        rows = values(np.asarray(X, dtype=float))
        return np.mean([walk(rows, grown) for grown in self.trees], axis=0)

    def objective(self, row: np.ndarray) -> float:
        """Return the error of an encoded configuration."""
        return float(self.error(row[None, :])[0])
