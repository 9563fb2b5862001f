"""Figures side by side under one heading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import Words
from hpo_explain.base.figures.parallel import Parallel
from hpo_explain.base.figures.rows import Rows


@dataclass(frozen=True, kw_only=True, eq=False)
class Panels(Words):
    """Figures side by side.

    Attributes
    ----------
    panels : sequence of (Rows, Curves or Cells)
        The figures; their headings are the titles of the panels.
    same_x, same_y : bool
        Whether curves have one x axis, and one y axis. Labels of axes that all share are written
        once.
    """

    MOST: ClassVar[int] = 12  # of which a reader sees each

    panels: Sequence[Rows | Curves | Cells]
    same_x: bool = False
    same_y: bool = True

    def legend(self) -> Mapping[str, str]:
        """Return what looks mean: those of all panels together, unless it is given."""
        return self.means or {
            k: v for panel in self.panels for k, v in panel.means.items()
        }

    def apart(self) -> list[Rows | Curves | Cells]:
        """Return the panels as figures of their own, along the axes that they share.

        What is written around all of them is left out.
        """
        bare: dict[str, Any] = {
            "subtitle": "",
            "footer": "",
            "caution": "",
            "means": {},
        }
        alone = [replace(panel, **bare) for panel in self.panels]
        curves = [
            panel
            for panel in alone
            if isinstance(panel, Curves) and not panel.lying
        ]
        if len(curves) != len(alone):
            return alone
        axes: dict[str, Any] = {}
        if self.same_x:
            axes["x"] = _ends([panel.across() for panel in curves])
        if self.same_y:
            axes["y"] = _ends([panel.limits() for panel in curves])
        return [
            replace(
                panel,
                **{
                    name: replace(getattr(panel, name), limits=ends)
                    for name, ends in axes.items()
                },
            )
            for panel in curves
        ]


def _ends(limits: Sequence[tuple[float, float]]) -> tuple[float, float]:
    lows, highs = zip(*limits, strict=True)
    return min(lows), max(highs)


Figure: TypeAlias = Rows | Curves | Cells | Parallel | Panels
