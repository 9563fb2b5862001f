"""Studies in the database of a server; needs PostgreSQL and its driver."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import optuna
import pytest
from optuna.exceptions import StorageInternalError
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from hpo_explain.adapters.optuna.storage import load_study
from hpo_explain.adapters.sources import as_run

pytestmark = pytest.mark.merge


def program(name):
    """The path of a program, which need not be on the path of this process."""
    places = [os.environ["PATH"], *map(str, Path("/usr/lib/postgresql").glob("*/bin"))]
    return shutil.which(name, path=os.pathsep.join(places))


def unprivileged(user):
    """What stands before a command that refuses to be run by the administrator."""
    return ["runuser", "-u", user, "--"] if os.geteuid() == 0 else []


@contextmanager
def serving(command, address):
    """A server while it accepts connections."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        engine = create_engine(address)
        for _ in range(100):
            try:
                engine.connect().close()
                break
            except OperationalError:
                assert server.poll() is None, "the server has ended"
                time.sleep(0.1)
        engine.dispose()
        yield address
    finally:
        server.terminate()
        server.wait(30)


@contextmanager
def folder_of(user):
    """A folder that the server's user may enter, unlike those of the tests."""
    with tempfile.TemporaryDirectory(prefix="server-") as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, user)
        yield Path(folder)


@contextmanager
def postgresql():
    """The address of a PostgreSQL server; skips the test where it or its driver is missing."""
    initdb, server = program("initdb"), program("postgres")
    if not (initdb and server and find_spec("psycopg2")):
        pytest.skip("postgresql or psycopg2 is missing")
    owner = "postgres"
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    before = unprivileged(owner)
    with folder_of(owner) as folder:
        data = folder / "data"
        subprocess.run(
            [*before, initdb, "-D", data, "-U", owner, "-A", "trust", "--no-sync"],
            check=True,
            capture_output=True,
            cwd=folder,
        )
        command = [*before, server, "-D", data, "-p", str(port), "-k", folder, "-h", "127.0.0.1"]
        with serving(
            command, f"postgresql+psycopg2://{owner}@127.0.0.1:{port}/postgres"
        ) as address:
            yield address


@pytest.fixture(scope="module")
def address():
    with postgresql() as place:
        study = optuna.create_study(
            storage=place,
            study_name="tuned",
            sampler=optuna.samplers.TPESampler(seed=0, n_startup_trials=5),
        )
        study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0) ** 2, n_trials=12)
        yield place


def contents(address):
    """Every row of every table."""
    engine = create_engine(address)
    with engine.connect() as connection:
        names = connection.dialect.get_table_names(connection)
        found = {
            name: sorted(map(repr, connection.execute(text(f"SELECT * FROM {name}"))))
            for name in names
        }
    engine.dispose()
    return found


def test_a_study_is_read_and_nothing_is_written(address):
    before = contents(address)
    run = as_run(address)
    assert len(run) == 12
    assert run.space.names == ("x",)
    assert contents(address) == before


def test_the_server_refuses_to_write_for_the_reader(address):
    before = contents(address)
    study = load_study(address)
    with pytest.raises(StorageInternalError):
        study.set_user_attr("note", "written")
    with pytest.raises(StorageInternalError):
        study.ask()
    assert contents(address) == before


def test_an_empty_database_stays_empty(address):
    engine = create_engine(address, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("CREATE DATABASE hollow"))
    engine.dispose()
    hollow = address.rpartition("/")[0] + "/hollow"
    with pytest.raises(ValueError, match=r"holds no study|cannot be read"):
        as_run(hollow)
    assert contents(hollow) == {}
