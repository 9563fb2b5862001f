"""How several runs are drawn side by side: what matters in each, and the effects in each."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import listed
from hpo_explain.base.figures import Axis, Bar, Curves, Dots, Line, Panels, Rows, View
from hpo_explain.methods._engines.effect_show import BESIDE
from hpo_explain.methods.runs.compare_result import Comparison

_MOST_LINES = 6  # runs up to which each has a color and a place in the legend
_UNDER = 0.16  # of the height of a panel, under its curves


def shares(comparison: Comparison) -> Rows:
    """Draw the mean share of each hyperparameter, the spread over the runs, and each run."""
    mean, spread, order = (
        comparison.shares.mean(axis=0),
        comparison.spread,
        comparison.order().tolist(),
    )
    shown, rest = order[: Rows.MOST], [comparison.names[j] for j in order[Rows.MOST :]]
    beside = np.linspace(-BESIDE, BESIDE, len(comparison.runs))
    reach = float(max(comparison.shares.max(), (mean + spread).max()))
    return Rows(
        labels=[(comparison.names[j],) for j in shown],
        bars=[
            Bar(row, 0.0, float(mean[j]), (float(min(spread[j], mean[j])), float(spread[j])))
            for row, j in enumerate(shown)
        ],
        dots=[
            Dots(comparison.shares[:, j], row + beside, look="run") for row, j in enumerate(shown)
        ],
        label="share of the variance, alone",
        fills={0: "mean over the runs"},
        means={"run": "each run"},
        heading=f"What matters in {len(comparison.runs)} runs",
        subtitle=f"runs: {listed(list(comparison.runs))}",
        footer="Whiskers: one standard deviation over the runs, including the uncertainty within "
        "each run." + (f" Smaller, not drawn: {listed(rest)}." if rest else ""),
        percent=True,
        ends=(0.0, 1.04 * reach if reach > 0.0 else 1.0),
    )


def effects(comparison: Comparison) -> Panels:
    """Draw each hyperparameter's effect in each run, and where the optimizers went."""
    order = comparison.order().tolist()
    shown, rest = (order[: Panels.FEW], [comparison.names[j] for j in order[Panels.FEW :]])
    low = min(0.0, *(float(np.nanmin(comparison.effects[j])) for j in shown))
    high = max(1.0, *(float(np.nanmax(comparison.effects[j])) for j in shown))
    left = f" Without a panel, as they matter less: {', '.join(rest)}." if rest else ""
    return Panels(
        panels=[_effect(comparison, j, low, high) for j in shown],
        heading=f"The effects in {len(comparison.runs)} runs",
        subtitle="mean predicted loss: 0 is the best configuration of the run, 1 an average one",
        footer="Bars along the bottom: the middle half of the values in the later half of each "
        f"run's trials.{left}",
    )


def _effect(comparison: Comparison, j: int, low: float, high: float) -> Curves:
    parameter, values = (comparison.subject.space.parameters[j], comparison.grid[j])
    named = parameter.is_category
    names = [str(value) for value in values] if named else ()
    x = Axis(label="", values=values, log=getattr(parameter, "log", False), names=names)
    pale, under = (len(comparison.runs) > _MOST_LINES, low - _UNDER * (high - low))
    looks = ["thin" if pale else str(r) for r in range(len(comparison.runs))]
    lines = [
        Line(x.places, effect, look=look, marks=named)
        for look, effect in zip(looks, comparison.effects[j], strict=True)
    ]
    lines.append(Line(x.places, comparison.effects[j].mean(axis=0), look="total", marks=named))
    heights = under + (np.arange(len(looks))[::-1] + 0.5) / len(looks) * 0.8 * (low - under)
    lines += [
        Line(x.at(parameter.decode(np.clip(went[[0, 2]], 0.0, 1.0))), np.full(2, at), look=look)
        for look, went, at in zip(looks, comparison.went[:, j], heights, strict=True)
        if not np.isnan(went).any()
    ]
    runs = {"thin": "each run"} if pale else dict(zip(looks, comparison.runs, strict=True))
    reach = high - low
    return Curves(
        x=x,
        y=Axis(label="loss", limits=(under - 0.02 * reach, high + 0.05 * reach)),
        lines=lines,
        heading=comparison.names[j],
        means={**runs, "total": "mean over the runs"},
        upright=True,
    )


VIEWS = {
    "": View(shares, "Shares of the variance in each run, and their mean."),
    "effects": View(
        effects, "Mean predicted loss: 0 is the best configuration of the run, 1 an average one."
    ),
}
