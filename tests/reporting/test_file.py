"""A file is replaced as a whole, and what a killed process leaves behind is removed."""

import os
import signal
import subprocess
import sys

import pytest

from hpo_explain.reporting._file import check_place, write_atomically


@pytest.mark.merge
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
        # what another process is writing stays
        write_atomically(path, "old as well")
        (left,) = tmp_path.glob(".*.part")
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert path.read_text() == "old as well"
    assert left.stat().st_size == 300_000
    write_atomically(path.with_name("other.html"), "another file")
    assert left.exists()
    write_atomically(path, "newer")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["other.html", "report.html"]


def test_where_no_file_may_be_made_is_seen_before_the_work(tmp_path, monkeypatch):
    check_place(tmp_path / "r.html")
    monkeypatch.setattr(os, "access", lambda *_: False)  # as of a folder of others
    with pytest.raises(PermissionError, match=r"no file may be made in '.*'") as told:
        check_place(tmp_path / "r.html")
    assert "\n" not in str(told.value)
    check_place(os.devnull)  # which is written into
