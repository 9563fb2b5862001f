"""Calls public functions, and says what each of them changed in its process."""

import inspect
import json
import locale
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn  # noqa: F401  # sets variables for the processor's libraries

import hpo_explain as hx
from hpo_explain.catalog.methods import METHODS


def state():
    """What a program may rely on, and no library should change."""
    random = np.random.get_state()  # noqa: NPY002
    return {
        "threads": sorted(
            thread.name
            for thread in threading.enumerate()
            if not thread.name.startswith("pymp")
        ),
        "start method": multiprocessing.get_start_method(allow_none=True),
        "warnings": [str(one) for one in warnings.filters],
        "environment": dict(os.environ),
        "handlers": [
            str(signal.getsignal(number)) for number in signal.valid_signals()
        ],
        "folder": str(Path.cwd()),
        "locale": locale.setlocale(locale.LC_ALL),
        "numpy's errors": np.geterr(),
        "random numbers": [str(random[1][:5]), random[2]],
        "pandas": pd.get_option("display.max_rows"),
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


def calls():
    about = {"objective": "loss", "direction": "minimize"}
    about |= {"optimizer": "a GP", "initial": 5}
    run = hx.from_frame(table(25), **about)

    def call(method):
        first, *others = inspect.signature(method.function).parameters.values()
        needed = {
            one.name: "x"
            for one in others
            if one.default is one.empty and one.kind is not one.VAR_KEYWORD
        }
        about = {"a": run, "b": run} if first.name == "runs" else run
        return lambda: method.function(about, **needed)

    found = {method.name: call(method) for method in METHODS}
    found["from_frame"] = lambda: hx.from_frame(table(25), **about)
    found["report"] = lambda: hx.report(
        hx.from_frame(table(40), **about), "report.html", n_jobs=2
    )
    found["plot"] = lambda: hx.history(run).plot()
    return found


def difference(before, after):
    if isinstance(before, dict):
        names = {*before, *after}
        return sorted(n for n in names if before.get(n) != after.get(n))
    return [before, after]


def main():
    warnings.simplefilter("error")  # no library's own are seen
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
        until = time.monotonic() + 20  # what ends by itself may do so
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
    print(json.dumps(changed, indent=1))


if __name__ == "__main__":
    main()
