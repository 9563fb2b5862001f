"""Database servers that a test starts for itself, in a folder of its own."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError


def program(*names, folders=("/usr/lib/postgresql/*/bin", "/usr/sbin")):
    """The path of the first program that there is."""
    places = [os.environ["PATH"], *(str(p) for f in folders for p in Path("/").glob(f[1:]))]
    found = (shutil.which(name, path=os.pathsep.join(places)) for name in names)
    return next((path for path in found if path), None)


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


@contextmanager
def postgresql():
    """The address of a PostgreSQL server; skips the test where it or its driver is missing."""
    initdb, server = program("initdb"), program("postgres")
    if not (initdb and server and find_spec("psycopg2")):
        pytest.skip("postgresql or psycopg2 is missing")
    owner, port = "postgres", free_port()
    before = unprivileged(owner)
    with folder_of(owner) as folder:
        data = folder / "data"
        subprocess.run(
            [*before, initdb, "-D", data, "-U", owner, "-A", "trust", "--no-sync"],
            check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        command = [*before, server, "-D", data, "-p", str(port), "-k", folder, "-h", "127.0.0.1"]
        with serving(
            command, f"postgresql+psycopg2://{owner}@127.0.0.1:{port}/postgres"
        ) as address:
            yield address


@contextmanager
def mysql():
    """The address of a MariaDB server; skips the test where it or its driver is missing."""
    install, server = program("mariadb-install-db"), program("mariadbd")
    if not (install and server and find_spec("pymysql")):
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
            [*before, install, "--no-defaults", f"--datadir={data}", "--skip-test-db"],
            check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        command = [
            *before, server, "--no-defaults", f"--datadir={data}", f"--port={port}",
            f"--socket={folder / 's'}", "--bind-address=127.0.0.1", "--skip-name-resolve",
            f"--init-file={start}", f"--pid-file={folder / 'pid'}",
        ]  # fmt: skip
        with serving(command, f"mysql+pymysql://u:secret@127.0.0.1:{port}/trials") as address:
            yield address
