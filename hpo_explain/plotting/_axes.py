"""What plots of effects share: axes in the user's units, marks of values, and tried values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.markers import TICKUP
from matplotlib.ticker import MaxNLocator

from hpo_explain.base.width import shorten
from hpo_explain.plotting._heatmap import (
    SCALE,
    draw_cells,
    draw_scale,
    names_along_x,
    names_along_y,
)
from hpo_explain.plotting._layout import (
    limit_ticks,
    points_across,
    sides,
    write_above,
    write_footer,
    write_header,
    write_legend,
    write_y_label,
)
from hpo_explain.plotting._log_axis import make_log
from hpo_explain.plotting._look import ink
from hpo_explain.plotting._rows import tint_rows
from hpo_explain.plotting._style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    TEXT,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import plain
from hpo_explain.space import Array, CategoryIndex

HEIGHT = 190.0  # points, of the axes
MOST_CATEGORIES = 40
BAND: dict[str, Any] = {"facecolor": BLUE, "alpha": 0.22, "linewidth": 0.0}
DIMMED: dict[str, Any] = {
    "facecolor": (1.0, 1.0, 1.0, 0.6), "edgecolor": "#b0b0b0", "hatch": "////", "linewidth": 0.0,
}  # fmt: skip
BEST: dict[str, Any] = {"color": GREEN, "linewidth": 4.0, "solid_capstyle": "butt"}
CURVE: dict[str, Any] = {"color": GREY, "alpha": 0.35, "linewidth": 0.6}
INCUMBENT: dict[str, Any] = {"color": ORANGE, "linestyle": "--", "linewidth": 1.8}
STAR: dict[str, Any] = {
    "linestyle": "none", "marker": "*", "markersize": 13.0, "color": ORANGE,
    "markeredgecolor": "black", "markeredgewidth": 0.7,
}  # fmt: skip
SECOND: dict[str, Any] = {"color": PURPLE, "linestyle": (0, (4, 1)), "linewidth": 1.6}
SECOND_BAND: dict[str, Any] = {"facecolor": PURPLE, "alpha": 0.15, "linewidth": 0.0}
SECOND_POINTS: dict[str, Any] = {
    "fmt": "D", "color": PURPLE, "ecolor": PURPLE, "markersize": 4.5, "elinewidth": 1.2,
}  # fmt: skip
RUG: dict[str, Any] = {
    "linestyle": "none", "marker": TICKUP, "markersize": 7.0, "alpha": 0.55, "markeredgewidth": 0.9,
}  # fmt: skip
DOTS: dict[str, Any] = {
    "linestyle": "none", "marker": "o", "markersize": 3.5, "color": "white",
    "markeredgecolor": "black", "markeredgewidth": 0.6,
}  # fmt: skip
_LARGE = 1e300  # beyond it an axis is drawn in this unit
_BESIDE = 0.22  # how far from its value a second point stands
_ROW = 17.0  # points, of a category
_MOST_POINTS = 20  # whole numbers up to which each is a point
_MOST_VECTORS = 2000  # marks that are drawn as such: an SVG of 50,000 takes 10 MB
_RUG = 0.035  # height of a mark of the rug, as a share of the axes
_SPREAD = 0.3  # how far from its value a mark of the rug stands that others share
_CALLOUT: dict[str, Any] = {
    "bbox": {"facecolor": ORANGE, "alpha": 0.25, "linewidth": 0.0, "pad": 1.5},
    "fontweight": "bold",
}
_POINTS: dict[str, Any] = {
    "fmt": "o", "color": BLUE, "ecolor": BLUE, "markersize": 6.0, "elinewidth": 1.6, "capsize": 3.0,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Effect:
    """The effect of one or two hyperparameters, as it is drawn.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters.
    axes : tuple of tuple
        Values of each, in the user's units.
    log, categorical : tuple of bool
        Scale and kind of each.
    mean, half : ndarray of shape (G,) or (G1, G2)
        What is drawn, and half the width of its band; NaN where there is none.
    tried : tuple of tuple
        Values of the observed trials, one tuple per hyperparameter.
    objective_name, direction : str
        What the objective is called, and which way is better.
    supported : ndarray of bool, of the shape of `mean`, optional
        Where trials were made; elsewhere the effect is dimmed.
    best : ndarray of bool, of the shape of `mean`, optional
        Which values of one hyperparameter are marked as possibly the best.
    second : tuple of ndarray of shape (G,), optional
        A second effect: what is drawn, and half the width of its band.
    curves : ndarray of shape (n, G), optional
        Curves that stand faintly behind.
    incumbent : tuple, optional
        The incumbent's values.
    what : str, default "predicted"
        What the mean is of the objective.
    units : tuple of float, optional
        What the values along each axis are divided by already. By default they are divided by what
        keeps matplotlib from overflowing: 1, but for numbers near the largest one.
    """

    names: tuple[str, ...]
    axes: tuple[tuple[Any, ...], ...]
    log: tuple[bool, ...]
    categorical: tuple[bool, ...]
    mean: Array
    half: Array
    tried: tuple[tuple[Any, ...], ...]
    objective_name: str
    direction: str
    supported: npt.NDArray[np.bool_] | None = None
    best: npt.NDArray[np.bool_] | None = None
    second: tuple[Array, Array] | None = None
    curves: Array | None = None
    incumbent: tuple[Any, ...] | None = None
    what: str = "predicted"
    units: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.units:
            return
        scales = zip(self.axes, self.log, self.categorical, strict=True)
        units = [1.0 if log or named else unit_along(values) for values, log, named in scales]
        object.__setattr__(self, "units", tuple(units))
        if max(units) > 1.0:
            for name in ("axes", "tried"):
                parts = zip(getattr(self, name), units, strict=False)
                object.__setattr__(self, name, tuple(_divided(part, unit) for part, unit in parts))
            if self.incumbent is not None:
                parts = zip(self.incumbent, units, strict=True)
                inside = tuple(_divided([value], unit)[0] for value, unit in parts)
                object.__setattr__(self, "incumbent", inside)

    @property
    def labels(self) -> list[str]:
        """The names as they are written."""
        return [shorten(plain(name), 60) for name in self.names]

    @property
    def axis_labels(self) -> list[str]:
        """The names as they stand along axes, with the unit of what is divided by one."""
        return [in_unit(label, unit) for label, unit in zip(self.labels, self.units, strict=True)]

    @property
    def objective(self) -> str:
        """The objective's name as it is written."""
        return shorten(plain(self.objective_name), 40)

    @property
    def predicted(self) -> str:
        """What the mean is."""
        return f"{self.what} {self.objective}"

    @property
    def untried(self) -> npt.NDArray[np.bool_]:
        """Where there is an effect, but hardly any trial."""
        if self.supported is None:
            return np.zeros(self.mean.shape, dtype=bool)
        return np.asarray(~self.supported & ~np.isnan(self.mean))

    @property
    def as_points(self) -> bool:
        """Whether the values are drawn as points with bars, not as a curve with a band."""
        return self.categorical[0] or are_points(self.axes[0])

    def place(self, k: int, value: Any) -> float:
        """Return where a value stands along an axis: a category at its index."""
        return float(_codes(self, k, [value])[0] if self.categorical[k] else value)

    def shown(self, most: int = MOST_CATEGORIES) -> npt.NDArray[np.intp]:
        """Return which categories are drawn: the best, in their own order."""
        best_first = np.argsort(self.mean if self.direction == "minimize" else -self.mean)
        return np.sort(best_first[:most])


