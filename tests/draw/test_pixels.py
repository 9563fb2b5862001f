"""Every figure as PNG: what its description says is there has pixels of its color at its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.text import Text

import hpo_explain as hx
from hpo_explain.base.figures import LOOKS, PALE, Axis, Cells, Curves, Dots, Panels, Rows
from hpo_explain.base.figures.marks import GREEN, GREY, RULE
from hpo_explain.base.figures.rows import HATCHED, color_and_hatch
from hpo_explain.draw import on_matplotlib
from hpo_explain.reporting._render import drawn
from tests.base.test_result import MADE, of_another_objective, timed, with_curves
from tests.handmade import tuning_run

pytestmark = [pytest.mark.merge, pytest.mark.usefixtures("few_draws", "answers_stay")]

WHITE = (1.0, 1.0, 1.0)
_OTHER = 0.25  # distance of colors that are told apart, of at most 1.7
_APART = 4.0  # pixels between the places of a line that are looked at
_MOST = 1000  # of them
_HIDDEN = 0.1  # the least share of what stands behind bars
_SOLID = {"solid": 0.5, "dash": 0.4, "dashdot": 0.4, "dot": 0.25}


@dataclass
class Mark:
    """Marks of one color: pixels where they are, and the share that is seen if nothing is wrong.

    A pixel counts if one within `near` of it is on the way from what lies behind to the color, at
    least two fifths of as far as a mark of this `strength` leads.
    """

    name: str
    color: Any
    at: Any
    strength: Any = 1.0
    near: int = 1
    least: float = 0.5
    behind: Any = WHITE

    def seen(self, image) -> float:
        """The share of the pixels at which it is seen."""
        steps = np.arange(-self.near, self.near + 1)
        around = np.array([(i, j) for i in steps for j in steps])
        high, wide, _ = image.shape
        at = np.round(self.at).astype(int)[:, None, :] + around
        column = np.clip(at[..., 0], 0, wide - 1)
        row = np.clip(high - 1 - at[..., 1], 0, high - 1)
        behind = np.broadcast_to(self.behind, (len(at), 3))[:, None]
        color = np.broadcast_to(self.color, (len(at), 3))[:, None]
        way, here = color - behind, image[row, column] - behind
        length = np.maximum((way**2).sum(-1), 1e-9)
        far = (way * here).sum(-1) / length
        aside = np.linalg.norm(here - far[..., None] * way, axis=-1)
        there = (far > 0.4 * self.strength) & (far < 1.5) & (aside < _OTHER)
        return float(there.any(axis=1).mean())


def pictured(description) -> tuple[Any, list[Any]]:
    """A figure's pixels as a PNG has them, and its axes: of panels, one for each."""
    own = on_matplotlib.drawn(description)
    axes = list(np.ravel(np.asarray(own, dtype=object)))
    figure = axes[0].figure.figure
    for text in figure.findobj(Text):  # most of the time, and no mark
        text.set_visible(False)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3] / 255.0, axes


def missing(description) -> list[str]:
    """What a figure describes and its picture does not show."""
    image, axes = pictured(description)
    panels = description.panels if isinstance(description, Panels) else [description]
    return [
        f"{mark.name}: {len(mark.at)} places, seen at {seen:.0%}"
        for ax, panel in zip(axes, panels, strict=True)
        for mark in marks(ax, panel)
        if len(mark.at) and (seen := mark.seen(image)) < mark.least
    ]


# ---------------------------------------------------------------------- what is described


def marks(ax, panel) -> Iterator[Mark]:
    """All marks that a figure without panels describes, where its axes have them."""
    lying = not isinstance(panel, Cells) and (not isinstance(panel, Curves) or panel.lying)
    for line in getattr(panel, "lines", ()):
        yield from of_line(ax, line, lying)
    for dots in panel.dots:
        turned = lying and not isinstance(panel, Rows)
        yield from of_dots(ax, dots, turned, rows=isinstance(panel, Rows))
    if isinstance(panel, Rows):
        yield from of_rows(ax, panel)
    elif isinstance(panel, Curves):
        yield from around_curves(ax, panel)
    elif isinstance(panel, Cells):
        yield from of_cells(ax, panel)
    else:
        ticks = [(tick.at, row) for row, ticks in enumerate(panel.ticks) for tick in ticks]
        yield Mark("ticks", to_rgb(GREY), inside(ax, *np.transpose(ticks)))


