"""The papers' experiments are listed, judged and written as the page says."""

import subprocess
import sys
from time import process_time, sleep

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import norm

from examples.papers import __main__ as command
from examples.papers.frame import (
    NEEDS,
    Experiment,
    Page,
    Profile,
    Row,
    Saved,
    Sheet,
    judged,
    quoted,
)
from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

# the tables and figures with results, as the papers number them
TABLES = {
    "fanova": {1, 2},
    "moosbauer": {1, 2, 3, 7, 8, 9, 10, 11},
    "shapleymbo": {1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13},
}
FIGURES = {
    "fanova": {*range(1, 7)},
    "moosbauer": {1, 2, 3, 4, 5, 6, 7, 8, 10, 11},
    "shapleymbo": {*range(1, 16)},
}


def row(kind: str, *arguments, **options) -> Row:
    """Return the row that is added to a sheet."""
    sheet = Sheet(Profile())
    getattr(sheet, kind)(*arguments, **options)
    return sheet.rows[0]


def test_every_table_and_figure_with_results_is_an_experiment():
    listed = {(one.paper, one.name) for one in command.experiments()}
    expected = {
        (paper, f"{kind}{n}")
        for kind, all_of in (("table", TABLES), ("figure", FIGURES))
        for paper, numbers in all_of.items()
        for n in numbers
    }
    assert listed - {("shapleybo", "teams")} == expected


def test_only_takes_papers_and_names(capsys):
    every = command.experiments()
    assert [(x.paper, x.name) for x in command.chosen(["shapleymbo", "table6"], every)] == [
        ("shapleymbo", "table6")
    ]
    assert {x.paper for x in command.chosen(["table1"], every)} == {
        "fanova",
        "moosbauer",
        "shapleymbo",
    }
    assert {x.paper for x in command.chosen(["fanova"], every)} == {"fanova"}
    assert command.chosen([], every) == every
    with pytest.raises(SystemExit):
        command.main(["--only", "table99"])
    assert "invalid choice: 'table99'" in capsys.readouterr().err


def test_tables_come_before_figures_and_2_before_10():
    names = [x.name for x in command.experiments() if x.paper == "moosbauer"]
    assert names[:4] == ["table1", "table2", "table3", "table7"]
    assert names[-3:] == ["figure8", "figure10", "figure11"]


def test_rows_of_a_papers_table_are_quoted_as_they_are_printed():
    found = quoted("""
        a, raw: 1.2 (0.3)  -4
        b: .5, 6
    """)
    assert [*found] == ["a, raw", "b"]
    assert found["a, raw"].tolist() == [1.2, 0.3, -4.0]
    assert found["b"].tolist() == [0.5, 6.0]


def test_the_cells_of_a_table_are_compared_one_by_one():
    sheet = Sheet(Profile())
    # two repetitions of two rows and three columns
    ours = np.arange(12.0).reshape(2, 2, 3)
    sheet.numbers(
        "{} of {}", ["ab", [1, 2, 3]], np.zeros((2, 3)), ours, spread=[1.0] * 5 + [100.0], digits=1
    )
    assert [one.what for one in sheet.rows] == [f"{x} of {k}" for x in "ab" for k in (1, 2, 3)]
    alone = [
        row("number", "", 0.0, ours[:, i, j], spread=100.0 if i + j == 3 else 1.0, digits=1)
        for i in (0, 1)
        for j in (0, 1, 2)
    ]
    assert [one.judged for one in sheet.rows] == [one.judged for one in alone]


def test_panels_have_the_shape_of_their_titles():
    sheet = Sheet(Profile())
    assert sheet.panels("one").get_title() == "one"
    assert [ax.get_title() for ax in sheet.panels(["a", "b"])] == ["a", "b"]
    assert sheet.panels([["a", "b"], ["c", "d"]])[1, 0].get_title() == "c"
    assert len(sheet.figure.axes) == 4


def test_settings_and_seeds_are_crossed():
    found = Profile(seed=3).over_seeds(lambda a, b, seed: a + b + seed, [(10, 1), (20, 2)], 2, 9)
    assert found == [[14, 15], [25, 26]]


def busy(seconds: float, result: float) -> float:
    """Return a result after some seconds of a processor."""
    start = process_time()
    while process_time() - start < seconds:
        np.linalg.norm(np.ones(1000))
    return result