def unit_along(values: Iterable[Any]) -> float:
    """Return what numbers are divided by so that those beyond an axis' ends do not overflow."""
    return _LARGE if max((abs(value) for value in values), default=0.0) > _LARGE else 1.0


def in_unit(label: str, unit: float) -> str:
    """Return a label along an axis, with the unit of what is divided by one."""
    return label if unit == 1.0 else f"{label} / {unit:g}"


def _divided(values: Sequence[Any], unit: float) -> tuple[Any, ...]:
    return tuple(values) if unit == 1.0 else tuple(value / unit for value in values)


@dataclass(frozen=True)
class Room:
    """What axes take and leave: points of height, left of the axes and across; their x label."""

    height: float
    left: float
    across: float
    x_label: str


def plot_effect(
    effect: Effect, *, ax: Axes | None, width: float, heading: str, subtitle: str, footer: str,
    caution: str = "", legend: Sequence[tuple[Artist, str]] = (),
) -> Axes:  # fmt: skip
    """Draw an effect with its texts, on axes or on a new figure of a width; return the axes."""
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    high = write_words(
        ax, draw_effect(ax, effect), heading=heading, subtitle=subtitle, footer=footer,
        caution=caution, legend=legend,
    )  # fmt: skip
    if own:
        set_height(ax, high)
    return ax


