from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.container import BarContainer, ErrorbarContainer

import hpo_explain as hx
from hpo_explain.plotting.html import plot_svg
from hpo_explain.plotting.local_importance import plot_local_importance
from tests.analytic import AnalyticSurrogate
from tests.handmade import NASTY, warns_of_glyphs

pytestmark = warns_of_glyphs


def explained(weights, names=None):
    names = names or [f"x{j + 1}" for j in range(len(weights))]
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    surrogate = AnalyticSurrogate(space, lambda X: X @ np.array(weights, dtype=float))
    return hx.LocalImportanceExplainer(surrogate).explain(dict.fromkeys(names, 0.5))


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def lengths(ax):
    return [p.get_width() for c in ax.containers if isinstance(c, BarContainer) for p in c]


def test_bars_are_shares_the_largest_on_top():
    ax = plot_local_importance(explained([1.0, 3.0]))
    assert labels(ax) == ["x2 = 0.5", "x1 = 0.5"]
    np.testing.assert_allclose(lengths(ax), [0.9, 0.1])
    assert "The shares have no standard deviation" in ax.texts[-1].get_text()


def test_more_than_20_are_folded_into_a_sum():
    result = explained(np.arange(1.0, 31.0))
    ax = plot_local_importance(result)
    assert labels(ax)[-1] == "11 others (sum)"
    assert sum(lengths(ax)) == pytest.approx(1.0)


def test_whiskers_are_the_std_over_trees():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    X = space.sample(30, seed=1)
    forest = hx.ForestSurrogate.fit(space, X, X.sum(axis=1), n_trees=5)
    result = hx.LocalImportanceExplainer(forest).explain({"x": 0.5, "y": 0.5})
    ax = plot_local_importance(result)
    (whiskers,) = [c for c in ax.containers if isinstance(c, ErrorbarContainer)]
    half = [(b[0] - a[0]) / 2 for a, b in whiskers.lines[2][0].get_segments()]
    np.testing.assert_allclose(half, result.std[result.order()])


@pytest.mark.parametrize("objective", [*NASTY, "lo\x00ss", "\u202eegral"])
def test_strange_names_are_drawn(objective):
    result = explained(np.ones(len(NASTY)), NASTY)
    result = replace(result, subject=replace(result.subject, objective_name=objective))
    ET.fromstring(plot_svg(result.plot, alt="bars"))
