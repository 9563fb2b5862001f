"""Plots of desirability paths: what each hyperparameter added to one proposal after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hpo_explain.base.subject import Subject
from hpo_explain.explanations.path import DesirabilityPath
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._panels import Panels, write_around
from hpo_explain.plotting._paths import RIBBON, Paths, draw_paths
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import RED, TEXT, WIDTH
from hpo_explain.plotting._subject import shown
from hpo_explain.wording import path as words

_TURN: dict[str, Any] = {"color": RED, "linestyle": (0, (2, 1.5)), "linewidth": 1.2}


@draws(DesirabilityPath)
def plot_path(result: DesirabilityPath, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the contributions by trial, a panel per hyperparameter, the largest first.

    The dark line is the contribution to the whole acquisition, its ribbon the 95 % interval of
    averaging over the background; thinner lines are the terms. A vertical line marks the trial
    from which the mean led, not uncertainty. Lines are broken where the hyperparameter is
    inactive. Proposals of several criteria, whose units differ, are drawn as shares. At most
    six hyperparameters have a panel.

    Parameters
    ----------
    result : DesirabilityPath
        The path.
    ax : matplotlib.axes.Axes, optional
        Where to draw: it is replaced by axes for each hyperparameter. By default a new figure
        (unknown to pyplot). Give a figure of your own ``layout="constrained"``.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the first hyperparameter.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figures 6 and 12 (here with the sign turned: larger is more desirable).

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> path = hx.desirability_path(run, background=50, progress=False)
    >>> plot_path(path).get_title(loc="left")
    'x'
    """
    shares = len(result.acquisitions) > 1
    paths = _of_proposals(result, shares=shares)
    panels, legend = draw_paths(paths, ax, width)
    told = {name: turn.trial for name, turn in result.turns.items() if turn.certain}
    if _draw_turns(panels, [told.get(paths.names[j]) for j in paths.shown()]):
        legend.append((line_mark(**_TURN), words.TURN))
    if not np.isnan(paths.total_half).all():
        legend.insert(1, (Patch(facecolor=ink(), **RIBBON), words.INTERVAL))
    write_around(
        panels,
        heading=words.heading(result, _of_each_criterion(result)),
        subtitle=words.SUBTITLE,
        legend=legend,
        x_label="trial",
        y_label=words.y_label(shares=shares),
        footer=words.footer(result, shares=shares) + paths.left_out(),
    )
    return panels.axes[0]


def _of_proposals(result: DesirabilityPath, *, shares: bool) -> Paths:
    active = np.stack([e.active for e in result.explanations])
    scale = np.ones(len(result))
    if shares:
        whole = np.abs(result.total).sum(axis=1)
        scale = np.where(whole > 0.0, whole, 1.0)
    return Paths(
        x=result.trials.astype(float),
        names=result.names,
        terms=result.terms,
        total=np.where(active, result.total / scale[:, None], np.nan),
        total_half=result.half_width()[:, :, -1] / scale[:, None],
        phi=np.where(active[:, :, None], result.phi / scale[:, None, None], np.nan),
    )


def _draw_turns(panels: Panels, turns: Sequence[int | None]) -> bool:
    """Mark turning points over what else is drawn; return whether there are any."""
    known = [turn is not None for turn in turns]
    if not any(known):
        return False
    low, high = panels.axes[0].get_ylim()
    panels.axes[0].set_ylim(low, high + 0.14 * (high - low))  # room for the texts
    for panel, turn in zip(panels.axes, turns, strict=True):
        if turn is None:
            continue
        panel.axvline(turn, zorder=2.5, **_TURN)
        first, last = panel.get_xlim()
        side, shift = ("left", 3.0) if turn < (first + last) / 2.0 else ("right", -3.0)
        panel.annotate(
            words.turn(turn), (turn, 1.0), (shift, -1.0), textcoords="offset points",
            xycoords=panel.get_xaxis_transform(), ha=side, va="top", fontsize=TEXT - 1.5,
            color=RED,
        )  # fmt: skip
    return True


def _of_each_criterion(result: DesirabilityPath) -> list[Subject]:
    """Return the subject of one proposal by each criterion, with names as they are shown."""
    first: dict[str, Subject] = {}
    for e in result.explanations:
        first.setdefault(e.subject.acquisition, shown(e.subject))
    return list(first.values())
