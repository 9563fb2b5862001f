"""Open a study in a storage, without writing to it."""

from __future__ import annotations

from pathlib import Path

import optuna
from optuna.exceptions import StorageInternalError
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from sqlalchemy.exc import SQLAlchemyError

_SQLITE = "sqlite:///"
_UNREADABLE = (SQLAlchemyError, StorageInternalError, ImportError, RuntimeError)


def load_study(storage: str, study_name: str | None = None) -> optuna.Study:
    """Return a study from a storage URL or a journal file.

    Nothing is created: neither the file, nor tables in it.

    Parameters
    ----------
    storage : str
        As Optuna takes it: ``sqlite:///study.db``, ``postgresql://...``, or a journal file.
    study_name : str, optional
        Name of the study; may be left out where the storage has only one.

    Returns
    -------
    optuna.Study
        The study.

    Raises
    ------
    ValueError
        If there is no such file, storage or study; the text lists the studies there are.
    """
    opened = _open(storage)
    try:
        names = sorted(study.study_name for study in opened.get_all_studies())
    except _UNREADABLE as error:
        raise ValueError(_unreadable(storage, error)) from error
    if not names:
        raise ValueError(f"storage {storage!r} holds no study. Check the address.")
    listed = ", ".join(repr(name) for name in names)
    if study_name is None:
        if len(names) > 1:
            raise ValueError(
                f"storage {storage!r} holds {len(names)} studies, and study_name was not given. "
                f"Choose one of: {listed}."
            )
        study_name = names[0]
    if study_name not in names:
        raise ValueError(
            f"study_name {study_name!r} is not in storage {storage!r}. There are: {listed}."
        )
    return optuna.load_study(study_name=study_name, storage=opened)


def _open(storage: str) -> BaseStorage:
    if "://" not in storage:
        if not Path(storage).is_file():
            raise ValueError(
                f"storage {storage!r} is neither a file nor an address such as "
                "sqlite:///study.db. Check the path."
            )
        return JournalStorage(JournalFileBackend(storage))
    if storage.startswith(_SQLITE):
        path = storage.removeprefix(_SQLITE).split("?")[0]
        if path and not Path(path).is_file():
            raise ValueError(
                f"storage {storage!r}: there is no file {path!r}. Check the path "
                "(sqlite:///study.db is relative to this folder, sqlite:////… is absolute)."
            )
    try:
        return RDBStorage(storage, skip_table_creation=True)
    except _UNREADABLE as error:
        raise ValueError(_unreadable(storage, error)) from error


def _unreadable(storage: str, error: Exception) -> str:
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return f"storage {storage!r} cannot be read as an Optuna storage: {first}"
