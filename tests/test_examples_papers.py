"""The papers' experiments are listed, judged and written as the page says."""

import re
import subprocess
import sys
from time import process_time, sleep

import numpy as np
import pytest
from matplotlib.figure import Figure

from examples.papers import __main__ as command
from examples.papers.frame import (
    NEEDS,
    Experiment,
    Profile,
    Row,
    Sheet,
    in_turn,
    quoted,
)
from examples.papers.page import Section, page
from examples.papers.verdicts import Finding, Number
from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

# the tables and figures that the papers number
LAST = {"fanova": (2, 6), "moosbauer": (11, 11), "shapleymbo": (13, 16)}


def row(kind: str, *arguments, **options) -> Row:
    """Return the row that is added to a sheet."""
    sheet = Sheet(Profile())
    getattr(sheet, kind)(*arguments, **options)
    return sheet.rows[0]


def test_every_table_and_figure_is_repeated_or_listed_with_a_reason():
    repeated = {(one.paper, name) for one in command.experiments() for name in one.names}
    listed = set()
    for paper, what in re.findall(r"^\| (\w+), (.+?) \|", command.HEAD, re.M):
        for kind, some in re.findall(r"(Table|Figure)s? ([\d, and to]+)", what):
            ends = re.findall(r"(\d+) to (\d+)", some)
            numbers = {n for a, b in ends for n in range(int(a), int(b) + 1)}
            numbers |= {int(n) for n in re.findall(r"\d+", some)}
            listed |= {(paper, f"{kind.lower()}{n}") for n in numbers}
    expected = {
        (paper, f"{kind}{n}")
        for paper, (tables, figures) in LAST.items()
        for kind, last in (("table", tables), ("figure", figures))
        for n in range(1, last + 1)
    }
    assert repeated | listed == expected
    # of a table that is listed a part may be repeated
    assert repeated & listed == {("shapleymbo", "table1")}
    assert len(command.experiments()) <= 40


def test_only_takes_papers_and_names(capsys):
    every = command.experiments()
    assert [x.names for x in command.chosen(["shapleymbo", "figure5"], every)] == [
        ("table6", "figure5")
    ]
    assert {x.paper for x in command.chosen(["table1"], every)} == {"moosbauer", "shapleymbo"}
    assert {x.paper for x in command.chosen(["fanova"], every)} == {"fanova"}
    assert command.chosen([], every) == every
    with pytest.raises(SystemExit):
        command.main(["--only", "table99"])
    assert "invalid choice: 'table99'" in capsys.readouterr().err


def test_tables_come_before_figures_and_2_before_10():
    names = [x.names[0] for x in command.experiments() if x.paper == "moosbauer"]
    assert names[:5] == ["table1", "table2", "table3", "table7", "table10"]
    assert names[-2:] == ["figure4", "figure6"]


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
    assert [len(figure.axes) for figure in sheet.figures] == [1, 2, 4]


def test_settings_and_seeds_are_crossed():
    found = Profile(seed=3).over_seeds(lambda a, b, seed: a + b + seed, [(10, 1), (20, 2)], 2, 9)
    assert found == [[14, 15], [25, 26]]


FOUR = np.array([-2.0, 2.0, -(2.0**0.5), 2.0**0.5])


