"""How pruning is drawn: the learning curves, and what pruners would have saved and kept."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import counted, percent
from hpo_explain.base.figures import Axis, Bar, Curves, Dots, Line, Rows, View, broken
from hpo_explain.methods.runs.pruning import Pruning
from hpo_explain.space import Array

_MOST_CURVES = 150


def curves(result: Pruning) -> Curves:
    """Draw the learning curves: finished, pruned, without a result; the best; and the median."""
    values, final, steps = result.curves.held(), result.final, result.curves.steps
    cost = final if result.direction == "minimize" else -final
    best = int(np.nanargmin(cost))
    rows = np.random.default_rng(0).permutation(len(values))[:_MOST_CURVES]
    is_pruned = np.isin(result.curves.trials, result.trials)
    finished, pruned = rows[~np.isnan(final[rows])], rows[is_pruned[rows]]
    ended = rows[np.isnan(final[rows]) & ~is_pruned[rows]]
    done = values[~np.isnan(final)]
    typical = [np.median(column[~np.isnan(column)]) for column in done.T]
    lines = [Line(steps, values[best]), Line(steps, np.array(typical), look="limit")]
    dots = list[Dots]()
    for look, some in (("unfinished", ended), ("pruned", pruned)):
        if len(some):
            last = [np.flatnonzero(~np.isnan(values[i]))[-1] for i in some]
            lines.insert(0, Line(*broken(steps, values[some]), look="aside"))
            dots.append(Dots(steps[last], values[some, last], look=look))
    footer = ""
    if len(rows) < len(values):
        footer = f"{len(rows)} of {len(values)} curves, a random sample, and the best one."
    return Curves(
        x=Axis(label=result.curves.step_name, whole=bool((steps % 1.0 == 0.0).all())),
        y=Axis(label=result.objective_name, limits=_zoomed(values)),
        thin=broken(steps, values[finished]),
        lines=lines,
        dots=dots,
        heading=f"The {result.objective_name} of {counted(len(values), 'trial')} step by step",
        footer=footer,
        means={
            "main": "the best",
            "limit": "median of the finished",
            "thin": "finished",
            "pruned": "pruned",
            "unfinished": "without a result",
        },
    )


def pruners(result: Pruning) -> Rows:
    """Draw what each pruner would have saved of the finished trials, and how often it loses."""
    return Rows(
        labels=[
            (replay.name, f"keeps the best in {percent(replay.p_kept)}")
            for replay in result.replays
        ],
        bars=[Bar(k, 0.0, replay.saved) for k, replay in enumerate(result.replays)],
        label=f"share of {result.curves.step_name}s saved",
        percent=True,
        ends=(0.0, 1.0),
        heading="What pruners would have saved",
        subtitle=f"{counted(int(np.isfinite(result.final).sum()), 'finished trial')}, replayed in "
        "random orders",
    )


def _zoomed(values: Array) -> tuple[float | None, float | None]:
    """Return where the axis ends so that what is far worse than nearly all is out of sight."""
    finite = values[np.isfinite(values)]
    low, high = np.quantile(finite, [0.01, 0.99])
    margin = 0.15 * (high - low)
    if margin <= 0.0:
        return None, None
    first, last = (max(finite.min(), low - 2 * margin), min(finite.max(), high + 2 * margin))
    return float(first - margin / 3.0), float(last + margin / 3.0)


VIEWS = {
    "": View(curves, "What the trials reported: pruned, finished, and the best."),
    "pruners": View(pruners, "What each pruner would have saved, and how often it keeps the best."),
}
