"""Texts beside the axes have the room that they are given."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hpo_explain.plotting._layout import fit_text


@pytest.mark.parametrize("dpi", [72, 80, 100, 150])
def test_lines_that_fit_fit_at_another_resolution(dpi):
    figure = Figure(figsize=(8.0, 4.0), dpi=100)
    canvas = FigureCanvasAgg(figure)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    text = ax.text(0.0, 0.5, "", fontsize=8.0)
    fit_text(ax, text, "It describes the function without observation noise, " * 5, 8.0 * 72.0)
    figure.set_dpi(dpi)
    extent = text.get_window_extent(canvas.get_renderer())
    assert extent.width <= 8.0 * dpi
