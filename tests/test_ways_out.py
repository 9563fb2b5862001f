"""Errors and notes name what the function at hand takes, and the values that there are."""

import pytest

import hpo_explain as hx

SPACE = hx.SearchSpace(
    [
        hx.CategoricalParameter("c", ["a", "b"]),
        hx.IntParameter("n", 1, 9),
        hx.FloatParameter("x", 0.0, 1.0),
    ]
)
X = SPACE.sample(12, seed=0)
RUN = hx.Run(SPACE, X, X[:, 0] + X[:, 2], "minimize")


@pytest.mark.parametrize(
    ("given", "there"),
    [
        ({"c": ["z"]}, "['a', 'b']"),
        ({"c": "z"}, "['a', 'b']"),
        ({"n": [20]}, "[1, 9]"),
        ({"n": []}, "from 1 to 9"),
        ({"x": (0.5, 5.0)}, "[0.0, 1.0]"),
        ({"x": [0.5]}, "(0.0, 1.0)"),
        ({"y": [1]}, "c, n, x"),
    ],
)
def test_a_part_of_the_space_that_is_not_there_names_those_that_are(given, there):
    with pytest.raises(hx.base.InputError) as caught:
        hx.importance(RUN, given=given, n_trees=2)
    assert there in str(caught.value)


def test_a_run_that_was_read_does_not_send_an_unknown_option_to_its_reader():
    with pytest.raises(hx.base.InputError, match="else it is no option here"):
        hx.methods.noise(RUN, surrogate=RUN.surrogate())
