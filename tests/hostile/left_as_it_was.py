"""Calls public functions, and says what each of them changed in its process."""

import inspect
import json
import locale
import logging
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import optuna
import pandas as pd

# What importing these changes is theirs: filters for their own warnings, variables for the
# processor's libraries, a random number for the ids of styles, and matplotlib's backend.
import shap  # noqa: F401
import sklearn.ensemble  # noqa: F401
from matplotlib import pyplot as plt
from plotly.graph_objects import Figure

import hpo_explain as hx
from hpo_explain.adapters.optuna import ExplanationCallback
from hpo_explain.catalog.methods import METHODS


def state():
    """What a program may rely on, and no library should change."""
    numbers = np.random.get_state()  # noqa: NPY002
    return {
        "threads": sorted(
            thread.name for thread in threading.enumerate() if not thread.name.startswith("pymp")
        ),
        "start method": multiprocessing.get_start_method(allow_none=True),
        "warnings": [str(one) for one in warnings.filters],
        "environment": dict(os.environ),
        "handlers": [str(signal.getsignal(number)) for number in signal.valid_signals()],
        "folder": str(Path.cwd()),
        "locale": locale.setlocale(locale.LC_ALL),
        "numpy's errors": np.geterr(),
        "random numbers": [str(numbers[1]), numbers[2], str(random.getstate())],
        "printing": str(np.get_printoptions()),
        "pandas": pd.get_option("display.max_rows"),
        "figures": str(dict.items(matplotlib.rcParams)),
        "optuna": optuna.logging.get_verbosity(),
        "path": list(sys.path),
        "excepthook": str(sys.excepthook),
        "streams": [id(sys.stdout), id(sys.stderr)],
        "recursion": sys.getrecursionlimit(),
        "nice": os.nice(0) if hasattr(os, "nice") else 0,
        "logging": logging.getLogger().level,
    }


def table(n):
    x = np.random.default_rng(0).random((n, 2))
    loss = (x[:, 0] - 0.3) ** 2 + 0.1 * x[:, 1]
    return pd.DataFrame({"x": x[:, 0], "y": x[:, 1], "loss": loss})


def study():
    """A study of which every function has something to say."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=0)
    made = optuna.create_study(sampler=sampler, study_name="demo")
    for x in (0.2, 0.5, 0.8) * 2:  # of which the noise is known
        made.enqueue_trial({"x": x, "y": 0.5})
    rng = np.random.default_rng(0)

    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        loss = (x - 0.3) ** 2 + 0.1 * trial.suggest_float("y", 0.0, 1.0)
        loss += 0.01 * rng.normal()
        for step in (1, 2, 3):
            trial.report(loss + 0.1 / step, step)
        return loss

    made.optimize(objective, n_trials=15)
    return made, objective


def shown(result):
    """Show a result in every way."""
    str(result)
    result._repr_html_()
    result.to_dict()
    result.to_plotly()
    result.plot()
    plt.close("all")


def calls():
    Figure()
    plt.close(plt.figure())
    made, objective = study()
    run = hx.from_optuna(made)

    def call(method):
        first, *others = inspect.signature(method.function).parameters.values()
        needed = {
            one.name: "x"
            for one in others
            if one.default is one.empty and one.kind is not one.VAR_KEYWORD
        }
        about = {"a": run, "b": run} if first.name == "runs" else run
        return lambda: shown(method.function(about, **needed))

    def watched():
        few = ["history"]
        callback = ExplanationCallback("watched.html", every=5, sections=few)
        made.optimize(objective, n_trials=5, callbacks=[callback])

    found = {method.name: call(method) for method in METHODS}
    found["from_optuna"] = lambda: hx.from_optuna(made)
    found["from_frame"] = lambda: hx.from_frame(table(25), objective="loss", direction="minimize")
    found["apply"] = lambda: hx.advise(run).apply(made)
    found["guide"] = hx.guide
    found["report"] = lambda: hx.report(run, "report.html", n_jobs=2)
    found["watched"] = watched
    return found


def difference(before, after):
    if isinstance(before, dict):
        names = {*before, *after}
        return sorted(n for n in names if before.get(n) != after.get(n))
    return [before, after]


def main():
    wanted = sys.argv[1:]
    changed = {}
    for name, call in calls().items():
        if wanted and name not in wanted:
            continue
        before = state()
        try:
            call()
        except ValueError as error:  # nothing to explain is an answer, too
            print(name, error, file=sys.stderr)
        until = time.monotonic() + 60  # what ends by itself may do so
        while (after := state()) != before and time.monotonic() < until:
            if after["threads"] == before["threads"]:
                break
            time.sleep(0.1)
        different = {
            what: difference(before[what], after[what])
            for what in before
            if before[what] != after[what]
        }
        if different:
            changed[name] = different
    print(json.dumps(changed))  # in one line: the guide prints, too


if __name__ == "__main__":
    main()
