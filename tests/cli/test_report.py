"""The report, from the command line."""

import errno
import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("brief_reports")


def test_a_report_of_a_study(folder, study, run):
    outcome = run("report", "sqlite:///study.db", "--out", "mine.html", "--title", "My <study>")
    assert outcome.exit_code == 0, outcome.output
    assert "My &lt;study&gt;" in (folder / "mine.html").read_text(encoding="utf-8")
    assert outcome.stdout.splitlines()[-1] == "Report: mine.html"
    assert "reading" not in outcome.stdout
    assert "reading sqlite:///study.db" in outcome.stderr


@pytest.mark.parametrize(
    ("out", "words"),
    [("no/folder/report.html", "no/folder"), (".", "is a folder")],
)
def test_a_place_that_cannot_be_written_is_noticed_before_anything_is_read(
    folder, study, run, out, words
):
    outcome = run("report", "sqlite:///study.db", "--out", out)
    assert outcome.exit_code == 1
    assert words in outcome.stderr
    assert "reading" not in outcome.stderr
    assert [path.name for path in folder.iterdir()] == ["study.db"]


@pytest.mark.parametrize(
    "code",
    [
        errno.ENOSPC,
        *(pytest.param(code, marks=pytest.mark.thorough) for code in (errno.EROFS, errno.EACCES)),
    ],
)
def test_the_last_good_report_stays_when_the_disk_does_not_take_a_new_one(
    folder, study, run, monkeypatch, code
):
    (folder / "report.html").write_text("the last good one")

    def refuse(self, target):
        raise OSError(code, os.strerror(code), str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    outcome = run("report", "sqlite:///study.db")
    assert outcome.exit_code == 1
    assert os.strerror(code) in outcome.stderr
    assert (folder / "report.html").read_text() == "the last good one"
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "study.db"]
