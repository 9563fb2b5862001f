"""Contributions by trial: a panel per hyperparameter, with the total and its terms as lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.plotting._look import ink
from hpo_explain.plotting._panels import Panels, draw_path, limit_trials, new_panels, write_titles
from hpo_explain.plotting._style import FILLS, GREY
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.space import Array
from hpo_explain.wording import path as words
from hpo_explain.wording.proposal import TOTAL

MOST_PANELS = 6
RIBBON: dict[str, Any] = {"alpha": 0.25, "linewidth": 0.0}
_DASHES: tuple[Any, ...] = ((0, (4, 1)), (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (8, 2)))


@dataclass(frozen=True, eq=False)
class Paths:
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

    def shown(self) -> list[int]:
        """Return the hyperparameters that have a panel; the first where none has contributed."""
        return self.order()[:MOST_PANELS] or [0]

    def left_out(self) -> str:
        """Say which hyperparameters have no panel."""
        order, shown = self.order(), self.shown()
        names = abbreviated(map(plain, self.names), 24)
        return words.without_panel(
            [names[j] for j in order if j not in shown],
            [name for j, name in enumerate(names) if j not in order],
        )


def draw_paths(
    paths: Paths, ax: Axes | None, width: float
) -> tuple[Panels, list[tuple[Artist, str]]]:
    """Draw a panel per hyperparameter, the largest first; return them and entries of a legend."""
    shown = paths.shown()
    panels = new_panels(ax, len(shown), width=width)
    entries: list[tuple[Artist, str]] = []
    for k, j in enumerate(shown):
        lines = _draw_panel(panels.axes[k], paths, j)
        entries = entries or lines
    write_titles(panels, [plain(paths.names[j]) for j in shown])
    limit_trials(panels.axes[0], paths.x, panels.width)
    return panels, entries


def _draw_panel(panel: Axes, paths: Paths, j: int) -> list[tuple[Artist, str]]:
    panel.axhline(0.0, color=GREY, linewidth=0.8, zorder=1.0)
    line = draw_path(
        panel, paths.x, paths.total[:, j], half=paths.total_half[:, j], color=ink(),
        linewidth=1.8, zorder=3.0,
    )  # fmt: skip
    entries: list[tuple[Artist, str]] = [(line, TOTAL)]
    if len(paths.terms) < 2:  # the only term is the total
        return entries
    for t, term in enumerate(paths.terms):
        half = None if paths.phi_half is None else paths.phi_half[:, j, t]
        line = draw_path(
            panel, paths.x, paths.phi[:, j, t], half=half, alpha=0.13, linewidth=1.1, zorder=2.0,
            color=FILLS[t % len(FILLS)].color, linestyle=_dashes(t),
        )  # fmt: skip
        entries.append((line, shorten(plain(term), 60)))
    return entries


def _dashes(t: int) -> Any:
    """Return the dashes of a term; they differ where colors repeat."""
    return _DASHES[(t + t // len(FILLS)) % len(_DASHES)]
