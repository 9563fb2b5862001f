"""Large runs: how long each question takes, and how much memory, each in a process of its own.

    python -m pytest tests/benchmarks/test_scale.py -o addopts= --benchmark-only -s

`SCALE=0.1` measures runs of a tenth of the trials. The aims are for two cores with nothing else to
do; processor time is what a shared machine can tell.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import hpo_explain as hx
from tests.benchmarks.stored import store
from tests.source_tree import ROOT

SCALE = float(os.environ.get("SCALE", "1"))
# seconds and megabytes
AIMS = {
    ("report", 20_000, 10, 3): (20, 1000),
    ("importance", 20_000, 10, 3): (10, 1000),
    ("pairs", 20_000, 10, 3): (15, 1000),
    ("trust", 20_000, 10, 3): (5, 1000),
    ("report", 100, 500, 3): (20, 1000),
    ("ablation", 100, 500, 3): (20, 1000),
    ("h_statistic", 100, 500, 3): (20, 1000),
    ("explain_predictions", 100, 500, 3): (20, 1000),
    ("partial_dependence", 1_000, 6, 5_000): (10, 1000),
    ("partial_dependence", 1_000, 6, 3): (10, 1000),
    ("importance", 1_000, 6, 5_000): (10, 1000),
    ("importance", 1_000, 6, 3): (10, 1000),
    ("report", 1_000, 6, 5_000): (60, 1000),
    ("path", 300, 10, 3): (10, 1000),
    ("importance of sqlite", 100_000, 30, 3): (20, 2000),
    ("report of sqlite", 100_000, 30, 3): (180, 2000),
}


def run_of(n, d, categories):
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("c", [f"v{i}" for i in range(categories)]),
            hx.FloatParameter("lr", 1e-5, 1.0, log=True),
            *(hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d - 2)),
        ]
    )
    X = space.sample(n, seed=0)
    y = np.sin(5.0 * X[:, 2]) + (X[:, 1:] ** 2) @ np.arange(1.0, d) / d**2
    y += np.random.default_rng(0).normal(0.0, 0.05, len(y))
    return hx.Run(space, X, y, "minimize", proposals=range(min(20, n // 2), n))


def study_of(run, path):
    """Write a run as a study into an SQLite file."""
    kinds = run.space.to_optuna()
    configs = run.space.decode(run.X)
    columns = [
        [kind.to_internal_repr(config[name]) for config in configs] for name, kind in kinds.items()
    ]
    store(f"sqlite:///{path}", kinds, np.array(columns, dtype=float).T, run.objective)


def answer(what, source, folder):
    """Ask one question."""
    asked = {
        "report": lambda: hx.report(source, f"{folder}/r.html", n_jobs=-1, progress=False),
        "importance": lambda: hx.importance(source),
        "pairs": lambda: hx.importance(source, order=2),
        "trust": lambda: hx.trust(source),
        "ablation": lambda: hx.methods.ablation(source),
        "h_statistic": lambda: hx.methods.h_statistic(source),
        "explain_predictions": lambda: hx.methods.explain_predictions(source),
        "partial_dependence": lambda: hx.partial_dependence(source, "c"),
        "path": lambda: hx.methods.desirability_path(source, n_jobs=-1, progress=False),
    }
    return asked[what.removesuffix(" of sqlite")]()


def measured(what, n, d, categories, folder):
    """Answer in this process; tell its seconds, those of the processor, and the memory."""
    import resource
    import time

    answer(what.removesuffix(" of sqlite"), run_of(30, 4, 3), folder)  # imports, compiled code
    source = f"sqlite:///{folder}/s.db" if "sqlite" in what else run_of(n, d, categories)
    start, processor = time.perf_counter(), time.process_time()
    answer(what, source, folder)
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps([seconds, processor, memory]))


@pytest.mark.parametrize("case", AIMS, ids=lambda case: " ".join(map(str, case)))
def test_a_large_run(benchmark, tmp_path, case):
    what, n, d, categories = case
    n = max(30, int(SCALE * n)) if n > 1_000 else n
    if "sqlite" in what:
        study_of(run_of(n, d, categories), tmp_path / "s.db")
    code = (
        "from tests.benchmarks.test_scale import measured; "
        f"measured({what!r}, {n}, {d}, {categories}, {str(tmp_path)!r})"
    )

    def ask():
        found = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
        )
        return json.loads(found.stdout.splitlines()[-1])

    seconds, processor, memory = benchmark.pedantic(ask, rounds=1)
    benchmark.extra_info |= {"seconds": seconds, "processor": processor, "memory": memory}
    most, megabytes = AIMS[case]
    print(
        f"\n{what}, {n} x {d}, {categories} categories: {seconds:.1f} s (aim {most}), "
        f"{processor:.1f} s of the processor, {memory:.0f} MB (aim {megabytes})"
    )
