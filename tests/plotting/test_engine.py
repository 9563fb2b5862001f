"""The layout of new figures: as matplotlib's constrained layout, texts measured once."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.layout_engine import ConstrainedLayoutEngine

import hpo_explain as hx
from hpo_explain.plotting import _canvas
from hpo_explain.plotting.html import result_svg
from tests.handmade import tuning_run


@pytest.fixture(scope="module")
def run():
    return tuning_run(16)


DRAWINGS = {
    "bars": lambda run: hx.importance(run, n_trees=8, seed=0).plot(),
    "history": lambda run: hx.history(run).plot(),
    "panels": lambda run: hx.desirability_path(run, background=20, progress=False).plot(),
}


def places(figure):
    figure.draw_without_rendering()
    return np.array([ax.get_window_extent().extents for ax in figure.axes])


@pytest.mark.parametrize("name", DRAWINGS)
def test_axes_stand_where_the_constrained_layout_puts_them(run, name):
    figure = DRAWINGS[name](run).figure.figure
    ours = places(figure)
    figure.set_layout_engine("constrained")
    # It leaves other gaps between panels; one pixel is rounded away.
    np.testing.assert_allclose(ours, places(figure), atol=4.0 if len(ours) > 1 else 1.0)


def test_axes_that_are_added_have_the_constrained_layout(run, monkeypatch):
    laid_out = []
    execute = ConstrainedLayoutEngine.execute
    monkeypatch.setattr(
        ConstrainedLayoutEngine, "execute",
        lambda engine, fig: laid_out.append(fig) or execute(engine, fig),
    )  # fmt: skip
    ax = hx.history(run).plot()
    ax.figure.draw_without_rendering()
    assert not laid_out
    ax.twinx().set_ylabel("seconds")
    ax.figure.draw_without_rendering()
    assert laid_out == [ax.figure]
    assert ax.get_window_extent().x1 < ax.figure.bbox.width - 10.0  # room for the label


def test_a_figure_drawn_again_measures_no_text(run, monkeypatch):
    result = hx.importance(run, n_trees=8, seed=0)
    first = result_svg(result, alt="")
    measured = []
    measure = RendererAgg.get_text_width_height_descent
    monkeypatch.setattr(
        RendererAgg, "get_text_width_height_descent",
        lambda renderer, text, *rest: measured.append(text) or measure(renderer, text, *rest),
    )  # fmt: skip
    assert result_svg(result, alt="") == first
    assert measured == []
    _canvas._extent.cache_clear()
    assert result_svg(result, alt="") == first
    assert measured != []


def test_a_figure_keeps_its_resolution(run):
    figure = hx.history(run).plot().figure.figure
    figure.dpi = 80.0
    _canvas.svg_text(figure)
    assert figure.dpi == 80.0


def test_what_is_drawn_as_pixels_moves_nothing_else(run, monkeypatch):
    names = [p.name for p in run.space.parameters if not isinstance(p, hx.CategoricalParameter)]
    effect = hx.partial_dependence(run, tuple(names[:2]), sample=50, grid_size=30)  # 900 cells
    figure = effect.plot().figure.figure
    units = []
    draw = Axes.draw
    monkeypatch.setattr(
        Axes, "draw", lambda ax, renderer: units.append(figure.dpi) or draw(ax, renderer)
    )
    assert "<image" in _canvas.svg_text(figure)
    assert units == [72.0, 72.0]  # the scale of colors comes after the cells
