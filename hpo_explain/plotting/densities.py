"""The plots of densities: where good and other trials lie at a proposal, and over a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from hpo_explain.explanations import DensityCurve, DensityPath, ProposalDensities, format_value
from hpo_explain.plotting._axes import DOTS
from hpo_explain.plotting._heatmap import draw_cells, draw_scale, names_along_y
from hpo_explain.plotting._layout import (
    MARGINS,
    label_points,
    points_across,
    write_footer,
    write_header,
    write_y_label,
)
from hpo_explain.plotting._log_axis import make_log
from hpo_explain.plotting._panels import new_panels, write_around, write_title
from hpo_explain.plotting._style import (
    BLUE,
    GREY,
    ORANGE,
    TEXT,
    WIDTH,
    ink,
    make_literal,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import plain, shorten
from hpo_explain.space import Array

_GOOD: dict[str, Any] = {"color": BLUE, "linewidth": 1.8}
_BAD: dict[str, Any] = {"color": ORANGE, "linewidth": 1.4, "linestyle": "--"}
_PROPOSAL: dict[str, Any] = {"linewidth": 1.2, "linestyle": ":"}
_FEW = 24  # values up to which each is a mark
_NAMED = 4  # categories up to which each is named
_SHORT = 9  # columns of such a name
_NAME, _VALUE = 22, 12  # columns of a name and a value over a panel
_HEIGHT = 230.0  # points, of the heatmap
_ROW = 17.0  # points, of a category in it
_SCALE = 78.0  # points, width of the scale of colors with its texts


def plot_densities(
    result: ProposalDensities, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw how common values are among good and among other trials, and the proposed ones.

    Parameters
    ----------
    result : ProposalDensities
        The densities.
    ax : matplotlib.axes.Axes, optional
        Where to draw: panels take the place of these axes; by default a new figure (unknown to
        pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the first hyperparameter; x in the user's units, y in multiples of chance.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    >>> plot_densities(hx.proposal_densities(study)).get_title(loc="left")
    'x = ...'
    """
    panels = new_panels(ax, len(result.curves), width=width, same_scale=False, same_x=False)
    for k, (panel, curve) in enumerate(zip(panels.axes, result.curves, strict=True)):
        _draw_curve(panel, curve)
        value = "inactive"
        if curve.proposed is not None:
            value = f"= {shorten(plain(format_value(curve.proposed)), _VALUE)}"
        write_title(panels, k, f"{shorten(plain(curve.name), _NAME)} {value}")
    write_around(
        panels,
        heading=f"Where good trials were when {result.subject} was proposed",
        subtitle="how common a value is, in multiples of chance; good trials against all others, "
        f"as {shorten(plain(result.optimizer), 60)} saw them",
        legend=_legend(),
        x_label="",
        y_label="times as common as by chance",
        footer=_footer(result),
    )
    return panels.axes[0]


def _draw_curve(ax: Axes, curve: DensityCurve) -> None:
    x = _places(curve)
    marks = {"marker": "o", "markersize": 3.5} if len(x) <= _FEW else {}
    joined = {} if not curve.categorical else {"linestyle": "none", "marker": "o"}
    for density, style in ((curve.bad, _BAD), (curve.good, _GOOD)):
        hollow = {"markerfacecolor": "white"} if style is _BAD else {}
        ax.plot(x, density, **{**style, **marks, **joined, **hollow})
    ax.axhline(1.0, color=GREY, linewidth=0.6, zorder=0.5)
    ax.set_ylim(bottom=0.0, top=1.08 * max(1.0, curve.good.max(), curve.bad.max()))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=4))
    if curve.proposed is not None:
        ax.axvline(_place(curve, curve.proposed), color=ink(), zorder=1.5, **_PROPOSAL)
    if curve.categorical:
        _name_categories(ax, curve)
    elif curve.log:
        make_log(ax, 0, curve.values, most=4)
    else:
        whole = all(isinstance(value, int) for value in curve.values)
        ax.xaxis.set_major_locator(MaxNLocator(nbins=4, integer=whole))


