"""How trials are drawn along parallel axes: the best ones, or those that are marked, on top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.base import counted, format_value, format_values, listed, spans
from hpo_explain.base.figures import Parallel, Tick, View, side_by_side, usual_ends
from hpo_explain.methods.runs.parallel_coordinates import ParallelCoordinates
from hpo_explain.space import Array, Ints, Parameter

_MOST_WRITTEN = 5  # categories beside a name
_MOST_NAMED = 8
# lines of each look behind the others: more are one grey area
_BEHIND, _MOST_BEHIND = (("thin", "aside"), 1_000)
_ENDS = ("", "")  # of numbers, which stand beside the name
_FEW = 20  # values of a hyperparameter that many trials share
# of the distance of two values, and of an axis: lines take 0.3 of it to each side
_SPREAD, _WIDEST = 0.7, 0.13


def lines(result: ParallelCoordinates) -> Parallel:
    """Draw a line for each trial, through an axis for each hyperparameter and the objective."""
    positions, ends = result.positions, _ends(result)
    objective = (result.objective - ends[0]) / (ends[1] - ends[0])
    labels, ticks = [], []
    for name, at in zip(result.names, positions.T, strict=True):
        texts, along = _values_along(result.subject.space[name])
        labels.append((name, f"({along})"))
        ticks.append(_ticks(texts, "inactive" if np.isnan(at).any() else ""))
    along = " to ".join(format_values(ends))
    labels.append((result.objective_name, f"({along})"))
    without = np.isnan(objective).any()
    ticks.append(_ticks(_ENDS, "no result" if without else ""))
    looks = _looks(result)
    rows = _some_behind(looks)
    at = np.column_stack([_side_by_side(result), np.clip(objective, 0.0, 1.0)])
    return Parallel(
        labels=labels,
        ticks=ticks,
        at=at[rows],
        looks=[looks[row] for row in rows.tolist()],
        means=_means(result),
        heading=f"{counted(len(result), 'trial')} along their hyperparameters",
        subtitle="each line is a trial, through its values to what it reached; "
        f"{result.subject.better} {result.objective_name} is better",
        footer=_footer(result, outside=bool((abs(objective - 0.5) > 0.5).any()), rows=len(rows)),
    )


def _ends(result: ParallelCoordinates) -> tuple[float, float]:
    """Return between which objectives the axis lies: a few that are far worse stand at its end."""
    finite = result.objective[np.isfinite(result.objective)]
    if not len(finite):
        return 0.0, 1.0
    first, last = usual_ends(finite, lower_is_better=result.subject.lower_is_better)
    low = float(finite.min()) if first is None else first
    high = float(finite.max()) if last is None else last
    return low, high if high > low else low + 1.0


def _values_along(parameter: Parameter) -> tuple[Sequence[str], str]:
    """Return the texts along an axis, equally far apart, and what its ends are."""
    if parameter.is_category:
        texts = [format_value(value) for value in parameter.choices]
        return texts, listed(texts, _MOST_WRITTEN)
    ends = " to ".join(format_values([parameter.low, parameter.high]))
    return _ENDS, f"{ends}, log" if parameter.log else ends


def _side_by_side(result: ParallelCoordinates) -> Array:
    """Return places along the axes, those with few values spread: lines would hide each other."""
    at = result.positions
    for k, name in enumerate(result.names):
        size = result.subject.space[name].size
        if size is not None and 1 < size <= _FEW:
            near = min(_SPREAD / (size - 1), _WIDEST)
            at[:, k] = side_by_side(at[:, k] / near, shuffled=True) * near
    return at


def _ticks(texts: Sequence[str], aside: str) -> list[Tick]:
    places = np.linspace(0.0, 1.0, len(texts)).tolist()
    ticks = [Tick(at, text) for at, text in zip(places, texts, strict=True)]
    return [Tick(Parallel.ASIDE, aside), *ticks] if aside else ticks


def _looks(result: ParallelCoordinates) -> list[str]:
    looks = np.full(len(result), "thin", dtype=object)
    looks[~np.isfinite(result.objective)] = "aside"
    on_top = result.best_ones
    if len(result.marked):
        on_top = np.isin(result.trials, result.marked)
    looks[on_top] = "top"
    looks[result.trials == result.best] = "incumbent"
    return list(looks)


def _some_behind(looks: Sequence[str]) -> Ints:
    """Return the rows that are drawn: of each look behind the others every so many."""
    kinds = np.array(looks)
    rows = [np.flatnonzero(~np.isin(kinds, _BEHIND))]
    for kind in _BEHIND:
        own = np.flatnonzero(kinds == kind)
        rows.append(own[:: max(1, -(-len(own) // _MOST_BEHIND))])
    return np.sort(np.concatenate(rows))


def _means(result: ParallelCoordinates) -> dict[str, str]:
    """Return what lines mean, those on top last."""
    without = int((~np.isfinite(result.objective)).sum())
    if len(result.marked):
        top = f"marked: {spans(result.marked)}"
    else:
        top = f"the best {counted(int(result.best_ones.sum()), 'trial')}"
    return {
        "aside": f"without a result ({without})",
        "thin": "other trials",
        "top": top,
        "incumbent": f"best: trial {result.best}",
    }


def _footer(result: ParallelCoordinates, *, outside: bool, rows: int) -> str:
    texts = []
    if rows < len(result):
        texts.append(f"Of {counted(len(result), 'trial')} {rows} are drawn.")
    if np.isnan(result.positions).any():
        texts.append("Before an axis begins: the hyperparameter is inactive.")
    if outside:
        texts.append(f"A worse {result.objective_name} stands at the end.")
    if result.left_out:
        others = listed(result.left_out, _MOST_NAMED)
        texts.append(f"Not drawn: {others}.")
    return " ".join(texts)


VIEWS = {"": View(lines, "The trials along {names}, and what they reached.")}
