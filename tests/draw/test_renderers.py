"""One description, two renderers: both draw the numbers that were computed."""

import sys

import numpy as np
import pytest

import hpo_explain as hx
from tests.handmade import tuning_run

RUN = tuning_run(20)


@pytest.mark.parametrize("name", [p.name for p in RUN.space.parameters])
def test_plotly_draws_the_effect_that_was_computed(name):
    pytest.importorskip("plotly")
    found = hx.partial_dependence(RUN, name, sample=10)
    figure = found.to_plotly()
    axis = [np.asarray(t[k], dtype=float) for t in figure.data for k in "xy" if t[k] is not None
            and not any(value is None for value in t[k])]  # fmt: skip
    drawn = np.concatenate(axis)
    assert all(np.isclose(drawn, value).any() for value in found.mean)
    assert name in figure.layout.title.text


def test_plotly_draws_the_gains_of_ablation():
    pytest.importorskip("plotly")
    found = hx.ablation(RUN)
    bars = [t for t in found.to_plotly().data if t.type == "bar"]
    assert sum(len(bar.x) for bar in bars) == len(found.steps)


def test_pyplot_knows_a_figure_only_where_it_is_in_use(monkeypatch):
    found = hx.partial_dependence(RUN, RUN.space.names[0], sample=10)
    from matplotlib import pyplot as plt

    ax = found.plot()
    assert plt.gcf() is ax.figure
    before = plt.get_fignums()
    found._repr_html_()
    assert plt.get_fignums() == before
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot")
    found.plot()
    assert plt.get_fignums() == before