def _name_categories(ax: Axes, curve: DensityCurve) -> None:
    n = len(curve.values)
    ax.set_xlim(-0.5, n - 0.5)
    names = [shorten(plain(value), _SHORT) for value in curve.values] if n <= _NAMED else []
    ax.set_xticks(range(n) if names else [], names)
    if not names:
        ax.set_xlabel(f"{n} choices", fontsize=TEXT)
    make_literal(ax.get_xticklabels())


def _places(curve: DensityCurve) -> Array:
    return np.array([_place(curve, value) for value in curve.values], dtype=float)


def _place(curve: DensityCurve | DensityPath, value: Any) -> float:
    if not curve.categorical:
        return float(value)
    same = [
        k
        for k, own in enumerate(curve.values)
        if own is value or (type(own), own) == (type(value), value)
    ]
    return float(same[0]) if same else np.nan


def _legend() -> list[tuple[Artist, str]]:
    return [
        (Line2D([], [], **_GOOD), "good trials (l)"),
        (Line2D([], [], **_BAD), "other trials (g)"),
        (Line2D([], [], color=ink(), **_PROPOSAL), "proposed value"),
    ]


def _footer(result: ProposalDensities) -> str:
    if not result.joint:
        return "Every hyperparameter was sampled by itself; the grey line is chance."
    together = sum(len(group) for group in result.joint)
    return (
        f"{together} hyperparameters were sampled together; each panel shows one of them whatever "
        "the others are. The grey line is chance."
    )


# ---------------------------------------------------------------------- over a run


def plot_density_path(result: DensityPath, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw log l - log g of one hyperparameter by trial, with the proposed values as dots.

    Parameters
    ----------
    result : DensityPath
        The densities over a run.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: value by trial.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=14)
    >>> plot_density_path(hx.density_path(study, "x")).get_xlabel()
    'trial'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    n = len(result.values)
    edges = np.arange(-0.5, n)
    if not result.categorical:
        edges = _edges(np.array(result.values, dtype=np.float64), result.log)
    across = np.append(np.array(result.trials, dtype=float) - 0.5, result.trials[-1] + 0.5)
    reach = float(np.abs(result.log_ratio).max()) or 1.0
    mesh = draw_cells(ax, across, edges, result.log_ratio.T, low=-reach, high=reach)
    known = [i for i, value in enumerate(result.proposed) if value is not None]
    ax.plot(
        [result.trials[i] for i in known],
        [_place(result, result.proposed[i]) for i in known],
        **DOTS,
    )
    ax.xaxis.set_major_locator(MaxNLocator(nbins=9, integer=True))
    height = _HEIGHT
    label = shorten(plain(result.name), 60)
    if result.categorical:
        height = max(_ROW * n, 60.0)
        ax.set_ylim(n - 0.5, -0.5)
        names_along_y(ax, [plain(value) for value in result.values], points=0.3 * points_across(ax))
    elif result.log:
        make_log(ax, 1, result.values)
    write_y_label(ax, label, points=0.95 * height)
    ax.tick_params(labelsize=TEXT)
    draw_scale(mesh, ax, label="log l − log g")
    left = label_points(ax) + 2.0 * TEXT
    points = max(points_across(ax) - left - MARGINS - _SCALE, 0.3 * points_across(ax))
    high = write_header(
        ax,
        f"How the densities of {label} moved",
        "bright: more common among good trials than among others, as "
        f"{shorten(plain(result.optimizer), 60)} saw them",
        above=0.0,
        left=left,
        points=points + left,
    )
    high += write_footer(ax, "trial", "Dots: proposed values.", left=left, points=points)
    if own:
        set_height(ax, height + high)
    return ax


def _edges(values: Array, log: bool) -> Array:
    """Return the edges of cells around values, halfway between them on their scale."""
    scaled = np.log(values) if log else values
    if len(scaled) == 1:
        scaled = np.array([scaled[0] - 0.5, scaled[0] + 0.5])
        return np.exp(scaled) if log else scaled
    middle = 0.5 * (scaled[1:] + scaled[:-1])
    edges = np.concatenate(
        [[scaled[0] - (middle[0] - scaled[0])], middle, [scaled[-1] + (scaled[-1] - middle[-1])]]
    )
    return np.exp(edges) if log else edges
