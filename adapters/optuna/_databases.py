"""Optuna's storages in databases, opened for reading only through SQLAlchemy."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Container, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from optuna.storages import RDBStorage
from optuna.storages._rdb import models
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from hpo_explain.adapters._sqlite import connect
from hpo_explain.adapters.addresses import shown_address, without_secrets
from hpo_explain.adapters.optuna._tables import TABLES, trials_of
from hpo_explain.base.errors import InputError

_SQLITE_DRIVERS = ("sqlite", "sqlite+pysqlite")
# MySQL has no option of its own for this; these drivers take a statement to start a session with
_MYSQL_DRIVERS = ("mysql", "mysql+mysqldb", "mysql+pymysql")


class TableStorage(RDBStorage):
    """A database whose trials are read at once; Optuna's own reading where tables are others."""

    def _get_trials(
        self,
        study_id: int,
        states: Container[TrialState] | None,
        included_trial_ids: set[int],
        trial_id_greater_than: int,
    ) -> list[FrozenTrial]:
        some = (
            states is not None
            or bool(included_trial_ids)
            or trial_id_greater_than > -1
        )
        if some or not are_known():
            return super()._get_trials(
                study_id, states, included_trial_ids, trial_id_greater_than
            )
        with Session(self.engine) as session:
            return _trials(session, study_id)


def are_known() -> bool:
    """Say whether Optuna's tables about trials are those that are read here."""
    tables = models.BaseModel.metadata.tables
    columns = {
        name: {column.name for column in table.columns}
        for name, table in tables.items()
        if name.startswith("trial")
    }
    return columns == {
        name: set(names.split()) for name, names in TABLES.items()
    }


def _trials(session: Session, study_id: int) -> list[FrozenTrial]:
    """Return the trials in the order of their ids, as Optuna reads them."""
    tables = models.BaseModel.metadata.tables
    of_trial = tables["trials"].c

    def rows(
        table: str, order: str, *columns: str, first: int, last: int
    ) -> Sequence[tuple[Any, ...]]:
        own = tables[table].c
        query = select(own.trial_id, *(own[name] for name in columns))
        if table != "trials":
            query = query.join(
                tables["trials"], own.trial_id == of_trial.trial_id
            )
        query = query.where(
            of_trial.study_id == study_id,
            of_trial.trial_id.between(first, last),
        )
        read = session.connection().execute(query.order_by(own[order])).all()
        if not columns[-1].endswith("_type"):
            return [tuple(row) for row in read]
        return [(*row[:-1], row[-1].name) for row in read]

    ids = (
        select(of_trial.trial_id)
        .where(of_trial.study_id == study_id)
        .order_by(of_trial.trial_id)
    )
    return [*trials_of(session.execute(ids).scalars().all(), rows)]


def reading_options(storage: str) -> dict[str, Any]:
    """Return the options with which SQLAlchemy opens a database for reading only.

    Parameters
    ----------
    storage : str
        The address.

    Returns
    -------
    dict
        For ``sqlalchemy.create_engine``; empty where there is none for the driver.

    Raises
    ------
    InputError
        If an SQLite file does not exist, or the storage is not an address.

    Examples
    --------
    >>> reading_options("postgresql://host/trials")
    {'execution_options': {'postgresql_readonly': True}}
    """
    try:
        url = make_url(storage)
    except (ArgumentError, ValueError) as error:
        shown = shown_address(storage)
        problem = f"{shown!r} is not an address such as sqlite:///study.db: "
        problem += without_secrets(str(error), storage)
        raise InputError("storage", problem, shown) from None
    if url.drivername in _SQLITE_DRIVERS and url.database not in (
        None,
        "",
        ":memory:",
    ):
        return {"creator": _sqlite_reader(storage, url)}
    if url.drivername.startswith("postgresql"):
        return {"execution_options": {"postgresql_readonly": True}}
    if url.drivername in _MYSQL_DRIVERS:
        return {
            "connect_args": {
                "init_command": "SET SESSION TRANSACTION READ ONLY"
            }
        }
    return {}


def _sqlite_reader(storage: str, url: URL) -> Callable[[], sqlite3.Connection]:
    given = str(url.database).removeprefix("file:")
    if not Path(
        given
    ).is_file():  # SQLite's own message does not say where it looked
        problem = (
            f"must be the address of a file, but there is no file {given!r}"
        )
        remedy = (
            "Check the path (sqlite:///study.db is relative to this folder, sqlite:////… is "
            "absolute)."
        )
        raise InputError("storage", problem, shown_address(storage), remedy)
    query = {name: str(value) for name, value in url.query.items()}
    kept = {
        name: value
        for name, value in query.items()
        if name in ("nolock", "vfs")
    }
    try:
        timeout = float(query.get("timeout", 5.0))
    except ValueError:
        given = query["timeout"]
        shown = shown_address(storage)
        problem = f"{shown!r} has timeout {given!r}, which is not a number of seconds"
        raise InputError("storage", problem, shown) from None
    return partial(connect, Path(given), timeout, 0, **kept)
