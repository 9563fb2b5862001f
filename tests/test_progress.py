"""The line that shows on a terminal how far long work is."""

import errno
import io
import os
import re
import shutil
import subprocess
import sys
import threading
from types import SimpleNamespace

import joblib
import pytest

import hpo_explain as hx
from hpo_explain.base import progress as _progress
from hpo_explain.base.progress import progress_of, shows_progress, steps
from hpo_explain.base.workers import by_workers
from hpo_explain.reporting import Report
from tests.handmade import tuning_run
from tests.public import functions, public
from tests.source_tree import ROOT


class Terminal(io.StringIO):
    """Keeps what was written to it."""

    encoding = "utf-8"

    def isatty(self):
        return True

    @property
    def looks(self):
        """What could be read on it, one after the other."""
        return [line.strip() for line in re.split(r"[\r\n]", self.getvalue()) if line.strip()]

    @property
    def counts(self):
        """How much of how much was done, by what was counted, of the outermost loops."""
        found = {}
        for done, total, what in re.findall(r"\| (\d+)/(\d+) ([a-z ]+) \[", self.getvalue()):
            found.setdefault((what, int(total)), []).append(int(done))
        return found


@pytest.fixture
def terminal(monkeypatch):
    """A terminal in place of standard error, at which all work counts as long."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((100, 30)))
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(_progress, "_OFTEN", 0.0)
    shown = Terminal()
    standard_error(monkeypatch, shown)
    return shown


def standard_error(monkeypatch, stream):
    """Put it in the place of standard error, which pytest sets anew before each test."""
    monkeypatch.setattr(_progress, "sys", SimpleNamespace(stderr=stream))


@shows_progress
def work(pieces=3):
    return list(steps(range(pieces), "pieces"))


# ---------------------------------------------------------------------- every long function

RUN = tuning_run(14)
BOUND = RUN.acquisition()
LONG = {
    "desirability_path": lambda: hx.methods.desirability_path(RUN, background=20),
    "importance": lambda: hx.importance(tuning_run(14), order=2),
    "compare": lambda: hx.compare({"a": RUN, "b": tuning_run(15)}),
    "ShapleyExplainer.explain": lambda: hx.methods.ShapleyExplainer(
        BOUND, background=20, estimator="sampling", orders=3
    ).explain(RUN.incumbent),
}


@pytest.mark.parametrize(
    "name",
    [n if n == "desirability_path" else pytest.param(n, marks=pytest.mark.thorough) for n in LONG],
)
def test_what_may_take_long_shows_how_far_it_is_under_its_name(name, terminal):
    LONG[name]()
    assert terminal.counts
    for (_, total), done in terminal.counts.items():
        assert {0, total} <= {*done}
    assert all(look.startswith(f"{name}: ") for look in terminal.looks)
    assert terminal.getvalue().endswith("\r"), "the line is still there"
    assert not terminal.getvalue().rpartition("\r")[0].rpartition("\r")[2].strip()


def test_a_report_says_which_section_is_in_work_and_where(terminal):
    sections = ["history", "trust"]
    Report.of({"loss": tuning_run(14)}, sections=sections, progress=True)
    assert ("sections", 2) in terminal.counts
    inside = [look for look in terminal.looks if "trust" in look]
    assert any("scales 1/3" in look for look in inside)


def test_every_function_that_users_call_opens_a_call():
    """So that its loops, and those of what it calls, are shown under its name."""
    opens_one_itself = {"desirability_path", "guide", "Analysed"}
    for name in {*functions()} - opens_one_itself:
        assert hasattr(public(name), "__wrapped__"), name


# ---------------------------------------------------------------------- where nothing is shown


def test_what_is_quick_shows_nothing(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 60.0)
    assert work() == [0, 1, 2]
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("stream", [io.StringIO, lambda: None, object])
def test_what_is_no_terminal_gets_nothing(stream, terminal, monkeypatch):
    other = stream()
    standard_error(monkeypatch, other)
    assert work() == [0, 1, 2]
    assert getattr(other, "getvalue", str)() == ""


def test_a_terminal_that_goes_away_ends_no_work(terminal, monkeypatch):
    def gone(_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(terminal, "write", gone)
    assert work() == [0, 1, 2]


@pytest.mark.parametrize(
    "quiet",
    [
        lambda: hx.methods.desirability_path(RUN, [9, 10], background=20, progress=False),
        lambda: Report.of({"loss": RUN}, sections=["trust"]),
    ],
)
def test_who_wants_none_gets_none_from_what_is_called_either(quiet, terminal):
    quiet()
    assert terminal.getvalue() == ""


def test_threads_show_nothing(terminal):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    with progress_of("outer"):  # Python 3.14 may give threads what holds where they are started
        by_threads = joblib.Parallel(n_jobs=2, backend="threading")
        assert by_threads(joblib.delayed(work)() for _ in range(2)) == [[0, 1, 2]] * 2
    assert terminal.getvalue() == ""


def worked():
    """What a process that thinks it is at a terminal writes to it."""
    sys.stderr, _progress._PATIENCE, _progress._OFTEN = Terminal(), 0.0, 0.0
    work()
    return sys.stderr.getvalue()


@pytest.mark.thorough
def test_worker_processes_show_nothing():
    assert [*by_workers(2, [joblib.delayed(worked)()] * 2)] == ["", ""]


# ---------------------------------------------------------------------- the line itself


@pytest.mark.parametrize("size", [(100, 30), (0, 0)], ids=["wide", "unknown"])
def test_the_line_fits_however_wide_a_terminal_is(size, terminal, monkeypatch):
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size(size))
    work()
    widest = max(map(len, terminal.looks))
    assert 60 <= widest < shutil.get_terminal_size().columns


def test_loops_inside_are_shown_and_what_failed_in_them_is_forgotten(terminal):
    kept = []
    with progress_of("work"):
        for k in steps(range(2), "rounds"):
            try:
                for piece in steps([k, 1], "pieces", called="the {}".format):
                    assert piece
            except AssertionError as error:
                kept.append(error)
    assert any("0/2 rounds" in look and "pieces 0/2, the 0]" in look for look in terminal.looks)
    assert any("1/2 rounds" in look and "pieces 1/2, the 1]" in look for look in terminal.looks)
    assert not any("1/2 rounds" in look and "the 0" in look for look in terminal.looks)


def test_nothing_is_left(terminal):
    """Not even the monitor thread that tqdm has, nor a lock among processes."""
    script = """
import io, sys, threading
from hpo_explain.base import progress as _progress
class Terminal(io.StringIO):
    isatty = lambda self: True
said, sys.stderr = sys.stderr, Terminal()
_progress._PATIENCE = _progress._OFTEN = 0.0
_progress.shows_progress(lambda: [*_progress.steps([1, 2], "pieces")])()
assert "2/2" in sys.stderr.getvalue()
from tqdm import tqdm
assert tqdm.monitor is None and not hasattr(tqdm, "_lock")
print(threading.active_count())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
