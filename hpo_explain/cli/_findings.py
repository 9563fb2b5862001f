"""Write a report, and say on stdout what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpo_explain.base.phrases import printable
from hpo_explain.cli._errors import say
from hpo_explain.cli._interrupt import interrupt_at_hand

if TYPE_CHECKING:
    from hpo_explain.run import Run


def write_and_tell(runs: Mapping[str, Run], path: Path, *, title: str | None = None) -> None:
    """Write the report on each objective's run, and print what matters most and where it is."""
    from hpo_explain.reporting import Report

    say("writing the report ...")
    report = Report.of(runs, title=title, n_jobs=-1, progress=True)
    interrupt_at_hand().check()
    written = report.write(path)
    for tab in report.tabs:
        if tab.name in runs:
            if len(report.tabs) > 1:
                click.echo(printable(f"Objective: {tab.name}"))
            _tell_best(runs[tab.name])
        for card in tab.cards:
            click.echo(printable(f"{card.title.rstrip('?')}: {card.finding}"))
    click.echo(printable(f"Report: {written}"))


def _tell_best(run: Run) -> None:
    from hpo_explain.wording import format_value

    if run.feasible is not None and run.feasible.any():
        values = (f"{name} = {format_value(value)}" for name, value in run.incumbent.items())
        best = f"Best configuration (trial {run.incumbent_trial}): {', '.join(values)}"
        click.echo(printable(best))
