"""The timeline of a run: when each trial ran, beside which others, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    NOTHING,
    Claim,
    NothingToExplain,
    Option,
    Result,
    Subject,
    Table,
    counted,
    fact,
)
from hpo_explain.question import Question, explains
from hpo_explain.run import Run
from hpo_explain.space import Array, Ints

_UNITS = (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0))
_LOST = ("failed", "pruned")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Timeline(Result):
    """Start, finish and state of every trial, and the row in which it is drawn.

    Attributes
    ----------
    trials : ndarray of int, shape (n,)
        The trials by number, in the order of their starts.
    states : tuple of str
        What became of each: "finished", "failed", "pruned", "running" or "left out".
    started, finished : ndarray of shape (n,)
        When, in seconds on the clock of the run; the finish of a running trial is NaN.
    rows : ndarray of int, shape (n,)
        In which row each stands if those of a row do not overlap, as a worker runs them: which
        worker ran which trial is not recorded.
    best : int or None
        The best feasible trial.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> times = {"started": [0.0, 60.0, 200.0], "finished": [60.0, 100.0, 260.0]}
    >>> run = hx.Run(space, [[0.1], [0.2], [0.3]], [3.0, 1.0, 2.0], "minimize", **times)
    >>> found = hx.methods.timeline(run)
    >>> found.seconds.tolist(), found.pauses.tolist(), found.at_once
    ([60.0, 40.0, 60.0], [[100.0, 200.0]], 1)
    """

    table: ClassVar[Table] = Table(
        index=("trial", "trials"),
        columns={"state": "states", "started": "since_start", "seconds": "seconds", "row": "rows"},
        beside=("at_once", "span", "idle"),
        hidden=("started", "finished"),
    )
    trials: Ints
    states: tuple[str, ...]
    started: Array
    finished: Array
    rows: Ints
    best: int | None = None

    def __len__(self) -> int:
        return len(self.trials)

    @property
    def last(self) -> float:
        """The last time that is known."""
        return float(np.nanmax([self.finished, self.started]))

    @property
    def until(self) -> Array:
        """When each trial finished; of a running one the last time that is known, (n,)."""
        return np.where(np.isnan(self.finished), self.last, self.finished)

    @property
    def since_start(self) -> Array:
        """Seconds from the first start to that of each trial, (n,)."""
        return self.started - self.started.min()

    @property
    def seconds(self) -> Array:
        """How long each trial ran, so far, (n,)."""
        return np.maximum(self.until - self.started, 0.0)

    @property
    def span(self) -> float:
        """Seconds from the first start to the last time that is known."""
        return self.last - float(self.started.min())

    @property
    def at_once(self) -> int:
        """How many trials ran at the same time at most."""
        return int(self.rows.max()) + 1

    @property
    def pauses(self) -> Array:
        """When no trial ran, though some did before and after: begin and end, (k, 2)."""
        latest = np.maximum.accumulate(self.until)
        between = np.column_stack([latest[:-1], self.started[1:]])
        return between[between[:, 1] > between[:, 0]]

    @property
    def idle(self) -> float:
        """For how many seconds no trial ran."""
        return float(np.diff(self.pauses, axis=1).sum())

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How long all took, and the share of the trials' time that failed and pruned ones took."""
        trials, took = counted(len(self), "trial"), in_time(self.span)
        idle = f"; for {in_time(self.idle)} of it none ran" * (self.idle >= 0.01 * self.span > 0.0)
        text = f"{trials} took {took}, {self._in_rows}{idle}."
        claims = [Claim("tried", (), self.span, text=text)]
        whole = float(self.seconds.sum())
        for state in _LOST:
            which = np.array(self.states) == state
            share = float(self.seconds[which].sum()) / (whole or 1.0)
            if share >= NOTHING:
                text = f"{share:.0%} went into {counted(int(which.sum()), f'{state} trial')}"
                frame = "Of the trials' time {each}."
                claims.append(Claim("tried", (), share, frame=frame, text=text))
        return tuple(claims)

    @property
    def _in_rows(self) -> str:
        one = "one after the other"
        return one if self.at_once == 1 else f"at most {self.at_once} at once"

    @property
    def answer(self) -> str:
        """How long all took."""
        return f"{counted(len(self), 'trial')} in {in_time(self.span)}, {self._in_rows}."


def unit_of_time(seconds: float) -> tuple[str, float]:
    """Return the unit in which people tell so many seconds, and how many seconds it has.

    Examples
    --------
    >>> unit_of_time(5400.0), unit_of_time(0.2)
    (('h', 3600.0), ('s', 1.0))
    """
    fitting: Any = (unit for unit in _UNITS if seconds >= unit[1])
    return next(fitting, _UNITS[-1])


def in_time(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> in_time(5400.0)
    '1.5 h'
    """
    unit, length = unit_of_time(seconds)
    return f"{seconds / length:.3g} {unit}"


_CLOCKS = "clocks_differ"  # the kind of a note of runs
_STATES = ("failed", "pruned", "running")


@explains(of="optimizer", without=("seed",))
def timeline(question: Question) -> Timeline:
    """Show when trials ran, how many at once, and the time spent on failed and pruned ones.

    It corresponds to Optuna's ``plot_timeline``, with a row per worker in place of one per trial.

    Returns
    -------
    Timeline
        Start, finish, state and row of every trial with known times.

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
