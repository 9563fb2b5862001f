"""Write a report, and say on stdout what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpo_explain.cli._errors import plain, say

if TYPE_CHECKING:
    from hpo_explain.run import Run


def write_and_tell(run: Run, path: Path, *, title: str | None = None) -> None:
    """Write the report, and print what matters most and where it is."""
    from hpo_explain.explanations import format_value
    from hpo_explain.reporting import make_report

    say("writing the report ...")
    report = make_report(run, title=title)
    written = report.write(path)
    if run.feasible is not None and run.feasible.any():
        values = (f"{name} = {format_value(value)}" for name, value in run.incumbent.items())
        best = f"Best configuration (trial {run.incumbent_trial}): {', '.join(values)}"
        click.echo(plain(best))
    for card in report.cards:
        click.echo(plain(f"{card.title.rstrip('?')}: {card.finding}"))
    click.echo(plain(f"Report: {written}"))