def inside(ax, x, y, *, turned=False):
    """The pixels of places that lie within the axes."""
    x, y = (np.asarray(part, dtype=float) for part in (x, y))
    at = ax.transData.transform(np.column_stack([y, x] if turned else [x, y]))
    box = ax.get_window_extent()
    within = (at >= [box.x0 - 1, box.y0 - 1]) & (at <= [box.x1, box.y1])
    return at[np.isfinite(at).all(axis=1) & within.all(axis=1)]


def path(ax, x, y, *, turned=False):
    """Pixels along a line, which NaN breaks."""
    with np.errstate(invalid="ignore"):
        at = np.column_stack([y, x] if turned else [x, y])
        corners = ax.transData.transform(at)
    steps = np.nan_to_num(np.linalg.norm(np.diff(corners, axis=0), axis=1))
    ends = np.cumsum(steps)
    if not ends.size or ends[-1] < 1.0:
        return np.empty((0, 2))
    n = min(int(ends[-1] / _APART) + 1, _MOST)
    places = (np.arange(n) + 0.5) / n * ends[-1]
    piece = np.searchsorted(ends, places)
    share = ((ends[piece] - places) / steps[piece])[:, None]
    along = share * corners[piece] + (1.0 - share) * corners[piece + 1]
    back = ax.transData.inverted().transform(along)
    return inside(ax, *back.T)


def stroke(look, at, name=""):
    kind = LOOKS[look]
    width = kind.width * 100.0 / 72.0
    return Mark(
        f"{name or 'line'} {look}",
        to_rgb(kind.color),
        at,
        strength=kind.alpha * min(width, 1.0),
        least=_SOLID[kind.dash],
    )


def of_line(ax, line, lying):
    x, y = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
    if line.has_ends:
        down, up = line.reach
        for end in (y - 0.5 * down, y + 0.5 * up):
            some = np.isfinite(end) & ~line.alone
            at = inside(ax, x[some], end[some], turned=lying)
            band = stroke(line.look, at, "band")
            yield replace(band, strength=0.15, least=0.5)
    alone = line.alone
    at = inside(ax, x[alone], y[alone], turned=lying)
    yield replace(stroke(line.look, at, "marks"), strength=1.0, near=2)
    if line.step:
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    yield stroke(line.look, path(ax, x, y, turned=lying))


def of_dots(ax, dots, turned, *, rows):
    kind = LOOKS[dots.look]
    at = inside(ax, dots.x, dots.y, turned=turned)
    color, near = to_rgb(kind.color), 1
    if kind.hollow or kind.color == "white" or kind.marker == "cross":
        near = int(np.ceil(0.5 * kind.size * 100.0 / 72.0)) + 1
        color = to_rgb(kind.edge or kind.color)
    name = f"dots {dots.look}"
    if len(dots.colors):
        colors = colormaps["cividis"](np.asarray(dots.colors))[:, :3]
        if len(at) == len(colors):
            yield Mark(name, colors, at, least=0.5)
        return
    # many stand behind those that are drawn later
    yield Mark(name, color, at, kind.alpha, near, 0.25)
    if dots.has_ends:
        along_x = rows or turned
        half = np.nan_to_num(dots.reach[1])
        some = np.isfinite(np.asarray(dots.y, dtype=float)) & (half > 0)
        gap = np.full(some.sum(), np.nan)
        x, y = np.asarray(dots.x)[some], np.asarray(dots.y)[some]
        far = (x if rows else y) + half[some]
        x, y = (
            (np.column_stack([x, far, gap]), np.column_stack([y, y, gap]))
            if rows
            else (np.column_stack([x, x, gap]), np.column_stack([y, far, gap]))
        )
        along = path(ax, x.ravel(), y.ravel(), turned=turned)
        yield Mark(f"whiskers {dots.look} {along_x}", color, along)


