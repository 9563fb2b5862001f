"""Figures side by side under one heading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import Words
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
    FEW: ClassVar[int] = 6  # that are read closely

    panels: Sequence[Rows | Curves | Cells]
    same_x: bool = False
    same_y: bool = True

    def legend(self) -> Mapping[str, str]:
        """Return what looks mean: those of all panels together, unless it is given."""
        return self.means or {k: v for panel in self.panels for k, v in panel.means.items()}

    @property
    def curves(self) -> list[Curves]:
        """The panels, if all are curves that can have an axis in common; else none."""
        curves = [panel for panel in self.panels if isinstance(panel, Curves) and not panel.lying]
        return curves if len(curves) == len(self.panels) else []

    @property
    def ends_of_y(self) -> tuple[float, float] | None:
        """Where the y axis that all have begins and ends; None where each has its own."""
        curves = self.curves if self.same_y else []
        return _ends([panel.limits() for panel in curves]) if curves else None

    @property
    def one_scale(self) -> Cells | None:
        """The first panel, if all are cells with the same scale of colors."""
        cells = [panel for panel in self.panels if isinstance(panel, Cells)]
        same = len({(panel.ends(), panel.scale) for panel in cells}) == 1
        return cells[0] if same and len(cells) == len(self.panels) else None

    def apart(self) -> list[Rows | Curves | Cells]:
        """Return the panels as figures of their own, along the axes that they share.

        What is written around all of them is left out.
        """
        ends = {"y": self.ends_of_y}
        if self.same_x and self.curves:
            ends["x"] = _ends([panel.across() for panel in self.curves])
        bare: dict[str, Any] = {"subtitle": "", "footer": "", "caution": "", "means": {}}
        return [
            replace(
                panel,
                **bare,
                **{
                    name: replace(getattr(panel, name), limits=limits)
                    for name, limits in ends.items()
                    if limits
                },
            )
            for panel in self.panels
        ]


def _ends(limits: Sequence[tuple[float, float]]) -> tuple[float, float]:
    lows, highs = zip(*limits, strict=True)
    return min(lows), max(highs)


Figure: TypeAlias = Rows | Curves | Cells | Panels
