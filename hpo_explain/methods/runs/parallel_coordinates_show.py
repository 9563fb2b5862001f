"""How trials are drawn along parallel axes: the best ones, or those that are marked, on top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.base import counted, format_value, format_values, listed, sentences, spans
from hpo_explain.base.figures import Parallel, Tick, View, side_by_side, usual_ends
from hpo_explain.methods.runs.parallel_coordinates import ParallelCoordinates

_MOST_WRITTEN = 5  # categories beside a name
# lines of each look behind the others: more are one grey area
_BEHIND, _MOST_BEHIND = (("thin", "aside"), 1_000)
_ENDS = ("", "")  # of numbers, which stand beside the name
_FEW = 20  # values of a hyperparameter that many trials share
# of the distance of two values, and of an axis: lines take 0.3 of it to each side
_SPREAD, _WIDEST = 0.7, 0.13


def lines(result: ParallelCoordinates) -> Parallel:
    """Draw a line for each trial, through an axis for each hyperparameter and the objective."""
    positions, space, finite = result.positions, result.subject.space, np.isfinite(result.objective)
    ends = _ends(result)
    objective = (result.objective - ends[0]) / (ends[1] - ends[0])
    labels, ticks = [], []
    for k, name in enumerate(result.names):
        parameter = space[name]
        texts: Sequence[str] = _ENDS
        size = parameter.size or 0
        aside = "inactive" if np.isnan(positions[:, k]).any() else ""
        if parameter.is_category:
            texts = tuple(map(format_value, parameter.choices))
            along = listed(texts, _MOST_WRITTEN)
        else:
            along = " to ".join(format_values([parameter.low, parameter.high]))
            along += ", log" * parameter.log
        labels.append((name, f"({along})"))
        ticks.append(_ticks(texts, aside))
        if 1 < size <= _FEW:  # lines would hide each other
            near = min(_SPREAD / (size - 1), _WIDEST)
            positions[:, k] = side_by_side(positions[:, k] / near, shuffled=True) * near
    labels.append((result.objective_name, f"({' to '.join(format_values(ends))})"))
    ticks.append(_ticks(_ENDS, "no result" if np.isnan(objective).any() else ""))
    has_marked = len(result.marked) > 0
    on_top = np.isin(result.trials, result.marked) if has_marked else result.best_ones
    is_best = result.trials == result.best
    looks = np.select([is_best, on_top, ~finite], ["incumbent", "top", "aside"], "thin")
    rows = [np.flatnonzero(~np.isin(looks, _BEHIND))]
    for kind in _BEHIND:  # every so many
        alike = np.flatnonzero(looks == kind)
        rows.append(alike[:: max(1, -(-len(alike) // _MOST_BEHIND))])
    shown = np.sort(np.concatenate(rows))
    top = f"the best {counted(int(result.best_ones.sum()), 'trial')}"
    trials = counted(len(result), "trial")
    return Parallel(
        labels=labels,
        ticks=ticks,
        at=np.column_stack([positions, np.clip(objective, 0.0, 1.0)])[shown],
        looks=looks[shown].tolist(),
        means={  # those on top last
            "aside": f"without a result ({(~finite).sum()})",
            "thin": "other trials",
            "top": f"marked: {spans(result.marked)}" if has_marked else top,
            "incumbent": f"best: trial {result.best}",
        },
        heading=f"{trials} along their hyperparameters",
        subtitle="each line is a trial, through its values to what it reached; "
        f"{result.subject.better} {result.objective_name} is better",
        footer=sentences(
            len(shown) < len(result) and f"Of {trials} {len(shown)} are drawn.",
            np.isnan(positions).any() and "Before an axis begins: the hyperparameter is inactive.",
            (abs(objective - 0.5) > 0.5).any()
            and f"A worse {result.objective_name} stands at the end.",
            result.left_out and f"Not drawn: {listed(result.left_out)}.",
        ),
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


def _ticks(texts: Sequence[str], aside: str) -> list[Tick]:
    places = np.linspace(0.0, 1.0, len(texts)).tolist()
    ticks = [Tick(at, text) for at, text in zip(places, texts, strict=True)]
    return [Tick(Parallel.ASIDE, aside), *ticks] if aside else ticks


VIEWS = {"": View(lines, "The trials along {names}, and what they reached.")}
