"""No name or category in a CSV file is a formula, in a spreadsheet of any language."""

import csv

import pytest

from hpo_explain.base.csv_text import csv_text

FORMULA = tuple("=+-@\t＝＋－＠")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "a;=1+1",
        "a;b;@SUM(A1)",
        'a;"=1+1"',
        "a\t=1+1",
        "a\n=1+1",
        "＝1+1",
        "a;-2+3;x",
        ";=1+1",
        "-1;=cmd",
    ],
)
@pytest.mark.parametrize("place", ["name", "cell"])
def test_no_cell_is_a_formula(separator, text, place):
    name = text if place == "name" else "x"
    written = csv_text([(name, [text]), ("y", [1])])
    for row in csv.reader(written.splitlines(), delimiter=separator):
        for cell in row:
            assert not cell.startswith(FORMULA) or is_number(cell), written


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_numbers_and_texts_stay_as_they_are():
    table = [
        ("x", ["-0.5", "a-b", "a; b"]),
        ("y", [1, 1e-7 / 3.0, float("nan")]),
        ("z", [True, None, ""]),
    ]
    rows = [*csv.reader(csv_text(table, nothing="None").splitlines())]
    assert rows == [
        ["x", "y", "z"],
        ["-0.5", "1", "True"],
        ["a-b", str(1e-7 / 3.0), "None"],
        ["a; b", "", ""],
    ]
