"""Partial dependence in words."""

import pytest

import hpo_explain as hx
from hpo_explain.facts import fact
from hpo_explain.wording import partial_dependence as words
from tests.analytic import AnalyticSurrogate, unit_cube


def effect(names="x1", *, std=0.0, scale=1.0, **options):
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: 2.0 + scale * X[:, 0], std)
    return hx.PartialDependenceExplainer(surrogate, sample=10, grid_size=5, **options).explain(
        names
    )


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (effect(std=0.1), "On average the objective is best at x1 = 0 (2.0 ± 0.2)."),
        (
            effect(("x1", "x2"), direction="maximize"),
            "On average the objective is best at x1 = 1, x2 = 0 (3).",
        ),
        (
            effect(std=0.3),
            "On average the objective is best at x1 = 0 (2.0 ± 0.6). The band is wider than the "
            "whole effect everywhere: its shape is not certain.",
        ),
        (
            effect(scale=1e-6, direction="maximize"),
            "On average the objective is best at x1 = 1 (2.000001).",
        ),
        (effect(scale=0.0), "On average the objective is 2 for every value of x1."),
        (
            effect(("x1", "x2"), scale=0.0, std=0.1),
            "On average the objective is 2 for all values of x1 and x2.",
        ),
    ],
)
def test_where_the_objective_is_best_and_how_certain_that_is(result, sentence):
    assert result.sentence == sentence


def test_the_caution_stands_alone():
    unsure = effect(std=0.3)
    assert unsure.sentence == f"{words.finding(unsure)} {words.caution(unsure)}"
    assert words.caution(effect(std=0.1)) == ""


@pytest.mark.parametrize(
    ("share", "where"),
    [
        (0.25, "at 25% of the values: differences there are not certain"),
        (0.001, "at less than 1% of the values: differences there are not certain"),
        (0.75, "at 75% of the values: its shape is not certain"),
    ],
)
def test_where_a_band_is_wide(share, where):
    text = str(fact("band_wider_than_effect", share=share))
    assert text == f"the band is wider than the whole effect {where}"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (
            {"variance": "average", "exact": True},
            "the band averages pointwise variances (Eq. 5): the uncertainty about single "
            "configurations",
        ),
        (
            {"variance": "covariance", "exact": False},
            "the band is that of the average itself (Eq. 4)",
        ),
        (
            {"variance": "covariance", "exact": True},
            "the band rests on the standard deviation of the average over the trees",
        ),
    ],
)
def test_what_a_band_is_of(values, text):
    assert str(fact("effect_band", **values)) == text


def test_the_caption_says_what_the_band_leaves_out():
    assert words.band_caption(effect()) == (
        "The 95 % band averages pointwise variances (Eq. 5): the uncertainty about single "
        "configurations. It describes the function without observation noise."
    )


def test_a_pair_that_is_never_active_together():
    reason = fact(
        "never_active_together", names=["C", "units"], ancestor="k", first=(1,), second=(2, 3)
    )
    assert str(reason) == (
        "C and units are never active together (C is active when k = 1, units when k in {2, 3})"
    )
