"""Values are found among choices as each is compared with each, however many there are."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.space.categorical_parameter import category_index, different

MIXED = [1, 1.0, True, "1", float("nan"), None, (1, 2), "a"]


@pytest.mark.parametrize(
    "value", [*MIXED, np.int64(1), np.float64(1.0), np.bool_(True), np.str_("a"), [1, 2]]
)
def test_a_value_is_the_choice_that_a_comparison_with_each_finds(value):
    parameter = hx.CategoricalParameter("c", MIXED)
    expected = compared(MIXED, value)
    assert parameter.encode([value]).tolist() == [expected]
    assert category_index(MIXED, value) == expected


@pytest.mark.parametrize("value", [*MIXED, 2, 0.0, "b", (1,), [1.0, 2]])
@pytest.mark.parametrize("choices", [MIXED[1:], MIXED[::-1], [True, 0]])
def test_a_value_may_be_no_choice(choices, value):
    assert category_index(choices, value) == compared(choices, value)


def compared(choices, value):
    """The choice that is a value: the first of its type that equals it, else the first."""
    if isinstance(value, np.generic):
        value = value.item()
    equal = [i for i, choice in enumerate(choices) if equals(choice, value)]
    same_type = [i for i in equal if type(choices[i]) is type(value)]
    return min(same_type or equal, default=None)


def equals(choice, value):
    if isinstance(choice, tuple) and isinstance(value, (list, tuple)):
        return list(choice) == list(value)
    if isinstance(choice, bool) != isinstance(value, bool):
        return False
    return choice == value or (choice != choice and value != value)


@pytest.mark.parametrize("value", MIXED)
def test_no_choice_is_given_twice(value):
    with pytest.raises(hx.base.InputError, match="twice"):
        hx.CategoricalParameter("c", [*MIXED, value])


def test_values_that_differ_are_those_that_equal_none_before():
    given = [*MIXED, 2, 2.0, False, 0, (1, 2), [1, 2], np.int64(2), "b", "a"]
    expected = []
    for value in given:
        if compared(expected, value) is None:
            expected.append(value)
    assert list(map(repr, different(given))) == list(map(repr, expected))
