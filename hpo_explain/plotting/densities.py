"""The plot of densities: where good and other trials lie at a proposal."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hpo_explain.base.width import shorten
from hpo_explain.explanations.densities import DensityCurve, ProposalDensities
from hpo_explain.explanations.density_path import DensityPath
from hpo_explain.plotting._log_axis import make_log
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._panels import new_panels, write_around, write_titles
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import BLUE, GREY, ORANGE, TEXT, WIDTH, make_literal
from hpo_explain.plotting._subject import shown
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.space import Array
from hpo_explain.wording import densities as words
from hpo_explain.wording import format_value

_GOOD: dict[str, Any] = {"color": BLUE, "linewidth": 1.8}
_BAD: dict[str, Any] = {"color": ORANGE, "linewidth": 1.4, "linestyle": "--"}
_PROPOSAL: dict[str, Any] = {"linewidth": 1.2, "linestyle": ":"}
_FEW = 24  # values up to which each is a mark
_NAMED = 4  # categories up to which each is named
_SHORT = 9  # columns of such a name
_NAME, _VALUE = 22, 12  # columns of a name and a value over a panel


@draws(ProposalDensities)
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
    names = abbreviated((plain(curve.name) for curve in result.curves), _NAME)
    titles = []
    for k, (panel, curve) in enumerate(zip(panels.axes, result.curves, strict=True)):
        _draw_curve(panel, curve)
        value = words.absent(result, curve.name)
        if curve.proposed is not None:
            value = f"= {shorten(plain(format_value(curve.proposed)), _VALUE)}"
        titles.append(f"{names[k]} {value}")
    write_titles(panels, titles)
    about = shown(result.subject)
    write_around(
        panels,
        heading=words.heading(about),
        subtitle=words.subtitle(about),
        legend=_legend(),
        x_label="",
        y_label=words.LABEL,
        footer=words.footer(result),
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
        ax.axvline(place(curve, curve.proposed), color=ink(), zorder=1.5, **_PROPOSAL)
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
        ax.set_xlabel(words.choices(n), fontsize=TEXT)
    make_literal(ax.get_xticklabels())


def _places(curve: DensityCurve) -> Array:
    return np.array([place(curve, value) for value in curve.values], dtype=float)


def place(curve: DensityCurve | DensityPath, value: Any) -> float:
    """Return where a value stands along its axis: a category at its index."""
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
        (line_mark(**_GOOD), words.GOOD),
        (line_mark(**_BAD), words.BAD),
        (line_mark(color=ink(), **_PROPOSAL), words.PROPOSED),
    ]
