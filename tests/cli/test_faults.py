"""Whatever happens while a file is written: the old one stays whole, and one line says why."""

import errno
import io
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hpo_explain.reporting import page

COMMANDS = {
    "out/report.html": ("report", "study.db", "--out", "out/report.html"),
    "out/trials.csv": ("export", "study.db", "--out", "out", "--table", "trials"),
    "out/plot.svg": ("history", "study.db", "--plot", "out/plot.svg"),
}


@pytest.fixture(params=COMMANDS)
def old(request, folder, study, monkeypatch):
    """A file that is there, in a folder of its own; the report has no sections."""
    monkeypatch.setattr(page, "SECTIONS", ())
    path = Path(request.param)
    path.parent.mkdir()
    path.write_text("old")
    return path


@pytest.fixture
def opened(monkeypatch):
    """Replace how a file is opened to be written."""

    def use(open_file):
        real = Path.open

        def opening(path, mode="r", *more, **options):
            opener = open_file if "x" in mode or "w" in mode else real
            return opener(path, mode, *more, **options)

        monkeypatch.setattr(Path, "open", opening)

    return use


class FullDisk(io.FileIO):
    """A file for which there is place for its first half only."""

    def write(self, data):
        super().write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def check_told(outcome, path, code):
    assert outcome.exit_code == 1
    told = [line for line in outcome.stderr.splitlines() if line.startswith("Error: ")]
    assert told == [outcome.stderr.splitlines()[-1]]
    assert os.strerror(code) in told[0]
    assert told[0].endswith(f"'{path}'")
    assert "Traceback" not in outcome.output


def test_a_disk_that_is_full_half_way(run, old, opened):
    opened(lambda path, mode: FullDisk(path, mode))
    check_told(run(*COMMANDS[str(old)]), old, errno.ENOSPC)
    assert old.read_text() == "old"
    assert [*old.parent.iterdir()] == [old]


def test_a_folder_that_is_read_only(run, old, opened):
    def refuse(path, mode):  # by chmod nothing is refused to an administrator
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    opened(refuse)
    check_told(run(*COMMANDS[str(old)]), old, errno.EROFS)
    assert old.read_text() == "old"
    assert [*old.parent.iterdir()] == [old]


@pytest.mark.parametrize("written", [False, True])
def test_a_folder_that_disappears(run, old, monkeypatch, written):
    """Before the file is opened, or when it is written and not yet in its place."""
    if written:
        monkeypatch.setattr(os, "fsync", lambda _: shutil.rmtree(old.parent))
    else:
        monkeypatch.setattr("secrets.token_hex", lambda _: str(shutil.rmtree(old.parent)))
    check_told(run(*COMMANDS[str(old)]), old, errno.ENOENT)
    assert not old.parent.exists()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_process_that_is_killed_while_it_writes(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    code = """
import os, sys, time
from pathlib import Path
from hpo_explain.reporting._file import write_atomically
os.fsync = lambda _: (print("written", flush=True), time.sleep(60))
write_atomically(Path(sys.argv[1]), "new" * 100_000)
"""
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "written\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
