"""Opening storages for reading only."""

import gc
import shutil
import sqlite3
import sys

import optuna
import pytest
from optuna.exceptions import StorageInternalError
from optuna.trial import FrozenTrial

from hpo_explain.adapters.addresses import shown_address
from hpo_explain.adapters.optuna._databases import reading_options
from hpo_explain.adapters.optuna.storage import load_study
from hpo_explain.adapters.sources import as_run


def create(storage, n_trials=3, **options):
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(storage=storage, sampler=sampler, **options)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=n_trials)
    if isinstance(storage, str):
        study._storage.remove_session()
        study._storage._backend.engine.dispose()


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    create("sqlite:///study.db", study_name="first")
    return tmp_path / "study.db"


def test_a_run_is_read_with_the_adapters_options(file):
    run = as_run("sqlite:///study.db", study_name="first", target=lambda trial: -trial.value)
    assert (len(run), run.name) == (3, "first")
    assert (run.objective < 0).all()


@pytest.mark.parametrize("enabled", [True, False])
def test_no_garbage_is_looked_for_while_a_study_is_read(file, monkeypatch, enabled):
    # 100,000 trials of 30 hyperparameters took twice as long
    asked = []
    read = FrozenTrial.__init__

    def reads(trial, *given, **named):
        asked.append(gc.isenabled())
        read(trial, *given, **named)

    monkeypatch.setattr(FrozenTrial, "__init__", reads)
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        as_run(f"sqlite:///{file}")
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()
    assert asked
    assert not any(asked)


@pytest.mark.parametrize(
    "address",
    [
        "study.db",
        "sqlite+pysqlite:///study.db",
        "sqlite:///study.db?timeout=3",
        "sqlite:///file:study.db?mode=rwc&uri=true",
    ],
)
def test_sqlite_itself_refuses_to_write(file, address):
    study = load_study(address)
    with pytest.raises(StorageInternalError) as caught:
        study.set_user_attr("key", 1)
    assert "readonly" in str(caught.value.__cause__)
    study._storage.remove_session()
    file.unlink()


def test_a_file_with_a_name_that_an_address_would_misread_is_found(file):
    shutil.move("study.db", "a #1 study.db")
    assert len(as_run("sqlite:///a #1 study.db")) == 3
    shutil.move("a #1 study.db", "what? {100%25}.db")
    assert len(as_run("what? {100%25}.db")) == 3


def test_what_an_older_optuna_wrote_is_read_from_a_copy(file):
    """Its own upgrade needs a file that it may write to; the user's stays as it is."""
    with sqlite3.connect(file) as database:
        database.execute("DROP INDEX ix_trials_study_id")
        database.execute("UPDATE alembic_version SET version_num = 'v3.0.0.d'")
    database.close()
    before = file.read_bytes()
    with pytest.raises(RuntimeError, match="optuna storage upgrade"):
        optuna.load_study(study_name="first", storage=f"sqlite:///{file}")
    assert len(as_run("study.db")) == 3
    assert file.read_bytes() == before


def test_tables_with_more_columns_are_left_to_optuna(file):
    with sqlite3.connect(file) as database:
        database.execute("ALTER TABLE trial_params ADD COLUMN more TEXT")
    database.close()
    assert len(as_run("study.db")) == 3


def test_a_missing_file_is_not_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for address in ("sqlite:///no.db", "sqlite:////nowhere/no.db", "no.log"):
        with pytest.raises(ValueError, match=r"no file|neither a file"):
            load_study(address)
    assert list(tmp_path.iterdir()) == []


def test_a_database_without_tables_gets_none(tmp_path):
    path = tmp_path / "empty.db"
    sqlite3.connect(path).execute("create table other (x)").connection.close()
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"cannot be read as an Optuna storage: .*no such table"):
        load_study(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_a_locked_file_is_a_timeout(file):
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(TimeoutError, match=r"is locked: another process is writing to it"):
        as_run("sqlite:///study.db?timeout=0.01")
    other.execute("rollback")
    other.close()


def test_what_is_in_a_write_ahead_log_is_read(file):
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("pragma journal_mode=wal")
    writer.execute("pragma wal_autocheckpoint=0")
    writer.execute("update trial_values set value = 7.5 where trial_id = 1")
    assert as_run("sqlite:///study.db").objective[0] == 7.5
    writer.close()


def test_other_databases_are_asked_to_refuse_writing():
    postgres = {"execution_options": {"postgresql_readonly": True}}
    assert reading_options("postgresql+psycopg2://me@host/db") == postgres
    mysql = {"connect_args": {"init_command": "SET SESSION TRANSACTION READ ONLY"}}
    assert reading_options("mysql+pymysql://me@host/db") == mysql
    assert reading_options("mysql+another://me@host/db") == {}
    assert reading_options("sqlite://") == {}


@pytest.mark.parametrize("address", ["://", "sqlite:///study.db?timeout=long", "sqlite://host/x"])
def test_what_is_no_address_is_said(file, address):
    with pytest.raises(ValueError, match="storage"):
        load_study(address)


def test_a_password_is_not_shown(file):
    assert shown_address("mysql://me:secret@host/db") == "mysql://me:***@host/db"
    assert shown_address("study.log") == "study.log"
    assert shown_address("://") == "://"
    with pytest.raises(ValueError, match=r"me:\*\*\*@host") as caught:
        load_study("oracle://me:secret@host/db")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("driver", "module", "package"),
    [("mysql", "MySQLdb", "mysqlclient"), ("postgresql+psycopg", "psycopg", "psycopg[binary]")],
)
def test_a_missing_driver_is_named_with_the_line_that_installs_it(
    driver, module, package, monkeypatch
):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ValueError, match=r"pip install") as caught:
        as_run(f"{driver}://me:secret@localhost/trials")
    assert f"needs the package {module}" in str(caught.value)
    assert str(caught.value).endswith(f"pip install '{package}'")
    assert "secret" not in str(caught.value)
