"""Optuna's storages in databases, opened for reading only through Optuna's own engine.

Trials are read table by table, not object by object: Optuna makes an object for every stored value
and parses the range of every one anew, which takes twelve times as long.
"""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
import sys
import tempfile
import weakref
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from optuna.distributions import BaseDistribution, json_to_distribution
from optuna.storages import RDBStorage
from optuna.storages._rdb import models
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from hpo_explain.adapters._sqlite import connect
from hpo_explain.adapters.addresses import shown_address, without_secrets
from hpo_explain.base.errors import InputError

_AT_ONCE = 1_000  # trials of which the rows are held beside what is made of them
_COLUMNS = {
    "trials": "trial_id number study_id state datetime_start datetime_complete",
    "trial_params": "param_id trial_id param_name param_value distribution_json",
    "trial_values": "trial_value_id trial_id objective value value_type",
    "trial_user_attributes": "trial_user_attribute_id trial_id key value_json",
    "trial_system_attributes": "trial_system_attribute_id trial_id key value_json",
    "trial_intermediate_values": "trial_intermediate_value_id trial_id step intermediate_value "
    "intermediate_value_type",
    "trial_heartbeats": "trial_heartbeat_id trial_id heartbeat",
}
# what stands for a number that databases have no value for
_NO_NUMBERS = {"INF_POS": math.inf, "INF_NEG": -math.inf, "NAN": math.nan}
# MySQL has no option of its own for this; these drivers take a statement to start a session with
_MYSQL_DRIVERS = ("mysql", "mysql+mysqldb", "mysql+pymysql")


