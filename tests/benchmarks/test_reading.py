"""What reading a study costs over Optuna's own loading of it from SQLite.

READING_TRIALS sets the number of trials, by default 2,000. Optuna needs minutes and gigabytes for
100,000.
"""

import datetime as dt
import os

import numpy as np
import optuna
import pytest
import sqlalchemy
from optuna.distributions import (
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
    distribution_to_json,
)
from optuna.storages import RDBStorage

from hpo_explain.adapters.optuna import from_optuna

N = int(os.environ.get("READING_TRIALS", "2000"))
KINDS = [
    FloatDistribution(0.0, 1.0),
    FloatDistribution(1e-5, 1.0, log=True),
    IntDistribution(1, 9),
    IntDistribution(1, 1024, log=True),
    CategoricalDistribution(["a", "b", "c"]),
    CategoricalDistribution([True, False, None]),
] * 5


def values_of(kind, rng):
    """N values of a hyperparameter, as Optuna stores them."""
    if isinstance(kind, CategoricalDistribution):
        return rng.integers(len(kind.choices), size=N).astype(float)
    if isinstance(kind, IntDistribution):
        return rng.integers(kind.low, kind.high + 1, size=N).astype(float)
    return rng.uniform(kind.low, kind.high, size=N)


@pytest.fixture(scope="module", params=["every trial has all", "conditions"])
def address(request, tmp_path_factory):
    """A storage that holds N trials of 30 hyperparameters.

    Its rows are written at once: Optuna itself would need hours. Under conditions the last five
    hyperparameters are active where the first category is "a", the five before where it is "b".
    """
    address = f"sqlite:///{tmp_path_factory.mktemp('storage')}/study.db"
    storage = RDBStorage(address)
    optuna.create_study(storage=storage, study_name="many")
    rng = np.random.default_rng(0)
    columns = np.column_stack([values_of(kind, rng) for kind in KINDS])
    active = np.ones(columns.shape, dtype=bool)
    if request.param == "conditions":
        active[:, 25:] = columns[:, [4]] == 0
        active[:, 20:25] = columns[:, [4]] == 1
    written = [distribution_to_json(kind) for kind in KINDS]
    day = dt.datetime(2024, 5, 17)
    study_id = storage.get_study_id_from_name("many")
    trials = [
        {
            "trial_id": i + 1,
            "number": i,
            "study_id": study_id,
            "state": "COMPLETE",
            "datetime_start": day + dt.timedelta(seconds=i),
            "datetime_complete": day + dt.timedelta(seconds=i + 2.5),
        }
        for i in range(N)
    ]
    totals = columns.sum(axis=1).tolist()
    values = [
        {"trial_id": i + 1, "objective": 0, "value": total, "value_type": "FINITE"}
        for i, total in enumerate(totals)
    ]
    tables = sqlalchemy.MetaData()
    tables.reflect(storage.engine)
    insert = {name: table.insert() for name, table in tables.tables.items()}
    with storage.engine.begin() as connection:
        connection.execute(insert["trials"], trials)
        connection.execute(insert["trial_values"], values)
        for some in np.array_split(np.arange(N), max(N // 5000, 1)):
            params = [
                {
                    "trial_id": i + 1,
                    "param_name": f"h{j}",
                    "param_value": float(columns[i, j]),
                    "distribution_json": written[j],
                }
                for i in some.tolist()
                for j in np.flatnonzero(active[i]).tolist()
            ]
            connection.execute(insert["trial_params"], params)
    return address


def loaded(address):
    study = optuna.load_study(study_name="many", storage=address)
    study.get_trials(deepcopy=False)  # which the storage keeps from now on
    return study


@pytest.mark.benchmark(group="reading")
def test_optuna_loads_a_study(benchmark, address):
    study = benchmark.pedantic(loaded, (address,), rounds=1)
    assert len(study.get_trials(deepcopy=False)) == N


@pytest.mark.benchmark(group="reading")
def test_from_optuna_reads_a_loaded_study(benchmark, address):
    study = loaded(address)
    run = benchmark.pedantic(from_optuna, (study,), rounds=1)
    assert run.X.shape == (N, 30)
