"""How long functional ANOVA takes: against Optuna's evaluator in the same process, and at scale.

The table of the README is made by

    python -m pytest tests/benchmarks/test_fanova.py -o addopts= --benchmark-only

Ratios are in `extra_info` of the benchmark's JSON, and printed with ``-s``.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.base.subject import Subject
from hpo_explain.methods import FanovaExplainer
from hpo_explain.models import ForestSurrogate
from hpo_explain.models.box_sums import main_steps
from hpo_explain.models.columns import OrderedColumns
from tests.benchmarks.measure import yardstick

ROOT = Path(__file__).parents[2]


def once(benchmark, work, *, rounds=5):
    """Run with one warm-up; return the shortest time in seconds."""
    benchmark.pedantic(work, rounds=rounds, warmup_rounds=1)
    return benchmark.stats.stats.min


def told(benchmark, **figures):
    benchmark.extra_info.update(figures)
    print(benchmark.name, *(f"{name} = {value:.3g}" for name, value in figures.items()))


def peak_megabytes():
    """The most memory this process held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def numbers(d):
    return SearchSpace([FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d)])


def mixed(d):
    kinds = (
        lambda name: FloatParameter(name, 1e-3, 1.0, log=True),
        lambda name: IntParameter(name, 1, 20),
        lambda name: CategoricalParameter(name, list("abcdef")),
        lambda name: CategoricalParameter(name, [False, True]),
    )
    return SearchSpace([kinds[j % 4](f"x{j}") for j in range(d)])


def data(space, n):
    X = space.sample(n, seed=0)
    y = np.sin(6 * X[:, 0]) + 3 * X[:, 1] * X[:, 2] + X[:, 3] ** 2
    return X, y + np.random.default_rng(0).normal(0.0, 0.1, n)


def wide(space, n, n_trees):
    """A forest of less alike trees, as they are fitted to many hyperparameters."""
    from sklearn.ensemble import RandomForestRegressor

    X, y = data(space, n)
    columns = OrderedColumns(space, X, y)
    forest = RandomForestRegressor(n_trees, max_features=1 / 3, n_jobs=-1, random_state=0)
    return ForestSurrogate(space, forest.fit(columns(X), y), columns=columns)


# ---------------------------------------------------------------------- 1,000 × 10, 64 trees


@pytest.fixture(scope="module")
def optuna_seconds():
    """Fit and main effects by Optuna's evaluator (its default: 64 trees)."""
    pytest.importorskip("optuna")
    return yardstick()


def test_boxes_and_mains(benchmark, optuna_seconds):
    # Optuna's fit takes as long as ours, so the rest is its decomposition
    space = numbers(10)
    X, y = data(space, 1000)
    fits = []
    for _ in range(2):
        start = time.perf_counter()
        forest = ForestSurrogate.fit(space, X, y, n_trees=64, seed=0)
        fits.append(time.perf_counter() - start)
    theirs = optuna_seconds - fits[-1]
    seconds = once(benchmark, lambda: [main_steps(b) for b in forest.boxes()], rounds=20)
    told(benchmark, optuna=theirs, times_faster=theirs / seconds)


def test_boxes_mains_axes_and_result(benchmark, optuna_seconds):
    space = numbers(10)
    X, y = data(space, 1000)
    # without a check
    forest = ForestSurrogate(space, ForestSurrogate.fit(space, X, y).forest)
    seconds = once(benchmark, lambda: FanovaExplainer(forest).explain(), rounds=20)
    told(benchmark, times_faster=optuna_seconds / seconds)


def test_all_pairs_of_30_categories_each(benchmark):
    space = SearchSpace([CategoricalParameter(f"c{j}", list(range(30))) for j in range(4)])
    explainer = FanovaExplainer(ForestSurrogate.fit(space, *data(space, 1000)))
    once(benchmark, lambda: explainer.explain(order=2))


def test_total_effects(benchmark):
    space = numbers(10)
    X, y = data(space, 1000)
    explainer = FanovaExplainer(ForestSurrogate.fit(space, X, y, n_trees=64, seed=0))
    once(benchmark, explainer.explain)


FIRST_CALL = """
import numpy as np, pandas as pd, hpo_explain as hx
rng = np.random.default_rng(0)
table = pd.DataFrame(rng.random((100, 5)), columns=list("abcde"))
table["loss"] = table.a + table.b * table.c
hx.importance(table, order=2, objective="loss")
"""


def test_first_call_in_a_fresh_process(benchmark):
    def work():
        subprocess.run([sys.executable, "-c", FIRST_CALL], check=True, cwd=ROOT, env=os.environ)

    once(benchmark, work, rounds=3)


# ---------------------------------------------------------------------- at scale


def test_all_pairs_of_76_hyperparameters(benchmark):
    explainer = FanovaExplainer(wide(numbers(76), 10_000, 10))
    once(benchmark, lambda: explainer.explain(order=2), rounds=3)
    told(benchmark, peak_megabytes=peak_megabytes())


def test_fit_and_mains_of_768_mixed_hyperparameters(benchmark):
    space = mixed(768)
    X, y = data(space, 12_823)
    columns = OrderedColumns(space, X, y)

    def work():
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(10, max_features=1 / 3, n_jobs=-1, random_state=0)
        surrogate = ForestSurrogate(space, forest.fit(columns(X), y), columns=columns)
        FanovaExplainer(surrogate, subject=Subject(space, tried=X)).explain()

    benchmark.pedantic(work, rounds=1)
    told(benchmark, peak_megabytes=peak_megabytes())


def test_mains_of_100000_trials(benchmark):
    forest = wide(numbers(20), 100_000, 16)
    once(benchmark, lambda: FanovaExplainer(forest).explain(), rounds=3)


def test_mains_grow_no_faster_than_leaves(benchmark):
    from sklearn.ensemble import RandomForestRegressor

    space = numbers(10)
    X, y = data(space, 160_000)
    leaves = [100, 1_000, 10_000, 100_000]
    seconds = []
    for n in leaves:
        forest = RandomForestRegressor(1, max_leaf_nodes=n, bootstrap=False, random_state=0)
        boxes = ForestSurrogate(space, forest.fit(X, y)).boxes()[0]
        main_steps(boxes)
        repeats = 200_000 // n
        best = np.inf
        for _ in range(3):
            start = time.perf_counter()
            for _ in range(repeats):
                main_steps(boxes)
            best = min(best, (time.perf_counter() - start) / repeats)
        seconds.append(best)
    benchmark.pedantic(lambda: main_steps(boxes), rounds=3)
    told(benchmark, slope=np.polyfit(np.log(leaves), np.log(seconds), 1)[0])