def test_repetitions_are_stored_and_judged_again(tmp_path):
    profile = Profile(stored=tmp_path / "stored", saved=Saved())
    arguments = [(0.3, 8.0), (0.1, 2.0)]
    first = profile.repeated(busy, arguments)
    assert profile.saved.seconds == 0.0
    files = {*(tmp_path / "stored").rglob("output.pkl")}
    assert len(files) == 2
    written = {file: file.stat().st_mtime_ns for file in files}
    assert profile.repeated(busy, arguments) == first == [8.0, 2.0]
    assert {file: file.stat().st_mtime_ns for file in files} == written
    # what they took is not forgotten
    assert profile.saved.seconds == pytest.approx(0.4, abs=0.05)


FOUR = np.array([-2.0, 2.0, -(2.0**0.5), 2.0**0.5])


@pytest.mark.parametrize(
    ("options", "error", "freedom"),
    [
        # four repetitions with a standard deviation of 2, known from themselves
        ({}, 1.0, 3.0),
        # or by the paper, whose own error counts, too
        ({"spread": 2.0, "of": 10**12}, 1.0, np.inf),
        ({"spread": 2.0, "of": 4}, 2.0**0.5, np.inf),
        ({"error": 3.0**0.5}, 2.0, 3.0 * 4.0**2),
        # a paper that has one run
        ({"one_draw": True}, 5.0**0.5, 3.0),
    ],
)
def test_numbers_have_the_errors_of_both_sides(options, error, freedom):
    number = row("number", "a number", 0.0, FOUR, **options).judged
    assert number.error == pytest.approx(error)
    assert number.freedom == pytest.approx(freedom)
    assert number.rounding == 0.005


def test_what_needs_data_names_them_and_how_to_get_them(tmp_path):
    for one in command.experiments():
        if one.needs:
            rows = one.found(Profile(data=tmp_path)).rows
            assert judged(rows) == NEEDS
            assert all("examples/papers/README.md" in row.why for row in rows)
    text = (ROOT / "examples" / "papers" / "README.md").read_text(encoding="utf-8")
    for file in {file for one in command.experiments() for file in one.needs}:
        assert file in text


def table(verdict: bool) -> Sheet:
    """Return a sheet with one number, which agrees or differs."""
    sheet = Sheet(Profile())
    sheet.number("x | y", 1.0, 1.0 if verdict else 2.0)
    return sheet


MOOSBAUER = Experiment("moosbauer", "table1", "Regions", table, basis="a task")
FANOVA = Experiment("fanova", "figure5", "SPEAR", table)


def test_the_page_counts_and_shows_what_was_found():
    page, missing = Page("# Head"), Sheet(Profile())
    missing.needs("all of it", "its authors")
    page.add(MOOSBAUER, table(True), "figures/a.png", 2.0)
    page.add(FANOVA, missing, None, 0.0)
    text = page.text([MOOSBAUER.label, FANOVA.label])
    said = "1 agree, 0 are not contradicted, 0 differ, 1 need data."
    assert f"Of 2 tables and figures {said}" in text
    assert "| moosbauer | 1: Table 1 | 0 | 0 | 0 |" in text
    assert "| fanova | 0 | 0 | 0 | 1: Figure 5 |" in text
    assert "**agrees** (1 agrees). Measured on a task. 2.0 s." in text
    assert "| x \\| y | 1.00 | 1.00 | 0.00 | 0.01 of 1.00 | agrees |" in text
    assert "| all of it |  |  |  |  | needs data: its authors |" in text
    assert "![moosbauer, Table 1](figures/a.png)" in text


def test_what_was_not_repeated_stays_on_the_page():
    labels = [FANOVA.label, MOOSBAUER.label]
    page = Page("# Head")
    page.add(MOOSBAUER, table(True), "figures/a.png", 2.0)
    page.add(FANOVA, table(True), None, 0.0)
    before = page.text(labels)
    again = Page("# Head", before)
    assert again.text(labels) == before
    again.add(MOOSBAUER, table(False), None, 1.0)
    text = again.text(labels)
    assert "1 agree, 0 are not contradicted, 1 differ, 0 need data." in text
    assert "| moosbauer | 0 | 0 | 1: Table 1 | 0 |" in text
    assert "figures/a.png" not in text
    assert page.sections[FANOVA.label] in text
    assert MOOSBAUER.label not in again.text([FANOVA.label])
    assert "Not repeated yet" not in again.text(labels)
    third = "shapleymbo, Table 4"
    assert f"Not repeated yet: {third}." in again.text([*labels, third])


