"""Where the texts of a plot stand: over, under and left of the axes, never on what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from hpo_explain.base.width import shorten
from hpo_explain.plotting._look import ink
from hpo_explain.plotting._style import GREY, HEADING, LEGEND, TEXT, make_literal
from hpo_explain.plotting._text import wrap

MARGINS = 20.0  # left and right of axes with their labels, in points
_LINE = 1.3  # height of a line, in sizes of its font
_CHARACTER = 0.57  # width of an average character of DejaVu Sans, in sizes of the font
_HINTED = 1.06  # a figure saved at fewer dots per inch has wider letters, of whole dots
_ATTEMPTS = 6


def points_across(ax: Axes) -> float:
    """Return the width that is there for axes with their labels, in points."""
    figure, place = ax.figure.figure, ax.get_subplotspec()
    if figure.get_layout_engine() is None or place is None:
        return _points(ax, ax.get_window_extent().width)
    share = len(place.colspan) / place.get_gridspec().ncols
    return float(figure.get_figwidth() * 72.0 * share)


def label_points(ax: Axes) -> float:
    """Return the width that the labels of the y axis take, in points."""
    widths = [label.get_window_extent().width for label in ax.get_yticklabels()]
    pad = ax.yaxis.get_tick_padding() if widths else 0.0
    return _points(ax, max(widths, default=0.0)) + pad


def sides(ax: Axes, *, label: float = 0.0, beside: float = 0.0) -> tuple[float, float]:
    """Return how many points stand left of the axes, and how many are left for the axes across.

    `label` are those of a label of the y axis, `beside` those right of the axes.
    """
    across = points_across(ax)
    left = label_points(ax) + label
    return left, max(across - left - MARGINS - beside, 0.3 * across)


def characters(points: float, size: float = TEXT) -> int:
    """Return how many average characters of a font size fit on a line of so many points."""
    return int(points / (size * _CHARACTER))


def limit_ticks(ax: Axes, points: float) -> None:
    """Have no more ticks on an x axis of so many points than their labels have room."""
    ax.xaxis.set_major_locator(MaxNLocator(nbins=max(2, min(9, int(points / 48.0)))))


def write_legend(
    ax: Axes, entries: Sequence[tuple[Artist, str]], *, left: float, points: float
) -> float:
    """Write a legend over the axes, on as few lines as it needs.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    entries : sequence of (matplotlib.artist.Artist, str)
        The marks and what they mean.
    left : float
        How far left of the axes the legend begins, in points.
    points : float
        How wide it may be.

    Returns
    -------
    float
        How many points high it is.
    """
    for n_columns in range(len(entries), 0, -1):
        legend = _legend(ax, entries, left, n_columns)
        if n_columns == 1 or _points(ax, legend.get_window_extent().width) <= points:
            return ceil(len(entries) / n_columns) * TEXT * _LINE * 1.12 + 4.0
    return 0.0


def _legend(ax: Axes, entries: Sequence[tuple[Artist, str]], left: float, n_columns: int) -> Legend:
    shift = ScaledTranslation(-left / 72.0, 3.0 / 72.0, ax.figure.figure.dpi_scale_trans)
    legend = ax.legend(
        [mark for mark, _ in entries], ["-"] * len(entries), loc="lower left",
        bbox_to_anchor=(0.0, 1.0), bbox_transform=ax.transAxes + shift, ncols=n_columns,
        handlelength=1.8, labelcolor=ink(), **LEGEND,
    )  # fmt: skip
    # Set afterwards: a legend leaves out labels that begin with an underscore.
    for text, (_, label) in zip(legend.get_texts(), entries, strict=True):
        text.set_text(label)
    make_literal(legend.get_texts())
    return legend


def write_above(
    ax: Axes, text: str, *, above: float, left: float, points: float, **style: Any
) -> float:
    """Write a text over the axes, as `write_header` does; return how many points high it is."""
    body = ax.annotate(
        "", (0.0, 1.0), (-left, above + 4.0), xycoords="axes fraction", color=ink(),
        textcoords="offset points", fontsize=TEXT, va="bottom", annotation_clip=False, **style,
    )  # fmt: skip
    return fit_text(ax, body, text, points)


def write_header(
    ax: Axes, heading: str, text: str, *, above: float, left: float, points: float
) -> float:
    """Write a heading and a text over the axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    heading, text : str
        What to write; lines of the text stay lines.
    above, left : float
        How far above and left of the corner of the axes the text begins, in points.
    points : float
        How wide it may be.

    Returns
    -------
    float
        How many points high the two are.
    """
    height = write_above(ax, text, above=above, left=left, points=points)
    title = ax.set_title(
        "", loc="left", fontsize=HEADING, fontweight="bold", pad=above + height + 9.0, y=1.0
    )
    shift = ScaledTranslation(-left / 72.0, 0.0, ax.figure.figure.dpi_scale_trans)
    title.set_transform(title.get_transform() + shift)
    return height + 9.0 + fit_text(ax, title, heading, points)


def write_footer(ax: Axes, label: str, text: str, *, left: float, points: float) -> float:
    """Write the label of the x axis and under it a text in grey.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    label, text : str
        What to write.
    left : float
        How far left of the axes the text begins, in points.
    points : float
        How wide the axes are, in points; the text may be wider by `left`.

    Returns
    -------
    float
        How many points high the two are.
    """
    ax.set_xlabel("", fontsize=TEXT)
    footer = ax.annotate(
        "", (0.0, 0.0), (-left, -3.0), xycoords=(ax.transAxes, ax.xaxis.label),
        textcoords="offset points", fontsize=TEXT - 1.0, va="top", color=GREY,
        annotation_clip=False,
    )  # fmt: skip
    height = fit_text(ax, ax.xaxis.label, label, points)
    return height + 3.0 + fit_text(ax, footer, text, points + left)


def write_y_label(ax: Axes, label: str, *, points: float) -> None:
    """Write the label of the y axis along at most so many points."""
    ax.set_ylabel("", fontsize=TEXT)
    shorten_upright(ax, ax.yaxis.label, label, points)


def shorten_upright(ax: Axes, artist: Text, text: str, points: float) -> None:
    """Write a text that runs upwards along at most so many points."""
    width = 1 + characters(points, 0.9 * float(artist.get_fontsize()))
    for _ in range(_ATTEMPTS):
        artist.set_text(shorten(text, width))
        make_literal([artist])
        found = _points(ax, artist.get_window_extent().height)
        if found <= points:
            break
        width = min(width - 1, int(width * points / found))


def fit_text(ax: Axes, artist: Text, text: str, points: float) -> float:
    """Write a text on lines of at most so many points; return how many points high it is."""
    size = float(artist.get_fontsize())
    width = 1 + characters(points, 0.9 * size)  # letters may be narrower than the average
    for _ in range(_ATTEMPTS):
        artist.set_text(wrap(text, width))
        make_literal([artist])
        found = _HINTED * _points(ax, Text.get_window_extent(artist).width)
        if found <= points:
            break
        width = min(width - 1, int(width * points / found))
    return (artist.get_text().count("\n") + 1) * _LINE * size if text else 0.0


def _points(ax: Axes, pixels: float) -> float:
    return float(pixels / ax.figure.figure.dpi * 72.0)
