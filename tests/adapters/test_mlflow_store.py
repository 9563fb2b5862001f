"""Stores of MLflow, written here as MLflow writes them: a database, and a folder of files."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters.formats import place_of
from tests.noted import the_note

_TABLES = (
    "alembic_version (version_num)",
    "experiments (experiment_id INTEGER, name, lifecycle_stage)",
    "runs (run_uuid, experiment_id INTEGER, status, start_time, end_time, lifecycle_stage)",
    "params (run_uuid, key, value)",
    "metrics (run_uuid, key, value, timestamp, step, is_nan)",
    "latest_metrics (run_uuid, key, value, timestamp, step, is_nan)",
    "tags (run_uuid, key, value)",
)
RATES = [0.1, 0.2, 0.4, 0.8]
LOSSES = [[9.0, 3.0], [9.0, 1.0], [9.0, 2.0], [9.0, np.nan]]


def database(path, tables=_TABLES, experiments=("tuning",)):
    with closing(sqlite3.connect(path)) as store, store:
        for table in tables:
            store.execute(f"CREATE TABLE {table}")
        if "metrics" not in " ".join(tables):
            store.execute("INSERT INTO alembic_version VALUES ('7')")
            return path
        for e, name in enumerate(experiments):
            store.execute("INSERT INTO experiments VALUES (?, ?, 'active')", (e, name))
            _runs(store, e, tables)
    return path


def _runs(store, experiment, tables):
    def run(i, status="FINISHED", stage="active"):
        name = f"{experiment}-{i}"
        times = (1_000_000 + 1000 * i, 1_000_500 + 1000 * i)
        row = (name, experiment, status, *times, stage)
        store.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", row)
        return name

    parent = run(100)
    deleted = run(101, stage="deleted")
    store.execute("INSERT INTO params VALUES (?, 'lr', '7')", (deleted,))
    for i, (rate, losses) in enumerate(zip(RATES, LOSSES, strict=True)):
        name = run(i, "FAILED" if np.isnan(losses[-1]) else "FINISHED")
        for key, value in (("lr", rate), ("kind", "ab"[i % 2])):
            store.execute("INSERT INTO params VALUES (?, ?, ?)", (name, key, str(value)))
        store.execute("INSERT INTO tags VALUES (?, 'mlflow.parentRunId', ?)", (name, parent))
        for step, loss in enumerate(losses):
            bad = bool(np.isnan(loss))
            row = (name, "loss", 0.0 if bad else loss, step, step, bad)
            store.execute("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", row)
        if "latest_metrics" in " ".join(tables):
            store.execute("INSERT INTO latest_metrics VALUES (?, ?, ?, ?, ?, ?)", row)


def folder(path):
    experiment = path / "mlruns" / "0"
    (path / "mlruns" / ".trash").mkdir(parents=True)
    for i, (rate, losses) in enumerate(zip(RATES, LOSSES, strict=True)):
        place = experiment / f"run{i}"
        for name in ("params", "metrics/val", "tags"):
            (place / name).mkdir(parents=True)
        status = 4 if np.isnan(losses[-1]) else 3
        (place / "meta.yaml").write_text(
            f"run_id: run{i}\nstatus: {status}\nstart_time: {1000 * i}\n"
            f"end_time: {1000 * i + 500}\nlifecycle_stage: active\n"
        )
        (place / "params" / "lr").write_text(str(rate))
        (place / "params" / "kind").write_text("ab"[i % 2])
        lines = [f"{i} {v} {step}\n" for step, v in enumerate(losses)]
        (place / "metrics" / "val" / "loss").write_text("".join(lines))
    (experiment / "meta.yaml").write_text("name: tuning\n")
    return path / "mlruns"


@pytest.mark.parametrize(
    "about",
    [
        "status: 3\nstart_time: 9000\nend_time: 8000\n",
        "status: 3\nstart_time: 1e30\nend_time: 1e31\n",
        "status: 9\nstart_time: 9000\nend_time: 9500\n",
        "",
    ],
    ids=["ends before it starts", "no time", "no status", "empty"],
)
def test_a_run_that_says_nonsense_about_itself_does_not_refuse_the_others(tmp_path, about):
    place = folder(tmp_path)
    (place / "0" / "run1" / "meta.yaml").write_text(about)
    run = as_run(place)
    assert sorted(run.objective) == [1.0, 2.0, 3.0]
    assert run.incumbent == {"lr": RATES[1], "kind": "b"}


def test_runs_of_a_database_are_trials_with_their_last_value(tmp_path):
    place = database(tmp_path / "mlflow.db")
    run = as_run(place)
    assert (run.objective_name, run.direction) == ("metrics.loss", "minimize")
    assert run.objective.tolist() == [3.0, 1.0, 2.0]
    assert [run.config(t) for t in run.trials] == [
        {"lr": rate, "kind": kind} for rate, kind in zip(RATES[:3], "aba", strict=True)
    ]
    assert {t: why.kind for t, why in run.excluded.items()} == {3: "failed"}
    assert np.diff(run.started).tolist() == [1.0, 1.0]
    assert the_note(run.notes, "runs: 1 run left out that has other runs below and not their param")
    address = as_run(f"sqlite:///{place}")
    assert address.objective.tolist() == run.objective.tolist()


def test_a_database_of_an_old_schema_is_read(tmp_path):
    tables = [t for t in _TABLES if not t.startswith("latest")]
    run = as_run(database(tmp_path / "old.db", tables))
    assert run.objective.tolist() == [3.0, 1.0, 2.0]


def test_a_schema_that_lacks_a_table_is_named(tmp_path):
    place = database(tmp_path / "new.db", _TABLES[:3])
    with pytest.raises(
        hx.base.InputError, match=r"an MLflow database of schema 7, which has no params\.run_uuid"
    ):
        as_run(place)


def test_one_of_several_experiments_is_chosen(tmp_path):
    place = database(tmp_path / "mlflow.db", experiments=("one", "two"))
    with pytest.raises(hx.base.InputError, match="2 experiments") as caught:
        as_run(place)
    assert "'one', 'two'" in caught.value.remedy
    assert len(as_run(place, study_name="two")) == 3
    with pytest.raises(hx.base.InputError, match="'three' is not"):
        as_run(place, study_name="three")


def test_a_folder_of_runs_is_read_as_a_whole_or_one_experiment(tmp_path):
    place = folder(tmp_path)
    for path in (tmp_path, place, place / "0"):
        assert place_of(path).format.kind == "a folder of MLflow"
        run = as_run(path)
        assert run.objective_name == "metrics.val/loss"
        assert run.objective.tolist() == [3.0, 1.0, 2.0]
        assert run.space.names == ("kind", "lr")
        assert [*run.excluded] == [3]
