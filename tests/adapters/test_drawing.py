"""The process that draws a report: what it answers, and that it never outlives its purpose."""

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hpo_explain.adapters import _drawing
from hpo_explain.adapters._by_value import by_value
from hpo_explain.adapters._one_writer import one_writer
from tests.adapters.drawn import Code, drawing

posix = pytest.mark.skipif(os.name != "posix", reason="signals and processes as POSIX has them")
SLEEP = "import time; open({file!r}, 'w').write(str(__import__('os').getpid())); time.sleep(60)"


def answer_to(path, content, **fields):
    answers = []
    drawing(path, content, answers.append, **fields).wait()
    return answers[0]


def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def number_in(file):
    """The number of a process that has written it into a file."""
    assert until(lambda: file.exists() and file.read_text())
    return int(file.read_text())


def exists(number, *, zombies=False):
    """Whether a process runs. What remains of an orphan until its end is noticed is no matter."""
    try:
        os.kill(number, 0)
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # no Linux, or just gone
        return not Path("/proc/self/stat").exists()
    return zombies or state != "Z"


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_the_time_of_a_processor_is_told_and_nothing_is_left_behind(tmp_path):
    before = os.times()
    burn = "import time\nwhile time.process_time() < 0.6: pass\ntime.sleep(0.3)"
    answer = answer_to(tmp_path / "r.html", Code(burn))
    after = os.times()
    assert (answer.busy, answer.failures) == (False, ())
    assert names(tmp_path) == []
    # the operating system's account of the process that has ended
    spent = sum(after[2:4]) - sum(before[2:4])
    assert 0.58 <= answer.seconds <= spent + 0.02  # in ticks of 0.01
    assert answer.seconds >= spent - 0.1  # its last moments are not counted


def test_what_fails_is_told_with_its_place(tmp_path):
    answer = answer_to(tmp_path / "r.html", Code("raise OSError(28, 'No space left on device')"))
    (failure,) = answer.failures
    assert not answer.written
    assert failure.kind == "OSError"
    assert "No space left" in failure.message
    assert "Traceback" in failure.traceback
    assert failure.place.startswith("<string>:1")


def test_what_is_printed_logged_and_warned_of_there_does_not_spoil_the_answer(
    tmp_path, capfd, monkeypatch
):
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    code = (
        "import logging, os, warnings; print('printed', flush=True); os.write(1, b'written'); "
        "logging.getLogger('hpo_explain.x').error('logged %s', 1); warnings.warn('a warning')"
    )
    answer = answer_to(tmp_path / "r.html", Code(code))
    assert answer.failures == ()
    told = [(record.levelno, record.getMessage()) for record in answer.records]
    assert told == [(logging.ERROR, "logged 1"), (logging.INFO, "UserWarning: a warning")]
    out, err = capfd.readouterr()
    assert out == ""
    assert "printed" in err
    assert "written" in err


def test_while_another_one_writes_it_does_not(tmp_path):
    with one_writer(tmp_path / "r.html") as mine:
        assert mine
        answer = answer_to(tmp_path / "r.html", Code("raise ValueError"))
    assert answer.busy
    assert not answer.written
    assert answer.failures == ()


def test_functions_of_the_main_program_arrive(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import pickle, sys\n"
        "from hpo_explain.adapters._by_value import dumped\n"
        "class Mine:\n"
        "    factor = 3\n"
        "def triple(n):\n"
        "    return Mine.factor * n\n"
        "sys.stdout.buffer.write(dumped([triple, lambda n: triple(n) + 1]))\n"
    )
    data = subprocess.run(
        [sys.executable, str(program)], stdout=subprocess.PIPE, check=True, timeout=60
    ).stdout
    code = "import pickle, sys; f, g = pickle.load(sys.stdin.buffer); print(f(2), g(2))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=data, stdout=subprocess.PIPE, check=True, timeout=60
    )
    assert done.stdout.split() == [b"6", b"7"]
    with pytest.raises(Exception, match="pickle"):
        __import__("pickle").dumps(by_value(one_writer.__wrapped__(tmp_path)))  # a generator


# ---------------------------------------------------------------------- its end


@posix
def test_one_that_is_killed_is_told_of(tmp_path):
    answers = []
    subject = drawing(
        tmp_path / "r.html", Code(SLEEP.format(file=f"{tmp_path}/pid")), answers.append
    )
    number = number_in(tmp_path / "pid")
    os.kill(number, signal.SIGKILL)
    subject.wait()
    (failure,) = answers[0].failures
    assert "exit code -9" in failure.message
    assert answers[0].seconds > 0.0
    assert not exists(number, zombies=True)


@posix
def test_one_that_is_stopped_tidies_up_and_says_nothing(tmp_path):
    answers = []
    subject = drawing(
        tmp_path / "r.html", Code(SLEEP.format(file=f"{tmp_path}/pid")), answers.append
    )
    number = number_in(tmp_path / "pid")
    assert ".r.html.lock" in names(tmp_path)
    subject.stop()
    subject.wait()
    assert subject.is_over
    assert answers == []
    assert not exists(number, zombies=True)
    assert names(tmp_path) == ["pid"]


@posix
def test_one_that_does_not_heed_it_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(_drawing, "_PATIENCE", 0.3)
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    subject = drawing(tmp_path / "r.html", Code(deaf + SLEEP.format(file=f"{tmp_path}/pid")))
    number = number_in(tmp_path / "pid")
    subject.stop()
    subject.wait(0.1)
    assert not subject.is_over
    subject.wait()
    assert not exists(number, zombies=True)


PARENT = """
import os, sys, time
from tests.adapters.drawn import Code, drawing
subject = drawing(sys.argv[1] + "/r.html", Code(sys.argv[2]))
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
        assert until(lambda: not exists(number), 5.0)
    assert names(tmp_path) == ["pid"]
