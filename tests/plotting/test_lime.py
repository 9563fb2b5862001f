import numpy as np
import pytest
from matplotlib.container import BarContainer

import hpo_explain as hx
from hpo_explain.plotting.lime import plot_lime
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.handmade import NASTY, warns_of_glyphs

pytestmark = warns_of_glyphs


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def bars(ax):
    return [p for c in ax.containers if isinstance(c, BarContainer) for p in c]


def explained(**options):
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: 3.0 * X[:, 0] - X[:, 1])
    return hx.LimeExplainer(surrogate, sample=100, **options).explain({"x1": 0.5, "x2": 0.5})


def test_bars_are_effects_and_the_fidelity_stands_over_them():
    ax = plot_lime(explained())
    assert labels(ax) == ["x1 from 0 to 1", "x2 from 0 to 1"]
    np.testing.assert_allclose([p.get_width() for p in bars(ax)], [3.0, -1.0])
    assert [p.get_hatch() or "" for p in bars(ax)] == ["////", ""]
    assert "weighted R² = 1.00" in ax.texts[0].get_text()
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["better", "worse"]


def test_a_leaf_has_a_line_per_condition_where_they_are_long():
    names = ["first hyperparameter", "second hyperparameter"]
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    surrogate = AnalyticSurrogate(space, lambda X: np.where(X > 0.5, 1.0, 0.0) @ [3.0, 1.0])
    found = hx.LimeExplainer(surrogate, model="tree", max_depth=2).explain(
        dict.fromkeys(names, 0.2)
    )
    ax = plot_lime(found, width=4.0)
    assert labels(ax)[0].endswith("(its own leaf)")
    assert all("\nand " in label for label in labels(ax))


@pytest.mark.parametrize("model", ["linear", "tree"])
def test_strange_names_are_drawn(model):
    space = hx.SearchSpace([hx.CategoricalParameter(name, NASTY[:3]) for name in NASTY])
    surrogate = AnalyticSurrogate(space, lambda X: X.sum(axis=1))
    found = hx.LimeExplainer(surrogate, model=model, sample=100).explain(
        dict.fromkeys(NASTY, NASTY[0])
    )
    plot_lime(found).figure.figure.canvas.draw()
