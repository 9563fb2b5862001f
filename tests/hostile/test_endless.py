"""No source is waited for, and none is read for ever."""

import bz2
import gzip
import json
import lzma
import os
import re
import sqlite3
import sys
import tracemalloc
import zipfile
from contextlib import closing
from functools import partial
from threading import Thread

import numpy as np
import optuna
import pandas as pd
import pytest

from hpo_explain.adapters import table_files
from hpo_explain.adapters.formats import runs_in
from hpo_explain.adapters.optuna.storage import study_names
from hpo_explain.adapters.sources import as_run
from hpo_explain.base.regular_files import open_regular
from tests.source_tree import modules

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


def within(seconds, ask):
    """What comes of a call, an error too, that takes no longer than so many seconds."""
    came = []

    def answer():
        try:
            came.append(ask())
        except Exception as error:
            came.append(error)

    thread = Thread(target=answer, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive()
    return came[0]


# ---------------------------------------------------------------------- pipes

POSIX = pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
TRIAL = '{"hyperparameters": {"space": [], "values": {}}, "score": 1, "status": "COMPLETED"}'
FOLDERS = {
    "KerasTuner": {"oracle.json": "{}", "trial_0/trial.json": None},
    "KerasTuner's oracle": {"oracle.json": None, "trial_0/trial.json": TRIAL},
    "Ray": {"experiment_state-1.json": "{}", "t/params.json": None, "t/result.json": "{}"},
    "Ray's state": {"experiment_state-1.json": None, "t/params.json": "{}", "t/result.json": ""},
    "Ray's results": {"t/params.json": "{}", "t/result.json": None, "experiment_state-1.json": ""},
    "SMAC": {"runhistory.json": None},
    "MLflow": {"e/meta.yaml": "name: e", "e/r/params/x": None, "e/r/meta.yaml": None},
}


def laid_out(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            os.mkfifo(folder / name)
        else:
            (folder / name).write_text(content)


@POSIX
@pytest.mark.parametrize("kind", FOLDERS)
def test_pipes_in_folders_of_runs(kind, tmp_path):
    laid_out(tmp_path, FOLDERS[kind])
    assert isinstance(within(10, lambda: as_run(tmp_path)), ValueError)


@POSIX
@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.db", "a.log", "a.pkl", "a.parquet"])
def test_a_pipe_itself(name, tmp_path):
    os.mkfifo(tmp_path / name)
    error = within(10, lambda: as_run(tmp_path / name, objective="loss"))
    assert "is a pipe, and only regular files are read. Write what comes out of it" in str(error)
    assert within(10, lambda: runs_in(tmp_path)) == []


@POSIX
@pytest.mark.parametrize("name", ["x.db-wal", "x.db-journal"])
def test_a_pipe_beside_a_database(name, tmp_path):
    sqlite3.connect(tmp_path / "x.db").execute("CREATE TABLE studies (x)").connection.close()
    os.mkfifo(tmp_path / name)
    for place in (tmp_path / "x.db", f"sqlite:///{tmp_path / 'x.db'}"):
        assert "is a pipe" in str(within(10, lambda place=place: as_run(place)))


@POSIX
def test_a_device():
    with pytest.raises(ValueError, match="is a device"):
        open_regular("/dev/zero")


READS = r"\.read_(?:text|bytes)\(|(?<![\w.])open\((?!\))|\.open\((?:\)|\"r|newline|encoding)"


def test_files_are_opened_for_reading_in_one_place():
    reading = {
        (module, line.strip())
        for module, path in modules().items()
        if module.startswith("hpo_explain")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(READS, line) and not line.strip().startswith((">>>", "..."))
    }
    assert {module for module, _ in reading} == {"hpo_explain.base.regular_files"}


# ---------------------------------------------------------------------- what is too large


def csv_of_many_columns(path):
    names = ",".join(f"c{i}" for i in range(1_000_000))
    path.write_text(f"{names},loss\n")


def row_of_many_cells(path):
    path.write_text("x,loss\n" + "1," * 1_000_000 + "1\n")


def json_of_many_columns(path):
    row = {f"c{i}": i for i in range(120_000)}
    path.write_text(json.dumps([row | {"loss": i} for i in range(3)]))


def parquet_of_many_columns(path):
    pd.DataFrame({f"c{i}": [1.0] for i in range(10_001)}).to_parquet(path)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        pytest.param("t.csv", csv_of_many_columns, marks=pytest.mark.merge),
        ("t.csv", row_of_many_cells),
        pytest.param("t.json", json_of_many_columns, marks=pytest.mark.merge),
        pytest.param("t.parquet", parquet_of_many_columns, marks=pytest.mark.merge),
    ],
)
def test_tables_of_too_many_columns(name, write, tmp_path):
    write(tmp_path / name)
    error = within(20, lambda: as_run(tmp_path / name, objective="loss"))
    assert re.search(r"has [\d,]+ columns, and at most 10,000 are read\. Write a table", str(error))


