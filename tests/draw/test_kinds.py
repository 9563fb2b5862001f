"""Every kind of description, by both renderers: what is drawn is what was described."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from hpo_explain.base.figures import (
    HATCHED,
    LOOKS,
    PALE,
    Axis,
    Bar,
    Cells,
    Curves,
    Dots,
    Line,
    Note,
    Panels,
    Rows,
    broken,
)
from hpo_explain.draw import on_matplotlib
from hpo_explain.draw._legend import legend_of
from hpo_explain.draw._marks import HEIGHT

X = np.arange(5.0)
Y = np.array([3.0, 1.0, np.nan, 2.0, np.nan])
LONG = "optimizer__learning_rate_schedule_parameter_{}"

ROWS = Rows(
    labels=[("lr", "= 0.1"), ("depth", "= 3"), ("momentum: inactive",)],
    bars=[
        Bar(0, 0.0, 2.0, half=0.5),
        Bar(0, 0.0, -1.0, half=(0.1, 0.3), place=1),
        Bar(1, 0.0, 1.0, fill=PALE),
        Bar(1, 0.2, 0.4, fill=HATCHED),
    ],
    dots=[Dots(np.array([1.0, 0.5]), np.array([0.0, 1.0]), np.array([0.2, np.nan]), "total")],
    guides=[(1.5, "limit")],
    fills={0: "mean", 1: "uncertainty", 3: "not drawn"},
    means={"total": "total", "limit": "asked for", "border": "not drawn"},
    heading="Why?",
    subtitle="payout 1",
    label="contribution",
    footer="Whiskers.",
    quiet=1,
)
CURVES = Curves(
    x=Axis(label="trial", whole=True),
    y=Axis(label="loss"),
    lines=[Line(X, Y, np.full(5, 0.5)), Line(X, Y + 1.0, look="incumbent", step=True)],
    dots=[
        Dots(X[:2], Y[:2], look="star", labels=["a", "b"]),
        Dots(X[:1], np.array([np.inf]), look="failed"),
    ],
    thin=broken(X, np.array([[1.0, 2.0, 3.0, 2.0, 1.0]])),
    dimmed=[(0.0, 1.0)],
    marked=[(1.0, 2.0)],
    rug=np.array([0.5]),
    guide=2.0,
    levels=[(0.5, "goal")],
    notes=[Note(3.0, "from 3")],
    means={"main": "mean", "band": "95 % band", "failed": "1 failed", "rug": "tried"},
    caution="Of two trials.",
    heading="History",
)
CELLS = Cells(
    x=Axis(label="x", names=[LONG.format(k) for k in range(2)]),
    y=Axis(label="", names=["a", "b", "c"]),
    values=np.array([[0.1, np.nan, 0.3], [0.2, 0.4, 0.9]]),
    scale="share",
    percent=True,
    low=0.0,
    dimmed=np.array([[True, False, False], [False, False, False]]),
    dots=[Dots(np.array([0.0]), np.array([1.0]), look="tried")],
    heading="Pairs",
)
SWARM = Rows(
    labels=[("lr",)],
    bars=[],
    dots=[Dots(X, np.zeros(5), colors=X / 4.0)],
    scale=("low", "high", "value"),
    heading="Swarm",
    label="contribution",
)
PANELS = Panels(
    panels=[replace(CURVES, heading=LONG.format(k), emphasis=k == 0) for k in range(4)],
    heading="Several",
    footer="All of them.",
    same_x=True,
)
MIXED = Panels(panels=[ROWS, CELLS, CURVES], heading="Mixed")
KINDS = {
    "rows": ROWS,
    "curves": CURVES,
    "cells": CELLS,
    "swarm": SWARM,
    "panels": PANELS,
    "mixed": MIXED,
}


def texts(ax):
    figure = ax.figure.figure
    found = [t.get_text() for t in figure.findobj(mpl.text.Text) if t.get_text()]
    return " ".join(" ".join(found).split())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [3.9, 8.0])
def test_all_words_are_written_and_stay_in_the_figure(kind, width):
    drawn = on_matplotlib.drawn(KINDS[kind], width=width)
    first = np.ravel(np.asarray(drawn, dtype=object))[0]
    figure = first.figure.figure
    figure.draw_without_rendering()
    assert KINDS[kind].heading in texts(first)
    assert KINDS[kind].footer in texts(first)
    for ax in figure.axes:
        for label in [*ax.get_yticklabels(), ax.xaxis.label, ax.title]:
            if label.get_text() and label.get_visible():
                box = label.get_window_extent()
                assert box.x0 > -3.0
                assert box.y0 > -3.0


@pytest.mark.parametrize("kind", KINDS)
def test_plotly_draws_what_matplotlib_draws(kind):
    on_plotly = pytest.importorskip("hpo_explain.draw.on_plotly")
    figure = on_plotly.drawn(KINDS[kind])
    assert KINDS[kind].heading in figure.layout.title.text
    assert figure.data
    shown = {trace.name for trace in figure.data if getattr(trace, "showlegend", False)}
    assert "not drawn" not in shown


def test_bars_points_and_limits_are_those_described():
    ax = on_matplotlib.drawn(ROWS)
    widths = sorted(patch.get_width() for patch in ax.patches if patch.get_height() < 0.9)
    assert widths == pytest.approx([-1.0, 0.2, 1.0, 2.0])
    low, high = ax.get_xlim()
    assert low < -1.1
    assert high > 2.7
    assert ax.get_yticklabels()[2].get_color() == "#6b6b6b"
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["mean", "uncertainty", "total", "asked for"]


def test_the_legend_has_what_is_dimmed_only_where_something_is():
    means = {"dimmed": "hardly tried"}
    for dimmed, entries in [
        (CELLS.dimmed, ["hardly tried"]),
        (np.zeros_like(CELLS.dimmed), []),
        (None, []),
    ]:
        figure = replace(CELLS, dimmed=dimmed, means=means)
        assert [*legend_of(figure, means)] == entries


def test_a_value_without_neighbours_is_a_mark_and_infinity_the_end_of_the_axes():
    assert CURVES.lines[0].alone.tolist() == [False, False, False, True, False]
    ax = on_matplotlib.drawn(CURVES)
    top = ax.get_ylim()[1]
    assert any(line.get_ydata()[0] == top for line in ax.lines if line.get_marker() == "x")
    assert ax.get_ylim() == pytest.approx(CURVES.limits())


def test_panels_share_axes_and_take_the_place_of_given_ones():
    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    axes = on_matplotlib.drawn(PANELS, ax=right)
    assert len(axes) == 4
    assert len({ax.get_ylim() for ax in axes}) == 1
    figure.draw_without_rendering()
    assert right not in figure.axes
    assert axes[0].get_window_extent().x0 > left.get_window_extent().x1
    titles = [ax.get_title(loc="left") for ax in axes]
    assert len(set(titles)) == 4


def test_every_look_is_drawn():
    figure = Curves(
        x=Axis(label=""),
        y=Axis(label=""),
        heading="",
        means={look: look for look in LOOKS},
        lines=[Line(X, X, look=look) for look in LOOKS],
        dots=[Dots(X, X, look=look) for look in LOOKS],
    )
    ax = on_matplotlib.drawn(figure, ax=Figure(layout="constrained").add_subplot())
    texts = ax.get_legend().get_texts()
    assert [text.get_text() for text in texts] == [*LOOKS]


def points_of(box, figure):
    """The corners of a box in points."""
    return np.array(box.extents) * 72.0 / figure.dpi


def test_axes_are_as_high_as_what_is_drawn_needs_whatever_stands_around_them():
    for heading in ("Short", "Long, " * 60):
        ax = on_matplotlib.drawn(replace(CURVES, heading=heading), width=4.0)
        _, low, _, top = points_of(ax.get_window_extent(), ax.figure)
        assert top - low == pytest.approx(HEIGHT)


@pytest.mark.parametrize("width", [3.8, 8.0, 16.0])
def test_an_axis_of_shares_has_a_tick_at_the_whole(width):
    whole = Axis(label="weight", percent=True, limits=(0.0, 1.0))
    line = Line(np.linspace(0.0, 1.0, 11), np.linspace(0.0, 1.0, 11))
    ax = on_matplotlib.drawn(Curves(x=whole, y=whole, lines=[line], heading="Shares"), width=width)
    ax.figure.draw_without_rendering()
    for ticks in (ax.get_xticklabels(), ax.get_yticklabels()):
        texts = [tick.get_text() for tick in ticks]
        assert texts[0] == "0%"
        assert texts[-1] == "100%"


def test_a_label_beside_axes_takes_two_lines_before_it_is_cut():
    for name, lines, is_whole in [
        ("loss", 1, True),
        ("validation_cross_entropy_of_the_ensemble", 2, True),
        ("validation_cross_entropy_of_the_ensemble" * 3, 1, False),
    ]:
        text = f"predicted {name}"
        long = replace(CURVES, y=Axis(label=text))
        ax = on_matplotlib.drawn(long)
        label = ax.yaxis.label
        written = label.get_text().split("\n")
        assert len(written) == lines
        assert ("".join(written) == text) == is_whole
        _, low, _, top = points_of(label.get_window_extent(), ax.figure)
        assert top - low <= HEIGHT


def test_a_text_at_the_last_mark_stays_in_the_figure():
    figure = Curves(
        x=Axis(label="trial"),
        y=Axis(label="loss"),
        heading="Labelled",
        dots=[Dots(X, X, labels=[""] * (len(X) - 1) + ["a long label"])],
    )
    ax = on_matplotlib.drawn(figure)
    (label,) = [t for t in ax.texts if t.get_text() == "a long label"]
    end = points_of(label.get_window_extent(), ax.figure)[2]
    assert end <= 72.0 * ax.figure.get_figwidth()


def test_panels_of_a_row_end_at_the_same_height_and_none_reaches_into_another():
    axes = on_matplotlib.drawn(MIXED, width=8.0)
    figure = axes[0].figure
    boxes = np.array([points_of(ax.get_tightbbox(), figure) for ax in figure.axes])
    for i, (left, low, right, top) in enumerate(boxes):
        for others in boxes[i + 1 :]:
            apart_x = right <= others[0] + 1.0 or others[2] <= left + 1.0
            apart_y = top <= others[1] + 1.0 or others[3] <= low + 1.0
            assert apart_x or apart_y
    assert len({round(ax.get_position().y0, 6) for ax in axes}) == 1


def test_the_layout_of_the_users_style_moves_nothing():
    with mpl.rc_context({"figure.constrained_layout.use": True}):
        ax = on_matplotlib.drawn(CURVES)
        before = ax.get_position().bounds
        ax.figure.draw_without_rendering()
    assert ax.get_position().bounds == before


FAR = Curves(
    x=Axis(label="time", limits=(0.0, 4.0)),
    y=Axis(label="loss", limits=(None, 4.0)),
    dots=[Dots(np.array([1.0, 2.0, 9.0]), np.array([1.0, 90.0, 3.0]))],
    means={"main": "trial", "beyond": "beyond the axes"},
    heading="Far",
)


@pytest.mark.parametrize(
    ("figure", "markers", "ends"),
    [
        (FAR, ["o", "^", ">"], [(2.0, 4.0), (4.0, 3.0)]),
        (replace(FAR, x=Axis(label="", names=["a", "b", "c"])), ["o", ">"], [(4.0, 2.0)]),
    ],
    ids=["upright", "lying"],
)
def test_points_beyond_the_axes_point_outwards_at_their_end(figure, markers, ends):
    ax = on_matplotlib.drawn(figure)
    points = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert [line.get_marker() for line in points] == markers
    for line, (x, y) in zip(points[1:], ends, strict=True):
        assert (line.get_xdata()[0], line.get_ydata()[0]) == (x, y)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["trial", "beyond the axes"]
    assert 0.0 < figure.limits()[0] < 1.0


def test_plotly_says_the_value_of_a_point_that_lies_beyond_the_axes():
    on_plotly = pytest.importorskip("hpo_explain.draw.on_plotly")
    figure = on_plotly.drawn(FAR)
    (far,) = [
        trace for trace in figure.data if trace.marker.symbol == "triangle-up" and trace.hovertext
    ]
    assert list(far.y) == [4.0]
    assert "90" in far.hovertext[0]


def test_whiskers_and_bands_reach_as_far_down_and_up_as_is_said():
    x, y = np.arange(3), [1.0, 2.0, np.nan]
    for half in (None, np.nan):
        assert np.isnan(Dots(x, y, half).ends).all()
        assert not Dots(x, y, half).has_ends
    assert Dots(x, y, np.array([1.0, 2.0, 3.0])).reach.tolist() == [[1.0, 2.0, 3.0]] * 2
    low, high = Line(x, y, np.array([[1.0, 1.0, 1.0], [4.0, 4.0, 4.0]])).ends
    assert low[:2].tolist() == [0.0, 1.0]
    assert high[:2].tolist() == [5.0, 6.0]
    assert np.isnan([low[2], high[2]]).all()


def test_bars_of_a_row_stand_below_each_other_around_its_middle():
    rows = replace(ROWS, bars=[Bar(4, 0.0, 1.0, place=k) for k in range(3)])
    heights = np.array([rows.height_of(bar) for bar in rows.bars])
    assert heights.mean() == pytest.approx(4.0)
    assert np.diff(heights) == pytest.approx([rows.thickness] * 2)
    assert 3 * rows.thickness < 1.0  # rows do not touch


def test_pale_bars_come_first_as_others_stand_on_them():
    assert [fill for fill, _ in ROWS.by_fill()] == [PALE, 0, 1, HATCHED]
    assert sum(len(bars) for _, bars in ROWS.by_fill()) == len(ROWS.bars)


def test_panels_have_an_axis_in_common_if_all_are_curves():
    one, other = replace(CURVES, levels=[(-9.0, "zero")]), CURVES
    both = Panels(panels=[one, other], heading="")
    assert both.ends_of_y == (one.limits()[0], max(one.limits()[1], other.limits()[1]))
    assert replace(both, same_y=False).ends_of_y is None
    assert replace(both, panels=[one, CELLS]).ends_of_y is None


def test_panels_have_one_scale_of_colors_if_it_is_the_same():
    both = Panels(panels=[CELLS, CELLS], heading="")
    assert both.one_scale is CELLS
    assert replace(both, panels=[CELLS, replace(CELLS, high=99.0)]).one_scale is None
    assert replace(both, panels=[CELLS, CURVES]).one_scale is None


def test_a_scale_that_panels_share_is_drawn_once():
    on_plotly = pytest.importorskip("hpo_explain.draw.on_plotly")
    cells = replace(CELLS, dots=[])
    for panels, shown in (
        ([cells, cells], [True, False]),
        ([cells, replace(cells, high=99.0)], [True, True]),
    ):
        figure = on_plotly.drawn(Panels(panels=panels, heading=""))
        maps = [trace for trace in figure.data if trace.type == "heatmap"]
        assert [one.showscale is not False for one in maps] == shown
        # each at its panel's right end; one for all at that of the figure
        places = {one.colorbar.y for one in maps if one.showscale is not False}
        assert len(places) == sum(shown)
