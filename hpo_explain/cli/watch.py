"""`hpo-explain watch`: a report that follows a run which others are making."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpo_explain.base.phrases import printable, spans
from hpo_explain.cli._errors import say, told
from hpo_explain.cli._interrupt import Interrupt, interrupt_at_hand
from hpo_explain.cli._source import Source, SourceCommand, takes_source

if TYPE_CHECKING:
    from hpo_explain.run import Run


_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
# far below what the clocks of all systems can wait for
_LONGEST = 7 * 24 * 3600.0


def duration(context: click.Context, option: click.Parameter, text: str) -> float:
    """Return a span of time in seconds, the unit where none is given.

    Examples
    --------
    >>> [duration(None, None, text) for text in ("30s", "5m", "0.5h", "2")]
    [30.0, 300.0, 1800.0, 2.0]
    """
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+) *([smh]?)", text.strip())
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not 0.0 < seconds <= _LONGEST:
        problem = "must be a time like 30s, 5m or 2h, more than 0 and at most a week"
        raise click.BadParameter(f"{problem}, but was {text!r}.")
    return seconds


@click.command(cls=SourceCommand)
@takes_source
@click.option(
    "--out",
    default="report.html",
    show_default=True,
    type=click.Path(path_type=Path),
    help="The file to write.",
)
@click.option(
    "--every",
    default="30s",
    show_default=True,
    callback=duration,
    metavar="TIME",
    help="The time between two updates, such as 30s, 5m or 2h.",
)
@click.option("--title", help="The heading; by default the study's name.")
def watch(source: Source, out: Path, every: float, title: str | None) -> None:
    """Update a report as trials arrive.

    SOURCE is only read, and other machines may write to it. The last report stays if SOURCE can no
    longer be read. Ctrl-C ends the command with exit code 0.
    """
    interrupt = interrupt_at_hand()
    try:
        _follow(source, out.absolute(), every, title, interrupt)
    except KeyboardInterrupt:
        interrupt.clear()
        say("stopped")


def _follow(
    source: Source, out: Path, every: float, title: str | None, interrupt: Interrupt
) -> None:
    from hpo_explain.reporting import ReportPath, Watched
    from hpo_explain.reporting._file import check_place

    check_place(out)
    say(f"watching {source.label}; Ctrl-C ends it")
    Watched(ReportPath(out), title, interrupt.check).follow(
        source.read_all,
        every=every,
        wrote=lambda runs: click.echo(printable(f"Report: {out} ({_counted(runs)})")),
        waits=say,
        words=told,
    )


def _counted(runs: Mapping[str, Run]) -> str:
    """Say how many trials are finished, and which are running."""
    run = max(runs.values(), key=len)
    running = run.running_at(None)
    return f"{len(run)} trials" + (f"; running: {spans(running)}" if running else "")
