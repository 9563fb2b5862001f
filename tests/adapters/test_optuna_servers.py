"""Studies in the databases of servers; needs PostgreSQL or MariaDB, and a driver of each."""

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
from click.testing import CliRunner
from optuna.exceptions import StorageInternalError
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from hpo_explain.adapters.optuna.storage import load_study, read_storage
from hpo_explain.cli import main


def program(*names, folders=("/usr/lib/postgresql/*/bin", "/usr/sbin")):
    """The path of the first program that there is."""
    places = [os.environ["PATH"], *(str(p) for f in folders for p in Path("/").glob(f[1:]))]
    found = (shutil.which(name, path=os.pathsep.join(places)) for name in names)
    return next((path for path in found if path), None)


INITDB, POSTGRES = program("initdb"), program("postgres")
INSTALL_DB, MARIADB = program("mariadb-install-db"), program("mariadbd")


def unprivileged(user):
    """What stands before a command that refuses to be run by the administrator."""
    return ["runuser", "-u", user, "--"] if os.geteuid() == 0 else []


def free_port():
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


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


@pytest.fixture(scope="module")
def postgresql():
    if not (INITDB and POSTGRES and find_spec("psycopg2")):
        pytest.skip("postgresql or psycopg2 is missing")
    owner, port = "postgres", free_port()
    before = unprivileged(owner)
    with folder_of(owner) as folder:
        data = folder / "data"
        subprocess.run(
            [*before, INITDB, "-D", data, "-U", owner, "-A", "trust", "--no-sync"],
            check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        command = [*before, POSTGRES, "-D", data, "-p", str(port), "-k", folder, "-h", "127.0.0.1"]
        with serving(
            command, f"postgresql+psycopg2://{owner}@127.0.0.1:{port}/postgres"
        ) as address:
            yield address


@pytest.fixture(scope="module")
def mysql():
    if not (INSTALL_DB and MARIADB and find_spec("pymysql")):
        pytest.skip("mariadb or pymysql is missing")
    owner, port = "mysql", free_port()
    before = unprivileged(owner)
    with folder_of(owner) as folder:
        data, start = folder / "data", folder / "start.sql"
        statements = [
            "CREATE DATABASE trials CHARACTER SET utf8mb4;",
            "CREATE USER u@'127.0.0.1' IDENTIFIED BY 'secret';",
            "GRANT ALL ON *.* TO u@'127.0.0.1';",
        ]
        start.write_text("\n".join(statements), encoding="utf-8")
        subprocess.run(
            [*before, INSTALL_DB, "--no-defaults", f"--datadir={data}", "--skip-test-db"],
            check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        command = [
            *before, MARIADB, "--no-defaults", f"--datadir={data}", f"--port={port}",
            f"--socket={folder / 's'}", "--bind-address=127.0.0.1", "--skip-name-resolve",
            f"--init-file={start}", f"--pid-file={folder / 'pid'}",
        ]  # fmt: skip
        with serving(command, f"mysql+pymysql://u:secret@127.0.0.1:{port}/trials") as address:
            yield address


@pytest.fixture(scope="module", params=["postgresql", "mysql"])
def address(request):
    place = request.getfixturevalue(request.param)
    study = optuna.create_study(
        storage=place, study_name="tuned",
        sampler=optuna.samplers.TPESampler(seed=0, n_startup_trials=5),
    )  # fmt: skip
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0) ** 2, n_trials=12)
    return place


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
    run = read_storage(address)
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
        read_storage(hollow)
    assert contents(hollow) == {}


def test_the_command_line_takes_the_address_and_hides_its_password(address, tmp_path):
    done = CliRunner().invoke(
        main, ["report", address, "--out", str(tmp_path / "r.html")], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    wrong = CliRunner().invoke(main, ["importance", address, "--study-name", "other"])
    assert wrong.exit_code == 1
    assert "other" in wrong.stderr
    assert "tuned" in wrong.stderr
    assert "secret" not in wrong.output


def test_a_server_that_does_not_answer_is_told(address):
    nowhere = address.replace(address.rpartition(":")[2].partition("/")[0], str(free_port()))
    done = CliRunner().invoke(main, ["importance", nowhere])
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    assert "secret" not in done.output
    assert "127.0.0.1" in done.stderr