def draw_effect(ax: Axes, effect: Effect) -> Room:
    """Draw an effect with its ticks and the label of the y axis."""
    if len(effect.names) == 2:
        return _draw_pair(ax, effect)
    if effect.categorical[0]:
        return _draw_categories(ax, effect)
    draw_numbers(ax, effect)
    write_y_label(ax, effect.predicted, points=0.95 * HEIGHT)
    left, across = sides(ax, label=2.0 * TEXT)
    return Room(HEIGHT, left, across, effect.axis_labels[0])


def write_words(
    ax: Axes, room: Room, *, heading: str, subtitle: str, footer: str,
    caution: str = "", legend: Sequence[tuple[Artist, str]] = (),
) -> float:  # fmt: skip
    """Write what stands over and under an effect; return how many points high all is."""
    width = room.left + room.across
    high = write_legend(ax, legend, left=room.left, points=width)
    if caution:
        text = f"Caution: {caution[0].lower()}{caution[1:]}"
        high += 4.0 + write_above(
            ax, text, above=high + 1.0, left=room.left, points=width, **_CALLOUT
        )
    high += write_header(ax, heading, subtitle, above=high, left=room.left, points=width)
    return (
        room.height + high + write_footer(ax, room.x_label, footer, left=room.left,
                                          points=room.across)
    )  # fmt: skip


# ---------------------------------------------------------------------- one hyperparameter


def draw_numbers(ax: Axes, effect: Effect, *, ticks: int | None = None) -> None:
    """Draw an effect of numbers: a curve with a band, or points with bars.

    `ticks` is the most of them where the scale is not logarithmic.
    """
    x = np.array(effect.axes[0], dtype=float)
    set_ticks(ax, effect, ticks)  # before anything stands on an axis of another scale
    if effect.curves is not None:
        ax.plot(*broken_line(x, effect.curves), zorder=1.0, **CURVE)
    if are_points(effect.axes[0]):
        _draw_points(ax, effect, np.arange(len(x)), x, lying=False)
    else:
        ax.fill_between(x, effect.mean - effect.half, effect.mean + effect.half, **BAND)
        if effect.second is not None:
            second, half = effect.second
            ax.fill_between(x, second - half, second + half, **SECOND_BAND)
            ax.plot(x, second, **SECOND)
        ax.plot(x, effect.mean, color=BLUE, linewidth=1.8)
        _dim(ax, effect)
    if effect.incumbent is not None:
        ax.axvline(effect.incumbent[0], zorder=2.5, **INCUMBENT)
    tried = tried_places(effect, 0)
    if len(tried):  # the layout takes marks without a place for infinitely large
        along, up = broken_line(np.array([0.0, 0.0]) + tried[:, None], np.array([[0.0, _RUG]]))
        ax.plot(
            along, up, transform=ax.get_xaxis_transform(), clip_on=False, zorder=3, color=ink(),
            linewidth=0.9, alpha=0.55, rasterized=len(tried) > _MOST_VECTORS,
        )  # fmt: skip
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)


def set_ticks(ax: Axes, effect: Effect, most: int | None = None) -> None:
    """Have ticks along x on the hyperparameter's own scale, at whole numbers where it has few."""
    whole = are_points(effect.axes[0])
    if effect.log[0]:
        make_log(ax, 0, effect.axes[0])
    elif whole or most is not None:
        ax.xaxis.set_major_locator(MaxNLocator(nbins=most or 9, integer=whole))


def draw_rows(ax: Axes, effect: Effect, shown: npt.NDArray[np.intp]) -> None:
    """Draw an effect of categories: a row each, with a point and a bar."""
    y = np.arange(len(shown), dtype=float)
    if effect.curves is not None:
        for place, k in zip(y, shown, strict=True):
            curve = effect.curves[:, k]
            along, up = broken_line(
                np.array([0.0, 0.0]) + curve[:, None], place + np.array([[-0.22, 0.22]])
            )
            ax.plot(along, up, zorder=1.0, **CURVE)
    _draw_points(ax, effect, shown, y, lying=True)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    tint_rows(ax, len(shown))
    best = [] if effect.incumbent is None else _codes(effect, 0, effect.incumbent[:1])
    for place in np.flatnonzero(np.isin(shown, best)):
        ax.axhline(float(place), zorder=0.5, **INCUMBENT)
    ax.tick_params(axis="x", labelsize=TEXT)
    ax.spines[["top", "left", "right"]].set_visible(False)


