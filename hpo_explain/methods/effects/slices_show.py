"""How trials are drawn along hyperparameters: a panel each, over them the best that is expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hpo_explain.base import counted, percent, shorten
from hpo_explain.base.figures import (
    Axis,
    Curves,
    Dots,
    Line,
    Panels,
    View,
    usual_ends,
)
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods._engines.effect_show import along, apart, as_points, axis_of
from hpo_explain.methods._engines.trials import Trials
from hpo_explain.methods.effects.slices import Slices
from hpo_explain.space import Array, Bools


def panels(result: Slices) -> Panels:
    """Draw a panel for each hyperparameter, at most 12, with one axis for the objective."""
    shown = result.effects.effects[: Panels.MOST]
    finite = result.objective[np.isfinite(result.objective)]
    ends = usual_ends(finite, lower_is_better=result.subject.lower_is_better)
    y = Axis(label=shorten(result.objective_name, 40), limits=ends)
    looks, hover = looks_by_time(result), np.array(result.told(), dtype=object)
    figures = [_panel(result, one, y, looks, hover) for one in shown]
    inactive = any(
        np.isnan(result.X[:, result.subject.space.index(name)]).any()
        for (name,) in (one.names for one in shown)
    )
    return Panels(
        panels=figures,
        heading=f"What trials reached, and the {y.label} that can be reached",
        subtitle=f"each point is a trial; {result.subject.better} {y.label} is better",
        footer=_footer(result, len(shown), inactive=inactive),
        same_y=not any(figure.lying for figure in figures),
        means=_means(result),
    )


def looks_by_time(result: Trials) -> dict[str, Bools]:
    """Return which trials have which look, (n,): those with a result by their time."""
    without = {
        state: result.of_state(state)
        for state in ("infeasible", "failed", "pruned", "running", "waiting")
    }
    best = np.asarray(result.trials == result.best)
    return {**without, **result.stages, "star": best}


def places_along(result: Trials, name: str, x: Axis, *, shuffled: bool = False) -> Array:
    """Return where trials stand along an axis, (n,); NaN where the hyperparameter has no value."""
    j = result.subject.space.index(name)
    parameter = result.subject.space.parameters[j]
    at, active = np.full(len(result), np.nan), ~np.isnan(result.X[:, j])
    at[active] = along(x, parameter.decode(result.X[active, j]))
    return apart(x, at, shuffled=shuffled)


def _panel(
    result: Slices, one: Effect, y: Axis, looks: Mapping[str, Bools], hover: Array
) -> Curves:
    (name,) = one.names
    every = np.arange(len(one.axes[0])) if one.categorical[0] else None
    x = axis_of(one, 0, every)
    at = places_along(result, name, x)
    # what has no result stands at the end that is worse
    worse = np.inf if result.subject.lower_is_better else -np.inf
    reached = np.where(np.isnan(result.objective), worse, result.objective)
    dots = [
        Dots(at[there], reached[there], look=look, told=list(hover[there]))
        for look, rows in looks.items()
        for there in [rows & ~np.isnan(at)]
        if there.any()
    ]
    lines, points = _attainable(one, x)
    share = result.effects.shares.get(one.names)
    return Curves(
        x=replace(x, label=""),
        y=y,
        lines=lines,
        dots=[*dots, *points],
        heading=name if share is None else f"{name} ({percent(share)})",
        means=_means(result),
    )


def _attainable(one: Effect, x: Axis) -> tuple[list[Line], list[Dots]]:
    """Return the best that is expected at each value with its band, as a curve or as points."""
    best = one.first
    if best is one:
        return [], []
    lower, upper = best.band()
    half = np.nan_to_num([best.mean - lower, upper - best.mean])
    if as_points(one):
        return [], [Dots(x.places, best.mean, half, "main")]
    return [Line(x.places, best.mean, half)], []


def _means(result: Slices) -> dict[str, str]:
    stages = {
        stage: "trials {} to {}".format(*result.trials[rows][[0, -1]])
        for stage, rows in result.stages.items()
        if rows.any()
    }
    return {
        "main": "reachable: the others at their best",
        "band": "95 % band",
        **stages,
        "star": f"best: trial {result.best}",
        "beyond": "beyond the axis",
        **{
            state: f"{state} ({result.states.count(state)})"
            for state in ("infeasible", "failed", "pruned", "running", "waiting")
        },
    }


def _footer(result: Slices, shown: int, *, inactive: bool) -> str:
    texts = []
    if result.effects.shares:
        texts.append(
            "In brackets over a panel: share of the variance that it explains with its "
            "interactions."
        )
    if inactive:
        texts.append("A trial in which a hyperparameter is inactive is not in its panel.")
    left_out = len(result.subject.names) - shown
    if left_out:
        texts.append(f"Not shown: {counted(left_out, 'hyperparameter')}.")
    return " ".join(texts)


VIEWS = {"": View(panels, "What trials reached along what matters most.")}
