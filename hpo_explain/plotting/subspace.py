"""The plot of an important subspace: the share explained by the first hyperparameters."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from hpo_explain.explanations.subspace import Subspace
from hpo_explain.plotting._bars import Bars, Row, draw_bars
from hpo_explain.plotting._look import line_mark
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import GREY, WIDTH
from hpo_explain.wording import subspace as words
from hpo_explain.wording.fanova import WHISKERS

_ASKED_FOR: dict[str, Any] = {"color": GREY, "linestyle": "--", "linewidth": 1.0}


@draws(Subspace)
def plot_subspace(result: Subspace, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the share explained by one hyperparameter, by two, and so on, up to the set.

    Parameters
    ----------
    result : Subspace
        The set.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        Share of the variance, from 0 to 1, by hyperparameter added; whiskers are the standard
        deviation over trees.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(100, seed=1)
    >>> run = hx.Run(space, X, X[:, 0], "minimize")
    >>> plot_subspace(hx.subspace(run)).get_xlabel()
    'share of the variance, explained together'
    """
    steps = list(zip(result.names, result.explained, result.std, strict=True))
    bars = Bars(
        rows=tuple(
            Row((name if k == 0 else f"+ {name}",), (float(share),), (float(std),))
            for k, (name, share, std) in enumerate(steps)
        ),
        heading=words.HEADING,
        subtitle=words.subtitle(result.share),
        label=words.LABEL,
        footer=WHISKERS,
        percent=True,
        positive=True,
    )
    ax = draw_bars(bars, ax=ax, width=width, legend=[(line_mark(**_ASKED_FOR), words.ASKED_FOR)])
    ax.axvline(result.share, **_ASKED_FOR)
    reach = max((share + std for _, share, std in steps), default=0.0)
    ax.set_xlim(0.0, max(1.0, 1.02 * float(reach)))
    return ax