def test_the_page_adds_up_what_it_takes():
    for seconds, said in ((600.0, "within"), (1400.0, "more than")):
        page = Page("# Head")
        page.add(MOOSBAUER, table(True), None, seconds)
        page.add(FANOVA, table(True), None, 90.25)
        text = page.text([MOOSBAUER.label, FANOVA.label])
        total = f"{seconds + 90.2:,.0f} seconds of one processor"
        assert f"That takes {total}, {said} the 1,200" in text


def test_the_page_says_once_what_would_have_to_be_done_to_agree():
    sheet, rng = Sheet(Profile()), np.random.default_rng(0)
    values = rng.normal(size=16)
    weak = 0.4 + (values - values.mean()) / values.std(ddof=1)
    sheet.finding("a is larger", weak, "")
    sheet.finding("b is larger", weak - 1.0, "")
    sheet.finding("c is larger", weak, "")
    sheet.in_one("d happens", [True, False, False], "")
    # 1.6 errors, of which it takes those of four rows, and .84
    n = 16 * ((norm.isf(0.01 / 8.0) + norm.ppf(0.8)) / 1.6) ** 2
    assert 90 < n < 100
    page = Page("# Head")
    page.add(MOOSBAUER, sheet, None, 1.0)
    page.add(FANOVA, table(True), None, 1.0)
    labels = [MOOSBAUER.label, FANOVA.label]
    text = page.text(labels)
    said = (
        "| moosbauer, Table 1 | about 94 repetitions, of which there are 16 (a is larger and "
        "1 more); the mean margin is not on the paper's side (b is larger); the paper has one "
        "run, and what is in it is chance (d happens) |"
    )
    assert text.count(said) == 1
    # it stays where another is repeated, and goes when the table agrees
    again = Page("# Head", text)
    again.add(FANOVA, table(True), None, 1.0)
    assert again.text(labels) == text
    again.add(MOOSBAUER, table(True), None, 1.0)
    assert "repetitions, of which" not in again.text(labels)


@pytest.mark.thorough
def test_figures_are_small(tmp_path):
    figure = Figure(figsize=(8.0, 4.0))
    figure.subplots().plot(np.random.default_rng(0).uniform(size=(9, 40)))
    sizes = []
    for most in (10**9, 20_000):
        path = tmp_path / "figures" / f"{most}.png"
        command.save(figure, path, most=most)
        sizes.append(path.stat().st_size)
    assert 1000 < sizes[1] < 20_000 < sizes[0]


@pytest.mark.thorough
def test_the_command_writes_results_beside_the_figures(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "examples.papers",
            "--only",
            "shapleymbo",
            "figure2",
            "--workers",
            "1",
            "--out",
            str(tmp_path),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "shapleymbo, Figure 2: agrees" in done.stdout
    page = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "Of 1 tables and figures 1 agree" in page
    said = "`python -m examples.papers --only shapleymbo figure2`"
    assert f"{said}, with the quick profile and seeds from 0 on" in page
    assert (tmp_path / "figures" / "shapleymbo_figure2.png").exists()


def test_seconds_are_those_of_a_processor():
    before, own = command.processor_seconds(), process_time()
    sleep(0.3)
    while process_time() - own < 0.3:
        np.linalg.norm(np.ones(1000))
    # the clock of processes counts in hundredths
    spent = process_time() - own
    assert command.processor_seconds() - before == pytest.approx(spent, abs=0.05)


def test_a_failing_experiment_leaves_the_others(monkeypatch, capsys, tmp_path):
    def fails(sheet):
        raise ValueError("no luck")

    broken = Experiment("fanova", "table1", "Broken", fails)
    whole = Experiment("fanova", "table2", "Whole", lambda sheet: sheet.exact("x", True, "y"))
    monkeypatch.setattr(command, "experiments", lambda: [broken, whole])
    with pytest.raises(SystemExit) as stopped:
        command.main(["--only", "fanova", "--out", str(tmp_path)])
    assert stopped.value.code == 1
    printed = capsys.readouterr()
    assert "no luck" in printed.err
    assert "fanova, Table 1: differs" in printed.out
    assert "fanova, Table 2: agrees" in printed.out
