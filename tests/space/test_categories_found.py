"""Values are found among choices as each is compared with each, however many there are."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.space.categorical_parameter import category_index, different

MIXED = [1, 1.0, True, "1", float("nan"), None, (1, 2), "a"]


@pytest.mark.parametrize(
    "value",
    [
        *MIXED,
        np.int64(1),
        np.float64(1.0),
        np.bool_(True),
        np.str_("a"),
        [1, 2],
    ],
)
def test_a_value_is_the_choice_that_a_comparison_with_each_finds(value):
    parameter = hx.CategoricalParameter("c", MIXED)
    assert parameter.encode([value]).tolist() == [category_index(MIXED, value)]


@pytest.mark.parametrize("value", MIXED)
def test_no_choice_is_given_twice(value):
    with pytest.raises(hx.base.InputError, match="twice"):
        hx.CategoricalParameter("c", [*MIXED, value])


def test_values_that_differ_are_those_that_equal_none_before():
    given = [*MIXED, 2, 2.0, False, 0, (1, 2), [1, 2], np.int64(2), "b", "a"]
    expected = []
    for value in given:
        if category_index(expected, value) is None:
            expected.append(value)
    assert list(map(repr, different(given))) == list(map(repr, expected))
