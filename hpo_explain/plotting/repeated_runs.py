"""The plot of repeated runs: mean contributions, and their spread over the runs."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hpo_explain.base.width import shorten
from hpo_explain.explanations.repeated_runs import RepeatedRuns
from hpo_explain.plotting._bars import MOST_ROWS, Bars, Row, draw_bars
from hpo_explain.plotting._look import ink
from hpo_explain.plotting._panels import write_around
from hpo_explain.plotting._paths import RIBBON, Paths, draw_paths
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.plotting._subject import shown
from hpo_explain.plotting._text import plain
from hpo_explain.wording import proposal
from hpo_explain.wording import repeated_runs as words
from hpo_explain.wording.plots import smaller


@draws(RepeatedRuns)
def plot_repeated_runs(
    result: RepeatedRuns, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw mean contributions over runs, with ribbons of one standard deviation over them.

    A panel per hyperparameter, the largest first; bars, where each run has one proposal.

    Parameters
    ----------
    result : RepeatedRuns
        Means and standard deviations.
    ax : matplotlib.axes.Axes, optional
        Where to draw: several proposals replace it by axes for each hyperparameter. By default a
        new figure (unknown to pyplot). Give a figure of your own ``layout="constrained"``.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, of the first hyperparameter where there are several.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figures 5 and 6 (here with the sign turned: larger is more desirable).

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> both = {str(t): hx.explain_proposal(run, t, background=50) for t in (2, 3)}
    >>> plot_repeated_runs(hx.compare(both)).get_title(loc="left")
    'Mean contributions to LCB (κ = 1.96) over 2 runs'
    """
    if len(result) == 1:
        return _plot_bars(result, ax, width)
    paths = Paths(
        x=np.arange(1.0, len(result) + 1),
        names=result.names,
        terms=result.terms,
        total=result.mean[:, :, -1],
        total_half=result.std[:, :, -1],
        phi=result.mean[:, :, :-1],
        phi_half=result.std[:, :, :-1],
    )
    panels, legend = draw_paths(paths, ax, width)
    legend.append((Patch(facecolor=ink(), **RIBBON), words.RIBBON))
    write_around(
        panels,
        heading=words.heading(result, shown(result.subject)),
        subtitle=words.SUBTITLE,
        legend=legend,
        x_label=words.X_LABEL,
        y_label=words.Y_LABEL,
        footer=words.footer(result) + paths.left_out(),
    )
    return panels.axes[0]


def _plot_bars(result: RepeatedRuns, ax: Axes | None, width: float) -> Axes:
    mean, std = result.mean[0], result.std[0]
    order = np.argsort(-np.abs(mean[:, -1]), kind="stable").tolist()
    several = len(result.terms) > 1
    rows = tuple(
        Row(
            (result.names[j],),
            tuple(mean[j, :-1].tolist()),
            tuple(std[j].tolist()),
            mark=float(mean[j, -1]) if several else None,
        )
        for j in order[:MOST_ROWS]
    )
    rest = [shorten(plain(result.names[j]), 24) for j in order[MOST_ROWS:]]
    return draw_bars(
        Bars(
            rows=rows,
            heading=words.heading(result, shown(result.subject)),
            subtitle=words.ONE_SUBTITLE,
            label=words.ONE_LABEL,
            footer=words.ONE_FOOTER + smaller(rest),
            legend=tuple(enumerate(result.terms)),
            mark=proposal.TOTAL if several else "",
        ),
        ax=ax,
        width=width,
    )
