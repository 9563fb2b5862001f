"""Tables for people."""

import click

from hpo_explain.cli._output import text_table


def lines(columns):
    return click.unstyle(text_table([*columns.items()])).splitlines()


def test_numbers_stand_to_the_right_and_texts_to_the_left():
    columns = {"name": ["a", "long one"], "n": [1, 100], "share": [0.123456, 12.0]}
    assert lines(columns) == [
        "name        n   share",
        "a           1  0.1235",
        "long one  100      12",
    ]


def test_nothing_is_empty_but_none_is_a_value():
    columns = {"value": [None, float("nan"), True], "n": [1, 2, 3]}
    assert [line.split() for line in lines(columns)[1:]] == [["None", "1"], ["2"], ["True", "3"]]


def test_among_numbers_none_is_not_known():
    assert lines({"at": [None, 2], "n": [1, 2]}) == ["at  n", "    1", " 2  2"]


def test_wide_and_combining_characters_are_aligned():
    columns = {"name": ["学習率", "e\u0301", "👍\U0001f3fd", "plain"], "n": [1, 2, 3, 4]}
    # three wide characters take six columns, a letter with an accent of its own takes one, and
    # a symbol with a colour of its own takes as many as one
    assert lines(columns)[1:] == [
        "学習率  1",
        "e\u0301       2",
        "👍\U0001f3fd      3",
        "plain   4",
    ]


def test_a_joiner_that_is_not_seen_is_shown_and_aligned():
    columns = {"name": ["👩\u200d🔬", "plain"], "n": [1, 2]}
    assert lines(columns)[1:] == ["👩\\u200d🔬  1", "plain       2"]


def test_long_texts_are_shortened_and_control_characters_shown():
    (_, row) = lines({"name": ["\x1b[31m" + "x" * 200 + "end"]})
    assert row.startswith(r"\x1b[31mxxx")
    assert "x…x" in row
    assert row.endswith("xend")
    assert len(row) < 70
