"""`hpo-explain report`: the report about a run, or about each run in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpo_explain.adapters import formats
from hpo_explain.base.errors import InputError
from hpo_explain.base.phrases import printable
from hpo_explain.base.progress import progress_of, steps
from hpo_explain.base.workers import by_workers, workers_of
from hpo_explain.cli._errors import say, told
from hpo_explain.cli._interrupt import interrupt_at_hand
from hpo_explain.cli._reading import read_all_and_tell
from hpo_explain.cli._source import Source, SourceCommand, takes_source

if TYPE_CHECKING:
    from hpo_explain.run import Run


@click.command(cls=SourceCommand)
@takes_source
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The file to write, by default report.html; for a folder the folder to write to, "
    "by default reports.",
)
@click.option("--title", help="The heading; by default the study's name.")
@click.option(
    "--interactive",
    is_flag=True,
    help="Draw figures with tooltips; the file is 2 MB larger.",
)
@click.option(
    "--n-jobs",
    type=int,
    default=-1,
    show_default=True,
    help="For a folder: the number of processes, -1 for one per core.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="For a folder: a dask scheduler, such as tcp://10.0.0.1:8786, whose workers write "
    "the reports. They need this folder and --out under the same path. "
    "The command waits until there is a worker.",
)
def report(
    source: Source,
    out: Path | None,
    title: str | None,
    interactive: bool,
    n_jobs: int,
    scheduler: str | None,
) -> None:
    """Write an HTML report.

    For a folder, a report for each storage, table and result in it. A study with several
    objectives gets a tab for each, unless --target selects one.
    """
    from hpo_explain.reporting._file import check_place

    if formats.is_several(source.source):
        _of_each(source, out or Path("reports"), n_jobs, scheduler, interactive)
        return
    out = out or Path("report.html")
    check_place(out)  # before minutes of work, not after
    write_and_tell(read_all_and_tell(source), out, title=title, interactive=interactive)


def _of_each(source: Source, out: Path, jobs: int, scheduler: str | None, live: bool) -> None:
    """Write a report about each run in a folder; fail in the end if any could not be written."""
    from joblib import delayed

    from hpo_explain.base.checks import check_jobs

    sources = runs_in(source)
    say(f"writing {len(sources)} reports to {out} ...")
    out.mkdir(parents=True, exist_ok=True)
    with workers_of(scheduler), progress_of("report"):
        work = (  # a worker may be elsewhere
            delayed(_written)(
                replace(one, source=str(Path(one.source).absolute())),
                out.absolute() / f"{name}.html",
                live,
            )
            for name, one in sources.items()
        )
        done = steps(by_workers(check_jobs(jobs), work), "reports", len(sources))
        failed = {name: why for name, why in zip(sources, done, strict=True) if why}
    for name, one in sources.items():
        if name in failed:
            say(f"{one.label}: {failed[name]}")
        else:
            click.echo(printable(f"Report: {out / f'{name}.html'}"))
    if failed:
        raise click.ClickException(f"{len(failed)} of {len(sources)} reports were not written.")


def write_and_tell(
    runs: Mapping[str, Run], path: Path, *, title: str | None = None, interactive: bool = False
) -> None:
    """Write the report on each objective's run, and print a line for each section."""
    from hpo_explain.reporting import Report
    from hpo_explain.reporting._words import nothing_yet

    say("writing the report ...")
    report = Report.of(runs, title=title, n_jobs=-1, interactive=interactive, progress=True)
    interrupt_at_hand().check()
    written = report.write(path)
    for tab in report.tabs:
        if len(report.tabs) > 1:
            click.echo(printable(f"{tab.name}:"))
        for card in tab.cards:
            label = card.anchor.removeprefix(tab.prefix)
            click.echo(printable(f"{label}: {card.headline}"))
    for card in report.joint:
        click.echo(printable(f"together: {card.headline}"))
    for why in dict.fromkeys(filter(None, map(nothing_yet, runs.values()))):
        click.echo(printable(why))
    click.echo(printable(f"Report: {written}"))


def runs_in(source: Source) -> dict[str, Source]:
    """Return the files of a folder that hold runs, by the name of their report.

    Raises
    ------
    InputError
        If there is none.
    """
    sources: dict[str, Source] = {}
    folder = Path(source.source)
    paths = [Path(file.path) for file in formats.runs_in(folder)]
    # some file systems do not tell upper from lower case
    count = Counter(path.stem.casefold() for path in paths)
    for path in paths:
        is_only_one = count[path.stem.casefold()] == 1
        name = path.stem if is_only_one else "-".join(path.relative_to(folder).parts)
        while name.casefold() in map(str.casefold, sources):
            name += "-"
        sources[name] = replace(source, source=str(path))
    if not sources:
        problem = f"{source.source!r} is a folder in which no run was found"
        raise InputError("run", problem, source.source, "Name another folder, or a file.")
    return sources


def _written(source: Source, path: Path, interactive: bool) -> str:
    """Write one report; return why it could not be, if it could not."""
    from hpo_explain.reporting import Report

    try:
        Report.of(source.read_all(), interactive=interactive, progress=True).write(path)
    except click.ClickException as error:
        return error.message
    except (ValueError, OSError) as error:
        return told(error)
    return ""