def upgraded(open_file: Callable[[], sqlite3.Connection]) -> TableStorage:
    """Return the storage in a copy of an SQLite file that an older Optuna wrote, upgraded."""
    folder = tempfile.mkdtemp(prefix="hpo_explain-")
    path = Path(folder) / "study.db"
    try:
        _upgrade(open_file, path)
        options = {"creator": partial(connect, path)}
        address = f"sqlite:///{path}"
        storage = TableStorage(address, engine_kwargs=options, skip_table_creation=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(storage, shutil.rmtree, folder, ignore_errors=True)
    return storage


def _upgrade(open_file: Callable[[], sqlite3.Connection], path: Path) -> None:
    """Copy a database, and upgrade the copy."""
    with closing(open_file()) as database, closing(sqlite3.connect(path)) as to:
        database.backup(to)
        if to.execute("SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchone():
            raise sqlite3.DatabaseError("it has views or triggers, which an upgrade would run")
    copied = RDBStorage(f"sqlite:///{path}", skip_compatibility_check=True)
    copied.upgrade()
    copied.remove_session()
    copied.engine.dispose()


class TableStorage(RDBStorage):
    """A database whose trials are read at once; Optuna's own reading where tables are others."""

    def _get_trials(
        self,
        study_id: int,
        states: Container[TrialState] | None,
        included_trial_ids: set[int],
        trial_id_greater_than: int,
    ) -> list[FrozenTrial]:
        some = states is not None or bool(included_trial_ids) or trial_id_greater_than > -1
        if some or not are_known():
            return super()._get_trials(study_id, states, included_trial_ids, trial_id_greater_than)
        with Session(self.engine) as session:
            return [*_trials(session, study_id)]


def are_known() -> bool:
    """Say whether Optuna's tables about trials are those that are read here."""
    tables = models.BaseModel.metadata.tables
    columns = {
        name: {column.name for column in table.columns}
        for name, table in tables.items()
        if name.startswith("trial")
    }
    return columns == {name: set(names.split()) for name, names in _COLUMNS.items()}


def _trials(session: Session, study_id: int) -> Iterator[FrozenTrial]:
    """Yield the trials in the order of their ids, as Optuna reads them."""
    of_trial = models.BaseModel.metadata.tables["trials"].c
    query = select(of_trial.trial_id).where(of_trial.study_id == study_id)
    ids = session.execute(query.order_by(of_trial.trial_id)).scalars().all()
    ranges: dict[str, BaseDistribution] = {}
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        rows = partial(_rows, session, study_id, some[0], some[-1])
        # before their rows: what a finished trial has does not change any more
        trials = rows(
            "trials", "trial_id", "number", "state", "datetime_start", "datetime_complete"
        )
        yield from _made(trials, rows, ranges)


def _rows(
    session: Session, study_id: int, first: int, last: int, table: str, order: str, *columns: str
) -> Sequence[Any]:
    """Return columns of trials from the first id to the last, the trial's id before them."""
    tables = models.BaseModel.metadata.tables
    own, of_trial = tables[table].c, tables["trials"].c
    query = select(own.trial_id, *(own[name] for name in columns))
    if table != "trials":
        query = query.join(tables["trials"], own.trial_id == of_trial.trial_id)
    query = query.where(of_trial.study_id == study_id, of_trial.trial_id.between(first, last))
    return session.connection().execute(query.order_by(own[order])).all()


def _made(
    trials: Sequence[Any], rows: Callable[..., Sequence[Any]], ranges: dict[str, BaseDistribution]
) -> Iterator[FrozenTrial]:
    """Yield trials with all that belongs to them; `ranges` grows by new ones, as written."""
    params: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    distributions: defaultdict[int, dict[str, BaseDistribution]] = defaultdict(dict)
    for i, name, value, written in rows(
        "trial_params", "param_id", "param_name", "param_value", "distribution_json"
    ):
        if written not in ranges:
            ranges[written] = json_to_distribution(written)
        kind = ranges[written]
        name = sys.intern(name)
        params[i][name] = kind.to_external_repr(value)
        distributions[i][name] = kind
    values: defaultdict[int, list[float]] = defaultdict(list)
    for i, value, number_type in rows("trial_values", "objective", "value", "value_type"):
        values[i].append(_NO_NUMBERS.get(number_type.name, value))
    steps: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for i, step, value, number_type in rows(
        "trial_intermediate_values", "step", "step", "intermediate_value", "intermediate_value_type"
    ):
        steps[i][step] = _NO_NUMBERS.get(number_type.name, value)
    user, system = (
        _attributes(rows(table, "key", "key", "value_json"))
        for table in ("trial_user_attributes", "trial_system_attributes")
    )
    for i, number, state, started, finished in trials:
        yield FrozenTrial(
            number=number,
            state=state,
            value=None,
            values=values.get(i),
            datetime_start=started,
            datetime_complete=finished,
            params=params[i],
            distributions=distributions[i],
            user_attrs=user[i],
            system_attrs=system[i],
            intermediate_values=steps[i],
            trial_id=i,
        )


def _attributes(rows: Iterable[Any]) -> defaultdict[int, dict[str, Any]]:
    """Return the attributes of trials by their ids."""
    attributes: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    for i, key, written in rows:
        attributes[i][key] = json.loads(written)
    return attributes


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
    is_sqlite = url.drivername.partition("+")[0] == "sqlite"  # whatever the driver
    if is_sqlite and url.database not in (None, "", ":memory:"):
        return {"creator": _sqlite_reader(storage, url)}
    if url.drivername.startswith("postgresql"):
        return {"execution_options": {"postgresql_readonly": True}}
    if url.drivername in _MYSQL_DRIVERS:
        return {"connect_args": {"init_command": "SET SESSION TRANSACTION READ ONLY"}}
    return {}


def _sqlite_reader(storage: str, url: URL) -> Callable[[], sqlite3.Connection]:
    given = str(url.database).removeprefix("file:")
    if not Path(given).is_file():  # SQLite's own message does not say where it looked
        problem = f"must be the address of a file, but there is no file {given!r}"
        remedy = (
            "Check the path (sqlite:///study.db is relative to this folder, sqlite:////… is "
            "absolute)."
        )
        raise InputError("storage", problem, shown_address(storage), remedy)
    query = {name: str(value) for name, value in url.query.items()}
    kept = {name: value for name, value in query.items() if name in ("nolock", "vfs")}
    try:
        timeout = float(query.get("timeout", 5.0))
    except ValueError:
        given = query["timeout"]
        shown = shown_address(storage)
        problem = f"{shown!r} has timeout {given!r}, which is not a number of seconds"
        raise InputError("storage", problem, shown) from None
    return partial(connect, Path(given), timeout, **kept)
