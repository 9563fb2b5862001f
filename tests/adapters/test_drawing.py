"""The process that draws a report: it never outlives its purpose, and leaves nothing."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from hpo_explain.adapters import _drawing
from hpo_explain.adapters._drawing import Drawing, Page, Turn
from tests.adapters.executed import executed
from tests.processes import is_there, until

pytestmark = pytest.mark.merge

posix = pytest.mark.skipif(os.name != "posix", reason="signals and processes as POSIX has them")
BUSY = 90.0  # seconds: what draws gives way, so on a busy machine it begins late
SLEEP = "import time; open({file!r}, 'w').write(str(__import__('os').getpid())); time.sleep(60)"


def drawing(path, code, done=lambda _: None, *, gives_way=True):
    """A process that runs some code in place of drawing."""
    page = Page(Path(path), code)
    turn = Turn(Path(path).parent)
    assert turn.is_mine
    with patch.object(_drawing, "draw", executed):
        return Drawing(page, done, gives_way=gives_way, turn=turn)


def number_in(file):
    """The number of a process that has written it into a file."""
    assert until(lambda: file.exists() and file.read_text(), BUSY)
    return int(file.read_text())


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_what_fails_there_is_told_with_its_place_and_nothing_is_left(tmp_path):
    answers = []
    code = "import warnings; warnings.warn('a warning'); raise OSError(28, 'No space left')"
    drawing(tmp_path / "r.html", code, answers.append, gives_way=False).wait()
    error = answers[0].exception()
    assert isinstance(error, OSError)
    assert "No space left" in str(error)
    assert 'File "<string>", line 1' in str(error.__cause__)
    assert names(tmp_path) == []


def test_it_gives_way_to_the_optimization_whose_process_may_be_a_daemon(tmp_path, monkeypatch):
    """As a worker of a pool is."""
    settings = multiprocessing.current_process()._config
    monkeypatch.setitem(settings, "daemon", True)
    code = f"import os; open({str(tmp_path / 'nice')!r}, 'w').write(str(os.nice(0)))"
    drawing(tmp_path / "r.html", code).wait()
    nicest = 19  # which a process cannot exceed
    expected = min(os.nice(0) + 10, nicest)
    assert int((tmp_path / "nice").read_text()) == expected
    assert names(tmp_path) == ["nice"]


# ---------------------------------------------------------------------- its end


@posix
def test_one_that_is_killed_is_told_of(tmp_path):
    answers = []
    subject = drawing(tmp_path / "r.html", SLEEP.format(file=f"{tmp_path}/pid"), answers.append)
    number = number_in(tmp_path / "pid")
    os.kill(number, signal.SIGKILL)
    subject.wait()
    assert "SIGKILL" in str(answers[0].exception())
    assert until(lambda: not is_there(number), BUSY)


@posix
def test_one_that_is_stopped_says_nothing_and_leaves_nothing(tmp_path):
    answers = []
    subject = drawing(tmp_path / "r.html", SLEEP.format(file=f"{tmp_path}/pid"), answers.append)
    number = number_in(tmp_path / "pid")
    assert not Turn(tmp_path).is_mine
    subject.stop()
    assert subject.is_over
    assert answers == []
    assert not is_there(number)
    assert names(tmp_path) == ["pid"]
    assert Turn(tmp_path).is_mine


PARENT = """
import os, sys, time
from tests.adapters.test_drawing import drawing
subject = drawing(sys.argv[1] + "/r.html", sys.argv[2])
while not os.path.exists(sys.argv[1] + "/pid"):
    time.sleep(0.02)
if sys.argv[3] == "fork" and os.fork() == 0:
    time.sleep(5)  # keeps open what its parent had open
    os._exit(0)
print(flush=True)
if sys.argv[3] != "exit":
    time.sleep(60)
"""


@posix
@pytest.mark.parametrize("how", ["killed", "fork", "exit"])
def test_it_ends_with_the_process_that_asked_however_that_ends(how, tmp_path):
    code = SLEEP.format(file=f"{tmp_path}/pid")
    command = [sys.executable, "-c", PARENT, str(tmp_path), code, how]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        parent.stdout.readline()
        number = number_in(tmp_path / "pid")
        if how != "exit":
            parent.kill()
        assert until(lambda: not is_there(number), 5.0)
