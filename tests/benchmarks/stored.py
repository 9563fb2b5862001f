"""Large studies in a database: their rows are written at once. Optuna would need hours."""

import datetime as dt

import numpy as np
import optuna
import sqlalchemy
from optuna.distributions import distribution_to_json
from optuna.storages import RDBStorage

AT_ONCE = 5_000


def store(address, kinds, columns, objective):
    """Write a study of finished trials.

    `kinds` are distributions by hyperparameter, `columns` their values as Optuna stores them, a row
    per trial, NaN where a trial has none.
    """
    storage = RDBStorage(address)
    study_id = optuna.create_study(storage=storage, study_name="large")._study_id
    written = [(name, distribution_to_json(kind)) for name, kind in kinds.items()]
    day = dt.datetime(2024, 5, 17)
    tables = sqlalchemy.MetaData()
    tables.reflect(storage.engine)
    insert = {name: table.insert() for name, table in tables.tables.items()}
    n = len(columns)
    with storage.engine.begin() as connection:
        for some in np.array_split(np.arange(n), max(n // AT_ONCE, 1)):
            trials = [
                {
                    "trial_id": i + 1,
                    "number": i,
                    "study_id": study_id,
                    "state": "COMPLETE",
                    "datetime_start": day + dt.timedelta(seconds=i),
                    "datetime_complete": day + dt.timedelta(seconds=i + 2.5),
                }
                for i in some.tolist()
            ]
            values = [
                {"trial_id": i + 1, "objective": 0, "value": float(objective[i])}
                | {"value_type": "FINITE"}
                for i in some.tolist()
            ]
            params = [
                {
                    "trial_id": i + 1,
                    "param_name": name,
                    "param_value": value,
                    "distribution_json": kind,
                }
                for i in some.tolist()
                for value, (name, kind) in zip(columns[i].tolist(), written, strict=True)
                if value == value
            ]
            connection.execute(insert["trials"], trials)
            connection.execute(insert["trial_values"], values)
            connection.execute(insert["trial_params"], params)
    storage.engine.dispose()
