import numpy as np
import pytest
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

import hpo_explain as hx
from tests.ablating import AblationExplainer
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.handmade import NASTY, warns_of_glyphs

pytestmark = warns_of_glyphs


def plot_ablation(found, ax=None):
    return found.plot(ax)


def plot_ablation_shares(found, ax=None):
    return found.plot_shares(ax)


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def bars(ax):
    return [p for c in ax.containers if isinstance(c, BarContainer) for p in c]


def written(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def ablation(weights=(3.0, -1.0, 2.0), names=None, std=None):
    """From all ones to all zeros, of a linear function."""
    d = len(weights)
    space = unit_cube(d)
    if names is not None:
        space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    surrogate = AnalyticSurrogate(space, lambda X: X @ np.array(weights))
    source, target = space.decode(np.vstack([np.ones(d), np.zeros(d)]))
    return AblationExplainer(surrogate).explain(source, target)


def test_stairs_lead_from_source_to_target():
    ax = plot_ablation(ablation())
    assert labels(ax) == [
        "source", "x1 = 0 (was 1)", "x3 = 0 (was 1)", "x2 = 0 (was 1)", "target"
    ]  # fmt: skip
    ends = [(p.get_x(), p.get_x() + p.get_width()) for p in bars(ax)]
    np.testing.assert_allclose(ends, [(4.0, 1.0), (1.0, -1.0), (-1.0, 0.0)], atol=1e-12)
    assert [p.get_hatch() or "" for p in bars(ax)] == ["", "", "////"]
    assert "gain 4 in 3 steps" in written(ax)
    assert "The gains have no standard deviation" in written(ax)


def test_many_steps_are_folded_into_a_sum():
    result = ablation(np.arange(1.0, 31.0))
    ax = plot_ablation(result)
    assert labels(ax)[-2:] == ["11 more steps (sum)", "target"]
    assert -bars(ax)[-1].get_width() == pytest.approx(np.arange(1.0, 12.0).sum())
    ax = plot_ablation_shares(result)
    assert labels(ax)[-1] == "11 others (sum)"


def test_gains_and_shapley_values_stand_side_by_side_as_shares():
    ax = plot_ablation_shares(ablation())
    assert labels(ax) == ["x1", "x3", "x2"]
    widths = [p.get_width() for p in bars(ax)]
    np.testing.assert_allclose(widths, [0.75, 0.5, -0.25] * 2)
    assert ax.get_xlabel() == "share of the whole gain"
    balanced = plot_ablation_shares(ablation((1.0, -1.0)))
    assert balanced.get_xlabel() == "gain: right is better"


def test_whiskers_are_the_simultaneous_intervals_of_the_gains():
    space = unit_cube(2)
    X = space.sample(30, seed=1)
    forest = hx.ForestSurrogate.fit(space, X, X.sum(axis=1), n_trees=5)
    found = AblationExplainer(forest).explain({"x1": 0.9, "x2": 0.9}, {"x1": 0.1, "x2": 0.1})
    ax = plot_ablation(found)
    whiskers = [c.lines[2][0].get_segments()[0] for c in ax.containers if hasattr(c, "lines")]
    half = [(high - low) / 2 for (low, _), (high, _) in whiskers]
    np.testing.assert_allclose(half, 2.2414027 * found.std)  # the quantile at 1 - 0.025 / 2
    assert "over the trees, which is not a confidence interval" in written(ax)


@pytest.mark.parametrize("plot", [plot_ablation, plot_ablation_shares])
def test_strange_names_and_axes_of_ones_own(plot):
    figure = Figure(layout="constrained")
    ax = figure.add_subplot()
    assert plot(ablation(np.ones(len(NASTY)), names=NASTY), ax=ax) is ax
    figure.canvas.draw()
