"""What plots of values of sets share: a network, a matrix of pairs, and a waterfall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.explanations.set_values import SetValues
from hpo_explain.plotting._heatmap import (
    SCALE,
    draw_cells,
    draw_scale,
    names_along_x,
    names_along_y,
)
from hpo_explain.plotting._layout import (
    characters,
    points_across,
    sides,
    write_footer,
    write_header,
    write_legend,
)
from hpo_explain.plotting._look import ink
from hpo_explain.plotting._rows import row_height, row_labels, style_rows, write_rows
from hpo_explain.plotting._style import FILLS, GREY, TEXT, make_literal, new_axes, set_height
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.space import Array

MOST_NODES = 14
MOST_NAMES = 20
MOST_STEPS = 14
_MOST_NUMBERS = 8  # names up to which values are written into the cells
_DISK, _LINE = 900.0, 9.0  # points² of the largest disk, points of the widest line
_FAINT = 0.02  # of the largest value: thinner lines are not drawn
_NAME = 22  # columns of a name in a network
_NETWORK, _CELL, _STEP = 330.0, 22.0, 18.0  # points of height
_BETTER, _WORSE = 0, 1


@dataclass(frozen=True, kw_only=True)
class SetTexts:
    """What is written around values of sets.

    Attributes
    ----------
    heading, subtitle, label, footer : str
        What stands over and under the axes, and what the values are.
    better, worse : str
        What the two fills mean.
    """

    heading: str
    subtitle: str
    label: str
    footer: str
    better: str
    worse: str


def draw_network(
    found: SetValues, texts: SetTexts, *, lower: bool, ax: Axes | None, width: float
) -> Axes:
    """Draw hyperparameters as disks on a circle, and pairs as lines between them.

    Parameters
    ----------
    found : SetValues
        The values; at most 14 players are drawn, those with the largest values.
    texts : SetTexts
        What is written around them.
    lower : bool
        Whether negative values are the better ones.
    ax : matplotlib.axes.Axes or None
        Where to draw; None for a new figure.
    width : float
        Width of the new figure, in inches.
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    matrix = _matrix(found)
    shown = _players(matrix, MOST_NODES)
    n = len(shown)
    angle = np.pi / 2.0 - 2.0 * np.pi * np.arange(n) / max(n, 1)
    x, y = np.cos(angle), np.sin(angle)
    largest = float(np.nanmax(np.abs(matrix), initial=0.0)) or 1.0
    for a in range(n):
        for b in range(a):
            value = matrix[max(shown[a], shown[b]), min(shown[a], shown[b])]
            if np.isfinite(value) and abs(value) >= _FAINT * largest:
                fill = _fill(value, lower)
                ax.plot(
                    [x[a], x[b]], [y[a], y[b]], color=FILLS[fill].color, zorder=1.5,
                    linewidth=max(_LINE * abs(value) / largest, 0.6), solid_capstyle="butt",
                    linestyle="-" if fill == _BETTER else (0, (2.0, 0.8)),
                )  # fmt: skip
    for a, player in enumerate(shown):
        value = matrix[player, player]
        kind = FILLS[_fill(value, lower)]
        ax.scatter(
            [x[a]], [y[a]], s=max(_DISK * abs(value) / largest, 12.0), facecolor=kind.color,
            hatch=kind.hatch, edgecolor="white", linewidth=0.5, zorder=2,
        )  # fmt: skip
    for a, name in enumerate(_names(found, shown, _NAME)):
        align = "center" if abs(x[a]) < 0.2 else ("left" if x[a] > 0 else "right")
        ax.text(1.24 * x[a], 1.24 * y[a], name, ha=align, va="center", fontsize=TEXT, color=ink())
    make_literal(ax.texts)
    ax.set_xlim(-2.4, 2.4)
    ax.set_ylim(-1.5, 1.5)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    left, points = sides(ax)
    marks: list[tuple[Artist, str]] = [
        (FILLS[_BETTER].patch(), texts.better),
        (FILLS[_WORSE].patch(), texts.worse),
    ]
    high = write_legend(ax, marks, left=left, points=left + points)
    high += write_header(
        ax, texts.heading, texts.subtitle, above=high, left=left, points=left + points
    )
    high += write_footer(ax, "", texts.footer, left=left, points=points)
    if own:
        set_height(ax, high + _NETWORK)
    return ax


