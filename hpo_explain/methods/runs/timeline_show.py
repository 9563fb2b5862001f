"""How a timeline is drawn: a row of bars for each trial that runs beside others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hpo_explain.base import counted, sentences
from hpo_explain.base.figures import HATCHED, Bar, Dots, Rows, View
from hpo_explain.methods.runs.timeline import Timeline, in_time, unit_of_time
from hpo_explain.space import Array

_FILLS = {"finished": 0, "failed": 1, "pruned": 3, "running": HATCHED, "left out": 2}
_LONG = 0.1  # of the time in which trials ran: longer pauses are cut
_GAP = 0.1  # of a bar stays empty behind it, so that trials can be told apart
# of the axis: what is narrower is drawn as one with its neighbour; more so, of many bars
_THIN, _MOST_BARS = 0.002, 400


def workers(result: Timeline) -> Rows:
    """Draw a bar from start to finish of each trial, in as many rows as ran at once."""
    unit, length = unit_of_time(result.span - result.idle)
    pauses = result.pauses
    lengths = np.diff(pauses, axis=1)[:, 0]
    is_long = lengths > _LONG * (result.span - result.idle)
    long = pauses[is_long]
    first = result.started.min()
    begins = (_drawn_at(result.started, long) - first) / length
    ends = (_drawn_at(result.until, long) - first) / length
    left_out = max(result.at_once - Rows.MOST, 0)
    shown = np.flatnonzero(result.rows < Rows.MOST)
    since_start, seconds = result.since_start, result.seconds
    bars = [
        Bar(
            int(result.rows[i]),
            float(begins[i]),
            float(ends[i]),
            fill=_FILLS[result.states[i]],
            told=(
                f"trial {result.trials[i]}: {result.states[i]}\n"
                f"after {in_time(since_start[i])}, for {in_time(seconds[i])}"
            ),
        )
        for i in shown.tolist()
    ]
    best = shown[result.trials[shown] == result.best]
    stars = [Dots(ends[best], result.rows[best].astype(float), look="star")]
    label = f"{unit} since the first trial started"
    return Rows(
        labels=[(f"worker {row + 1}",) for row in range(min(result.at_once, Rows.MOST))],
        bars=_separate(bars, result.at_once, float(ends.max())),
        label=label + (", without long pauses" if len(long) else ""),
        fills={fill: f"{state} ({result.states.count(state)})" for state, fill in _FILLS.items()},
        dots=stars if len(best) else [],
        guides=[((at - first) / length, "turn") for at in _drawn_at(long[:, 0], long).tolist()],
        positive=True,
        ends=(0.0, 1.01 * float(ends.max())),
        heading=f"When {counted(len(result), 'trial')} ran",
        subtitle=result.headline,
        footer=sentences(
            "A row holds trials that ran one after the other; which worker ran them is not "
            "recorded.",
            left_out and f"Not shown: {counted(left_out, 'worker')}.",
        ),
        means={
            "star": f"best: trial {result.best}",
            "turn": f"pauses, not drawn: {in_time(float(lengths[is_long].sum()))}",
        },
    )


def _drawn_at(times: Array, pauses: Array) -> Array:
    """Return times on a clock that stands still during some pauses."""
    at = np.array(times)
    for begin, end in pauses:
        at -= np.clip(times - begin, 0.0, end - begin)
    return at


def _separate(bars: Sequence[Bar], n_rows: int, end: float) -> list[Bar]:
    """Return bars with a gap behind each; as one those that are too thin to be told apart."""
    thin = end * max(_THIN, n_rows / _MOST_BARS)
    separate = dict[int, list[Bar]]()
    for bar in bars:
        row = separate.setdefault(bar.row, [])
        before = row[-1] if row else bar
        lengths = before.length, bar.begin - before.end, bar.length
        if row and before.fill == bar.fill and max(lengths) < thin:
            both = f"{row[-1].told}\n{bar.told}"
            row[-1] = replace(row[-1], end=bar.end, told=both)
        else:
            row.append(bar)
    return [
        replace(bar, end=bar.end - min(_GAP * bar.length, _THIN * end))
        for row in separate.values()
        for bar in row
    ]


VIEWS = {"": View(workers, "When the trials ran.")}
