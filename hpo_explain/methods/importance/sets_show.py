"""How values of sets are drawn: as steps that add up to the whole, and as a matrix of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base.figures.cells import MOST_NAMES, Cells, triangle
from hpo_explain.base.figures.marks import Dots
from hpo_explain.base.figures.rows import Bar, Rows, View, folded
from hpo_explain.base.numbers import format_level, format_value, plus_minus
from hpo_explain.base.phrases import counted
from hpo_explain.methods.importance.set_values import SetValues
from hpo_explain.methods.importance.sets_result import (
    GameExplanation,
    ShapleyInteractions,
)

Sets = GameExplanation | ShapleyInteractions

_GAMES = {
    "tunability": (
        "What tuning gains over {}",
        "gains",
        "gains less together",
    ),
    "mistunability": (
        "What wrong values lose against {}",
        "gains back together",
        "loses",
    ),
    "sensitivity": (
        "How the predicted objective varies around {}",
        "varies",
        "varies less together",
    ),
    "optimizer_bias": (
        "What the tried values miss of what can be gained over {}",
        "misses less together",
        "misses",
    ),
}


def waterfall(found: Sets) -> Rows:
    """Draw how the values of sets add up to the whole, the largest step first.

    Whiskers are intervals under the model; where it does not know them, of integrating. The
    smallest sets are one step.
    """
    total = found.total
    kept, rest = folded(total.order())
    integrated = total.half_width if total.model_std is None else None
    steps = [float(total.values[i]) for i in kept] + [
        float(total.values[rest].sum())
    ] * bool(rest)
    halves = [
        total.half(i) if integrated is None else float(integrated[i])
        for i in kept
    ]
    at = found.start + np.concatenate([[0.0], np.cumsum(steps)])
    labels = [_parts(total, i) for i in kept] + [
        (f"{len(rest)} others",)
    ] * bool(rest)
    lower, (better, worse) = _lower(found), _marks(found)
    start, end = (
        ("average", found.where) if _is_local(found) else ("nothing", "all")
    )
    return Rows(
        labels=[(start,), *labels, (end,)],
        bars=[
            Bar(
                i + 1,
                float(at[i]),
                float(at[i + 1]),
                half,
                fill=0 if step == 0.0 or (step < 0.0) == lower else 1,
            )
            for i, (step, half) in enumerate(
                zip(steps, [*halves, None], strict=False)
            )
        ],
        levels=at.tolist(),
        dots=[
            Dots(at[[0, -1]], np.array([0.0, len(steps) + 1.0]), look="run")
        ],
        means={"run": f"{start} and {end}"},
        fills={0: better, 1: worse},
        label=found.what if _is_local(found) else _label(found),
        footer=_whiskers(found),
        zero=not _is_local(found),
        **_over(found),
    )


def matrix(found: Sets) -> Cells:
    """Draw single hyperparameters on the diagonal of a matrix of colors, and pairs below it."""
    total = found.total
    values = np.full((len(total.players),) * 2, np.nan)
    for members, value in zip(total.sets, total.values, strict=True):
        if len(members) <= 2:
            values[max(members), min(members)] = value
    size = np.abs(np.nan_to_num(values))
    of_player = size.sum(axis=0) + size.sum(axis=1)
    shown = sorted(np.argsort(-of_player, kind="stable")[:MOST_NAMES].tolist())
    values = values[np.ix_(shown, shown)]
    reach = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    left = sum(len(s) > 2 or not set(s) <= set(shown) for s in total.sets)
    footer = "On the diagonal: single hyperparameters; below: what two do beyond that, together."
    return triangle(
        [total.player(p) for p in shown],
        values,
        [[f"{value:+.2g}" for value in row] for row in values],
        diagonal=True,
        low=-reach,
        high=reach,
        scale=_label(found),
        **_over(found),
        footer=footer
        + f" {counted(left, 'smaller or larger set')} not drawn." * bool(left),
    )


VIEWS = {
    "": View(waterfall, "How the values of sets add up."),
    "matrix": View(matrix, "Single hyperparameters and pairs."),
}

# ---------------------------------------------------------------------- what is written around


def _is_local(found: Sets) -> bool:
    return isinstance(found, ShapleyInteractions) and found.of != "variance"


def _lower(found: Sets) -> bool:
    """Return whether negative values are the better ones."""
    return _is_local(found) and found.subject.lower_is_better


def _marks(found: Sets) -> tuple[str, str]:
    if isinstance(found, GameExplanation):
        return _GAMES[found.game][1:]
    return (
        ("better", "worse") if _is_local(found) else ("more variance", "less")
    )


def _over(found: Sets) -> dict[str, Any]:
    """Return heading and subtitle: what is shown, and what adds up to what."""
    by = f"({found.index}, order {found.order})"
    if isinstance(found, GameExplanation):
        heading = _GAMES[found.game][0].format(found.at)
        whole = plus_minus(found.whole, found.whole_half)
        over = f", {found.over_runs}" if found.games else ""
        return {
            "heading": heading + over,
            "subtitle": f"all values add up to {whole} {by}",
        }
    if found.of == "variance":
        return {
            "heading": f"Which hyperparameters the variance of the {found.what} is due to",
            "subtitle": f"all values add up to the variance {format_value(found.prediction)} {by}",
        }
    gap = found.prediction - found.baseline
    ends = [
        format_level(level, gap)
        for level in (found.prediction, found.baseline)
    ]
    return {
        "heading": f"What hyperparameters do, alone and together, to the {found.what} of "
        f"{found.where}",
        "subtitle": f"{ends[0]}, on average {ends[1]}: all values add up to the difference {by}",
    }


def _label(found: Sets) -> str:
    if isinstance(found, GameExplanation):
        kind = "variance" if found.game == "sensitivity" else "gain"
        return f"{kind} of the {found.what}"
    side = "lower" if found.subject.lower_is_better else "higher"
    return (
        f"contribution: {side} is better"
        if _is_local(found)
        else f"variance of the {found.what}"
    )


def _whiskers(found: Sets) -> str:
    integrated = found.total.half_width is not None
    if found.total.model_std is not None:
        rest = " and of integrating." if integrated else "."
        return f"Whiskers: 95 % interval of each step under the model{rest}"
    if integrated:
        return "Whiskers: 95 % interval of integrating; it is not the model's uncertainty."
    exact = (
        "the values are exact for the model, which"
        if not _is_local(found)
        else "the model"
    )
    return f"No intervals: {exact} does not say how uncertain they are."


def _parts(total: SetValues, i: int) -> tuple[str, ...]:
    first, *others = map(total.player, total.sets[i])
    return first, *(f"× {name}" for name in others)
