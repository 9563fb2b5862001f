"""`hpo-explain what-if`: a page of the profiler alone."""

import re

import pytest

pytestmark = [pytest.mark.merge, pytest.mark.usefixtures("few_draws")]


def test_the_profiler_of_a_study_is_a_page_with_its_name(folder, study, run):
    outcome = run("what-if", "study.db", "--out", "w.html")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stdout == "What if: w.html\n"
    html = (folder / "w.html").read_text("utf-8")
    assert "<h1>first</h1>" in html
    names = re.findall(r"<h3>(\w+)</h3>", html)
    assert {*names} >= {"x", "kernel", "y"}


def test_a_place_that_cannot_be_written_is_told_before_work(folder, study, run):
    outcome = run("what-if", "study.db", "--out", "nowhere/w.html")
    assert outcome.exit_code == 1
    assert "nowhere" in outcome.output
