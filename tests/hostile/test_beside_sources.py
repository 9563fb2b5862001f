"""Nothing beside a source is made, changed or kept, whoever reads it: its owner may be training."""

import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

import optuna
import pytest

import hpo_explain
from hpo_explain.adapters.formats import what_it_is
from hpo_explain.adapters.sources import as_run


def others_may_enter(*files):
    """Say whether another user may read some files: nobody above them is private."""
    return all(
        folder.stat().st_mode & 0o001 for file in files for folder in Path(file).resolve().parents
    )


pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="users and forks of POSIX"),
    pytest.mark.skipif(
        os.name == "posix" and not others_may_enter(hpo_explain.__file__, optuna.__file__),
        reason="another user cannot import what is here",
    ),
]

NOBODY = 65534
MLFLOW = """
CREATE TABLE experiments (experiment_id, name);
CREATE TABLE runs (run_uuid, experiment_id, status, start_time, end_time);
CREATE TABLE params (run_uuid, key, value);
CREATE TABLE metrics (run_uuid, key, value);
INSERT INTO experiments VALUES (1, 'e');
INSERT INTO runs VALUES ('a', 1, 'FINISHED', 0, 1), ('b', 1, 'FINISHED', 1, 2);
INSERT INTO params VALUES ('a', 'x', '1'), ('b', 'x', '2');
INSERT INTO metrics VALUES ('a', 'loss', 1.0), ('b', 'loss', 2.0);
"""


@pytest.fixture
def shared():
    """A folder into which everybody may write."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def by(user, read):
    """Whether a child that is another user could read; of root's children only."""
    if (child := os.fork()) == 0:
        code = 1
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setuid(user)
            code = 0 if read() else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def listed(folder):
    """All that lies in a folder, with its content, its owner and its mode."""
    return {
        path.name: (path.stat().st_uid, path.stat().st_mode, path.read_bytes())
        for path in folder.iterdir()
    }


def add_trial(study, x):
    kind = optuna.distributions.FloatDistribution(0, 1)
    study.add_trial(optuna.create_trial(params={"x": x}, distributions={"x": kind}, value=x))


@pytest.fixture
def training(shared):
    """A study with a write-ahead log, and what it is read by when all is imported."""
    study = optuna.create_study(storage=f"sqlite:///{shared / 'study.db'}", study_name="s")
    with closing(sqlite3.connect(shared / "study.db")) as database:
        database.execute("PRAGMA journal_mode = WAL")
    for x in (0.1, 0.2):
        add_trial(study, x)
    as_run(shared / "study.db")
    return study


def let_go(study):
    study._storage.remove_session()
    study._storage._backend.engine.dispose()


@pytest.mark.parametrize("log", ["at rest", "of a live training", "left by a training"])
@pytest.mark.parametrize(
    "address",
    [
        "{}",
        pytest.param("sqlite:///{}", marks=pytest.mark.thorough),
        pytest.param("sqlite:///{}?timeout=3", marks=pytest.mark.thorough),
    ],
)
def test_a_study_with_a_write_ahead_log_of_another_user(training, shared, log, address):
    held = closing(sqlite3.connect(shared / "study.db"))
    with held as writer:
        writer.execute("SELECT * FROM trials").fetchone()
        add_trial(training, 0.3)
        if log == "left by a training":
            for path in [*shared.glob("study.db*")]:
                if not path.name.endswith("-shm"):
                    shutil.copy2(path, shared / path.name.replace("study", "left"))
        elif log == "at rest":
            let_go(training)
            writer.close()
        name = "left.db" if log == "left by a training" else "study.db"
        before = listed(shared)
        assert (f"{name}-wal" in before) == (log != "at rest")
        place = address.format(shared / name)
        assert by(NOBODY, lambda: len(as_run(place)) == 3)
        assert listed(shared) == before
        add_trial(training, 0.4)
    let_go(training)
    assert len(as_run(place)) == (3 if log == "left by a training" else 4)


def test_a_database_of_mlflow(shared):
    path = shared / "mlflow.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(MLFLOW)
    before = listed(shared)
    assert [*before] == ["mlflow.db"]
    assert len(as_run(path, direction="minimize")) == 2
    assert by(NOBODY, lambda: len(as_run(path, direction="minimize")) == 2)
    assert what_it_is(path).endswith("the tables experiments, metrics, params, runs")
    assert listed(shared) == before


def test_a_log_that_begins_anew_while_it_is_copied(training, shared, monkeypatch):
    """What is read is one state of the database, not parts of two."""
    path = shared / "study.db"
    copies, copy = [], shutil.copyfileobj

    def copies_slowly(source, target, length):
        copy(source, target, length)
        copies.append(target.name)
        if len(copies) == 1:  # the database is copied, its log is not
            with closing(sqlite3.connect(path)) as writer:
                writer.execute("PRAGMA wal_checkpoint(RESTART)")
            add_trial(training, 0.3)

    held = closing(sqlite3.connect(path))
    with held as reader:
        reader.execute("SELECT * FROM trials").fetchone()
        add_trial(training, 0.25)
        monkeypatch.setattr(shutil, "copyfileobj", copies_slowly)
        assert len(as_run(path)) == 4
    assert copies[0] in copies[2:]
    let_go(training)


def test_copies_are_removed(training, shared, monkeypatch):
    place = shared / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with closing(sqlite3.connect(shared / "study.db")) as held:
        held.execute("SELECT * FROM trials").fetchone()
        add_trial(training, 0.3)
        assert len(as_run(shared / "study.db")) == 3
    let_go(training)
    until = time.monotonic() + 5.0
    while [*place.iterdir()] and time.monotonic() < until:
        time.sleep(0.05)
    assert [*place.iterdir()] == []