def draw_columns(ax: Axes, effect: Effect, shown: npt.NDArray[np.intp]) -> None:
    """Draw an effect of categories beside each other: a point with a bar each."""
    x = np.arange(len(shown), dtype=float)
    _draw_points(ax, effect, shown, x, lying=False)
    ax.set_xlim(-0.5, len(shown) - 0.5)
    best = [] if effect.incumbent is None else _codes(effect, 0, effect.incumbent[:1])
    for place in np.flatnonzero(np.isin(shown, best)):
        ax.axvline(float(place), zorder=0.5, **INCUMBENT)
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)


def broken_line(x: Array, y: Array) -> tuple[Array, Array]:
    """Return curves as one line with gaps, whose SVG is much smaller than that of many lines."""
    x, y = np.broadcast_arrays(x, y)
    gap = np.full((len(x), 1), np.nan)
    return np.hstack([x, gap]).ravel(), np.hstack([y, gap]).ravel()


def _draw_points(
    ax: Axes, effect: Effect, places: npt.NDArray[np.intp], at: Array, *, lying: bool
) -> None:
    """Draw points with bars: green where they may be the best, hollow where hardly tried."""
    mean, half = effect.mean[places], effect.half[places]
    if effect.second is not None:
        second, bars = (values[places] for values in effect.second)
        off = at + _BESIDE
        if lying:
            ax.errorbar(second, off, xerr=bars, **SECOND_POINTS)
        else:
            ax.errorbar(off, second, yerr=bars, **SECOND_POINTS)
    untried = effect.untried[places]
    best = np.zeros(len(places), dtype=bool) if effect.best is None else effect.best[places]
    for chosen, color, face in (
        (~untried & ~best, BLUE, BLUE),
        (~untried & best, GREEN, GREEN),
        (untried, GREY, "white"),
    ):
        if chosen.any():
            values, bars = mean[chosen], half[chosen]
            look = {**_POINTS, "color": color, "ecolor": color, "markerfacecolor": face}
            if lying:
                ax.errorbar(values, at[chosen], xerr=bars, **look)
            else:
                ax.errorbar(at[chosen], values, yerr=bars, **look)


def _dim(ax: Axes, effect: Effect) -> None:
    """Dim a curve where hardly anything was tried, and mark the values that may be the best."""
    edges = _edges(effect, 0)
    ends = [max(edges[0], effect.axes[0][0]), min(edges[-1], effect.axes[0][-1])]
    edges = np.concatenate([ends[:1], edges[1:-1], ends[1:]])
    for low, high in _runs(effect.untried):
        ax.axvspan(edges[low], edges[high], zorder=2.2, **DIMMED)
    if effect.best is not None:
        for low, high in _runs(effect.best & ~effect.untried):
            ax.plot(
                [edges[low], edges[high]], [0.0, 0.0], transform=ax.get_xaxis_transform(),
                clip_on=False, zorder=2.8, **BEST,
            )  # fmt: skip


