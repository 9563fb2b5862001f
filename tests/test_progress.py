"""The bar that shows progress on a terminal."""

import io
import os
import shutil

import pytest
from tqdm.std import TqdmDefaultWriteLock, tqdm

from hpo_explain._progress import _bar, progress_bar
from hpo_explain.reporting import Report
from tests.handmade import tuning_run


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(params=[(100, 30), (0, 0)], ids=["wide", "unknown"])
def terminal(request, monkeypatch):
    """A terminal; some do not know how wide they are."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size(request.param))
    return Terminal()


def bar_of(items, *, shown=True):
    return progress_bar(items, total=len(items), name="work", unit="piece", shown=shown)


def test_a_terminal_shows_what_is_done_however_wide_it_is(terminal, monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal)
    assert list(bar_of([1, 2, 3])) == [1, 2, 3]
    assert "0/3" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()
    widest = max(len(line.strip()) for line in terminal.getvalue().split("\r"))
    assert 60 <= widest <= shutil.get_terminal_size().columns


def test_a_file_and_who_wants_none_get_no_bar(terminal, monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal)
    assert list(bar_of([1, 2], shown=False)) == [1, 2]
    assert terminal.getvalue() == ""
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert list(bar_of([1, 2])) == [1, 2]


@pytest.mark.parametrize("shown", [False, True])
def test_a_bar_makes_no_lock_for_processes(shown, monkeypatch):
    """It would fix how the user's processes are started, and be left by workers that are killed."""
    _bar.cache_clear()
    monkeypatch.delattr(tqdm, "_lock", raising=False)
    monkeypatch.setattr(TqdmDefaultWriteLock, "create_mp_lock", pytest.fail)
    assert list(bar_of([1, 2], shown=shown)) == [1, 2]
    assert not hasattr(tqdm, "_lock")


def test_the_report_says_which_section_is_in_work(terminal, monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal)
    Report.of({"loss": tuning_run(5)}, sections=["overview"], progress=True)
    first = terminal.getvalue().partition("1/1")[0]
    assert "overview" in first
