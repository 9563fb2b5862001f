"""What functions, commands and reports import: a process asks one after the other."""

import os
import subprocess
import sys
from ast import literal_eval

import pytest

from tests.source_tree import ROOT

# Everything outside the standard library that the package depends on, but for click.
HEAVY = {
    "jinja2",
    "matplotlib",
    "numba",
    "numpy",
    "optuna",
    "pandas",
    "scipy",
    "shap",
    "skopt",
    "sklearn",
    "sqlalchemy",
    "tqdm",
}
COMPUTES = {"numba", "numpy", "scipy", "tqdm"}
NEEDLESS = {
    *HEAVY,
    "matplotlib.pyplot",
    "optuna.importance",
    "optuna.visualization",
    "plotly",
    "scipy.stats",
}
READS = {"click", "optuna", "sqlalchemy"}  # databases are read by Optuna
IN_BROWSERS = {"jinja2", "matplotlib"}  # pages and their figures
# What is loaded is the same however much is drawn, and all that computes loads these two.
RUN = """
from hpo_explain.belief import landscape, mixture
mixture.KERNELS = mixture.DRAWS = 8
landscape.ROWS = 1024
import hpo_explain as hx
space = hx.SearchSpace([hx.FloatParameter(n, 0.0, 1.0) for n in "xyz"])
X = space.sample(80, seed=0)
run = hx.Run(space, X, X[:, 0] ** 2, "minimize", proposals=range(20, 80))
"""
# Ends a report's worker, after it said what it has loaded.
WORKER = """
from hpo_explain.base.workers import Workers
from hpo_explain.reporting import page
page._LONG = 0  # workers, however small the run is
end = Workers.end
def asked(workers):
    loaded = f"[name for name in {names} if name in __import__('sys').modules]"
    print("imported", workers.submit(eval, loaded).result())
    end(workers)
Workers.end = asked
some = ["history", "explain-proposal", "noise", "trust", "importance"]
hx.report(run, "r.html", sections=some, n_jobs=2, progress=False)
"""
FUNCTIONS = [
    "importance",
    "summary",
    "trust",
    "advise",
    "optimum",
    "recommended_space",
    "explain_proposal",
]
COMMANDS = [name.replace("_", "-") for name in FUNCTIONS] + ["changes"]


def imported_after(calls, names, folder):
    """Which modules a new process has imported after each call, and what else it prints at last."""
    lines = ["import sys", f"names = {sorted(names)}"]
    for call in calls:
        lines += [call, "print('imported', [n for n in names if n in sys.modules])"]
    lines += [
        "if 'numba' in sys.modules:",
        "    from tests.models.kernels import compiled_twice",
        "    print(compiled_twice())",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    imported = [
        {*literal_eval(line.removeprefix("imported "))}
        for line in told
        if line.startswith("imported ")
    ]
    return imported, told[-1]


def command(*words):
    return f"from hpo_explain.cli import main\nmain({[*words]!r}, standalone_mode=False)"


def test_neither_the_package_nor_help_nor_a_table_loads_what_it_does_not_need(tmp_path):
    table = (
        "import pandas as pd, hpo_explain as hx\n"
        "table = pd.DataFrame({'x': [1, 2], 'loss': [1.0, 2.0]})\n"
        "run = hx.from_frame(table, 'loss')\n"
        "from hpo_explain.adapters import as_run\n"
        "assert as_run(run) is run"
    )
    light = [
        "import hpo_explain",
        command("--help"),
        command("watch", "--help"),
        command("--version"),
    ]
    (*nothing, of_table), _ = imported_after([*light, table], NEEDLESS, tmp_path)
    assert nothing == [set()] * len(light)
    assert not of_table & {"optuna", "skopt"}


@pytest.mark.merge
def test_what_computes_loads_and_compiles_what_it_needs_and_no_more(study):
    functions = [f"hx.{name}(run)" for name in FUNCTIONS]
    functions[0] = RUN + functions[0]
    commands = [command(name, "study.db", "--no-cache") for name in ("summary", *COMMANDS)]
    report = command("report", "study.db")
    imported, twice = imported_after(
        [*functions, *commands, report, WORKER], {"click", *NEEDLESS}, study.parent
    )
    for call in functions:
        assert imported.pop(0) <= COMPUTES, call
    for call in commands:
        assert imported.pop(0) <= COMPUTES | READS, call
    of_report, of_worker, _ = imported
    assert of_report <= COMPUTES | READS | IN_BROWSERS
    # it draws what is not drawn here before it is there
    assert of_worker - COMPUTES <= IN_BROWSERS
    assert twice == "[]"
