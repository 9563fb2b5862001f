"""How pairs of hyperparameters are drawn: cells of what is predicted, trials by rank on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base import counted, shorten
from hpo_explain.base.figures import Cells, Dots, Panels, View
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods._engines.effect_show import UNTRIED, effect
from hpo_explain.methods.effects.contours_result import Contours
from hpo_explain.methods.effects.slices_show import places_along
from hpo_explain.space import Array

_LONG = 20  # characters of a name over a panel


def panels(result: Contours) -> Panels:
    """Draw a panel for each pair, at most 12, all with the same colors."""
    shown = result.effects.effects[: Panels.MOST]
    means = [one.mean[np.isfinite(one.mean)] for one in shown]
    ends = {
        "low": min(float(mean.min()) for mean in means),
        "high": max(float(mean.max()) for mean in means),
    }
    hover = np.array(result.told(), dtype=object)
    objective = shorten(result.objective_name, 40)
    left_out = len(result.effects) - len(shown)
    return Panels(
        panels=[_panel(result, one, hover, ends) for one in shown],
        heading=f"The {objective} by pairs of hyperparameters",
        subtitle="partial dependence: averaged over all other hyperparameters; "
        f"{result.subject.better} is better",
        footer=f"Not shown: {counted(left_out, 'pair')}." if left_out else "",
        same_y=False,
        means=_means(result),
    )


def _panel(
    result: Contours, one: Effect, hover: Array, ends: dict[str, float]
) -> Cells:
    cells: Any = effect(one)
    a, b = one.names
    at = places_along(result, a, cells.x)
    up = places_along(result, b, cells.y, shuffled=True)
    finished = result.of_state("finished")
    looks = {
        "tried": finished & ~result.best_ones,
        "pruned": result.of_state("pruned"),
        "failed": result.of_state("failed", "infeasible"),
        "good": result.best_ones,
        "star": result.trials == result.best,
    }
    names = (shorten(name, _LONG) for name in one.names)
    panel: Cells = replace(
        cells,
        dots=[
            Dots(at[there], up[there], look=look, told=list(hover[there]))
            for look, rows in looks.items()
            for there in [rows & ~np.isnan(at + up)]
            if there.any()
        ],
        heading=" × ".join(names),
        means=_means(result),
        **ends,
    )
    return panel


def _means(result: Contours) -> dict[str, str]:
    n = int(result.best_ones.sum())
    return {
        "star": f"best: trial {result.best}",
        "good": f"the best {counted(n, 'trial')}",
        "tried": "other trials",
        "failed": "failed or infeasible",
        "pruned": "pruned",
        "dimmed": UNTRIED,
    }


VIEWS = {"": View(panels, "What is predicted for pairs of hyperparameters.")}
