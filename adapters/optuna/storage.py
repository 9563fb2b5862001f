"""Opens a study in a storage for reading only, and turns it into a Run.

Trials in a database are read table by table, not object by object: Optuna makes an object for every
stored value and parses the range of every one anew, which takes minutes for millions of values.
"""

from __future__ import annotations

import gc
import json
import sqlite3
import sys
from collections import defaultdict
from collections.abc import (
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, json_to_distribution
from optuna.exceptions import StorageInternalError
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages._rdb import models
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.orm import Session

from hpo_explain.adapters._sqlite import SQLITE, connect
from hpo_explain.adapters.addresses import shown_address, without_secrets
from hpo_explain.adapters.formats import Opened
from hpo_explain.adapters.optuna.quiet import quiet_optuna
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.phrases import abridged

_AT_ONCE = (
    1_000  # trials of which the rows are held beside what is made of them
)
_MOST_NAMES = 30  # of studies, in an error
_MOST_STEPS = (
    10_000_000  # of SQLite, to name the studies of a file: a second at most
)

_KNOWN = {
    "trials": "trial_id number study_id state datetime_start datetime_complete",
    "trial_params": "param_id trial_id param_name param_value distribution_json",
    "trial_values": "trial_value_id trial_id objective value value_type",
    "trial_user_attributes": "trial_user_attribute_id trial_id key value_json",
    "trial_system_attributes": "trial_system_attribute_id trial_id key value_json",
    "trial_intermediate_values": "trial_intermediate_value_id trial_id step intermediate_value "
    "intermediate_value_type",
    "trial_heartbeats": "trial_heartbeat_id trial_id heartbeat",
}

# without the types of their columns, which SQLAlchemy's versions do not have in common
_TRIAL: Any = models.TrialModel
_VALUE: Any = models.TrialValueModel
_STEP: Any = models.TrialIntermediateValueModel
_UNREADABLE = (
    SQLAlchemyError,
    StorageInternalError,
    ImportError,
    RuntimeError,
)
# what Optuna raises where a journal is not one that it wrote
_DAMAGED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
_SQLITE_DRIVERS = ("sqlite", "sqlite+pysqlite")
# MySQL has no option of its own for this; these drivers take a statement to start a session with
_MYSQL_DRIVERS = ("mysql", "mysql+mysqldb", "mysql+pymysql")
_PACKAGES = {
    "MySQLdb": "mysqlclient",
    "psycopg": "psycopg[binary]",
    "psycopg2": "psycopg2-binary",
}


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
            return list(_trials(session, study_id))


def are_known() -> bool:
    """Say whether Optuna's tables about trials are those that are read here."""
    tables = models.BaseModel.metadata.tables
    found = {
        name: {column.name for column in table.columns}
        for name, table in tables.items()
        if name.startswith("trial")
    }
    return found == {
        name: set(columns.split()) for name, columns in _KNOWN.items()
    }


def _trials(session: Session, study_id: int) -> Iterator[FrozenTrial]:
    """Yield the trials in the order of their ids, as Optuna reads them."""
    asked = (
        select(_TRIAL.trial_id)
        .where(_TRIAL.study_id == study_id)
        .order_by(_TRIAL.trial_id)
    )
    ids = session.execute(asked).scalars().all()
    kinds: dict[str, BaseDistribution] = {}
    for start in range(0, len(ids), _AT_ONCE):
        yield from _some(
            session, study_id, ids[start : start + _AT_ONCE], kinds
        )


def _some(
    session: Session,
    study_id: int,
    ids: Sequence[int],
    kinds: dict[str, BaseDistribution],
) -> Iterator[FrozenTrial]:
    """Yield the trials from the first to the last of some ids; `kinds` grows by new ranges."""

    def rows(model: Any, order: str, *names: str) -> Sequence[Any]:
        """Return the rows of these trials in the table of a model."""
        columns = model.__table__.c
        asked = select(columns.trial_id, *(columns[name] for name in names))
        asked = asked.join(
            _TRIAL.__table__, columns.trial_id == _TRIAL.trial_id
        )
        asked = asked.where(
            _TRIAL.study_id == study_id,
            columns.trial_id.between(ids[0], ids[-1]),
        )
        return (
            session.connection().execute(asked.order_by(columns[order])).all()
        )

    # before their rows: what a finished trial has does not change any more
    asked = select(_TRIAL).where(_TRIAL.study_id == study_id)
    asked = asked.where(_TRIAL.trial_id.between(ids[0], ids[-1])).order_by(
        _TRIAL.trial_id
    )
    trials = session.execute(asked).scalars().all()
    params: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    distributions: defaultdict[int, dict[str, BaseDistribution]] = defaultdict(
        dict
    )
    for i, name, value, written in rows(
        models.TrialParamModel,
        "param_id",
        "param_name",
        "param_value",
        "distribution_json",
    ):
        kind = kinds.get(written)
        if kind is None:
            kind = kinds[written] = json_to_distribution(written)
        name = sys.intern(name)
        params[i][name] = kind.to_external_repr(value)
        distributions[i][name] = kind
    values: defaultdict[int, list[float]] = defaultdict(list)
    for i, value, kept_as in rows(_VALUE, "objective", "value", "value_type"):
        values[i].append(_VALUE.stored_repr_to_value(value, kept_as))
    steps: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for i, step, value, kept_as in rows(
        _STEP, "step", "step", "intermediate_value", "intermediate_value_type"
    ):
        steps[i][step] = _STEP.stored_repr_to_intermediate_value(
            value, kept_as
        )
    user, system = (
        _attributes(rows(model, "key", "key", "value_json"))
        for model in (
            models.TrialUserAttributeModel,
            models.TrialSystemAttributeModel,
        )
    )
    for trial in trials:
        i = trial.trial_id
        yield FrozenTrial(
            number=trial.number,
            state=trial.state,
            value=None,
            values=values.get(i),
            datetime_start=trial.datetime_start,
            datetime_complete=trial.datetime_complete,
            params=params[i],
            distributions=distributions[i],
            user_attrs=user[i],
            system_attrs=system[i],
            intermediate_values=steps[i],
            trial_id=i,
        )


def _attributes(rows: Iterable[Any]) -> defaultdict[int, dict[str, Any]]:
    """Return the attributes of trials by their ids."""
    found: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    for i, key, written in rows:
        found[i][key] = json.loads(written)
    return found


@contextmanager
def opened(
    storage: str, options: Mapping[str, Any], *, study_name: str | None = None
) -> Iterator[Opened]:
    """Open a study in a storage, for as long as it is read; errors of the storage name it.

    Parameters
    ----------
    storage, study_name : str
        As in :func:`load_study`.
    options : mapping
        Options of :func:`hpo_explain.from_optuna`.

    Raises
    ------
    TimeoutError
        If the storage stays locked by another process.
    InputError
        If there is no such file, storage or study.
    """
    found = _open(storage)
    try:
        study = _study(found, storage, study_name)
        with _translated(storage), _uncollected():
            yield Opened(study)
    finally:
        _close(found)


def load_study(storage: str, study_name: str | None = None) -> optuna.Study:
    """Return a study from a storage URL, or from the file of a journal or SQLite.

    Nothing is created, neither the file nor tables in it. SQLite, PostgreSQL and MySQL (through
    mysqlclient or PyMySQL) are asked to refuse whatever would write.

    Parameters
    ----------
    storage : str
        As Optuna takes it: ``sqlite:///study.db``, ``postgresql://...``; or a file that is a
        journal or an SQLite database.
    study_name : str, optional
        Name of the study; may be left out where the storage has only one.

    Returns
    -------
    optuna.Study
        The study.

    Raises
    ------
    TimeoutError
        If the storage stays locked by another process.
    InputError
        If there is no such file, storage or study; the text lists the studies there are.
    """
    return _study(_open(storage), storage, study_name)


def study_names(storage: str) -> list[str]:
    """Return the names of the studies in a storage, in their order.

    Parameters
    ----------
    storage : str
        As in :func:`load_study`.

    Raises
    ------
    TimeoutError
        If the storage stays locked by another process.
    InputError
        If there is no such file or storage.
    """
    found = _open(storage, most_steps=_MOST_STEPS)
    try:
        return _names(found, storage)
    finally:
        _close(found)


def _names(opened: BaseStorage, storage: str) -> list[str]:
    with _translated(storage):
        return sorted(study.study_name for study in opened.get_all_studies())


@contextmanager
def _uncollected() -> Iterator[None]:
    """Have nothing collected: of millions of values none is garbage, and all are looked at often.

    Half of the time to read them went there.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _study(
    opened: BaseStorage, storage: str, study_name: str | None
) -> optuna.Study:
    address = shown_address(storage)
    names = _names(opened, storage)
    if not names:
        raise InputError(
            "storage",
            f"{address!r} holds no study",
            address,
            "Check the address.",
        )
    listed = abridged([*map(repr, names)], _MOST_NAMES)
    if study_name is None:
        if len(names) > 1:
            problem = f"must be given, as storage {address!r} holds {len(names)} studies"
            remedy = ("Choose one with ", Option("study_name"), f": {listed}.")
            raise InputError("study_name", problem, remedy=remedy)
        study_name = names[0]
    if study_name not in names:
        problem = f"{study_name!r} is not in storage {address!r}"
        raise InputError(
            "study_name", problem, study_name, f"There are: {listed}."
        )
    with _translated(storage):
        return optuna.load_study(study_name=study_name, storage=opened)


def _open(storage: str, most_steps: int = 0) -> BaseStorage:
    address, options = storage, {}
    if "://" in storage:
        options = reading_options(storage)
    elif _is_sqlite(Path(storage)):
        # the address says which dialect it is, the creator where the file is
        address, options = (
            "sqlite:///file",
            {
                "creator": partial(
                    connect, Path(storage), most_steps=most_steps
                )
            },
        )
    else:
        return _open_journal(storage)
    with _translated(storage):
        return TableStorage(
            address, engine_kwargs=options, skip_table_creation=True
        )


def _is_sqlite(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _open_journal(path: str) -> BaseStorage:
    if not Path(path).is_file():  # Optuna would make one
        shown = shown_address(path)
        problem = f"{shown!r} is neither a file nor an address such as sqlite:///study.db"
        raise InputError("storage", problem, shown, "Check the path.")
    try:
        with quiet_optuna():
            return JournalStorage(JournalFileBackend(path))
    except _DAMAGED as error:
        problem = f"{path!r} cannot be read as a journal of Optuna: {error}"
        remedy = "Check the path, and give a database as an address such as sqlite:///study.db."
        raise InputError("storage", problem, path, remedy) from error


def _close(opened: BaseStorage) -> None:
    """Let go of connections: a file that is watched may be moved or deleted meanwhile."""
    if isinstance(opened, RDBStorage):
        opened.remove_session()
        opened.engine.dispose()


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


@contextmanager
def _translated(storage: str) -> Iterator[None]:
    """Turn errors of a database into ones that name the storage."""
    try:
        yield
    except _UNREADABLE as error:
        address = shown_address(storage)
        missing = (
            getattr(error.__cause__, "name", None)
            if isinstance(error, ImportError)
            else None
        )
        if missing:
            problem = f"{address!r} needs the package {missing}, which is not installed"
            remedy = f"Run: pip install '{_PACKAGES.get(missing, missing)}'"
            raise InputError("storage", problem, address, remedy) from error
        # Optuna's own words are about databases of all kinds, the cause is what happened
        cause = (
            error.__cause__ or error
            if isinstance(error, StorageInternalError)
            else error
        )
        first = next(
            iter(str(cause).strip().splitlines()), type(cause).__name__
        )
        first = without_secrets(first, storage)
        if (
            "locked" in first
        ):  # before Python 3.11, errors of SQLite have no code
            raise TimeoutError(
                f"storage {address!r} is locked: another process is writing to it ({first}). "
                "Try again in a moment."
            ) from error
        problem = f"{address!r} cannot be read as an Optuna storage: {first.rstrip('.')}"
        raise InputError("storage", problem, address) from error