def _runs(mask: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where stretches of True begin, and where they have ended."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in steps.reshape(-1, 2)]


def _draw_categories(ax: Axes, effect: Effect) -> Room:
    shown = effect.shown()
    draw_rows(ax, effect, shown)
    names_along_y(ax, counted_categories(effect, shown), points=0.32 * points_across(ax))
    height = max(_ROW * len(shown), 60.0)
    write_y_label(ax, effect.labels[0], points=max(0.95 * _ROW * len(shown), 60.0))
    left, across = sides(ax, label=2.0 * TEXT)
    limit_ticks(ax, across)
    return Room(height, left, across, effect.predicted)


def counted_categories(effect: Effect, shown: npt.NDArray[np.intp]) -> list[str]:
    """Return labels of categories, with how often each was tried where that is known."""
    labels = [plain(effect.axes[0][k]) for k in shown]
    if not effect.tried:
        return labels
    counts = np.bincount(_codes(effect, 0, effect.tried[0]), minlength=len(effect.axes[0]))[shown]
    return [f"{label} ({count})" for label, count in zip(labels, counts, strict=True)]


# ---------------------------------------------------------------------- two hyperparameters


def draw_surface(
    ax: Axes, effect: Effect, *, low: float | None = None, high: float | None = None
) -> QuadMesh:
    """Draw an effect of a pair as cells; dimmed where hardly anything was tried."""
    x, y = (_edges(effect, k) for k in (0, 1))
    mesh = draw_cells(ax, x, y, effect.mean.T, low=low, high=high)
    untried = np.argwhere(effect.untried)
    if len(untried):
        cells = [
            [(x[i], y[j]), (x[i + 1], y[j]), (x[i + 1], y[j + 1]), (x[i], y[j + 1])]
            for i, j in untried
        ]
        ax.add_collection(PolyCollection(cells, **DIMMED), autolim=False)
    for k in (0, 1):
        if effect.log[k]:
            make_log(ax, k, effect.axes[k])
    tried = tried_places(effect, 0)
    if len(tried):
        ax.plot(
            tried, tried_places(effect, 1, shuffled=True), clip_on=False, alpha=0.8,
            rasterized=len(tried) > _MOST_VECTORS, **DOTS,
        )  # fmt: skip
    if effect.incumbent is not None:
        places = [effect.place(k, value) for k, value in enumerate(effect.incumbent)]
        ax.plot(places[:1], places[1:], clip_on=False, zorder=4, **STAR)
    ax.tick_params(labelsize=TEXT)
    return mesh


def _draw_pair(ax: Axes, effect: Effect) -> Room:
    mesh = draw_surface(ax, effect)
    draw_scale(mesh, ax, label=effect.predicted)
    height = HEIGHT
    if effect.categorical[1]:
        names_along_y(ax, effect.axes[1], points=0.3 * points_across(ax))
        height = max(HEIGHT, _ROW * len(effect.axes[1]))
    write_y_label(ax, effect.axis_labels[1], points=0.95 * height)
    left, across = sides(ax, label=2.0 * TEXT)
    # What is wider than the axes would push the scale of colors away from them.
    across -= SCALE
    if effect.categorical[0]:
        height += names_along_x(ax, effect.axes[0], points=across)
    return Room(height, left, across, effect.axis_labels[0])


def _edges(effect: Effect, k: int) -> Array:
    """Return edges of cells around the grid's values: halfway, on the hyperparameter's scale."""
    if effect.categorical[k]:
        return np.arange(len(effect.axes[k]) + 1, dtype=np.float64) - 0.5
    values = np.array(effect.axes[k], dtype=float)
    if len(values) == 1:
        return np.array([0.9, 1.1]) * values if effect.log[k] else values + [-0.5, 0.5]
    if effect.log[k]:
        ends = np.log([np.finfo(float).tiny, np.finfo(float).max / 4.0])  # room for margins
        return np.asarray(np.exp(np.clip(_between(np.log(values)), *ends)))
    return _between(values)


def _between(values: Array) -> Array:
    middle = (values[:-1] + values[1:]) / 2.0
    return np.concatenate([[2 * values[0] - middle[0]], middle, [2 * values[-1] - middle[-1]]])


# ---------------------------------------------------------------------- tried values


def are_points(values: tuple[Any, ...]) -> bool:
    """Return whether values are so few whole numbers that each is a point."""
    return len(values) <= _MOST_POINTS and all(isinstance(value, int) for value in values)


def tried_places(effect: Effect, k: int, *, shuffled: bool = False) -> Array:
    """Return where the tried values stand along an axis, those that fall together side by side."""
    if not effect.tried:
        return np.empty(0)
    values = _shown(effect)[k]
    if effect.categorical[k]:
        return _spread(_codes(effect, k, values), shuffled)
    if are_points(effect.axes[k]) and not effect.log[k]:
        return _spread(values, shuffled)
    return np.array(values, dtype=float)


def _shown(effect: Effect) -> list[list[Any]]:
    """Return what was tried, by axis, of trials whose categories all have a place."""
    shown = np.ones(len(effect.tried[0]), dtype=bool)
    for axis, values, categorical in zip(
        effect.axes, effect.tried, effect.categorical, strict=True
    ):
        if categorical:
            index = CategoryIndex(axis)
            shown &= [index(value) is not None for value in values]
    return [[values[i] for i in np.flatnonzero(shown)] for values in effect.tried]


def _codes(effect: Effect, k: int, values: Sequence[Any]) -> list[int]:
    """Return the places of categories."""
    index = CategoryIndex(effect.axes[k])
    found = [index(value) for value in values]
    return [code for code in found if code is not None]


def _spread(values: npt.ArrayLike, shuffled: bool) -> Array:
    """Return values with those that are equal spread evenly around their place."""
    spread = np.array(values, dtype=float)
    rng = np.random.default_rng(0)
    for value in np.unique(spread):
        same = np.flatnonzero(spread == value)
        if len(same) > 1:
            places = np.linspace(-_SPREAD, _SPREAD, len(same))
            # Both axes of a heatmap in the same order would line the dots up.
            spread[same] += rng.permutation(places) if shuffled else places
    return spread
