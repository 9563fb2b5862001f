"""The timeline of a run: when each trial ran, beside which others, and what became of it."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import NothingToExplain, Option, Subject, counted, fact
from hpo_explain.methods.runs.timeline_result import Timeline
from hpo_explain.question import Question, explains
from hpo_explain.run import Run
from hpo_explain.space import Array, Ints

_CLOCKS = "clocks_differ"  # the kind of a note of runs
_STATES = ("failed", "pruned", "running")


@explains(of="optimizer", without=("seed",))
def timeline(question: Question) -> Timeline:
    """Show when trials ran, how many at once, and how much time failed and pruned ones took.

    The counterpart of Optuna's ``plot_timeline``, with a row for each worker in place of each
    trial.

    Returns
    -------
    Timeline
        Start, finish, state and row of every trial whose times are known.

    Raises
    ------
    NothingToExplain
        If no times are known.
    ValueError
        If the run cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [4.0, 9.0, 1.0]})
    >>> table["start"] = [0.0, 0.0, 60.0]
    >>> table["end"] = [60.0, 80.0, 120.0]
    >>> found = hx.methods.timeline(table, objective="loss", time=("start", "end"))
    >>> found.at_once, found.rows.tolist()
    (2, [0, 1, 0])
    """
    run = question.run
    numbers, started, finished = run.clock()
    ended = np.isfinite(started) & np.isfinite(finished)
    if not ended.any():
        raise NothingToExplain(
            fact(
                "no trial has a start and a finish, so there is no timeline: ",
                Option("time"),
                " names the two columns of a table that say when",
            )
        )
    is_drawn = ended | [
        np.isfinite(start) and _state(run, trial) == "running"
        for trial, start in zip(numbers.tolist(), started, strict=True)
    ]
    order = np.flatnonzero(is_drawn)
    order = order[np.lexsort((numbers[order], started[order]))]
    finished = np.where(np.isfinite(finished), finished, np.nan)
    untimed = {*np.asarray(run.trials).tolist(), *run.excluded}
    untimed -= {*numbers[order].tolist()}
    notes = [note for note in run.notes if note.kind == _CLOCKS]
    if untimed:
        text = f"{counted(len(untimed), 'trial')} without times, and not drawn"
        notes.append(fact(text, trials=sorted(untimed)))
    return Timeline(
        subject=Subject.of(run),
        trials=numbers[order],
        states=tuple(_state(run, trial) for trial in numbers[order].tolist()),
        started=started[order],
        finished=finished[order],
        rows=one_after_another(started[order], finished[order]),
        best=run.incumbent_trial if np.any(run.feasible) else None,
        notes=tuple(notes),
    )


def one_after_another(started: Array, finished: Array) -> Ints:
    """Return in which row each trial stands if trials of a row do not overlap.

    Trials are in the order of their starts. Each follows the one that ended last among those that
    had ended, as a worker goes on at once. There are as many rows as trials ran at once at most.

    Examples
    --------
    >>> one_after_another(np.array([0.0, 1.0, 5.0]), np.array([4.0, 2.0, 6.0])).tolist()
    [0, 1, 0]
    """
    rows = np.zeros(len(started), dtype=np.int64)
    ends: list[float] = []
    for i, (start, end) in enumerate(zip(started, finished, strict=True)):
        free = [row for row, last in enumerate(ends) if last <= start]
        if free:
            rows[i] = max(free, key=lambda row: ends[row])
            ends[rows[i]] = end
        else:
            rows[i] = len(ends)
            ends.append(end)
        if np.isnan(end):  # it still runs
            ends[rows[i]] = np.inf
    return rows


def _state(run: Run, trial: int) -> str:
    if trial not in run.excluded:
        return "finished"
    kind = run.excluded[trial].kind
    return kind if kind in _STATES else "left out"
