"""Explainers and plots in threads, beside threads of the user's that draw figures and warn."""

import json
import threading
import time
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import hpo_explain as hx
from tests.analytic import unit_cube

pytestmark = pytest.mark.merge

LOOKS = 100


def explain(run):
    hx.importance(run, n_trees=4).plot(ax=Figure().add_subplot())
    hx.explain_proposal(run, len(run) - 1, background=20).plot(ax=Figure().add_subplot())
    hx.partial_dependence(run, "x1", sample=20, grid_size=5).plot(ax=Figure().add_subplot())
    json.dumps(hx.methods.lime(run, 3, "tree", sample=100).to_dict(), allow_nan=False)
    hx.methods.local_importance(run, 3)
    hx.changes(run, 3)


def test_nothing_that_threads_share_is_changed_or_lost():
    space = unit_cube(2)
    X = space.sample(20, seed=0)
    run = hx.Run(space, X, (X[:, 0] - 0.3) ** 2 + X[:, 1], "minimize")
    explain(run)  # what is imported warns of nothing later
    failed, wrong, told = [], [], 0
    np.random.seed(7)  # noqa: NPY002
    drawn = np.random.RandomState(7)

    def explained():
        try:
            explain(run)
        except BaseException as error:
            failed.append(error)

    def looked():
        figure = Figure()
        ax = figure.add_subplot()
        ax.plot([0.0, 1.0], [0.0, 1.0])
        wrong.append(mpl.rcParams["font.size"] != 17.0)
        wrong.append(ax.get_title() != "" or ax.xaxis.label.get_size() != 17.0)
        warnings.warn("one of the user's own", UserWarning, stacklevel=2)
        wrong.append(np.random.random() != drawn.random_sample())  # noqa: NPY002

    shown = []
    with mpl.rc_context({"font.size": 17.0, "axes.labelsize": 17.0}), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda *given, **_: shown.append(given[0])
        filters = list(warnings.filters)
        threads = [threading.Thread(target=explained) for _ in range(2)]
        for thread in threads:
            thread.start()
        while told < LOOKS or any(thread.is_alive() for thread in threads):
            looked()
            told += 1
            time.sleep(0.005)
        assert warnings.filters == filters
    assert failed == []
    assert not any(wrong)
    assert len([w for w in shown if "user's own" in str(w)]) == told