@pytest.mark.parametrize(
    ("options", "error", "freedom"),
    [
        # four repetitions with a standard deviation of 2, known from themselves
        ({}, 1.0, 3.0),
        # or by the paper, whose own error counts, too
        ({"spread": 2.0, "of": 10**12}, 1.0, np.inf),
        ({"spread": 2.0, "of": 4}, 2.0**0.5, np.inf),
        # or as many of the paper, which scatter as these
        ({"of": 4}, 2.0**0.5, 3.0),
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
            assert {row.missing for row in rows} == {NEEDS}
            assert all("examples/papers/README.md" in row.why for row in rows)
    text = (ROOT / "examples" / "papers" / "README.md").read_text(encoding="utf-8")
    for file in {file for one in command.experiments() for file in one.needs}:
        assert file in text


def table(sheet: Sheet) -> None:
    """Add two numbers, of which one differs, and a finding."""
    sheet.number("x | y", 1.0, 1.0, note="read off a figure")
    sheet.number("z", 1.0, 2.0, printed="-1", note="with its sign turned", why="it is another")
    sheet.exact("x is smaller", True, "1 against 2")


TABLE = Experiment("moosbauer", ("table1", "figure2"), "Regions", table, basis="a task")
FIGURE = Experiment("fanova", ("figure5",), "SPEAR", lambda sheet: sheet.needs("it", "its authors"))


def test_the_page_counts_and_shows_what_was_found():
    sections = [Section(one, one.found(Profile()).rows, ["a.png"], 2.0) for one in (TABLE, FIGURE)]
    assert [one.verdict(Number) for one in sections] == ["differs", ""]
    assert [one.verdict(Finding) for one in sections] == ["agrees", ""]
    text = page("# Head\n", sections)
    of_numbers, of_signs = re.findall(r"^- \*(.+)$", text, re.M)
    assert of_numbers.startswith("Numbers*, by section: 0 agrees, 0 not contradicted, 1 differs;")
    assert of_numbers.endswith("one by one: 1 agrees, 0 not contradicted, 1 differs, 0 undecided.")
    assert of_signs.startswith("Signs*, by section: 1 agrees,")
    assert "The 2 sections take 4 seconds of one processor." in text
    assert "| moosbauer, Table 1, Figure 2 | differs | agrees | 2 |" in text
    assert "### moosbauer, Table 1, Figure 2: Regions\n" in text
    assert "Numbers: **differs**. Signs: **agrees**. Measured on a task. 2.0 s." in text
    assert "| x \\| y | 1.00 [1] | 1.00 | 0.00 | 0% | agrees |" in text
    assert "| z | -1 [2] | 2.00 | 0.00 | 0% | differs: it is another |" in text
    assert "[1] read off a figure.  \n[2] with its sign turned.  \n" in text
    assert "| it |  |  |  |  | needs data: its authors |" in text
    assert "![moosbauer, Table 1, Figure 2](a.png)" in text


def test_a_common_multiple_is_no_printed_number():
    sheet = Sheet(Profile())
    sheet.numbers("{}", [["a", "b"]], [1.0, 2.0], [[1.0, 2.0]], together="both")
    assert len(sheet.rows) == 3
    counts = Section(TABLE, sheet.rows).counted(Number)
    assert counts == {"agrees": 2}


def test_what_shares_a_section_is_found_in_turn():
    sheet = Sheet(Profile())
    in_turn(table, lambda sheet: sheet.beside("w", "3"))(sheet)
    assert [row.what for row in sheet.rows] == ["x | y", "z", "x is smaller", "w"]
    assert "| w |  | 3 |  |  | not judged |" in Section(TABLE, sheet.rows).text


def test_a_verdict_says_how_many_repetitions_would_tell_and_whether_it_is_narrow():
    values = np.random.default_rng(0).normal(size=16)
    weak = 0.4 + (values - values.mean()) / values.std(ddof=1)
    shown = row("finding", "a is larger", weak, "").shown(1)
    # 1.6 errors, of which it takes 2.58 and .84: (3.42 / 1.6)² times 16
    assert shown.endswith(
        "| +1.6 errors |  | not contradicted: about 73 repetitions would tell, "
        "of which there are 16 |"
    )
    assert "narrowly" in row("finding", "a is larger", weak + 0.4, "").shown(1)


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
def test_some_experiments_are_printed_and_not_written(tmp_path):
    words = "--only shapleymbo table2 --workers 1 --out"
    done = subprocess.run(
        [sys.executable, "-m", "examples.papers", *words.split(), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("### shapleymbo, Table 2: ")
    assert not [*tmp_path.iterdir()]


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

    def whole(sheet):
        sheet.panels("")
        sheet.exact("x", True, "y")

    broken = Experiment("fanova", ("table1",), "Broken", fails)
    drawn = Experiment("fanova", ("table2",), "Whole", whole)
    monkeypatch.setattr(command, "experiments", lambda: [broken, drawn])
    with pytest.raises(SystemExit) as stopped:
        command.main(["--out", str(tmp_path)])
    assert stopped.value.code == 1
    assert "no luck" in capsys.readouterr().err
    text = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "| fanova, Table 1 |  | differs |" in text
    assert "| fanova, Table 2 |  | agrees |" in text
    assert "by `python -m examples.papers`, with seeds from 0 on" in text
    assert (tmp_path / "figures" / "fanova_table2_0.png").exists()
