"""`hpo-explain report`: the report about a run, or about each run in a folder."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.base.phrases import printable
from hpo_explain.base.workers import workers_of
from hpo_explain.cli._errors import say
from hpo_explain.cli._findings import write_and_tell
from hpo_explain.cli._folder import runs_in, write_reports
from hpo_explain.cli._reading import read_all_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.option("--out", type=click.Path(path_type=Path),
              help="File to write, by default report.html; for a folder the folder to write to, "
              "by default reports.")  # fmt: skip
@click.option("--title", help="The heading; by default it has the study's name.")
@click.option("--n-jobs", type=int, default=-1, show_default=True,
              help="Folder: number of processes that write reports, -1 for one per "
              "core.")  # fmt: skip
@click.option("--scheduler", metavar="ADDRESS",
              help="Folder: a scheduler of dask, such as tcp://10.0.0.1:8786, whose workers write "
              "the reports; they need this folder, and --out, under the same path. "
              "While it has no worker, the command waits for one.")  # fmt: skip
def report(
    source: Source, out: Path | None, title: str | None, n_jobs: int, scheduler: str | None
) -> None:
    """Write a report about a run of yours.

    Of a folder, about each storage, table and result in it. A study with several objectives gets a
    tab for each, unless --target names one.
    """
    from hpo_explain.reporting._file import check_place

    if Path(source.source).is_dir():
        _of_each(source, Path("reports") if out is None else out, n_jobs, scheduler)
        return
    out = Path("report.html") if out is None else out
    check_place(out)  # before minutes of work, not after
    write_and_tell(read_all_and_tell(source), out, title=title)


def _of_each(source: Source, out: Path, n_jobs: int, scheduler: str | None) -> None:
    """Write a report about each run in a folder; fail in the end if any could not be written."""
    from hpo_explain.base.checks import check_jobs

    sources = runs_in(source)
    say(f"writing {len(sources)} reports to {out} ...")
    with workers_of(scheduler):
        failed = write_reports(sources, out, n_jobs=check_jobs(n_jobs))
    for name in sources:
        if name in failed:
            say(f"{sources[name].label}: {failed[name]}")
        else:
            click.echo(printable(f"Report: {out / f'{name}.html'}"))
    if failed:
        raise click.ClickException(f"{len(failed)} of {len(sources)} reports were not written.")
