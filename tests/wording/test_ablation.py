from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.facts import fact
from tests.analytic import AnalyticSurrogate, unit_cube

ONES, ZEROS = {"x1": 1.0, "x2": 1.0}, {"x1": 0.0, "x2": 0.0}


def ablation(mean=lambda X: 3.0 * X[:, 0] + X[:, 1], direction="minimize"):
    explainer = hx.AblationExplainer(AnalyticSurrogate(unit_cube(2), mean), direction=direction)
    return explainer.explain(ONES, ZEROS)


def test_the_path_is_told_by_its_main_steps():
    assert ablation().sentence == (
        "From source to target the predicted objective goes from 4 to 0, an improvement of 4, "
        "mainly through x1 = 0 (was 1) with 3."
    )
    found = replace(
        ablation(direction="maximize"), std=np.array([0.32, 0.1]), total_std=0.4, source_trial=3
    )
    assert found.sentence == (
        "From trial 3 to target the predicted objective goes from 4 to 0, a loss of 4.0 ± 0.4, "
        "mainly through x1 = 0 (was 1) with -3.00 ± 0.10."
    )


def test_the_levels_have_the_digits_in_which_they_differ():
    found = ablation(lambda X: 1e5 + 0.1 * X[:, 0])
    assert "goes from 100000.1 to 100000, an improvement of 0.1," in found.sentence


def test_an_order_that_matters_is_told():
    assert ablation(lambda X: X[:, 0] * X[:, 1]).sentence == (
        "From source to target the predicted objective goes from 1 to 0, an improvement of 1, "
        "mainly through x1 = 0 (was 1) with 1. The steps act together: averaged over all orders, "
        "x1 gains 0.5 (Shapley value), not 1."
    )


def test_no_difference_and_no_effect():
    found = replace(ablation(), std=np.full(2, 9.0), total_std=9.0)
    assert found.sentence == (
        "From source to target the predicted objective goes from 4 to 0: the difference is within "
        "the model's uncertainty, and so is every step."
    )
    assert ablation(lambda X: 4.0 + 0.0 * X[:, 0]).sentence == (
        "From source to target the predicted objective does not change: it is 4 along the whole "
        "path."
    )


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (fact("source_chosen", trials=[3]), "source: trial 3, chosen because none was given"),
        (
            fact("same_configuration", config=(("x", 1.0),)),
            "source and target are the same configuration, so there is no difference to explain "
            "({'x': 1.0}). Choose another source.",
        ),
        (
            fact("flipped_at_once", names=["a", "b"]),
            "a and b are flipped at once: each alone would activate a hyperparameter that has a "
            "value in neither configuration",
        ),
    ],
)
def test_facts(told, text):
    assert str(told) == text
