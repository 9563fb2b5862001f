"""A report about every run in a folder."""

import re
import shutil
import sys

import pytest

from hpo_explain.cli._source import Source

pytestmark = pytest.mark.usefixtures("brief_reports")
SECTIONS = ("history",)

# the package shows the command there
reporting = sys.modules["hpo_explain.cli.report"]


@pytest.fixture
def runs(folder, tuned):
    place = folder / "runs"
    place.mkdir()
    shutil.copy(tuned, place / "first.db")
    shutil.copy(tuned, place / "second.db")
    (place / "notes.md").write_text("no run", encoding="utf-8")
    return place


def _pages(place):
    """The pages without the date and the name of what was read."""
    return {
        path.name: re.sub(r"\d{4}-\d\d-\d\d[ T]?[\d:]*", "", path.read_text(encoding="utf-8"))
        for path in sorted(place.glob("*.html"))
    }


def test_each_run_of_a_folder_gets_a_report(folder, runs, run):
    outcome = run("report", "runs", "--out", "there", "--n-jobs", "1")
    assert outcome.exit_code == 0, outcome.output
    assert sorted(path.name for path in (folder / "there").iterdir()) == [
        "first.html",
        "second.html",
    ]
    assert outcome.stdout.splitlines()[-1].endswith("second.html")


def test_runs_of_the_same_name_get_a_report_each(folder):
    paths = [f"{i}/trials.csv" for i in range(4)] + ["1-trials.csv", "b/Study.csv", "study.csv"]
    for path in paths:
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("x,loss\n1,2\n", encoding="utf-8")
    sources = reporting.runs_in(Source(str(folder)))
    assert {str(folder / path) for path in paths} == {one.source for one in sources.values()}
    assert {*sources} == {
        "1-trials",
        *(f"{i}-trials.csv" for i in range(4)),
        "b-Study.csv",
        "study.csv",
    }


def test_what_cannot_be_read_is_told_and_the_others_are_written(folder, runs, run):
    (runs / "broken.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    outcome = run("report", "runs", "--n-jobs", "1")
    assert outcome.exit_code == 1
    assert "1 of 3 reports were not written" in outcome.stderr
    assert "broken.csv" in outcome.stderr
    assert len(_pages(folder / "reports")) == 2


def test_a_folder_without_runs_is_refused(folder, run):
    (folder / "empty").mkdir()
    outcome = run("report", "empty")
    assert outcome.exit_code == 1
    assert "no run was found" in outcome.stderr


@pytest.mark.merge
@pytest.mark.filterwarnings("default")  # what a cluster warns of at its ends
def test_workers_of_a_dask_scheduler_write_the_same_pages(folder, runs, run):
    distributed = pytest.importorskip("distributed")
    alone = run("report", "runs", "--out", "alone", "--n-jobs", "1")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        both = run("report", "runs", "--out", "both", "--scheduler", cluster.scheduler_address)
    assert (alone.exit_code, both.exit_code) == (0, 0), both.output
    assert _pages(folder / "alone") == _pages(folder / "both")


def test_a_scheduler_that_does_not_answer_is_told_in_a_line(folder, runs, run):
    pytest.importorskip("distributed")
    outcome = run("report", "runs", "--scheduler", "inproc://nowhere/1/1")
    assert outcome.exit_code == 1
    assert "Error: " in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_an_interrupt_leaves_the_reports_that_are_written(folder, runs, run, monkeypatch):
    real = reporting._written

    def interrupted(source, path, interactive):
        if path.name == "second.html":
            raise KeyboardInterrupt
        return real(source, path, interactive)

    monkeypatch.setattr(reporting, "_written", interrupted)
    outcome = run("report", "runs", "--n-jobs", "1")
    assert outcome.exit_code == 1
    assert outcome.stderr.endswith("\nAborted!\n")
    assert [path.name for path in (folder / "reports").iterdir()] == ["first.html"]
    assert (folder / "reports" / "first.html").read_text().rstrip().endswith("</html>")
