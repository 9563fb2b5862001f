"""The plot of payouts: prediction and baseline by term, and what is between them."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.plotting.html import figure_svg
from hpo_explain.plotting.path_payouts import plot_payouts
from tests.handmade import NASTY, tuning_run, warns_of_glyphs
from tests.plotting.paths import path, random_path, words

pytestmark = warns_of_glyphs


def titles(ax):
    return [panel.get_title(loc="left") for panel in ax.figure.axes]


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_each_term_has_a_panel_with_what_the_table_has(direction):
    result = hx.desirability_path(
        tuning_run(11, direction=direction), background=50, progress=False
    )
    table = result.payouts()
    ax = plot_payouts(result)
    name = "LCB" if direction == "minimize" else "UCB"
    assert titles(ax) == [f"total: {name} (κ = 1.96)", "mean", "uncertainty"]
    for panel, term in zip(ax.figure.axes, ("total", "mean", "uncertainty"), strict=True):
        rows = table[table["term"] == term]
        baseline, prediction = panel.lines
        np.testing.assert_array_equal(prediction.get_xdata(), rows["trial"])
        np.testing.assert_allclose(prediction.get_ydata(), rows["prediction"])
        np.testing.assert_allclose(baseline.get_ydata(), rows["baseline"])
        assert (prediction.get_linestyle(), baseline.get_linestyle()) == ("-", "--")
        corners = panel.collections[0].get_paths()[0].vertices[:, 1]
        both = rows[["prediction", "baseline"]].to_numpy()
        assert (corners.min(), corners.max()) == pytest.approx((both.min(), both.max()))
    assert "up is more desirable" in words(ax)
    assert "background of 50 configurations" in words(ax)


def test_panels_have_scales_of_their_own_and_the_same_trials():
    ax = plot_payouts(random_path(5, 3))
    assert len({panel.get_ylim() for panel in ax.figure.axes}) == 3
    assert len({panel.get_xlim() for panel in ax.figure.axes}) == 1


def test_a_term_alone_is_the_total():
    assert titles(plot_payouts(path(np.ones((3, 1, 1)), terms=("improvement",)))) == [
        "total: LCB (κ = 1.96)"
    ]


def test_each_criterion_has_its_own_total_and_gaps_where_another_proposed():
    each = [{}, {"acquisition": "PI", "terms": ("mean", "other")}, {}, {}]
    result = path(np.ones((4, 2, 2)), each=each)
    ax = plot_payouts(result)
    assert titles(ax) == ["total: LCB (κ = 1.96)", "mean", "uncertainty", "total: PI", "mean (2)",
                          "other"]  # fmt: skip
    first, last = ax.figure.axes[0].lines[1], ax.figure.axes[-1].lines[1]
    np.testing.assert_allclose(first.get_ydata(), [3.5, np.nan, 3.5, 3.5])
    np.testing.assert_allclose(last.get_ydata(), [np.nan, 1.5, np.nan, np.nan])
    assert "another criterion" in words(ax)


def test_a_proposal_alone_has_a_bar_from_the_baseline_to_the_prediction():
    ax = plot_payouts(path(np.ones((1, 2, 2))))
    segments = [c.get_segments() for c in ax.collections if hasattr(c, "get_segments")]
    np.testing.assert_allclose(segments[0][0], [[5, -0.5], [5, 3.5]])


def test_given_axes_are_replaced_and_names_are_drawn_as_they_are():
    figure = Figure(layout="constrained")
    given = figure.add_subplot()
    result = random_path(3, 1, terms=NASTY[:2], acquisition=NASTY[2])
    ax = result.plot_payouts(given)
    assert given not in figure.axes
    assert titles(ax)[0] == f"total: {NASTY[2]}"
    assert "<script" not in figure_svg(ax.figure.figure, alt="payouts")
