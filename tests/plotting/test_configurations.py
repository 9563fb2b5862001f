"""Where the trials lie: what stands in which panel, and that labels stay in the figure."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.run import WithoutResult
from tests.handmade import NASTY, warns_of_glyphs

pytestmark = warns_of_glyphs

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.IntParameter("layers", 1, 5),
        hx.CategoricalParameter("booster", ["gbtree", "dart"]),
        hx.FloatParameter("rate", 0.0, 1.0, active_when={"booster": ["dart"]}),
    ]
)


def run(n=30, **options):
    X = SPACE.sample(n, seed=0)
    return hx.Run(SPACE, X, X[:, 0], "minimize", objective_name="loss", **options)


def drawn(result):
    """The axes that are drawn, as rows of the matrix."""
    panels = result.plot().figure.axes
    k = int(np.sqrt(len(panels)))
    return [[ax for ax in panels[k * i : k * (i + 1)] if ax.axison] for i in range(k)]


def test_bars_count_the_finished_trials_and_points_are_trials_in_their_order():
    made = run()
    rows = drawn(hx.configurations(made))
    assert [len(row) for row in rows] == [1, 2, 3, 4]
    counts = [
        sum(bar.get_height() for bar in rows[j][j].patches if bar.get_width()) for j in (0, 1)
    ]
    assert counts[0] >= 30
    heights = [bar.get_height() for bar in rows[1][1].containers[0]]
    assert heights == [(made.X[:, 1] * 4 == k).sum() for k in range(5)]
    (points,) = rows[1][0].collections
    np.testing.assert_allclose(points.get_offsets()[:, 0], made.X[:, 0])
    luminance = points.get_facecolors()[:, :3].sum(axis=1)
    assert (np.diff(luminance) > -0.05).all()
    # a value of five whole numbers stands nearer to itself than to the next
    assert np.abs(points.get_offsets()[:, 1] - made.X[:, 1]).max() < 0.125


def test_inactive_values_are_not_drawn_and_the_best_is_a_star():
    made = run()
    rows = drawn(hx.configurations(made))
    (points,) = rows[3][0].collections
    assert np.isfinite(points.get_offsets().filled(np.nan)).all(axis=1).sum() == (
        np.isfinite(made.X[:, 3]).sum()
    )
    star = rows[1][0].lines[-1]
    assert star.get_marker() == "*"
    assert star.get_xdata()[0] == made.X[:, 0].min()


def test_trials_without_a_result_and_highlighted_ones_have_marks_of_their_own():
    chosen = SPACE.sample(3, seed=5)
    without = {30 + k: WithoutResult("failed", chosen[k]) for k in range(3)}
    made = run(without_result=without, excluded=dict.fromkeys(without, fact("failed")))
    result = hx.configurations(made, highlight=[4])
    panel = drawn(result)[1][0]
    failed, highlighted, _ = panel.lines
    np.testing.assert_allclose(failed.get_xdata(), chosen[:, 0])
    assert highlighted.get_xdata() == [made.X[4, 0]]
    legend = panel.figure.legends[0]
    assert {"failed (3)", "highlighted: trial 4"} <= {t.get_text() for t in legend.get_texts()}


@pytest.mark.parametrize("width", [3.9, 8.0])
def test_many_long_names_and_categories_stay_in_the_figure(width):
    names = [*NASTY, *(f"a.$very$.long_name_of_{'W' * 30}_{j}" for j in range(18))]
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter(names[0], [f"{'category ' * 4}{k}" for k in range(30)]),
            hx.CategoricalParameter(names[1], list(NASTY[:5])),
            *(hx.FloatParameter(name, 0.0, 1e-9) for name in names[2:]),
        ]
    )
    X = space.sample(12, seed=0)
    made = hx.Run(space, X, np.arange(12.0), "minimize", objective_name=NASTY[2])
    ax = hx.configurations(made).plot(width=width)
    figure = ax.figure.figure
    figure.draw_without_rendering()
    panels = [panel for panel in figure.axes if panel.axison]
    k = 6 if width > 5.0 else 2
    assert len(panels) == k * (k + 1) // 2
    texts = [label for panel in panels for axis in (panel.xaxis, panel.yaxis)
             for label in (axis.label, *axis.get_ticklabels())]  # fmt: skip
    for text in [text for text in texts if text.get_text()]:
        assert not text.get_parse_math() or text.get_text().isdecimal()
        box = text.get_window_extent()
        assert box.x0 > -2
        assert box.x1 < figure.bbox.width + 2
        assert box.y0 > -2
    assert f"{30 - k} other hyperparameters are not shown" in " ".join(
        part._supxlabel.get_text().replace("\n", " ") for part in figure.subfigs
    )


@pytest.mark.parametrize("n", [0, 1])
def test_a_run_of_no_or_one_trial_and_one_hyperparameter_can_be_drawn(n):
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    made = hx.Run(space, np.full((n, 1), 0.5), np.zeros(n), "minimize")
    ax = hx.configurations(made).plot()
    ax.figure.figure.draw_without_rendering()
    assert sum(bar.get_height() for bar in ax.containers[0]) == n


def test_it_replaces_the_axes_it_is_given():
    figure = Figure(layout="constrained")
    ax = figure.add_subplot()
    assert hx.configurations(run()).plot(ax).figure.figure is figure
    assert ax not in figure.axes
