"""Studies written into a storage of Optuna, the rows of a table at once."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import optuna
import sqlalchemy
from optuna.distributions import distribution_to_json
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial

_Row = dict[str, Any]


def write_study(study: optuna.Study, url: str) -> None:
    """Copy a study into a storage, where it has the same name.

    `optuna.copy_study` reads and writes each value of a trial by objects of its own, which takes as
    long as tuning a small model.

    Parameters
    ----------
    study : optuna.Study
        The study.
    url : str
        The storage, in which the study's name must be new.
    """
    storage = RDBStorage(url)
    copied = optuna.create_study(
        storage=storage, study_name=study.study_name, directions=study.directions
    )
    key = copied._study_id
    attributes = study._storage.get_study_system_attrs(study._study_id)
    for name, value in attributes.items():
        storage.set_study_system_attr(key, name, value)
    for name, value in study.user_attrs.items():
        storage.set_study_user_attr(key, name, value)
    trials = study.get_trials(deepcopy=False)
    _write_trials(storage.engine, key, trials)
    storage.engine.dispose()


def _write_trials(engine: sqlalchemy.Engine, study: int, trials: Sequence[FrozenTrial]) -> None:
    """Write the trials of a study, all of them or none."""
    tables = sqlalchemy.MetaData()
    tables.reflect(engine, only=["trials", *_ROWS])
    insert = {name: table.insert() for name, table in tables.tables.items()}
    with engine.begin() as connection:
        ids = list[int]()
        for trial in trials:
            row = {
                "number": trial.number,
                "study_id": study,
                "state": trial.state.name,
                "datetime_start": trial.datetime_start,
                "datetime_complete": trial.datetime_complete,
            }
            inserted = connection.execute(insert["trials"], row)
            ids += inserted.inserted_primary_key or ()
        for table, rows_of in _ROWS.items():
            rows = [
                {"trial_id": number, **row}
                for number, trial in zip(ids, trials, strict=True)
                for row in rows_of(trial)
            ]
            if rows:
                connection.execute(insert[table], rows)


def _params(trial: FrozenTrial) -> Iterator[_Row]:
    for name, kind in trial.distributions.items():
        yield {
            "param_name": name,
            "param_value": kind.to_internal_repr(trial.params[name]),
            "distribution_json": distribution_to_json(kind),
        }


def _values(trial: FrozenTrial) -> Iterator[_Row]:
    for objective, value in enumerate(trial.values or ()):
        stored, number_type = _stored(value)
        yield {"objective": objective, "value": stored, "value_type": number_type}


def _steps(trial: FrozenTrial) -> Iterator[_Row]:
    for step, value in trial.intermediate_values.items():
        stored, number_type = _stored(value)
        yield {"step": step, "intermediate_value": stored, "intermediate_value_type": number_type}


def _stored(value: float) -> tuple[float | None, str]:
    """Return what stands for a number in a database, and what kind of number it is."""
    if math.isfinite(value):
        return value, "FINITE"
    if math.isnan(value):
        return None, "NAN"
    return None, "INF_POS" if value > 0 else "INF_NEG"


def _attributes(attributes: dict[str, Any]) -> Iterator[_Row]:
    for key, value in attributes.items():
        yield {"key": key, "value_json": json.dumps(value)}


def _user(trial: FrozenTrial) -> Iterator[_Row]:
    return _attributes(trial.user_attrs)


def _system(trial: FrozenTrial) -> Iterator[_Row]:
    return _attributes(trial.system_attrs)


_ROWS = {
    "trial_params": _params,
    "trial_values": _values,
    "trial_intermediate_values": _steps,
    "trial_user_attributes": _user,
    "trial_system_attributes": _system,
}
"""What a trial has in each table beside that of trials."""
