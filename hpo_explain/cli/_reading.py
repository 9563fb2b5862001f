"""Read the run that a command is about; what was left out and assumed is told after the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hpo_explain.base.facts import by_reason
from hpo_explain.base.phrases import spans
from hpo_explain.cli._errors import name_reading_option, say, say_after

if TYPE_CHECKING:
    from hpo_explain.base.facts import Fact
    from hpo_explain.cli._source import Source
    from hpo_explain.run import Run

_LINES = 10  # of a summary


def read_and_tell(source: Source) -> Run:
    """Return the run of a source; what it rests on goes to stderr."""
    return _told(source, lambda: {"": source.read()})[""]


def read_all_and_tell(source: Source) -> dict[str, Run]:
    """Return a run of a source for each of its objectives; what they rest on goes to stderr."""
    return _told(source, source.read_all)


def _told(source: Source, read: Callable[[], dict[str, Run]]) -> dict[str, Run]:
    say(f"reading {source.label} ...")
    runs = read()
    say_after([line for run in runs.values() for line in summary(run)])
    return runs


def summary(run: Run) -> list[str]:
    r"""Return a run in a few lines: what it is, what was left out and why, what was assumed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [1.5, 2.5, 4.0], "y": [3.5, 1.5, 3.0], "loss": [1.0, None, 3.0]})
    >>> print("\n".join(summary(hx.from_frame(table, "loss"))[:2]))
    2 trials of 2 hyperparameters, loss (minimize), by the optimizer
    left out: 1 (1): its loss is nan
    """
    from hpo_explain.run import description as run_words

    notes = sorted(run.notes, key=lambda note: note.role != "check")
    lines = [run_words.summary(run), *_left_out(run), *(_shortened(note) for note in notes)]
    more = len(lines) - _LINES
    if more > 0:
        lines[_LINES:] = [f"and {more} more; see the report"]
    return lines


def _shortened(note: Fact) -> str:
    """Return a note as a line; what columns were taken for has to be checked as a whole."""
    line = f"note: {note.text(name_reading_option)}"
    is_whole = len(line) <= 240 or note.kind == "columns"
    return line if is_whole else f"{line[:237]}..."


def _left_out(run: Run) -> list[str]:
    """Return a line per reason, the most frequent first."""
    ordered = sorted(by_reason(run.excluded).items(), key=lambda entry: -len(entry[1]))
    first, others = ordered[:4], ordered[4:]
    lines = [
        f"left out: {len(trials)} ({spans(trials)}): {reason.text(name_reading_option)}"
        for reason, trials in first
    ]
    rest = [trial for _, trials in others for trial in trials]
    if rest:
        lines.append(f"left out: {len(rest)} ({spans(rest)}): for other reasons; see the report")
    return lines
