"""How a file of separated values is read: its separator, its decimals, and its names."""

import gzip

import pandas as pd
import pytest

from hpo_explain.adapters.table_files import read_csv
from hpo_explain.base.facts import fact

ROWS = [
    ("lr", "layers", "acc"),
    ("0.5", "64", "1.5"),
    ("0.25", "32", "2.5"),
    ("2.5", "8", "4"),
]


def written(separator, *, decimal=".", quote=False):
    rows = [[cell.replace(".", decimal) for cell in row] for row in ROWS]
    rows[0] = [f'"{name}"' if quote else name for name in rows[0]]
    return "".join(separator.join(row) + "\n" for row in rows)


@pytest.mark.parametrize("quote", [False, True])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t.csv.gz"])
@pytest.mark.parametrize(
    ("separator", "word"), [(",", None), (";", "semicolons"), ("\t", "tabs")]
)
def test_the_separator_is_that_of_the_names(
    folder, name, separator, word, quote
):
    text = "\ufeff" + written(separator, quote=quote)
    data = text.encode()
    (folder / name).write_bytes(
        gzip.compress(data) if name.endswith("gz") else data
    )
    frame, notes = read_csv(name, ["acc"])
    assert frame.columns.tolist() == ["lr", "layers", "acc"]
    assert frame["acc"].tolist() == [1.5, 2.5, 4.0]
    expected = (
        [fact("separator", separator=word, decimal_commas=False)]
        if word
        else []
    )
    assert notes == expected


def test_what_the_user_names_tells_which_of_two_separators_is_meant(folder):
    (folder / "t.csv").write_text("a, b;acc\n1;2\n")
    assert read_csv("t.csv", ["acc"])[0].columns.tolist() == ["a, b", "acc"]
    assert read_csv("t.csv", [])[0].columns.tolist() == ["a", "b;acc"]


def test_one_column_alone_is_separated_by_nothing(folder):
    (folder / "t.csv").write_text("acc\n1\n2\n")
    assert read_csv("t.csv", ["acc"])[0].columns.tolist() == ["acc"]


def test_decimal_commas_are_read_where_semicolons_separate(folder):
    (folder / "t.csv").write_text(written(";", decimal=","))
    frame, notes = read_csv("t.csv", ["acc"])
    assert frame.to_dict("list") == {
        "lr": [0.5, 0.25, 2.5],
        "layers": [64, 32, 8],
        "acc": [1.5, 2.5, 4.0],
    }
    assert notes == [
        fact("separator", separator="semicolons", decimal_commas=True)
    ]


@pytest.mark.parametrize(
    ("cells", "acc", "read"),
    [
        (
            ["64,32", "32,16"],
            ["1.5", "2"],
            ["64,32", "32,16"],
        ),  # sizes of layers
        (["64,32", "32,16"], ["1", "2"], ["64,32", "32,16"]),
        (["0,5", "0,25"], ["1.5", "2"], ["0,5", "0,25"]),  # points and commas
        (["0,5", "wide"], ["1", "2"], ["0,5", "wide"]),
        (["0,5", "3"], ["1", "2"], [0.5, 3.0]),
        (["64,32", "3"], ["1,5", "2"], [64.32, 3.0]),
    ],
)
def test_commas_that_may_be_something_else_are_left_as_they_are(
    folder, cells, acc, read
):
    rows = zip(cells, acc, strict=True)
    (folder / "t.csv").write_text(
        "c;acc\n" + "".join(f"{c};{a}\n" for c, a in rows)
    )
    assert read_csv("t.csv", ["acc"])[0]["c"].tolist() == read


def test_a_name_that_occurs_twice_is_refused_as_in_a_data_frame(folder, run):
    (folder / "t.csv").write_text("lr,acc,acc\n0.1,1,2\n0.2,3,4\n")
    outcome = run("importance", "t.csv", "--objective", "acc")
    assert outcome.exit_code == 1
    said = "has the column acc more than once, with other values. Rename one."
    assert said in outcome.stderr


def test_of_equal_columns_with_one_name_the_first_is_read(folder):
    (folder / "t.csv").write_text("lr,acc,lr\n0.1,1,0.1\n0.2,3,0.2\n")
    assert [*read_csv("t.csv", ["acc"])[0]] == ["lr", "acc"]


def test_a_ragged_row_is_said_in_a_sentence(folder, run):
    (folder / "t.csv").write_text("lr,acc\n0.1,1\n0.1,1,2,3\n")
    outcome = run("importance", "t.csv", "--objective", "acc")
    assert outcome.exit_code == 1
    assert outcome.stderr.endswith("Expected 2 fields in line 3, saw 4.\n")


def test_the_separator_is_told_on_stderr(folder, run):
    table = pd.DataFrame(
        {"x": [0.1, 0.9, 0.5, 0.3], "acc": [1.5, 2.5, 4.5, 3.0]}
    )
    table.to_csv("t.csv", index=False, sep=";", decimal=",")
    outcome = run("importance", "t.csv", "--objective", "acc", "--csv")
    assert outcome.exit_code == 0, outcome.output
    assert (
        "note: table: its columns are separated by semicolons"
        in outcome.stderr
    )
    assert outcome.stdout.splitlines()[1].startswith("x,")


BLANKS = "0.1 3 5.5\n0.2 4 6.5\n"


@pytest.mark.parametrize(
    "text",
    [
        "lr layers acc\n" + BLANKS,
        "# a sweep, of today\n# again\nlr,layers,acc\n"
        + BLANKS.replace(" ", ","),
        "lr , layers , acc\n" + BLANKS.replace(" ", " , "),
        "lr,layers,acc\n0.1,3,5.5\nlr,layers,acc\n0.2,4,6.5\n",
    ],
    ids=["blanks", "remarks", "padded", "names again"],
)
def test_tables_are_read_as_people_set_them(folder, text):
    (folder / "t.csv").write_text(text)
    frame, _ = read_csv("t.csv", [])
    assert frame.columns.tolist() == ["lr", "layers", "acc"]
    assert frame.astype(float).to_numpy().tolist() == [
        [0.1, 3, 5.5],
        [0.2, 4, 6.5],
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_the_encoding_of_a_table_is_recognized(folder, encoding):
    (folder / "t.csv").write_bytes("größe,acc\n1,0.5\n".encode(encoding))
    frame, notes = read_csv("t.csv", [])
    assert frame.columns.tolist() == ["größe", "acc"]
    assert [note.kind for note in notes] == ["not_utf8"] * (
        encoding == "cp1252"
    )