def of_rows(ax, rows):
    thick = 0.78 / rows.places
    middle = (rows.places - 1) / 2

    def height(bar):
        return bar.row + (bar.place - middle) * thick

    for kind, group in groupby(
        sorted(rows.bars, key=lambda bar: bar.kind), key=lambda bar: bar.kind
    ):
        color, hatch = color_and_hatch(kind)
        along = [path(ax, [bar.begin, bar.end], [height(bar)] * 2) for bar in group]
        strength = 0.25 if kind == PALE else 1.0
        near = 5 if kind == HATCHED else 3 if hatch else 1
        at = np.concatenate(along)
        least = _HIDDEN if kind == PALE else 0.4
        yield Mark(f"bars {kind}", to_rgb(color), at, strength, near, least)
    for bar in rows.bars:
        (down, up), y = bar.reach, height(bar)
        ends = path(ax, [bar.end - down, bar.end + up], [y, y])
        yield Mark("whisker", to_rgb("black"), ends)
    bottom, top = ax.get_ylim()
    for at, look in rows.guides:
        guide = stroke(look, path(ax, [at, at], [bottom, top]), "guide")
        yield replace(guide, least=_HIDDEN)
    for row, level in enumerate(rows.levels):
        along = path(ax, [level, level], [row, row + 1])
        yield Mark("level", to_rgb(GREY), along, least=_HIDDEN)
    if rows.zero:
        along = path(ax, [0.0, 0.0], [bottom, top])
        yield Mark("zero", to_rgb("black"), along, 0.8, least=_HIDDEN)


def around_curves(ax, figure):
    if figure.thin:
        yield stroke("thin", path(ax, *figure.thin, turned=figure.lying))
    ends = ax.get_xlim() if not figure.lying else ax.get_ylim()
    for level, look in figure.levels:
        along = path(ax, ends, [level, level], turned=figure.lying)
        yield stroke(look, along, "level")
    sides = ax.get_ylim() if not figure.lying else ax.get_xlim()
    if figure.guide is not None:
        at = [figure.guide, figure.guide]
        yield stroke("guide", path(ax, at, sides, turned=figure.lying))
    for note in figure.notes:
        yield stroke(note.look, path(ax, [note.x] * 2, sides), "note")
    box, across = ax.get_window_extent(), ax.get_xaxis_transform()
    for low, high in figure.marked:
        x = across.transform(np.column_stack([[low, high], [0.0, 0.0]]))[:, 0]
        along = np.linspace(*x, 9)
        at = np.column_stack([along, np.full(9, box.y0)])
        yield Mark("marked", to_rgb(GREEN), at[(along > box.x0)], near=2)
    for low, high in figure.dimmed:
        grid = np.meshgrid(np.linspace(low, high, 9)[1:-1], [0.2, 0.5, 0.8])
        at = across.transform(np.column_stack([part.ravel() for part in grid]))
        if np.ptp(at[:, 0]) > 20.0:
            yield Mark("dimmed", to_rgb(RULE), at, 0.6, near=4)
    if len(figure.rug):
        at = np.column_stack([figure.rug, np.full(len(figure.rug), 0.02)])
        yield Mark("rug", to_rgb("black"), across.transform(at), 0.5)


def of_cells(ax, cells):
    x, y = cells.x.edges(), cells.y.edges()
    # beside the middle, where texts and strokes are
    left, low = x[:-1] + 0.25 * np.diff(x), y[:-1] + 0.4 * np.diff(y)
    i, j = np.nonzero(np.isfinite(cells.values))
    bottom, top = cells.ends()
    level = (cells.values[i, j] - bottom) / ((top - bottom) or 1.0)
    colors = colormaps["cividis"](level)[:, :3]
    at = ax.transData.transform(np.column_stack([left[i], low[j]]))
    yield Mark("cells", colors, at, near=0)
    if cells.dimmed is not None and cells.dimmed.any():
        some = cells.dimmed[i, j]
        middle = [(x[:-1] + x[1:])[i] / 2.0, (y[:-1] + y[1:])[j] / 2.0]
        if not (cells.x.log or cells.y.log):
            at = ax.transData.transform(np.transpose(middle))[some]
            yield Mark("strokes", WHITE, at, 0.5, 2, behind=colors[some])