def draw_matrix(found: SetValues, texts: SetTexts, *, ax: Axes | None, width: float) -> Axes:
    """Draw single players on the diagonal of a matrix of colors and pairs below it.

    Arguments are as those of `draw_network`; at most 20 players are drawn.
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    matrix = _matrix(found)
    shown = _players(matrix, MOST_NAMES)
    n = len(shown)
    both = np.where(np.isnan(matrix), matrix.T, matrix)
    values = np.where(np.tri(n, dtype=bool), both[np.ix_(shown, shown)], np.nan)
    reach = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    edges = np.arange(n + 1, dtype=np.float64) - 0.5
    mesh = draw_cells(ax, edges, edges, values, low=-reach, high=reach)
    draw_scale(mesh, ax, label=texts.label)
    ax.set_ylim(n - 0.5, -0.5)
    names = _names(found, shown, 60)
    names_along_y(ax, names, points=0.3 * points_across(ax))
    left, points = sides(ax)
    points -= SCALE  # a text wider than the axes would push the scale of colors away from them
    high = names_along_x(ax, names, points=points)
    ax.spines[:].set_visible(False)
    if n <= _MOST_NUMBERS:
        for (i, j), value in np.ndenumerate(values):
            if np.isfinite(value):
                ax.text(
                    j, i, f"{value:+.2g}", ha="center", va="center", fontsize=TEXT - 1.0,
                    color="white" if value <= 0.0 else "black",
                )  # fmt: skip
        make_literal(ax.texts)
    high += write_header(
        ax, texts.heading, texts.subtitle, above=0.0, left=left, points=left + points
    )
    high += write_footer(ax, "", texts.footer, left=left, points=points)
    if own:
        set_height(ax, high + max(5, n) * _CELL)
    return ax


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Steps from one value to another.

    Attributes
    ----------
    start : float
        Where they start.
    labels : tuple of tuple of str
        What each step is of, the first on top: in parts, which stand below each other where they
        are long.
    values : tuple of float
        How far each goes.
    halves : tuple of float or None
        Half the interval of each.
    """

    start: float
    labels: tuple[tuple[str, ...], ...]
    values: tuple[float, ...]
    halves: tuple[float | None, ...]


def draw_waterfall(
    steps: Steps, texts: SetTexts, *, lower: bool, ax: Axes | None, width: float
) -> Axes:
    """Draw steps from a start to an end, each where the last one ended.

    Parameters
    ----------
    steps : Steps
        The steps.
    texts, lower, ax, width
        As of `draw_network`.
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    at = steps.start + np.concatenate([[0.0], np.cumsum(steps.values)])
    labels = row_labels(
        (list(map(plain, parts)) for parts in steps.labels), characters(0.34 * points_across(ax))
    )
    for i, value in enumerate(steps.values):
        fill = FILLS[_fill(value, lower)]
        ax.barh(
            i, value, left=at[i], height=0.7, color=fill.color, hatch=fill.hatch,
            edgecolor="white", linewidth=0.0, zorder=2,
        )  # fmt: skip
        ax.plot([at[i + 1]] * 2, [i - 0.35, min(i + 1.35, len(labels) - 0.5)], color=GREY,
                linewidth=0.8, zorder=1.8)  # fmt: skip
        half = steps.halves[i]
        if half is not None and np.isfinite(half):
            ax.errorbar(
                at[i + 1], i, xerr=half, fmt="none", ecolor=ink(), elinewidth=1.0, capsize=2.0,
                zorder=3,
            )  # fmt: skip
    style_rows(ax, labels, zero=False)
    for end in (at[0], at[-1]):
        ax.axvline(end, color=ink(), linewidth=0.8, linestyle=(0, (4.0, 2.0)), zorder=1.5)
    ax.margins(x=0.05)
    marks: list[tuple[Artist, str]] = [
        (FILLS[_BETTER].patch(), texts.better),
        (FILLS[_WORSE].patch(), texts.worse),
    ]
    high = write_rows(
        ax, heading=texts.heading, subtitle=texts.subtitle, label=texts.label,
        footer=texts.footer, legend=marks,
    )  # fmt: skip
    if own:
        set_height(ax, high + max(len(labels), 1) * row_height(labels, _STEP))
    return ax


def steps_of(found: SetValues, start: float, others: str) -> Steps:
    """Return the steps of the largest values; all smaller ones are the last.

    Where the model does not know how uncertain it is, the intervals are those of integrating.
    """
    order = found.order()
    first = order if len(order) <= MOST_STEPS else order[: MOST_STEPS - 1]
    rest = order[len(first) :]
    labels, values = [_parts(found, i) for i in first], [float(found.values[i]) for i in first]
    integrated = found.half_width if found.model_std is None else None
    halves = [found.half(i) if integrated is None else float(integrated[i]) for i in first]
    if rest:
        labels.append((others,))
        values.append(float(found.values[rest].sum()))
        halves.append(None)
    return Steps(start=start, labels=tuple(labels), values=tuple(values), halves=tuple(halves))


def _parts(found: SetValues, i: int) -> tuple[str, ...]:
    first, *others = map(found.player, found.sets[i])
    return first, *(f"× {name}" for name in others)


def drawn_sets(found: SetValues, most: int) -> int:
    """Return how many sets a network or a matrix of at most so many players shows."""
    shown = set(_players(_matrix(found), most))
    return sum(len(s) <= 2 and shown.issuperset(s) for s in found.sets)


def _matrix(found: SetValues) -> Array:
    """Return singles on the diagonal and pairs below it; NaN elsewhere."""
    n = len(found.players)
    matrix = np.full((n, n), np.nan)
    for members, value in zip(found.sets, found.values, strict=True):
        if len(members) <= 2:
            matrix[max(members), min(members)] = value
    return matrix


def _players(matrix: Array, most: int) -> list[int]:
    """Return the players with the largest values, at most so many, in their own order."""
    size = np.abs(np.nan_to_num(matrix))
    of_player = size.sum(axis=0) + size.sum(axis=1)
    return sorted(np.argsort(-of_player, kind="stable")[:most].tolist())


def _names(found: SetValues, shown: Sequence[int], width: int) -> list[str]:
    return abbreviated([plain(found.player(p)) for p in shown], width)


def _fill(value: float, lower: bool) -> int:
    return _BETTER if value == 0.0 or (value < 0.0) == lower else _WORSE
