import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_explain.base.numbers import signed
from hpo_explain.base.phrases import columns, shorten
from hpo_explain.draw._text import abbreviated, distinct, plain, visible, wrap
from hpo_explain.draw._texts import row_labels


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\r\nc\u2028d", "a↵b↵c↵d"),
        ("a\tb", "a b"),
        ("a\x00b\x1bc\ud800", r"a\x00b\x1bc\ud800"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("a\u200bb\u200e\U000e0041", r"a\u200bb\u200e\U000e0041"),
        ("שלום", "\u200eשלום\u200e"),
        (0.5, "0.5"),
    ],
)
def test_a_label_is_one_line_of_characters_that_can_be_shown(text, shown):
    assert plain(text) == shown


@given(st.lists(st.integers(0, sys.maxunicode)).map(lambda points: "".join(map(chr, points))))
def test_a_label_never_holds_what_xml_forbids(text):
    # XML 1.0, production 2, and the controls that it discourages
    for character in plain(text):
        assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        assert character not in "\ufffe\uffff"


def test_a_text_keeps_its_own_lines_alone():
    assert visible("a\nb\u2028c\u2029d\re\x1b") == r"a|b↵c↵d↵e\x1b".replace("|", "\n")


def test_the_middle_of_a_long_name_makes_room_for_an_ellipsis():
    assert shorten("optimizer__param_groups__0__learning_rate", 21) == "optimizer_…rning_rate"
    assert shorten("short", 5) == "short"


@given(st.text(), st.integers(1, 30))
def test_a_shortened_text_fits(text, width):
    assert columns(shorten(text, width)) <= width


def test_wide_characters_take_two_columns_and_combining_ones_none():
    assert columns("学习率") == 6
    assert columns("e\u0301") == 1
    assert shorten("学习率学习率", 7) == "学…率"


def test_what_is_joined_of_several_characters_is_not_cut_apart():
    scientist = "👩\u200d🔬"
    assert columns(scientist) == 2
    assert shorten(scientist * 5, 7) == f"{scientist}…{scientist}"
    assert shorten("e\u0301" * 9, 5) == "e\u0301e\u0301…e\u0301e\u0301"


def test_equal_labels_are_numbered():
    assert distinct(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]


def test_lines_are_broken_at_spaces_but_not_around_an_equals_sign():
    assert wrap("payout = 12 and more", 12) == "payout = 12\nand more"
    assert wrap("one\ntwo", 40) == "one\ntwo"


@pytest.mark.parametrize(
    ("value", "scale", "shown"),
    [
        (0.4812, 0.5814, "+0.481"),
        (-0.00001, 0.5, "0.000"),
        (0.0, 0.0, "0.00"),
        (3e-7, 5e-7, "+3.00e−07"),
        (-2.5e9, 2.5e9, "−2.50e+09"),
    ],
)
def test_numbers_beside_each_other_have_a_sign_and_the_digits_of_the_largest(value, scale, shown):
    assert signed(value, scale) == shown


LONG = "a_really_quite_long_hyperparameter_name_of_module.{}.layer_norm_epsilon_decay"


def test_names_that_would_be_shortened_alike_show_where_they_differ():
    names = [LONG.format(i) for i in (2, 18, 25)]
    short = abbreviated(names, 40)
    assert len(set(short)) == 3
    assert all(f".{i}." in text for i, text in zip((2, 18, 25), short, strict=True))
    assert all(
        columns(text) <= 40 and text.startswith("…") and text.endswith("…") for text in short
    )
    # nothing changes for those that shortening tells apart
    assert abbreviated(["x" * 50, "y" * 50, "z"], 11) == ["xxxxx…xxxxx", "yyyyy…yyyyy", "z"]


@given(st.lists(st.text(max_size=40), max_size=6), st.integers(3, 30))
def test_abbreviated_names_are_told_apart_and_fit(texts, width):
    texts = [plain(text) for text in texts]
    short = abbreviated(texts, width)
    assert len(set(short)) == len(short) == len(texts)
    for text, label in zip(texts, short, strict=True):
        if columns(text) <= width and texts.count(text) == 1:
            assert label == text or label.startswith(text)  # numbered if another becomes the same
        assert columns(label) <= width + len(" (6)")


def test_a_label_of_words_is_broken_not_cut():
    rows = [("a pruner of the worst quarter", "keeps the best in 100%"), ("short", "")]
    expected = ["a pruner of the worst\nquarter\nkeeps the best in 100%", "short"]
    assert row_labels(rows, 24) == expected
    names = [f"regularization__dropout_probability_of_block_{k:02d}" for k in range(3)]
    labels = row_labels([(name,) for name in names], 24)
    assert [label.replace("\n", "") for label in labels] == names