MEGABYTE = 1_000_000


def packed_csv(path):
    text = b"x,loss\n" + b"1,2\n" * MEGABYTE
    path.write_bytes(PACKED[path.suffix](text))


def parquet_of_one_value(path):
    pd.DataFrame({"x": np.zeros(MEGABYTE), "loss": np.zeros(MEGABYTE)}).to_parquet(path)


def workbook_of_zeros(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 4 * MEGABYTE)


PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": partial(lzma.compress, preset=0)}
BOMBS = {
    "t.csv.gz": packed_csv,
    "t.csv.bz2": packed_csv,
    "t.csv.xz": packed_csv,
    "t.parquet": parquet_of_one_value,
    "t.xlsx": workbook_of_zeros,
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_is_small_and_becomes_large(name, monkeypatch, tmp_path):
    """Of a file of kilobytes no more than the limit is unpacked, which is lower here."""
    monkeypatch.setattr(table_files, "_MOST_BYTES", MEGABYTE)
    BOMBS[name](tmp_path / name)
    assert (tmp_path / name).stat().st_size < MEGABYTE / 20
    tracemalloc.start()
    error = within(20, lambda: as_run(tmp_path / name, objective="loss"))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "holds more than 1 MB, which is the most to be read" in str(error)
    assert most < 3.5 * MEGABYTE


# ---------------------------------------------------------------------- databases


@pytest.fixture
def study(tmp_path):
    """The file of a study with a trial."""
    path = tmp_path / "study.db"
    sampler = optuna.samplers.RandomSampler(seed=0)
    made = optuna.create_study(storage=f"sqlite:///{path}", study_name="s", sampler=sampler)
    made.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    made._storage.remove_session()
    made._storage._backend.engine.dispose()
    return path


def altered(path, *statements):
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    return path


OTHER = "ALTER TABLE {table} RENAME TO other"
COMPUTED = {
    "a view": [OTHER, f"CREATE VIEW {{table}} AS SELECT other.* FROM other, ({ENDLESS})"],
    "a virtual table": [OTHER, "CREATE VIRTUAL TABLE {table} USING fts5({columns})"],
    "a computed column": ["ALTER TABLE {table} ADD COLUMN computed AS (hex(zeroblob(9)))"],
}


@pytest.mark.parametrize("kind", COMPUTED)
@pytest.mark.parametrize("table", ["studies", "trials", "trial_params"])
def test_what_computes_is_not_read(study, table, kind):
    with closing(sqlite3.connect(study)) as database:
        rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
    columns = ", ".join(name for (name,) in rows)
    altered(study, *[text.format(table=table, columns=columns) for text in COMPUTED[kind]])
    assert isinstance(within(20, lambda: as_run(study)), ValueError)
    error = within(20, lambda: as_run(f"sqlite:///{study}"))
    assert re.search("prohibited|not authorized", str(error))


def test_an_older_study_with_a_trigger_is_not_upgraded(study):
    altered(
        study,
        "DROP INDEX ix_trials_study_id",
        "UPDATE alembic_version SET version_num = 'v3.0.0.d'",
        "CREATE TRIGGER t AFTER UPDATE ON alembic_version BEGIN SELECT 1; END",
    )
    assert "has views or triggers" in str(within(20, lambda: as_run(study)))


def test_a_join_that_never_ends(study):
    """A hundred kilobytes of rows that are all of the same trial."""
    altered(
        study,
        "CREATE TABLE many AS SELECT t.* FROM trials t, "
        "(WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) SELECT i FROM n)",
        "CREATE TABLE more AS SELECT p.* FROM trial_params p, "
        "(WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000) SELECT i FROM n)",
        "DROP TABLE trials",
        "DROP TABLE trial_params",
        "ALTER TABLE many RENAME TO trials",
        "ALTER TABLE more RENAME TO trial_params",
    )
    assert "interrupted" in str(within(20, lambda: as_run(study)))


def test_a_long_name_is_told_shortened(study):
    altered(study, "UPDATE studies SET study_name = hex(zeroblob(5000000))")
    error = within(10, lambda: as_run(study, study_name="other"))
    assert len(str(error)) < 1000


@pytest.mark.skipif(sys.version_info < (3, 11), reason="SQLite's limits are not set before")
def test_a_name_of_a_hundred_megabytes(study):
    altered(study, "UPDATE studies SET study_name = hex(zeroblob(50000000))")
    assert "too big" in str(within(10, lambda: study_names(str(study))))
