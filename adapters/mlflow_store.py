"""What MLflow stored, a database of SQLite or a folder of runs, as the table of its runs.

The table is that of ``mlflow.search_runs()``. MLflow itself is not needed: of a database only the
tables of runs, their parameters and metrics are asked, which all of its schemas have.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._json import half_written
from hpo_explain.adapters._sqlite import columns_of, connect
from hpo_explain.adapters.formats import Opened
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.phrases import counted
from hpo_explain.base.regular_files import text_of

if TYPE_CHECKING:
    import pandas as pd

_NEEDED = {
    "experiments": ("experiment_id", "name"),
    "runs": ("run_uuid", "experiment_id", "status", "start_time", "end_time"),
    "params": ("run_uuid", "key", "value"),
    "metrics": ("run_uuid", "key", "value"),
}
_PARENT = "mlflow.parentRunId"
_STATUSES = ("", "RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED")
_DELETED = "deleted"
_LATEST = 9e12  # milliseconds: pandas knows no later time


@dataclass
class _StoredRun:
    """One run as it is stored; times are milliseconds since the epoch."""

    experiment: str
    status: str = "FINISHED"
    started: float = np.nan
    finished: float = np.nan
    parent: str = ""
    params: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    n_half: int = 0  # of its files of metrics whose last line is half-written


@contextmanager
def opened_database(
    path: str, options: Mapping[str, Any], *, study_name: str | None = None
) -> Iterator[Opened]:
    """Open a database of MLflow.

    Parameters
    ----------
    path : str
        The file.
    options : mapping
        Options of :func:`hpo_explain.from_frame`.
    study_name : str, optional
        The experiment; may be left out where only one has runs.

    Raises
    ------
    InputError
        If a table is missing, or the experiment.
    """
    with closing(connect(Path(path))) as database:
        _check_schema(database, path)
        names = {
            str(i): str(name)
            for i, name in database.execute("SELECT experiment_id, name FROM experiments")
        }
        runs = _runs_of_database(database)
    yield _table(path, names, runs, study_name)


@contextmanager
def opened_folder(
    path: str, options: Mapping[str, Any], *, study_name: str | None = None
) -> Iterator[Opened]:
    """Open a folder of MLflow, ``mlruns`` or that of one experiment in it; as `opened_database`."""
    folder = Path(path)
    is_experiment = any(folder.glob("*/params"))
    experiments = [folder] if is_experiment else sorted(folder.iterdir())
    names: dict[str, str] = {}
    runs: dict[str, _StoredRun] = {}
    for experiment in experiments:
        if not experiment.is_dir() or experiment.name.startswith("."):
            continue
        about = _entries(experiment / "meta.yaml")
        names[experiment.name] = about.get("name", experiment.name)
        for place in sorted(experiment.iterdir()):
            if (place / "params").is_dir() or (place / "metrics").is_dir():
                runs |= _run_of_folder(place)
    yield _table(path, names, runs, study_name)


def _table(
    path: str, names: Mapping[str, str], runs: Mapping[str, _StoredRun], study_name: str | None
) -> Opened:
    """Return the table of the runs of one experiment, without those that are no trials."""
    experiment = _experiment(path, names, runs, study_name)
    of_it = {i: r for i, r in runs.items() if r.experiment == experiment}
    trials, notes = _trials_among(of_it)
    notes = [*half_written(sum(run.n_half for run in trials.values())), *notes]
    table = _as_searched(trials)
    metrics = [c for c in table.columns if c.startswith("metrics.")]
    only_one = {"objective": metrics[0]} if len(metrics) == 1 else {}
    return Opened(table, notes, only_one)


def _experiment(
    path: str, names: Mapping[str, str], runs: Mapping[str, _StoredRun], wanted: str | None
) -> str:
    """Return the id of the experiment that is meant."""
    with_trials = [
        i for i in names if any(run.experiment == i and run.params for run in runs.values())
    ]
    if not with_trials:
        raise InputError(
            "run",
            f"{path!r} is a store of MLflow in which no run has a parameter",
            path,
            "Log what was tried by mlflow.log_params.",
        )
    listed = ", ".join(repr(names[i]) for i in with_trials)
    if wanted is None and len(with_trials) > 1:
        raise InputError(
            "study_name",
            f"must be given, as {path!r} holds {len(with_trials)} experiments with runs",
            remedy=("Choose one with ", Option("study_name"), f": {listed}."),
        )
    for i in with_trials:
        if wanted in (None, names[i], i):
            return i
    raise InputError(
        "study_name",
        f"{wanted!r} is not an experiment with runs in {path!r}",
        wanted,
        f"There are: {listed}.",
    )


def _trials_among(runs: Mapping[str, _StoredRun]) -> tuple[dict[str, _StoredRun], list[Fact]]:
    """Return the runs that are trials, and notes on the others.

    A run that only holds others together has not the parameters that they have.
    """
    below: defaultdict[str, set[str]] = defaultdict(set)
    for run in runs.values():
        if run.parent:
            below[run.parent] |= {*run.params}
    parents = [i for i in runs if below[i] - {*runs[i].params}]
    bare = [i for i, run in runs.items() if not run.params and i not in parents]
    notes = []
    if parents:
        have = "has" if len(parents) == 1 else "have"
        left_out = f"runs: {counted(len(parents), 'run')} left out that {have} other runs below"
        notes.append(fact(f"{left_out} and not their parameters"))
    if bare:
        notes.append(fact(f"runs: {counted(len(bare), 'run')} left out without a parameter"))
    trials = {i: run for i, run in runs.items() if i not in {*parents, *bare}}
    return trials, notes


def table_of_mlflow(runs: Sequence[Any]) -> pd.DataFrame:
    """Return a list of MLflow's runs as the table that ``mlflow.search_runs()`` makes of it.

    Parameters
    ----------
    runs : sequence of mlflow.entities.Run
        What ``MlflowClient().search_runs([...])`` returns.
    """
    return _as_searched(
        {
            run.info.run_id: _StoredRun(
                run.info.experiment_id,
                _status(run.info.status),
                *_times(run.info.start_time, run.info.end_time),
                params=run.data.params,
                metrics=run.data.metrics,
            )
            for run in runs
        }
    )


def _as_searched(runs: Mapping[str, _StoredRun]) -> pd.DataFrame:
    """Return runs as ``mlflow.search_runs()`` does, in the order in which they began."""
    import pandas as pd

    ordered = sorted(runs.items(), key=lambda entry: entry[1].started)
    rows = [
        {
            "run_id": i,
            "status": run.status,
            "start_time": pd.to_datetime(run.started, unit="ms", utc=True),
            "end_time": pd.to_datetime(run.finished, unit="ms", utc=True),
            **{f"metrics.{name}": v for name, v in run.metrics.items()},
            **{f"params.{name}": v for name, v in run.params.items()},
        }
        for i, run in ordered
    ]
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------- a database


def _check_schema(database: sqlite3.Connection, path: str) -> None:
    missing = [
        f"{table}.{column}"
        for table, columns in _NEEDED.items()
        for column in columns
        if column not in columns_of(database, table)
    ]
    if missing:
        version = "unknown"
        if columns_of(database, "alembic_version"):
            row = database.execute("SELECT version_num FROM alembic_version").fetchone()
            version = str(row[0]) if row else version
        raise InputError(
            "run",
            f"{path!r} is an MLflow database of schema {version}, which has no "
            f"{', '.join(missing)}",
            path,
            "Give the table of mlflow.search_runs().",
        )


def _runs_of_database(database: sqlite3.Connection) -> dict[str, _StoredRun]:
    kept = (
        f" WHERE lifecycle_stage IS NOT '{_DELETED}'"
        if "lifecycle_stage" in columns_of(database, "runs")
        else ""
    )
    runs: dict[str, _StoredRun] = {}
    for i, experiment, status, start, end in database.execute(
        f"SELECT run_uuid, experiment_id, status, start_time, end_time FROM runs{kept}"
    ):
        runs[i] = _StoredRun(str(experiment), _status(status), *_times(start, end))
    for i, key, value in database.execute("SELECT run_uuid, key, value FROM params"):
        if i in runs:
            runs[i].params[key] = value
    for i, key, value in _metrics(database):
        if i in runs:
            runs[i].metrics[key] = _number(value)
    if columns_of(database, "tags"):
        for i, parent in database.execute(
            "SELECT run_uuid, value FROM tags WHERE key = ?", (_PARENT,)
        ):
            if i in runs:
                runs[i].parent = parent
    return runs


def _metrics(database: sqlite3.Connection) -> Iterator[tuple[str, str, Any]]:
    """Yield the metrics of runs, of each the last value at the end."""
    # where MLflow keeps it, the last value is a row of its own
    for table in ("latest_metrics", "metrics"):
        columns = columns_of(database, table)
        order = [c for c in ("step", "timestamp") if c in columns]
        is_nan = "is_nan" if "is_nan" in columns else "0"
        if not columns:
            continue
        rows = database.execute(
            f"SELECT run_uuid, key, CASE {is_nan} WHEN 1 THEN NULL ELSE value END "
            f"FROM {table} ORDER BY {', '.join([*order, 'value'])}"
        )
        found = [*rows]
        if found:
            yield from found
            return


def _status(value: Any) -> str:
    """Return a status, which folders number; of an unknown one the metrics tell what it was."""
    text = str(value)
    if text.isdecimal() and int(text) < len(_STATUSES):
        return _STATUSES[int(text)]
    return text if text in _STATUSES else "FINISHED"


def _times(start: Any, end: Any) -> tuple[float, float]:
    """Return when a run started and finished, NaN for a time that cannot be."""
    started, finished = (t if 0 <= t < _LATEST else np.nan for t in map(_number, (start, end)))
    return started, finished if finished >= started else np.nan


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


# ---------------------------------------------------------------------- a folder


def _run_of_folder(place: Path) -> dict[str, _StoredRun]:
    """Return the run in a folder by its name; none if it was deleted."""
    about = _entries(place / "meta.yaml")
    if about.get("lifecycle_stage") == _DELETED:
        return {}
    tags = place / "tags" / _PARENT
    metrics = {name: _last(file) for name, file in _files(place / "metrics")}
    run = _StoredRun(
        place.parent.name,
        _status(about.get("status", "FINISHED")),
        *_times(about.get("start_time"), about.get("end_time")),
        _text(tags).strip() if tags.is_file() else "",
        {name: _text(file) for name, file in _files(place / "params")},
        {name: value for name, (value, _) in metrics.items()},
        sum(is_half for _, is_half in metrics.values()),
    )
    return {place.name: run}


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files in a folder by their paths: a name may have slashes."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield file.relative_to(folder).as_posix(), file


def _text(file: Path) -> str:
    return text_of(file, "replace")


def _last(file: Path) -> tuple[float, bool]:
    """Return the last value of a metric, and whether the last line is half-written.

    Lines are time, value and (later) step; MLflow ends each of them.
    """
    text = _text(file)
    lines = [line.split() for line in text.splitlines()]
    is_half = bool(lines) and not text.endswith("\n")
    values = [line for line in (lines[:-1] if is_half else lines) if len(line) >= 2]
    if not values:
        return np.nan, is_half
    return _number(max(values, key=_step)[1]), is_half


def _step(line: Sequence[str]) -> tuple[float, float]:
    step = _number(line[2]) if len(line) > 2 else 0.0
    return step, _number(line[0])


def _entries(file: Path) -> dict[str, str]:
    """Return the entries of a file of YAML that has one a line."""
    if not file.is_file():
        return {}
    found = {}
    for line in _text(file).splitlines():
        name, separator, value = line.partition(":")
        if separator:
            found[name.strip()] = value.strip().strip("'\"")
    return found
