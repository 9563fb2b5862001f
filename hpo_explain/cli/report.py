"""`hpo-explain report`: the report about a run."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.cli._findings import write_and_tell
from hpo_explain.cli._reading import read_all_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.option("--out", default="report.html", show_default=True,
              type=click.Path(path_type=Path), help="File to write.")  # fmt: skip
@click.option("--title", help="The heading; by default it has the study's name.")
def report(source: Source, out: Path, title: str | None) -> None:
    """Write a report about a run of yours.

    A study with several objectives gets a tab for each, unless --target names one.
    """
    from hpo_explain.reporting._file import check_place

    check_place(out)  # before minutes of work, not after
    write_and_tell(read_all_and_tell(source), out, title=title)
