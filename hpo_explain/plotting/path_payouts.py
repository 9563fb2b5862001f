"""The plot of payouts: by term, how far a proposal's prediction was from the average one."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hpo_explain.base.width import shorten
from hpo_explain.explanations.path import DesirabilityPath
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._panels import (
    alone,
    draw_path,
    limit_trials,
    new_panels,
    write_around,
    write_titles,
)
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import FILLS, WIDTH
from hpo_explain.plotting._text import distinct, plain
from hpo_explain.space import Array
from hpo_explain.wording import path as words
from hpo_explain.wording.proposal import TOTAL

_PAYOUT: dict[str, Any] = {"alpha": 0.25, "linewidth": 0.0}
_BASELINE: dict[str, Any] = {
    "linestyle": (0, (4, 2)), "linewidth": 1.2, "markerfacecolor": "white",
}  # fmt: skip


@draws(DesirabilityPath, "payouts")
def plot_payouts(path: DesirabilityPath, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw prediction, baseline and between them the payout by trial: a panel per term.

    Each panel has its own scale; in all of them up is more desirable. The total comes first,
    one for each criterion.

    Parameters
    ----------
    path : DesirabilityPath
        The path.
    ax : matplotlib.axes.Axes, optional
        Where to draw: it is replaced by axes for each term. By default a new figure (unknown to
        pyplot). Give a figure of your own ``layout="constrained"``.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the total.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figure 15 (here with the sign turned: larger is more desirable).

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> path = hx.desirability_path(run, background=50, progress=False)
    >>> [panel.get_title(loc="left") for panel in plot_payouts(path).figure.axes]
    ['total: LCB (κ = 1.96)', 'mean', 'uncertainty']
    """
    kinds = _kinds(path)
    panels = new_panels(ax, len(kinds), width=width, same_scale=False)
    titles = distinct(
        f"{TOTAL}: {shorten(plain(criterion), 60)}" if term == "total" else shorten(plain(term), 60)
        for criterion, term in kinds
    )
    write_titles(panels, titles)
    x = path.trials.astype(float)
    colors = {term: FILLS[t % len(FILLS)].color for t, term in enumerate(path.terms)}
    for k, (criterion, term) in enumerate(kinds):
        panel, color = panels.axes[k], colors.get(term, ink())
        prediction, baseline = _values(path, criterion, term)
        draw_path(panel, x, baseline, color=color, zorder=2.0, **_BASELINE)
        draw_path(panel, x, prediction, color=color, zorder=3.0, linewidth=1.8)
        panel.fill_between(x, baseline, prediction, color=color, **_PAYOUT)
        single = alone(~np.isnan(prediction))
        panel.vlines(
            x[single], baseline[single], prediction[single], color=color, alpha=_PAYOUT["alpha"],
            linewidth=4.0,
        )  # fmt: skip
    limit_trials(panels.axes[0], x, panels.width)
    criteria = [shorten(plain(name), 60) for name in path.acquisitions]
    write_around(
        panels,
        heading=words.payouts_heading(path, criteria),
        subtitle=words.PAYOUTS_SUBTITLE,
        legend=_legend(),
        x_label="trial",
        y_label=words.PAYOUTS_LABEL,
        footer=words.payouts_footer(path),
    )
    return panels.axes[0]


def _kinds(path: DesirabilityPath) -> list[tuple[str, str]]:
    """Return (criterion, term) of each panel."""
    kinds: list[tuple[str, str]] = []
    for e in path.explanations:
        terms = e.terms if len(e.terms) > 1 else ()  # the only term is the total
        kinds += [(e.subject.acquisition, term) for term in ("total", *terms)]
    return list(dict.fromkeys(kinds))


def _values(path: DesirabilityPath, criterion: str, term: str) -> tuple[Array, Array]:
    """Return prediction and baseline by trial, NaN where another criterion was used."""
    unknown = (np.nan, np.nan)
    pairs = [
        (e.prediction[term], e.baseline[term]) if e.subject.acquisition == criterion else unknown
        for e in path.explanations
    ]
    prediction, baseline = np.array(pairs, dtype=float).T
    return prediction, baseline


def _legend() -> list[tuple[Artist, str]]:
    return [
        (line_mark(color=ink(), linewidth=1.8), words.PROPOSAL),
        (line_mark(color=ink(), **_BASELINE), words.AVERAGE),
        (Patch(facecolor=ink(), **_PAYOUT), words.PAYOUT),
    ]
