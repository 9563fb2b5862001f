"""Plots of desirability paths: what each hyperparameter added to one proposal after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from hpo_explain._words import counted, spans
from hpo_explain.explanations import DesirabilityPath, ProposalExplanation, RepeatedRuns
from hpo_explain.plotting._panels import (
    Panels,
    draw_path,
    limit_trials,
    new_panels,
    write_around,
    write_title,
)
from hpo_explain.plotting._style import FILLS, GREY, RED, TEXT, WIDTH, ink
from hpo_explain.plotting._term_bars import plot_term_bars
from hpo_explain.plotting._text import abbreviated, listed, plain, shorten
from hpo_explain.space import Array

MOST_PANELS = 12
_MOST_NAMED = 8
_RIBBON: dict[str, Any] = {"alpha": 0.25, "linewidth": 0.0}
_DASHES: tuple[Any, ...] = ((0, (4, 1)), (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (8, 2)))
_TURN: dict[str, Any] = {"color": RED, "linestyle": (0, (2, 1.5)), "linewidth": 1.2}


@dataclass(frozen=True, eq=False)
class _Paths:
    """What is drawn: by trial x (T,), total and half its ribbon (T, d), terms (T, d, k).

    Values are NaN where the hyperparameter is inactive or the proposal has no such term.
    """

    x: Array
    names: tuple[str, ...]
    terms: tuple[str, ...]
    total: Array
    total_half: Array
    phi: Array
    phi_half: Array | None = None

    def order(self) -> list[int]:
        """Return the hyperparameters that have a contribution, the largest first."""
        known = ~np.isnan(self.total)
        size = np.where(known, np.abs(self.total), 0.0).mean(axis=0)
        return [int(j) for j in np.argsort(-size, kind="stable") if known[:, j].any()]


def plot_path(result: DesirabilityPath, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the contributions by trial, a panel per hyperparameter, the largest first.

    The dark line is the contribution to the whole acquisition, its ribbon the 95 % interval of
    averaging over the background; thinner lines are the terms. A vertical line marks the trial
    from which the mean led, not uncertainty. Lines are broken where the hyperparameter is
    inactive. Proposals of several criteria, whose units differ, are drawn as shares. At most
    twelve hyperparameters have a panel.

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
    panels, shown, legend = _draw(paths, ax, width)
    turns = _draw_turns(panels, [result.turning_points()[paths.names[j]] for j in shown])
    if turns:
        legend.append((Line2D([], [], **_TURN), "the mean leads from here on"))
    known = ~np.isnan(paths.total_half)
    if known.any():
        legend.insert(1, (Patch(facecolor=ink(), **_RIBBON), "95 % interval of the total"))
    write_around(
        panels,
        heading=_heading(result),
        subtitle="Above 0 a value made the proposal more desirable than an average configuration.",
        legend=legend,
        x_label="trial",
        y_label=(
            "share of all contributions to the proposal: up is more desirable"
            if shares
            else "contribution: up is more desirable"
        ),
        footer=_footer(result, shares=shares, intervals=known) + _left_out(paths, shown),
    )
    return panels.axes[0]


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
    >>> both = [hx.explain_proposal(run, trial, background=50) for trial in (2, 3)]
    >>> plot_repeated_runs(hx.aggregate(both)).get_title(loc="left")
    'Mean contributions to LCB (κ = 1.96) over 2 runs'
    """
    heading = f"Mean contributions to {_short(result.acquisition)} over {result.runs} runs"
    if len(result) == 1:
        return plot_term_bars(
            result.names, result.terms, result.mean[0], result.std[0], ax=ax, width=width,
            heading=heading, subtitle="each run's proposal against its average configuration",
            label="contribution: right is more desirable",
            footer="Whiskers: ± one standard deviation over runs.",
        )  # fmt: skip
    paths = _Paths(
        x=np.arange(1.0, len(result) + 1),
        names=result.names,
        terms=result.terms,
        total=result.mean[:, :, -1],
        total_half=result.std[:, :, -1],
        phi=result.mean[:, :, :-1],
        phi_half=result.std[:, :, :-1],
    )
    panels, shown, legend = _draw(paths, ax, width)
    legend.append((Patch(facecolor=ink(), **_RIBBON), "± one std over runs"))
    footer = "Ribbons: one standard deviation over runs, not the error of their mean."
    if result.notes:
        footer += " " + " ".join(f"{_sentence(note)}" for note in result.notes)
    write_around(
        panels,
        heading=heading,
        subtitle="Above 0 a value made the proposals more desirable than average configurations.",
        legend=legend,
        x_label="proposal",
        y_label="mean contribution: up is more desirable",
        footer=footer + _left_out(paths, shown),
    )
    return panels.axes[0]


# ---------------------------------------------------------------------- what is drawn


def _of_proposals(result: DesirabilityPath, *, shares: bool) -> _Paths:
    active = np.stack([e.active for e in result.explanations])
    scale = np.ones(len(result))
    if shares:
        whole = np.abs(result.total).sum(axis=1)
        scale = np.where(whole > 0.0, whole, 1.0)
    total = np.where(active, result.total / scale[:, None], np.nan)
    return _Paths(
        x=result.trials.astype(float),
        names=result.names,
        terms=result.terms,
        total=total,
        total_half=result.half_width()[:, :, -1] / scale[:, None],
        phi=np.where(active[:, :, None], result.phi / scale[:, None, None], np.nan),
    )


