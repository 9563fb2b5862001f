"""What reading a study from SQLite costs, by Optuna and without it.

READING_TRIALS sets the number of trials, by default 2,000. Optuna needs minutes and gigabytes for
100,000.
"""

import os

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from hpo_explain.adapters.optuna import from_optuna
from hpo_explain.adapters.sources import as_run
from tests.benchmarks.stored import store

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

    Under conditions the last five hyperparameters are active where the first category is "a", the
    five before where it is "b".
    """
    address = f"sqlite:///{tmp_path_factory.mktemp('storage')}/study.db"
    rng = np.random.default_rng(0)
    columns = np.column_stack([values_of(kind, rng) for kind in KINDS])
    totals = columns.sum(axis=1)
    if request.param == "conditions":
        columns[columns[:, 4] != 0, 25:] = np.nan
        columns[columns[:, 4] != 1, 20:25] = np.nan
    store(address, {f"h{j}": kind for j, kind in enumerate(KINDS)}, columns, totals)
    return address


def loaded(address):
    study = optuna.load_study(study_name="large", storage=address)
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


@pytest.mark.benchmark(group="reading")
def test_a_study_is_read_from_its_address(benchmark, address):
    run = benchmark.pedantic(as_run, (address,), rounds=1)
    assert run.X.shape == (N, 30)
