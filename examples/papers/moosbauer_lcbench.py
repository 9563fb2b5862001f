"""Tables 7, 8, 10 and 11 of Moosbauer et al. (2021) on one task: a network tuned on phoneme.

    python examples/papers/moosbauer_lcbench.py --repetitions 3

As in their Appendix C.2.2: a random forest on LCBench's 2,000 configurations stands for the network
and is the truth; 14 initial and 186 proposed configurations (τ = 1, the nugget is estimated); G =
20, n = 1000, splits to depth 6. Design, grid and sample are the same in all repetitions. The paper
tunes its forest and repeats 30 times; Tables 10 and 11 average over 35 tasks.

Set as in the paper: the optimizer's last process is explained (`kind="auto"` takes the stored one),
with bands of Eq. 5 (`variance="average"`), the four criteria, every node split down to two rows
(`min_leaf=2`, `min_improvement=0.0`). The kernel is scikit-optimize's, of the norm.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from moosbauer_bo import improvement, mean_and_spread, minimize, path_to
from sklearn.ensemble import RandomForestRegressor
from skopt.space import Integer, Real

import hpo_explain as hx
from hpo_explain.methods._engines.background import l1_neighbourhood

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "lcbench_phoneme.csv.gz"
SPACE = hx.SearchSpace(
    [
        hx.IntParameter("batch_size", 16, 512, log=True),
        hx.FloatParameter("learning_rate", 1e-4, 1e-1, log=True),
        hx.FloatParameter("max_dropout", 0.0, 1.0),
        hx.IntParameter("max_units", 64, 1024, log=True),
        hx.FloatParameter("momentum", 0.1, 0.99),
        hx.IntParameter("num_layers", 1, 5),
        hx.FloatParameter("weight_decay", 1e-5, 1e-1),
    ]
)
MEASURES = ("MC", "OC", "NLL")
CRITERIA = ("l2", "area", "variance", "mean")
BASELINE = "L1 neighbourhood"
PHONEME = {"MC": "29 ± 7, 25 to 32", "NLL": "11 ± 7, 5 to 17"}  # Tables 7 and 8
# δMC, δOC and δNLL (%) over all tasks, criteria as above and the baseline (Tables 10 and 11)
ALL_TASKS = {
    "batch_size": ((41, 40, 38, 36, 14), (62, 58, 55, 53, 19), (20, 19, 16, 19, 1)),
    "learning_rate": ((50, 50, 50, 42, 23), (58, 57, 57, 51, 27), (18, 18, 18, 19, -3)),
    "max_dropout": ((50, 49, 47, 41, 21), (62, 61, 58, 53, 27), (17, 18, 17, 15, 3)),
    "max_units": ((51, 51, 50, 45, 19), (59, 58, 58, 53, 22), (25, 24, 25, 25, -1)),
    "momentum": ((52, 51, 51, 43, 22), (58, 57, 57, 53, 25), (20, 20, 20, 16, 2)),
    "num_layers": ((31, 30, 29, 25, 8), (51, 46, 46, 45, 15), (14, 15, 15, 13, 1)),
    "weight_decay": ((36, 35, 34, 29, 23), (61, 53, 51, 52, 42), (12, 12, 11, 10, 2)),
}


@dataclass(frozen=True, eq=False)
class Network:
    """The forest that stands for the network: validation error in percent."""

    forest: RandomForestRegressor

    @classmethod
    def of(cls, path: Path, n_trees: int) -> Network:
        """Fit the forest to the table of configurations."""
        table = pd.read_csv(path)
        X = SPACE.encode(table[list(SPACE.names)].to_dict("records"))
        forest = RandomForestRegressor(n_trees, random_state=0, n_jobs=-1)
        forest.fit(X, 100.0 - table["final_val_accuracy"])
        return cls(forest.set_params(n_jobs=1))  # one row at a time is no work for several cores

    def error(self, X: np.ndarray) -> np.ndarray:
        """Return the error (n,) of encoded configurations."""
        return self.forest.predict(X)

    def curves(self, sample: np.ndarray, name: str, positions: np.ndarray) -> np.ndarray:
        """Return the error of each row of a sample at each position of a hyperparameter, (n, G)."""
        rows = np.repeat(sample, len(positions), axis=0)
        rows[:, SPACE.index(name)] = np.tile(positions, len(sample))
        return self.error(rows).reshape(len(sample), len(positions))


def measures(effect: hx.methods.Effect, true: np.ndarray, incumbent: dict) -> np.ndarray:
    """Return MC, OC and NLL."""
    return np.array(
        [
            effect.mean_confidence,
            effect.confidence_at(incumbent),
            effect.negative_log_likelihood(true),
        ]
    )


def improvements(run: hx.Run, network: Network, sample: np.ndarray, name: str, depth: int):
    """Return δMC, δOC and δNLL for each criterion and the baseline."""
    surrogate, incumbent = run.surrogate(kind="auto"), run.incumbent
    found = {}
    for criterion in CRITERIA:
        explainer = hx.methods.RegionalPartialDependenceExplainer(
            surrogate,
            sample=sample,
            grid_size=20,
            max_depth=depth,
            criterion=criterion,
            min_leaf=2,
            min_improvement=0.0,
        )
        result = explainer.explain(name)
        if criterion == "l2":
            curves = network.curves(sample, name, result.whole.positions[0])
            whole = measures(result.whole, curves.mean(axis=0), incumbent)
            leaf = path_to(result, incumbent)[-1]
            # as large as the region that the paper's own criterion finds
            rows = l1_neighbourhood(SPACE, sample, incumbent, len(leaf.rows), without=name)
            around = hx.methods.PartialDependenceExplainer(
                surrogate, sample=sample[rows], grid_size=20, variance="average"
            ).explain(name)
            found[BASELINE] = measures(around, curves[rows].mean(axis=0), incumbent)
        leaf = path_to(result, incumbent)[-1]
        found[criterion] = measures(leaf.effect, curves[leaf.rows].mean(axis=0), incumbent)
    return [
        [improvement(*pair) for pair in zip(whole, found[way], strict=True)]
        for way in (*CRITERIA, BASELINE)
    ]


def tuned(network: Network, design: np.ndarray, n_trials: int, seed: int) -> hx.Run:
    """Return a run that tunes the network from a design."""
    dimensions = [
        (Integer if isinstance(p, hx.IntParameter) else Real)(
            p.low, p.high, prior="log-uniform" if p.log else "uniform", name=p.name
        )
        for p in SPACE.parameters
    ]

    def error(point: list) -> float:
        return float(network.error(SPACE.encode(dict(zip(SPACE.names, point, strict=True))))[0])

    points = [[config[name] for name in SPACE.names] for config in SPACE.decode(design)]
    return minimize(error, dimensions, points, n_trials=n_trials, tau=1.0, nugget=None, seed=seed)


def deltas(
    path: Path, *, repetitions: int, n_trees: int, n_rows: int, n_trials: int, depth: int
) -> np.ndarray:
    """Return δ in percent, (repetitions, hyperparameters, criteria and baseline, measures)."""
    network = Network.of(path, n_trees)
    design = SPACE.sample(2 * len(SPACE), seed=0, method="uniform")
    sample = SPACE.sample(n_rows, seed=1, method="uniform")
    found = []
    for seed in range(repetitions):
        run = tuned(network, design, n_trials, seed)
        found.append([improvements(run, network, sample, name, depth) for name in SPACE.names])
    return np.array(found)


def report(found: np.ndarray) -> None:
    """Print the tables from δ of shape (repetitions, hyperparameters, ways, measures)."""
    print("\nTables 7 and 8: mean ± standard deviation, lowest to highest hyperparameter")
    for m in (0, 2):
        values = found[:, :, 0, m]
        means = values.mean(axis=0)
        here = f"{mean_and_spread(values.ravel(), 0)}, {means.min():.0f} to {means.max():.0f}"
        print(f"  δ{MEASURES[m]:<4} {here:<26} [{PHONEME[MEASURES[m]]}]")
    print("\nTables 10 and 11: here [over all tasks of the paper], in percent")
    for m, measure in enumerate(MEASURES):
        print(f"  δ{measure:<14}" + "".join(f"{way:<18}" for way in (*CRITERIA, BASELINE)))
        for h, name in enumerate(SPACE.names):
            cells = zip(found[:, h, :, m].mean(axis=0), ALL_TASKS[name][m], strict=True)
            print(f"  {name:<15}" + "".join(f"{f'{a:.0f} [{b}]':<18}" for a, b in cells))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the table of LCBench's phoneme")
    parser.add_argument("--repetitions", type=int, default=3, help="the paper's: 30")
    parser.add_argument("--quick", action="store_true", help="little work, to see that it runs")
    options = parser.parse_args()
    if not options.data.exists():
        parser.error(
            f"{options.data} does not exist. Give the table of LCBench's 2,000 configurations on "
            "phoneme (one column per hyperparameter, and final_val_accuracy) with --data."
        )
    quick = options.quick
    found = deltas(
        options.data,
        repetitions=1 if quick else options.repetitions,
        n_trees=10 if quick else 200,
        n_rows=60 if quick else 1000,
        n_trials=17 if quick else 200,
        depth=2 if quick else 6,
    )
    report(found)


if __name__ == "__main__":
    main()