# ---------------------------------------------------------------------- all figures


def swarm(run):
    """Contributions of all trials: those of twenty, moved a little."""
    few = hx.methods.explain_predictions(run, run.trials[:20], background=10)
    rows = np.arange(len(run)) % 20
    noise = np.random.default_rng(0).normal(0.0, 0.1, (len(run), 1))
    return replace(
        few,
        phi=few.phi[rows] * (1.0 + noise),
        positions=few.positions[rows],
        predictions=few.predictions[rows],
        configs=tuple(few.configs[k] for k in rows),
        trials=tuple(run.trials),
    )


OF_TRIALS = {
    "History": hx.history,
    "Timeline": lambda run: hx.methods.timeline(timed(run)),
    "Slices": lambda run: hx.methods.slices(run, most=2),
    "Contours": MADE["Contours"],
    "Effect": MADE["Effect"],
    "Effect of a category": lambda run: hx.partial_dependence(
        run, "booster", grid_size=4, sample=40
    ),
    "ParetoFront": lambda run: hx.pareto({"loss": run, "time": of_another_objective(run)}),
    "Luck": lambda run: hx.methods.luck(run),
    "Pruning": lambda run: hx.pruning(with_curves(run)),
    "PredictionOverview": swarm,
}
MANY = {"History", "Timeline", "Slices", "Contours"}
MANY |= {"Effect", "PredictionOverview"}


def assert_all_is_seen(result):
    figures = {view: result.described(view) for view in result.views_of}
    found = {view: missing(figure) for view, figure in figures.items()}
    assert found == {view: [] for view in figures}


@pytest.mark.parametrize("name", MADE)
def test_every_mark_of_every_figure_is_seen(name):
    assert_all_is_seen(MADE[name](tuning_run(20)))


@pytest.mark.parametrize(
    ("n", "name"),
    [
        pytest.param(n, name, marks=[pytest.mark.thorough] if n == 400 else [])
        for n in (80, 400, 3000)
        for name in OF_TRIALS
        if n == 80 or name in MANY
    ],
)
def test_every_mark_is_seen_however_many_trials_there_are(n, name):
    assert_all_is_seen(OF_TRIALS[name](tuning_run(n)))


@pytest.mark.parametrize("n", [20, 80, 400])
def test_as_many_pixels_have_a_color_as_dots_of_it_cover(n):
    """Discs of a known size in a grid: their area in pixels, within a fifth."""
    side = int(np.ceil(np.sqrt(n)))
    x, y = np.divmod(np.arange(float(n)), side)
    kind = LOOKS["proposal"]
    figure = Curves(
        x=Axis(label="", limits=(-0.5, side - 0.5)),
        y=Axis(label="", limits=(-0.5, side - 0.5)),
        dots=[Dots(x, y, look="proposal")],
        heading="",
    )
    image, _ = pictured(figure)
    colored = np.linalg.norm(image - to_rgb(kind.color), axis=-1) < 0.5
    # the edge of a marker is drawn on both sides of its end
    radius = 0.5 * (kind.size + 1.2) * 100.0 / 72.0
    assert colored.sum() == pytest.approx(n * np.pi * radius**2, rel=0.2)


def test_a_dot_of_a_page_takes_few_characters_and_stands_where_the_others_do():
    n = 400
    x = np.arange(float(n))
    sizes, places = [], []
    for dots in ([], [Dots(x, x % 7.0, look="proposal")]):
        figure = Curves(
            x=Axis(label="", limits=(-1.0, float(n))),
            y=Axis(label="", limits=(-1.0, 7.0)),
            dots=dots,
            heading="",
        )
        page = drawn(figure, "dots", "dots", interactive=False)
        sizes.append(len(page))
        places = re.findall(r'<polyline points="([^"]*)"', page)
    assert sizes[1] - sizes[0] < 20 * n
    at = np.array([pair.split(",") for pair in places[0].split()], float)
    assert len(at) == n
    across, up = at.T
    assert np.diff(across) == pytest.approx(np.ptp(across) / (n - 1), abs=0.02)
    assert np.corrcoef(up, x % 7.0)[0, 1] < -0.999  # downwards in a page
