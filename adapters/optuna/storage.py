"""Opens a study in a storage for reading only: a file of SQLite, another database, or a journal."""

from __future__ import annotations

import gc
import re
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import optuna
from optuna.exceptions import StorageInternalError
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend

from hpo_explain.adapters._sqlite import SQLITE, connect
from hpo_explain.adapters.addresses import shown_address, without_secrets
from hpo_explain.adapters.formats import Opened
from hpo_explain.adapters.optuna.quiet import quiet_optuna
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Option
from hpo_explain.base.phrases import abridged, quoted
from hpo_explain.base.regular_files import open_regular

# an address of a file and nothing else
_FILE = re.compile(r"sqlite:///(?!file:)([^?#%]+)")
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
_PACKAGES = {"MySQLdb": "mysqlclient", "psycopg": "psycopg[binary]", "psycopg2": "psycopg2-binary"}


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


def artifacts_in(folder: Path) -> optuna.artifacts.FileSystemArtifactStore:
    """Return what optuna-dashboard is given as a folder of artifacts."""
    return optuna.artifacts.FileSystemArtifactStore(folder)


def study_to_write(storage: str, study_name: str | None = None) -> optuna.Study:
    """Return a study as `load_study` does, from a storage that may be written to."""
    name = load_study(storage, study_name).study_name
    path = _sqlite_file(storage)
    address = f"sqlite:///{path.absolute().as_posix()}" if path else storage
    with _translated(storage):
        opened = RDBStorage(address) if "://" in address else _open_journal(storage)
        return optuna.load_study(study_name=name, storage=opened)


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
    found = _open(storage)
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


def _study(opened: BaseStorage, storage: str, study_name: str | None) -> optuna.Study:
    address = shown_address(storage)
    names = _names(opened, storage)
    if not names:
        raise InputError("storage", f"{address!r} holds no study", address, "Check the address.")
    listed = abridged([*map(quoted, names)], most=30)
    if study_name is None:
        if len(names) > 1:
            problem = f"must be given, as storage {address!r} holds {len(names)} studies"
            remedy = ("Choose one with ", Option("study_name"), f": {listed}.")
            raise InputError("study_name", problem, remedy=remedy)
        study_name = names[0]
    if study_name not in names:
        problem = f"{quoted(study_name)} is not in storage {address!r}"
        raise InputError("study_name", problem, study_name, f"There are: {listed}.")
    with _translated(storage):
        return optuna.load_study(study_name=study_name, storage=opened)


def _open(storage: str) -> BaseStorage:
    path = _sqlite_file(storage)
    if not path:
        is_address = "://" in storage
        return _open_database(storage, storage) if is_address else _open_journal(storage)
    # the address says which dialect it is, the creator where the file is
    return _open_database(storage, "sqlite:///file", creator=partial(connect, path))


def _open_database(storage: str, address: str, **options: Any) -> BaseStorage:
    from hpo_explain.adapters.optuna import _databases

    options = options or _databases.reading_options(address)
    with _translated(storage):
        try:
            return _databases.TableStorage(address, engine_kwargs=options, skip_table_creation=True)
        except RuntimeError:  # what an older Optuna wrote
            if "creator" not in options:
                raise
            return _databases.upgraded(options["creator"])


def _sqlite_file(storage: str) -> Path | None:
    """Return the file of a storage that is one of SQLite's; None if it is something else."""
    address = _FILE.fullmatch(storage)
    if not address and "://" in storage:
        return None
    path = Path(address[1] if address else storage)
    return path if _is_sqlite(path) else None


def _is_sqlite(path: Path) -> bool:
    if not path.is_file():
        return False
    with open_regular(path) as file:
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


def _unreadable() -> tuple[type[Exception], ...]:
    """Return what a database raises that cannot be read; SQLAlchemy's errors where it is used."""
    errors = StorageInternalError, ImportError, RuntimeError, sqlite3.Error
    if "sqlalchemy.exc" not in sys.modules:
        return errors
    from sqlalchemy.exc import SQLAlchemyError

    return (*errors, SQLAlchemyError)


@contextmanager
def _translated(storage: str) -> Iterator[None]:
    """Turn errors of a database into ones that name the storage."""
    try:
        yield
    except _unreadable() as error:
        address = shown_address(storage)
        missing = getattr(error.__cause__, "name", None) if isinstance(error, ImportError) else None
        if missing:
            problem = f"{address!r} needs the package {missing}, which is not installed"
            remedy = f"Run: pip install '{_PACKAGES.get(missing, missing)}'"
            raise InputError("storage", problem, address, remedy) from error
        # Optuna's own words are about databases of all kinds, the cause is what happened
        cause = error.__cause__ or error if isinstance(error, StorageInternalError) else error
        first = next(iter(str(cause).strip().splitlines()), type(cause).__name__)
        first = without_secrets(first, storage)
        if "locked" in first:  # before Python 3.11, errors of SQLite have no code
            raise TimeoutError(
                f"storage {address!r} is locked: another process is writing to it ({first}). "
                "Try again in a moment."
            ) from error
        problem = f"{address!r} cannot be read as an Optuna storage: {first.rstrip('.')}"
        raise InputError("storage", problem, address) from error
