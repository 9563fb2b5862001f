"""Whatever happens while a file is written: the old one stays whole, and one line says why."""

import contextlib
import errno
import io
import os
import shutil
import signal
from pathlib import Path

import optuna
import pytest

from hpo_explain.reporting import page

COMMANDS = {
    "out/report.html": ("report", "study.db", "--out", "out/report.html"),
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


@pytest.mark.parametrize("written", [False, True])
def test_a_folder_that_disappears(run, old, monkeypatch, written):
    """Before the file is opened, or when it is written and not yet in its place."""
    if written:
        monkeypatch.setattr(os, "fsync", lambda _: shutil.rmtree(old.parent))
    else:
        monkeypatch.setattr("secrets.token_hex", lambda _: str(shutil.rmtree(old.parent)))
    check_told(run(*COMMANDS[str(old)]), old, errno.ENOENT)
    assert not old.parent.exists()


# ---------------------------------------------------------------------- Ctrl-C


COMPUTING = {
    "out/report.html": "hpo_explain.reporting.page.page",
    "out/plot.svg": "matplotlib.figure.Figure.savefig",
}


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize("during", ["reading", "computing", "writing"])
def test_an_interrupt_leaves_the_old_file(run, old, monkeypatch, during):
    places = {"reading": "optuna.load_study", "computing": COMPUTING[str(old)]}
    monkeypatch.setattr(places.get(during, "os.fsync"), interrupt)
    outcome = run(*COMMANDS[str(old)])
    assert outcome.exit_code == 1
    assert outcome.stderr.endswith("\nAborted!\n")
    assert "Traceback" not in outcome.output
    assert old.read_text() == "old"
    assert [*old.parent.iterdir()] == [old]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_that_a_library_drops_is_heeded_before_anything_is_written(
    run, old, monkeypatch
):
    real = optuna.load_study

    def dropping(*arguments, **options):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return real(*arguments, **options)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(optuna, "load_study", dropping)
    outcome = run(*COMMANDS[str(old)])
    signal.signal(signal.SIGINT, before)
    assert outcome.exit_code == 1
    assert outcome.stderr.endswith("\nAborted!\n")
    assert old.read_text() == "old"