# ---------------------------------------------------------------------- marks


def _draw(
    paths: _Paths, ax: Axes | None, width: float
) -> tuple[Panels, list[int], list[tuple[Artist, str]]]:
    """Draw a panel per hyperparameter; return them, which they are, and entries of a legend."""
    shown = paths.order()[:MOST_PANELS] or [0]  # an empty panel where nothing was ever active
    panels = new_panels(ax, len(shown), width=width)
    titles = abbreviated((plain(paths.names[j]) for j in shown), 60)
    entries: list[tuple[Artist, str]] = []
    for k, j in enumerate(shown):
        lines = _draw_panel(panels.axes[k], paths, j)
        entries = entries or lines
        write_title(panels, k, titles[k])
    limit_trials(panels.axes[0], paths.x, panels.width)
    return panels, shown, entries


def _draw_panel(panel: Axes, paths: _Paths, j: int) -> list[tuple[Artist, str]]:
    panel.axhline(0.0, color=GREY, linewidth=0.8, zorder=1.0)
    line = draw_path(
        panel, paths.x, paths.total[:, j], half=paths.total_half[:, j], color=ink(),
        linewidth=1.8, zorder=3.0,
    )  # fmt: skip
    entries: list[tuple[Artist, str]] = [(line, "total")]
    if len(paths.terms) < 2:  # the only term is the total
        return entries
    for t, term in enumerate(paths.terms):
        half = None if paths.phi_half is None else paths.phi_half[:, j, t]
        line = draw_path(
            panel, paths.x, paths.phi[:, j, t], half=half, alpha=0.13, linewidth=1.1, zorder=2.0,
            color=FILLS[t % len(FILLS)].color, linestyle=_dashes(t),
        )  # fmt: skip
        entries.append((line, _short(term)))
    return entries


def _dashes(t: int) -> Any:
    """Return the dashes of a term: others where colors begin anew."""
    return _DASHES[(t + t // len(FILLS)) % len(_DASHES)]


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
            f"from trial {turn}", (turn, 1.0), (shift, -1.0), textcoords="offset points",
            xycoords=panel.get_xaxis_transform(), ha=side, va="top", fontsize=TEXT - 1.5,
            color=RED,
        )  # fmt: skip
    return True


# ---------------------------------------------------------------------- words


def _short(text: str) -> str:
    return shorten(plain(text), 60)


def _sentence(note: str) -> str:
    return f"{note[0].upper()}{plain(note[1:])}."


def _heading(result: DesirabilityPath) -> str:
    first = result.explanations[0]
    word = "trial" if len(result) == 1 else "trials"
    subject = f"{word} {spans(result.trials)}"
    through = listed([_through(e) for e in _of_each_criterion(result)], 3)
    if all(e.assumed for e in result.explanations):
        seen = "it" if len(result) == 1 else "them"
        return f"Why {subject}? As {through} would have seen {seen} (assumed)"
    if any(e.assumed for e in result.explanations):
        return f"Why {subject}? Through {through} (partly assumed)"
    seen = "it" if len(result) == 1 else "them"
    return f"Why {subject}? As {_short(first.optimizer)} saw {seen}: {through}"


def _of_each_criterion(result: DesirabilityPath) -> list[ProposalExplanation]:
    first: dict[str, ProposalExplanation] = {}
    for e in result.explanations:
        first.setdefault(e.acquisition, e)
    return list(first.values())


def _through(explanation: ProposalExplanation) -> str:
    criterion = _short(explanation.acquisition)
    return f"{plain(explanation.model)} with {criterion}" if explanation.model else criterion


def _footer(result: DesirabilityPath, *, shares: bool, intervals: Array) -> str:
    if not intervals.any():
        text = "No intervals: they are not known."
    else:
        text = "Ribbon: 95 % interval of averaging over the background; it is not the model's "
        text += "uncertainty."
        missing = int((~intervals.any(axis=1)).sum())
        if missing:
            text += f" It is not known for {counted(missing, 'proposal')}."
    if shares:
        text += (
            " Criteria have different units, so contributions are divided by the sum of the "
            "proposal's absolute contributions."
        )
    if any(not e.active.all() for e in result.explanations):
        text += " A line is broken where the hyperparameter is inactive."
    left = [note for note in result.notes if note.startswith("left out")]
    return text + "".join(f" {_sentence(note)}" for note in left)


def _left_out(paths: _Paths, shown: Sequence[int]) -> str:
    """Return which hyperparameters have no panel."""
    order = paths.order()
    text = ""
    smaller = [shorten(plain(paths.names[j]), 24) for j in order if j not in shown]
    if smaller:
        text += f" Smaller, without a panel: {listed(smaller, _MOST_NAMED)}."
    never = [shorten(plain(n), 24) for j, n in enumerate(paths.names) if j not in order]
    if never:
        text += f" Inactive in every proposal: {listed(never, _MOST_NAMED)}."
    return text
