"""How pairs of hyperparameters are drawn: cells of what is predicted, trials by rank on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base import counted, shorten
from hpo_explain.base.figures import Cells, Dots, Panels, View
from hpo_explain.methods._engines.effect_show import effect
from hpo_explain.methods.effects.contours import Contours
from hpo_explain.methods.effects.slices_show import places_along
from hpo_explain.space import Array


def panels(result: Contours) -> Panels:
    """Draw a panel for each pair, at most 12, all with the same colors."""
    shown = result.effects.effects[: Panels.MOST]
    surfaces: list[Any] = [effect(one) for one in shown]
    low = min(float(np.nanmin(cells.values)) for cells in surfaces)
    high = max(float(np.nanmax(cells.values)) for cells in surfaces)
    hover = np.array(result.told(), dtype=object)
    why = [cells.means.get("dimmed", "") for cells in surfaces]
    n = int(result.best_ones.sum())
    left_out = len(result.effects) - len(shown)
    return Panels(
        panels=[
            replace(
                cells,
                dots=_trials(result, one.names, cells, hover),
                low=low,
                high=high,
                # the axes have all of the names
                heading=" × ".join(shorten(name, 11) for name in one.names),
            )
            for one, cells in zip(shown, surfaces, strict=True)
        ],
        heading=f"The {shorten(result.objective_name, 40)} by pairs of hyperparameters",
        subtitle="partial dependence: averaged over all other hyperparameters; "
        f"{result.subject.better} is better",
        footer=f"Not shown: {counted(left_out, 'pair')}." if left_out else "",
        same_y=False,
        means={
            "star": f"best: trial {result.best}",
            "good": f"the best {counted(n, 'trial')}",
            "tried": "other trials",
            "failed": "failed or infeasible",
            "pruned": "pruned",
            "dimmed": " or ".join(filter(None, dict.fromkeys(why))),
        },
    )


def _trials(result: Contours, names: Sequence[str], cells: Cells, hover: Array) -> list[Dots]:
    """Return the trials as points, the best ones on top."""
    at = places_along(result, names[0], cells.x)
    up = places_along(result, names[1], cells.y, shuffled=True)
    finished = result.of_state("finished")
    looks = {
        "tried": finished & ~result.best_ones,
        "pruned": result.of_state("pruned"),
        "failed": result.of_state("failed", "infeasible"),
        "good": result.best_ones,
        "star": np.asarray(result.trials == result.best),
    }
    with_both = ~np.isnan(at + up)
    return [
        Dots(at[there], up[there], look=look, told=list(hover[there]))
        for look, rows in looks.items()
        for there in [rows & with_both]
        if there.any()
    ]


VIEWS = {"": View(panels, "What is predicted for pairs of hyperparameters.")}
