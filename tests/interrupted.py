"""Interrupts functions while they compute; run as a script.

``python -m tests.interrupted SIZE NAME...`` writes, as JSON, what became of each: after how many
seconds of the processor it ended, and which threads, processes and files were left. Each attempt is
a fork of this process, which has imported everything, and gets Ctrl-C after a share of the time
that the function takes.
"""

import json
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

import hpo_explain as hx
from tests.analytic import unit_cube

SHARES = (0.2, 0.5, 0.8)
LONG = {
    "advise": hx.advise,
    "compare": lambda run: hx.compare({"a": run, "b": run}),
    "desirability_path": lambda run: hx.methods.desirability_path(run, [*run.trials[-5:]]),
    "explain_predictions": lambda run: hx.methods.explain_predictions(run, background=20),
    "h_statistic": lambda run: hx.methods.h_statistic(run, kind="gp"),
    "importance": lambda run: hx.importance(run, order=2, kind="gp"),
    "importance of a forest": lambda run: hx.importance(run, order=2, kind="forest"),
    "partial_dependence": lambda run: hx.partial_dependence(run, ["x0", "x1"], surrogate="gp"),
    "recommended_space": hx.recommended_space,
    "report": lambda run: hx.report(run, "report.html", n_jobs=2),
    "sensitivity": lambda run: hx.methods.tunability(run, kind="sensitivity"),
    "shapley_interactions": hx.methods.shapley_interactions,
    "tunability": hx.methods.tunability,
}


def run_of(n, d):
    space = unit_cube(d)
    X = space.sample(n)[:n]
    names = {name: f"x{j}" for j, name in enumerate(space.names)}
    space = hx.SearchSpace([hx.FloatParameter(x, 0.0, 1.0) for x in names.values()])
    y = (X[:, 0] - 0.3) ** 2 + X[:, 1] * X[:, 2]
    y += 0.05 * np.random.default_rng(0).normal(size=len(X))
    return hx.Run(space, X, y, "minimize", proposals=range(n // 2, n))


def attempt(work, run, seconds):
    """Return what became of work, interrupted after seconds of the processor; 0 is never."""
    tempfile.tempdir = str(Path.cwd())
    blas = threadpool_info()
    signal.signal(signal.SIGPROF, signal.default_int_handler)
    began, ended = time.process_time(), False
    signal.setitimer(signal.ITIMER_PROF, seconds)
    kept = []
    try:
        work(run)
        ended = True
    except KeyboardInterrupt as interrupt:
        kept.append(interrupt)  # as an interactive session keeps it
    took = time.process_time() - began
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    until = time.monotonic() + 5.0
    while threading.active_count() > 1 and time.monotonic() < until:
        time.sleep(0.01)
    return {
        "ended": ended,
        "took": took,
        "late": took - seconds,
        "threads": [thread.name for thread in threading.enumerate()[1:]],
        "processes": [child.name for child in multiprocessing.active_children()],
        "files": sorted(path.name for path in Path.cwd().iterdir()),
        "blas": threadpool_info() == blas,
    }


def forked(attempt, *about):
    """Return what an attempt says that a fork makes in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        reads, writes = os.pipe()
        if (child := os.fork()) == 0:
            try:
                os.chdir(folder)
                os.write(writes, json.dumps(attempt(*about)).encode())
            finally:
                os._exit(0)
        os.close(writes)
        with os.fdopen(reads) as said:
            text = said.read()
        os.waitpid(child, 0)
    return json.loads(text)


if __name__ == "__main__":
    trials, names = int(sys.argv[1]), sys.argv[2:]
    run = run_of(trials, 10 if trials > 100 else 4)
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)
        LONG[names[0]](run_of(12, 3))  # what is imported and compiled late
        os.chdir("/")
    found = {}
    for name in names:
        # the first time something may be compiled
        whole = min(forked(attempt, LONG[name], run, 0.0)["took"] for _ in range(2))
        found[name] = [forked(attempt, LONG[name], run, share * whole) for share in SHARES]
    print(json.dumps(found))
