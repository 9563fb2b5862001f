"""Interrupts work at random moments; run as a script.

``python -m tests.hostile.interrupts COUNT SEED NAME`` writes, a line of JSON each, what was wrong
after each of some attempts. An attempt is a fork of this process, in an empty folder.
"""

import json
import os
import random
import signal
import sqlite3
import sys
import threading
import time
import warnings
from contextlib import closing
from pathlib import Path

import optuna

import hpo_explain as hx
from hpo_explain.adapters.optuna import ExplanationCallback
from tests.interrupted import forked, run_of
from tests.processes import started_by, until

PAGE, STUDY = "why.html", "study.db"
ADDRESS = {"study_name": "s", "storage": f"sqlite:///{STUDY}"}


def optimized(_):
    callback = ExplanationCallback(PAGE, every=4, budget=None)
    study = optuna.create_study(**ADDRESS, sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=25, callbacks=[callback])
    callback.finish(study)


def objective(trial):
    time.sleep(0.05)
    return (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2


WORK = {
    "report": lambda run: hx.report(run, PAGE, n_jobs=2, progress=False),
    "importance": lambda _: hx.importance(run_of(60, 6), order=2),  # which nobody has asked before
    "study": optimized,
}
LEFT = {"report": {PAGE}, "importance": set(), "study": {PAGE, STUDY}}


def attempt(name, run, seconds):
    """Return how long work took that is interrupted after seconds, and what was wrong after it."""
    began = time.monotonic()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    wrong = []
    try:
        WORK[name](run)
    except KeyboardInterrupt:
        pass
    except BaseException as error:
        wrong.append(repr(error))
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    took = time.monotonic() - began
    if not until(lambda: threading.active_count() == 1 and not started_by(os.getpid()), 60.0):
        wrong.append(f"left: {threading.enumerate()}, {started_by(os.getpid())}")
    files = {path.name for path in Path.cwd().iterdir()}
    if files - LEFT[name]:
        wrong.append(f"left: {files}")
    if PAGE in files and not Path(PAGE).read_text("utf-8").rstrip().endswith("</html>"):
        wrong.append("half a page")
    if STUDY in files:
        wrong += whats_wrong_with_the_study()
    return {"took": took, "wrong": wrong}


def whats_wrong_with_the_study():
    with closing(sqlite3.connect(STUDY)) as database:
        if database.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            yield "damaged"
        if not database.execute("SELECT name FROM sqlite_master WHERE name = 'studies'").fetchone():
            return  # interrupted before Optuna wrote anything
        if not database.execute("SELECT * FROM studies").fetchone():
            return
    trials = optuna.load_study(**ADDRESS).trials
    # Optuna leaves a trial running that is interrupted before its objective is called
    if sum(not trial.state.is_finished() for trial in trials) > 1:
        yield "trials that are running"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    count, seed, name = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng, run = random.Random(seed), run_of(40, 4)
    hx.importance(run, order=2)  # what is imported and compiled late
    whole = forked(attempt, name, run, 600.0)["took"]
    waits = [rng.uniform(0.0, whole) for _ in range(count)]
    print(json.dumps([forked(attempt, name, run, wait)["wrong"] for wait in waits]))
