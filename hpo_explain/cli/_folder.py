"""Reports about all runs in a folder, each by a worker of joblib's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from hpo_explain.adapters.file_kind import TABLE, TABLES, kind_of
from hpo_explain.base.errors import InputError
from hpo_explain.base.progress import progress_of, steps
from hpo_explain.base.workers import by_workers
from hpo_explain.cli._errors import told
from hpo_explain.cli._source import Source


def runs_in(source: Source) -> dict[str, Source]:
    """Return the files of a folder that hold runs, by the name of their report.

    Raises
    ------
    InputError
        If there is none.
    """
    found: dict[str, Source] = {}
    for path in sorted(Path(source.source).iterdir()):
        if not path.is_file() or path.name.startswith(".") or not _is_run(path):
            continue
        name = path.stem if path.stem not in found else path.name
        found[name] = replace(source, source=str(path))
    if not found:
        problem = f"{source.source!r} is a folder without an Optuna storage, table or result"
        raise InputError("run", problem, source.source, "Name another folder, or a file.")
    return found


def _is_run(path: Path) -> bool:
    """Say whether a file is a storage or a result, or is called as tables are."""
    try:
        return kind_of(str(path)) != TABLE or path.name.lower().endswith(TABLES)
    except (ValueError, OSError):
        return False


def write_reports(
    sources: dict[str, Source], folder: Path, *, n_jobs: int | None
) -> dict[str, str]:
    """Write a report about each run; return why some could not be, by their names.

    Parameters
    ----------
    sources : dict of str to Source
        The runs by the names of their reports.
    folder : pathlib.Path
        Where to write; it is made.
    n_jobs : int or None
        Number of joblib's workers; None takes what ``joblib.parallel_config`` says.
    """
    from joblib import delayed

    folder.mkdir(parents=True, exist_ok=True)
    work = (  # a worker may be elsewhere
        delayed(_written)(
            replace(source, source=str(Path(source.source).absolute())),
            folder.absolute() / f"{name}.html",
        )
        for name, source in sources.items()
    )
    with progress_of("report"):
        done = steps(by_workers(n_jobs, work), "reports", len(sources))
        return {name: why for name, why in zip(sources, done, strict=True) if why is not None}


def _written(source: Source, path: Path) -> str | None:
    """Write one report; return why it could not be, or None."""
    from hpo_explain.reporting import Report

    try:
        Report.of(source.read_all(), progress=True).write(path)
    except click.ClickException as error:
        return error.message
    except (ValueError, OSError) as error:
        return told(error)
    return None
