"""Plots of paths: a panel per hyperparameter, the total and its terms by trial."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy.stats import t as student

import hpo_explain as hx
from hpo_explain.plotting._style import RED
from hpo_explain.plotting.html import figure_svg
from hpo_explain.plotting.path import plot_path
from tests.handmade import NASTY, tuning_run, warns_of_glyphs
from tests.plotting.paths import curves, path, random_path, words

pytestmark = warns_of_glyphs


def titles(ax):
    return [a.get_title(loc="left") for a in ax.figure.axes]


def legend(ax):
    (found,) = ax.figure.legends
    return [text.get_text() for text in found.get_texts()]


def test_each_hyperparameter_has_a_panel_with_its_total_and_terms_the_largest_first():
    phi = np.zeros((4, 3, 2))
    phi[:, 0] = [[0.1, 0.0], [-0.1, 0.05], [0.1, 0.1], [0.0, 0.0]]
    phi[:, 1] = [[1.0, 0.5], [-2.0, 0.5], [1.0, -0.5], [1.0, 0.0]]
    phi[:, 2] = [[0.5, 0.0], [0.5, 0.0], [-0.6, 0.0], [0.5, 0.0]]
    ax = plot_path(path(phi))
    assert titles(ax) == ["x1", "x2", "x0"]
    assert ax is ax.figure.axes[0]
    for panel, j in zip(ax.figure.axes, (1, 2, 0), strict=True):
        total, mean, uncertainty = curves(panel, 4)
        np.testing.assert_array_equal(total.get_xdata(), [5, 6, 7, 8])
        np.testing.assert_allclose(total.get_ydata(), phi[:, j].sum(axis=1))
        np.testing.assert_allclose(mean.get_ydata(), phi[:, j, 0])
        np.testing.assert_allclose(uncertainty.get_ydata(), phi[:, j, 1])
    assert legend(ax)[:4] == ["total", "95 % interval of the total", "mean", "uncertainty"]
    assert {panel.get_ylim() for panel in ax.figure.axes} == {ax.get_ylim()}


def test_the_terms_differ_by_color_and_by_dashes():
    panel = plot_path(random_path(5, 1)).figure.axes[0]
    lines = curves(panel, 5)
    assert len({to_rgb(line.get_color()) for line in lines}) == 3
    assert len({str(line._dash_pattern) for line in lines}) == 3


def test_the_ribbon_is_the_interval_of_averaging_over_the_background():
    result = random_path(5, 1, error=0.1)
    (ribbon,) = plot_path(result).collections
    half = student.ppf(0.975, 9) * 0.1
    heights = ribbon.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(result.total.max() + half)
    assert heights.min() == pytest.approx(result.total.min() - half)


def test_without_intervals_there_is_no_ribbon_and_it_is_said():
    ax = plot_path(random_path(5, 1, error=None))
    assert all(not np.isfinite(c.get_datalim(ax.transData).y0) for c in ax.collections)
    assert "No intervals" in words(ax)
    assert legend(ax) == ["total", "mean", "uncertainty"]
    partly = plot_path(random_path(5, 1, each=[{"standard_error": None}, *[{}] * 4]))
    assert "not known for 1 proposal." in words(partly)


def test_a_term_alone_is_the_total_and_drawn_once():
    ax = plot_path(random_path(1, 2, terms=("improvement", "other")))
    assert len(curves(ax, 1)) == 3
    ax = plot_path(path(np.ones((4, 1, 1)), terms=("improvement",)))
    assert len(curves(ax, 4)) == 1


def test_the_turning_point_is_marked_with_its_trial():
    # uncertainty leads in trials 5 to 8, the mean in 9 to 12
    phi = [[[0.1, 0.5], [0.1, 0.1]]] * 4 + [[[0.5, 0.1], [0.1, 0.1]]] * 4
    ax = plot_path(path(phi))
    turned = [[line for line in panel.lines if line.get_color() == RED] for panel in ax.figure.axes]
    assert [list(line.get_xdata()) for line in turned[0]] == [[9, 9]]
    assert turned[1] == []
    assert [text.get_text() for text in ax.texts] == ["from trial 9"]
    assert "the mean leads from here on" in legend(ax)
    assert ax.get_ylim()[1] > 0.6 * 1.1


def test_where_a_hyperparameter_is_inactive_its_line_is_broken():
    config = [{"x0": 0.5, "x1": 0.1}, {"x0": 0.5}, {"x0": 0.5, "x1": 0.2}, {"x0": 0.5}]
    phi = [[[1.0, 0.5], [0.2, 0.1] if "x1" in c else [0.0, 0.0]] for c in config]
    ax = plot_path(path(phi, each=[{"config": c} for c in config]))
    second = ax.figure.axes[1]
    total = curves(second, 4)[0]
    np.testing.assert_allclose(total.get_ydata(), [0.3, np.nan, 0.3, np.nan])
    assert list(total.get_markevery()) == [0, 2]
    assert "broken where the hyperparameter is inactive" in words(ax)


def test_a_value_without_neighbours_is_a_mark_however_many_proposals_there_are():
    phi = np.ones((30, 2, 2))
    each = [{"config": {"x0": 0.5, "x1": 0.5} if i == 7 else {"x0": 0.5}} for i in range(30)]
    first, second = plot_path(path(phi, each=each)).figure.axes
    assert list(curves(second, 30)[0].get_markevery()) == [7]
    assert curves(first, 30)[0].get_marker() == "None"


def test_what_is_never_active_has_no_panel_and_is_named():
    ax = plot_path(path(np.ones((3, 2, 2)), config={"x0": 0.5}))
    assert titles(ax) == ["x0"]
    assert "Inactive in every proposal: x1." in words(ax)
    nothing = plot_path(path(np.zeros((3, 2, 2)), config={}))
    assert "Inactive in every proposal: x0, x1." in words(nothing)


def test_criteria_of_different_units_are_drawn_as_shares():
    lcb = {"acquisition": "LCB (κ = 1.96)"}
    ei = {"acquisition": "EI", "terms": ("exploitation", "exploration")}
    phi = [[[3.0, -1.0], [-2.0, 0.0]], [[0.003, 0.001], [0.004, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]
    result = path(phi, each=[lcb, {**ei, "payout": {"total": 0.008}, "efficiency_gap": {}}, lcb])
    ax = plot_path(result)
    assert "share of all contributions" in words(ax)
    total, *terms = curves(ax, 3)  # both have the same mean share; the first stays first
    np.testing.assert_allclose(total.get_ydata(), [0.5, 0.5, 0.0])
    by_term = [[0.75, np.nan, 0.0], [-0.25, np.nan, 0.0], [np.nan, 0.375, np.nan],
               [np.nan, 0.125, np.nan]]  # fmt: skip
    for line, expected in zip(terms, by_term, strict=True):
        np.testing.assert_allclose(line.get_ydata(), expected)
    assert "different units" in words(ax)
    assert "LCB (κ = 1.96), a GP with EI" in words(ax)


def test_no_more_than_six_have_a_panel_and_the_others_are_named():
    ax = plot_path(random_path(6, 30))
    assert len(ax.figure.axes) == 6
    assert "Smaller, without a panel: x" in words(ax)
    assert "and 16 more." in words(ax)


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_proposals_are_points(n):
    ax = plot_path(random_path(n, 2))
    assert list(curves(ax, n)[0].get_markevery()) == list(range(n))
    ax.figure.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    assert [x for x in ax.get_xticks() if low <= x <= high] == [5, 6][:n]
    assert ("Why trial 5?" if n == 1 else "Why trials 5-6?") in words(ax)


def test_a_real_path_of_a_conditional_space_has_what_its_table_has():
    result = hx.desirability_path(tuning_run(13, direction="maximize"), background=50,
                                  progress=False)  # fmt: skip
    table = result.to_frame().query("term == 'total'").set_index(["hyperparameter", "trial"])
    for panel in plot_path(result).figure.axes:
        line = curves(panel, 5)[0]
        known = ~np.isnan(line.get_ydata())
        expected = [
            table.loc[(panel.get_title(loc="left"), trial), "contribution"]
            for trial in line.get_xdata()[known].astype(int)
        ]
        np.testing.assert_allclose(line.get_ydata()[known], expected)
    assert "UCB" in words(plot_path(result))


def test_assumed_and_the_optimizers_own_are_told_apart():
    own = {"assumed": False, "optimizer": "skopt's gp_minimize"}
    assert "(assumed)" in words(plot_path(random_path(2, 1)))
    heading = words(plot_path(random_path(2, 1, **own)))
    assert "As skopt's gp_minimize saw them: a GP with LCB (κ = 1.96)" in heading
    assert "(partly assumed)" in words(plot_path(random_path(2, 1, each=[own, {}])))


def test_given_axes_are_replaced_within_their_place():
    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    first = plot_path(random_path(3, 4), ax=right)
    figure.draw_without_rendering()
    assert right not in figure.axes
    assert left in figure.axes
    assert first.get_window_extent().x0 > left.get_window_extent().x1
    assert plt.get_fignums() == []


def test_without_a_layout_engine_the_texts_have_room_too():
    figure = Figure(figsize=(8, 6))
    ax = plot_path(random_path(15, 4), ax=figure.add_subplot())
    figure.draw_without_rendering()
    assert ax.figure.legends[0].get_window_extent().y0 >= ax.get_tightbbox().y1 - 2
    lowest = figure.axes[-1].xaxis.label.get_window_extent().y0
    assert ax.figure._supxlabel.get_window_extent().y1 <= lowest + 2


def test_seven_terms_of_several_criteria_can_be_told_apart():
    each = [{"acquisition": f"A{k}", "terms": (f"{k}a", f"{k}b")} for k in range(4)]
    lines = curves(plot_path(path(np.ones((4, 1, 2)), each=each)), 4)
    assert len(lines) == 9
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in lines}) == 9


@pytest.mark.parametrize(("d", "width"), [(1, 3.9), (5, 3.9), (3, 8.0), (30, 8.0)])
def test_no_text_leaves_the_figure_or_covers_a_panel(d, width):
    names = [f"a.very.$long$.name_of_hyperparameter_{'W' * 30}_{j}" for j in range(d)]
    ax = plot_path(random_path(20, d, names=names, acquisition="EI" * 50), width=width)
    figure = ax.figure.figure
    figure.draw_without_rendering()
    part = ax.figure
    for text in [*part.texts, part._suptitle, part._supxlabel, part._supylabel,
                 *part.legends[0].get_texts(), *(a.title for a in figure.axes),
                 *(a._left_title for a in figure.axes)]:  # fmt: skip
        box = text.get_window_extent()
        if text.get_text().strip():
            assert box.x0 > -2
            assert box.x1 < figure.bbox.width + 2
            assert box.y0 > -2
            assert box.y1 < figure.bbox.height + 2
    assert part.legends[0].get_window_extent().y0 >= ax.get_tightbbox().y1 - 2
    assert min(a.get_window_extent().height for a in figure.axes) > 60


def test_names_from_the_user_are_drawn_as_they_are():
    phi = np.random.default_rng(0).normal(size=(3, len(NASTY), 2))
    own = {"terms": NASTY[:2], "acquisition": NASTY[2], "model": NASTY[0]}
    ax = plot_path(path(phi, names=NASTY, **own))
    assert "<script" not in figure_svg(ax.figure.figure, alt="path")
    titles_of = ax.figure.axes
    assert not any(a._left_title.get_parse_math() for a in titles_of)
    assert {a.get_title(loc="left")[:4] for a in titles_of} >= {"_und", "<scr", "学习率"}


def test_names_that_differ_in_the_middle_have_different_titles():
    names = [f"model.encoder.block.{j}.attention.projection.dropout_probability" for j in range(6)]
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    X = space.sample(8, seed=0)
    run = hx.Run(space, X, X @ np.arange(1.0, 7.0), "minimize", proposals=range(5, 8))
    path = hx.desirability_path(run, background=20, progress=False)
    titles = [panel.get_title(loc="left") for panel in path.plot().figure.axes]
    assert len({*titles}) == len(titles) == 6
    assert all("…" in title for title in titles)
