"""Optuna's storage in an SQLite file, read without SQLAlchemy, whose import takes half a second."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Callable, Container, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial
from typing import Any, NoReturn

from optuna.exceptions import StorageInternalError
from optuna.storages import BaseStorage
from optuna.study import StudyDirection
from optuna.study._frozen import FrozenStudy
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._sqlite import columns_of
from hpo_explain.adapters.optuna._tables import TABLES, trials_of

# the only one since Optuna 3.2: with another, rows may mean something else
_VERSION = "v3.2.0.a"
_TABLES = TABLES | {
    "studies": "study_id study_name",
    "study_directions": "study_direction_id direction study_id objective",
    "study_user_attributes": "study_user_attribute_id study_id key value_json",
    "study_system_attributes": "study_system_attribute_id study_id key value_json",
}


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


_READ: dict[str, Callable[[Any], Any]] = {
    "state": TrialState.__getitem__,
    "datetime_start": _time,
    "datetime_complete": _time,
}


def is_known(database: sqlite3.Connection) -> bool:
    """Say whether the tables of a file are those that are read here."""
    if not columns_of(database, "alembic_version"):
        return False
    versions = database.execute("SELECT version_num FROM alembic_version")
    return versions.fetchall() == [(_VERSION,)] and all(
        columns_of(database, table) == set(columns.split())
        for table, columns in _TABLES.items()
    )


def _refused(*_: Any, **__: Any) -> NoReturn:
    raise StorageInternalError("this storage is opened for reading only")


class SqliteStorage(BaseStorage):
    """A file whose studies and trials are read by its own tables.

    Parameters
    ----------
    connect : callable
        Opens the file for reading only. Each look at it opens and closes it: nothing is held of a
        file that is moved or deleted meanwhile.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with closing(self._connect()) as database:
            return database.execute(query, values).fetchall()

    # ---------------------------------------------------------------------- studies

    def get_all_studies(self) -> list[FrozenStudy]:
        """Return the studies in the order of their ids."""
        rows = self._rows(
            "SELECT study_id, study_name FROM studies ORDER BY study_id"
        )
        return [
            FrozenStudy(
                study_name=name,
                direction=None,
                directions=self.get_study_directions(study_id),
                user_attrs=self.get_study_user_attrs(study_id),
                system_attrs=self.get_study_system_attrs(study_id),
                study_id=study_id,
            )
            for study_id, name in rows
        ]

    def get_study_id_from_name(self, study_name: str) -> int:
        """Return the id of a study; KeyError where there is none."""
        query = "SELECT study_id FROM studies WHERE study_name = ?"
        for (study_id,) in self._rows(query, study_name):
            return int(study_id)
        raise KeyError(study_name)

    def get_study_name_from_id(self, study_id: int) -> str:
        """Return the name of a study; KeyError where there is none."""
        query = "SELECT study_name FROM studies WHERE study_id = ?"
        for (name,) in self._rows(query, study_id):
            return str(name)
        raise KeyError(study_id)

    def get_study_directions(self, study_id: int) -> list[StudyDirection]:
        """Return the directions of a study's objectives."""
        rows = self._rows(
            "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective",
            study_id,
        )
        return [StudyDirection[direction] for (direction,) in rows]

    def get_study_user_attrs(self, study_id: int) -> dict[str, Any]:
        """Return what the user noted of a study."""
        return self._attributes("study_user_attributes", study_id)

    def get_study_system_attrs(self, study_id: int) -> dict[str, Any]:
        """Return what Optuna noted of a study."""
        return self._attributes("study_system_attributes", study_id)

    def _attributes(self, table: str, study_id: int) -> dict[str, Any]:
        query = f"SELECT key, value_json FROM {table} WHERE study_id = ?"
        rows = self._rows(query, study_id)
        return {key: json.loads(written) for key, written in rows}

    # ---------------------------------------------------------------------- trials

    def get_all_trials(
        self,
        study_id: int,
        deepcopy: bool = True,
        states: Container[TrialState] | None = None,
    ) -> list[FrozenTrial]:
        """Return the trials of a study in the order of their ids."""
        with closing(self._connect()) as database:
            ids = database.execute(
                "SELECT trial_id FROM trials WHERE study_id = ? ORDER BY trial_id",
                (study_id,),
            )
            trials = trials_of(
                [i for (i,) in ids], partial(_rows_of, database, study_id)
            )
            wanted = [
                trial
                for trial in trials
                if states is None or trial.state in states
            ]
        return copy.deepcopy(wanted) if deepcopy else wanted

    def get_trial(self, trial_id: int) -> FrozenTrial:
        """Return a trial; KeyError where there is none."""
        query = "SELECT study_id FROM trials WHERE trial_id = ?"
        for (study_id,) in self._rows(query, trial_id):
            with closing(self._connect()) as database:
                rows = partial(_rows_of, database, study_id)
                return next(trials_of([trial_id], rows))
        raise KeyError(trial_id)

    # ---------------------------------------------------------------------- what would write

    create_new_study = _refused
    delete_study = _refused
    set_study_user_attr = _refused
    set_study_system_attr = _refused
    create_new_trial = _refused
    set_trial_param = _refused
    set_trial_state_values = _refused
    set_trial_intermediate_value = _refused
    set_trial_user_attr = _refused
    set_trial_system_attr = _refused


def _rows_of(
    database: sqlite3.Connection,
    study_id: int,
    table: str,
    order: str,
    *columns: str,
    first: int,
    last: int,
) -> Sequence[tuple[Any, ...]]:
    """Return rows of a study in a table about trials; see `Rows`."""
    names = ", ".join(f"own.{name}" for name in ("trial_id", *columns))
    rows = database.execute(
        f"SELECT {names} FROM {table} AS own JOIN trials USING (trial_id) "
        "WHERE trials.study_id = ? AND trials.trial_id BETWEEN ? AND ? "
        f"ORDER BY own.{order}",
        (study_id, first, last),
    ).fetchall()
    if _READ.keys().isdisjoint(columns):
        return rows
    read = [_READ.get(name, _as_it_is) for name in ("trial_id", *columns)]
    return [
        tuple(of(value) for of, value in zip(read, row, strict=True))
        for row in rows
    ]


def _as_it_is(value: Any) -> Any:
    return value
