"""What is written to: only a regular file is replaced, and it stays whose it was."""

import contextlib
import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from hpo_explain.reporting._file import check_place, write_atomically
from tests.source_tree import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files of POSIX")

WRITES = """
import runpy, sys
from pathlib import Path
print("before")
runpy.run_path(sys.argv[2])["write_atomically"](Path(sys.argv[1]), "content\\n")
print("after")
"""


def test_a_device_stays_one(tmp_path):
    null = tmp_path / "null"
    try:
        os.mknod(null, stat.S_IFCHR | 0o666, Path(os.devnull).stat().st_rdev)
        write_atomically(null, "content")
    except PermissionError:
        pytest.skip("only root makes devices, where they are allowed")
    assert stat.S_ISCHR(null.stat().st_mode)
    assert [*tmp_path.iterdir()] == [null]


def test_the_null_device_itself(tmp_path):
    linked = tmp_path / "report.html"
    linked.symlink_to(os.devnull)
    write_atomically(linked, "content")
    assert linked.is_symlink()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_links_in_a_circle_are_an_error_of_the_place(tmp_path):
    path = tmp_path / "report.html"
    path.symlink_to("other.html")
    (tmp_path / "other.html").symlink_to(path)
    for write in (check_place, lambda path: write_atomically(path, "x")):
        with contextlib.suppress(OSError):  # newer Pythons replace the link
            write(path)
    if not path.is_symlink():
        assert path.read_text() == "x"


def test_no_pipe_that_others_put_beside_it_is_waited_for(tmp_path):
    os.mkfifo(tmp_path / ".report.html.0123456789ab.part")
    thread = Thread(
        target=write_atomically, args=(tmp_path / "report.html", "content"), daemon=True
    )
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
    assert (tmp_path / "report.html").read_text() == "content"


def test_a_pipe_is_written_into(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_atomically(pipe, "content")
    reader.join(10)
    assert read == ["content"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("to_a_file", [False, True])
def test_standard_output_keeps_what_was_and_will_be_written(tmp_path, to_a_file):
    writer = ROOT / "hpo_explain" / "reporting" / "_file.py"
    command = [sys.executable, "-c", WRITES, "/dev/stdout", writer]
    out = tmp_path / "out"
    with out.open("wb") as file:
        done = subprocess.run(
            command,
            stdout=file if to_a_file else subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=True,
        )
    written = out.read_bytes() if to_a_file else done.stdout
    assert written == b"before\ncontent\nafter\n"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
@pytest.mark.parametrize("linked", [False, True])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode, linked):
    path = target = tmp_path / "report.html"
    target.write_text("old")
    target.chmod(mode)
    if linked:
        path = tmp_path / "link.html"
        path.symlink_to(target)
    before = target.stat()
    write_atomically(path, "new")
    after = target.stat()
    assert stat.S_IMODE(after.st_mode) == mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino  # replaced in one step
    assert target.read_text() == "new"
    assert path.is_symlink() == linked


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="gives files away")
def test_a_replaced_file_keeps_its_owner(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    os.chown(path, 12345, 23456)
    write_atomically(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)
    # who cannot give it back writes into it
    before = path.stat().st_ino
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    write_atomically(path, "newer")
    assert path.stat().st_ino == before
    assert path.read_text() == "newer"


WRITES_AGAIN = """
import runpy, sys
from pathlib import Path
write = runpy.run_path(sys.argv[2])["write_atomically"]
for _ in range(100):
    write(Path(sys.argv[1]), sys.argv[3] * 1_000_000)
"""


def check_whole(path, writers):
    """Read a file for as long as somebody writes it, and look at what is there each time."""
    seen = set()
    while any(is_busy() for is_busy in writers):
        text = path.read_text() if path.exists() else "-" * 1_000_000
        assert len(text) == 1_000_000
        assert len({*text}) == 1
        seen.add(text[0])
    assert [*path.parent.iterdir()] == [path]
    return seen


def test_two_processes_that_write_one_file(tmp_path):
    path = tmp_path / "report.html"
    module = ROOT / "hpo_explain" / "reporting" / "_file.py"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITES_AGAIN, path, module, letter],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        for letter in "ab"
    ]
    assert {*"ab"} & check_whole(path, [lambda p=p: p.poll() is None for p in processes])
    assert [process.wait() for process in processes] == [0, 0]


def test_twenty_threads_that_write_one_file(tmp_path):
    path = tmp_path / "report.html"
    letters = "abcdefghijklmnopqrst"
    threads = [
        Thread(target=lambda a=a: [write_atomically(path, a * 1_000_000) for _ in range(5)])
        for a in letters
    ]
    for thread in threads:
        thread.start()
    check_whole(path, [thread.is_alive for thread in threads])
    assert path.read_text()[0] in letters
