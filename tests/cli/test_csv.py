"""How a file of separated values is read: its separator, its decimals, and its names."""

import gzip

import pandas as pd
import pytest

from hpo_explain.adapters.table_files import read_csv
from hpo_explain.base.errors import InputError

ROWS = [("lr", "layers", "acc"), ("0.5", "64", "1.5"), ("0.25", "32", "2.5"), ("2.5", "8", "4")]


def written(separator, *, decimal=".", quote=False):
    rows = [[cell.replace(".", decimal) for cell in row] for row in ROWS]
    rows[0] = [f'"{name}"' if quote else name for name in rows[0]]
    return "".join(separator.join(row) + "\n" for row in rows)


@pytest.mark.parametrize("quote", [False, True])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t.csv.gz"])
@pytest.mark.parametrize(
    ("separator", "word"), [(",", None), (";", "semicolons"), ("\t", "tabs"), (" ", "spaces")]
)
def test_the_separator_is_that_of_the_names(folder, name, separator, word, quote):
    text = "\ufeff" + written(separator, quote=quote)
    data = text.encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    frame, notes = read_csv(name)
    assert frame.columns.tolist() == ["lr", "layers", "acc"]
    assert frame["acc"].tolist() == [1.5, 2.5, 4.0]
    said = [f"table: its columns are separated by {word}"] if word else []
    assert [str(note) for note in notes] == said


def test_one_column_alone_is_separated_by_nothing(folder):
    (folder / "t.csv").write_text("acc\n1\n2\n")
    assert read_csv("t.csv")[0].columns.tolist() == ["acc"]


@pytest.mark.parametrize("word", [[], ["adam"]])
@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_a_table_without_names_is_told(folder, separator, word):
    rows = [separator.join([*word, *row]) for row in ROWS[1:]]
    (folder / "t.csv").write_text("\n".join(rows))
    with pytest.raises(InputError, match="has no row of names"):
        read_csv("t.csv")


def test_names_with_spaces_are_not_separated_by_them(folder):
    (folder / "t.csv").write_text("learning rate,test loss\n0.1,1\n0.2,2\n")
    assert [*read_csv("t.csv")[0]] == ["learning rate", "test loss"]


def test_text_that_is_not_utf8_is_told(folder):
    (folder / "t.csv").write_bytes("größe,acc\n1,0.5\n".encode("cp1252"))
    with pytest.raises(InputError, match="'utf-8' codec can't decode"):
        read_csv("t.csv")


def test_a_name_that_occurs_twice_is_refused_as_in_a_data_frame(folder, run):
    (folder / "t.csv").write_text("lr,acc,acc\n0.1,1,2\n0.2,3,4\n")
    outcome = run("importance", "t.csv", "--objective", "acc")
    assert outcome.exit_code == 1
    said = "has the column acc more than once, with other values. Rename one."
    assert said in outcome.stderr


def test_of_equal_columns_with_one_name_the_first_is_read(folder):
    (folder / "t.csv").write_text("lr,acc,lr\n0.1,1,0.1\n0.2,3,0.2\n")
    assert [*read_csv("t.csv")[0]] == ["lr", "acc"]


def test_a_ragged_row_is_said_in_a_sentence(folder, run):
    (folder / "t.csv").write_text("lr,acc\n0.1,1\n0.1,1,2,3\n")
    outcome = run("importance", "t.csv", "--objective", "acc")
    assert outcome.exit_code == 1
    assert outcome.stderr.endswith("a row of names, then a row for each trial.\n")
    assert "Expected 2 fields in line 3, saw 4." in outcome.stderr


def test_the_separator_is_told_on_stderr(folder, run):
    table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3], "acc": [1.5, 2.5, 4.5, 3.0]})
    table.to_csv("t.csv", index=False, sep=";")
    outcome = run("importance", "t.csv", "--objective", "acc", "--csv")
    assert outcome.exit_code == 0, outcome.output
    assert "note: table: its columns are separated by semicolons" in outcome.stderr
    assert outcome.stdout.splitlines()[1].startswith("x,")
