"""Words of the five lines: amounts, shares, ties and configurations."""

import numpy as np
import pytest

from hpo_explain.methods._engines import decision_words as words
from tests.analytic import space_of

SPACE = space_of(logreg_C=(0.001, 100.0, "log"), pca=range(40), kind=list("ab"))
NAMES = ("logreg_C", "pca", "kind")
KEPT = {"logreg_C": 1.0, "pca": 10, "kind": "a"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"logreg_C": 0.12}, "as trial 79, but logreg_C = 0.12"),
        ({"kind": "b", "logreg_C": 0.12}, "as trial 79, but logreg_C = 0.12 and kind = b"),
        ({}, "as trial 79"),
    ],
)
def test_a_configuration_is_told_by_what_differs_the_most_important_first(changed, said):
    text = words.compared(SPACE, KEPT | changed, KEPT, 79, NAMES)
    assert text == said
    assert [place.trial for place in text.places] == [79]


def test_what_is_active_only_there_differs_and_many_values_stand_alone():
    kept = {"kind": "a"}
    text = words.compared(SPACE, {"kind": "b", "pca": 20}, kept, 7, NAMES)
    assert text == "as trial 7, but pca = 20 and kind = b"
    space = space_of(**{name: range(9) for name in "abcde"})
    first = dict.fromkeys("abcde", 1)
    second = dict.fromkeys("abcde", 2)
    text = words.compared(space, second, first, 7, tuple("edcba"))
    assert text == "e = 2, d = 2, c = 2, among others"


@pytest.mark.parametrize("name", ["x", "a" * 300])
def test_no_name_is_cut(name):
    space = space_of(**{name: range(9)})
    text = words.compared(space, {name: 2}, {name: 1}, 7, (name,))
    assert text == f"as trial 7, but {name} = 2"


def test_a_level_has_the_digits_of_what_counts():
    """The last digit is no larger than what counts, and ten of it are."""
    rng = np.random.default_rng(0)
    for value, least in zip(rng.random(200), 10.0 ** rng.uniform(-6, -1, 200), strict=True):
        text = words.to_digit_of(value, least)
        if abs(value) > 10.0 * least:
            assert abs(float(text) - value) <= least / 2.0 + 1e-15
            decimals = len(text.partition(".")[2])
            assert 10.0**-decimals <= least < 10.0 ** (1 - decimals) * 1.0001


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_amount_changes_the_objective_the_way_that_is_better(sign):
    text = words.amount(0.0024, (0.0, 0.0041), sign)
    way = "-" if sign > 0.0 else "+"
    assert text.startswith(f"{way}0.002 (0 to ")
    assert "0.004)" in text


def test_a_share_in_words_is_the_nearest_part():
    for share in np.linspace(0.05, 0.95, 91):
        named = {text: part for part, text in words._FRACTIONS.items()}
        told = named[words.part_of(share)]
        assert abs(told - share) <= 0.05 + 1e-9


@pytest.mark.parametrize(
    ("tied", "best", "said"),
    [
        ([4], 4, "trial 4"),
        ([4, 9], 4, "two trials tie; trial 4 is the first"),
        ([4, 9], 9, "two trials tie; best observed: trial 9"),
        ([*range(12)], 0, "12 trials tie; trial 0 is the first"),
    ],
)
def test_ties_are_told_as_ties(tied, best, said):
    assert words.tie(tied, best) == said
