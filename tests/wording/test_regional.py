"""Regions in words."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.wording import regional as words
from tests.analytic import AnalyticSurrogate, unit_cube


def regions(max_depth):
    surrogate = AnalyticSurrogate(
        unit_cube(2), lambda X: X[:, 0], lambda X: np.where(X[:, 1] > 0.5, 0.2, 0.1)
    )
    return hx.RegionalPartialDependenceExplainer(
        surrogate, sample=200, grid_size=5, max_depth=max_depth
    ).explain("x1")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (hx.Condition("lr", above=0.1), "lr > 0.1"),
        (hx.Condition("lr", up_to=0.25), "lr ≤ 0.25"),
        (hx.Condition("lr", above=0.1, up_to=0.25), "0.1 < lr ≤ 0.25"),
        (hx.Condition("c", categories=("adam",)), "c = adam"),
        (hx.Condition("c", categories=("adam", None)), "c in {adam, None}"),
    ],
)
def test_a_condition(condition, text):
    assert str(condition) == text


def test_where_the_effect_is_known_best():
    assert regions(1).sentence == (
        "The effect of x1 is known best where x2 ≤ 0.5006: its band is 37% narrower there than "
        "over the whole space."
    )
    assert regions(0).sentence == (
        "The effect of x1 is known equally well in all parts of the space."
    )


def test_a_place_and_the_caption():
    result = regions(1)
    assert [region.label for region in result.regions] == ["x2 ≤ 0.5006", "x2 > 0.5006"]
    assert result.tree[0].label == "everywhere"
    assert words.share(result.regions[0]) == "50% of the space"
    assert "fewer than 3 trials" not in words.caption(result, points=True, rows=True)
