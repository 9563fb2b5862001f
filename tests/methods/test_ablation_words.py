from dataclasses import replace

import numpy as np
import pytest

from hpo_explain.base.facts import fact
from hpo_explain.diagnostics._trust import Trust, Verdict
from hpo_explain.methods.around.ablation import AblationExplainer
from tests.analytic import AnalyticSurrogate, unit_cube

ONES, ZEROS = {"x1": 1.0, "x2": 1.0}, {"x1": 0.0, "x2": 0.0}


def ablation(mean=lambda X: 3.0 * X[:, 0] + X[:, 1], direction="minimize"):
    explainer = AblationExplainer(AnalyticSurrogate(unit_cube(2), mean), direction=direction)
    return explainer.explain(ONES, ZEROS)


UNKNOWN = (
    " Not certain: the model does not say how uncertain it is of a difference and it is "
    "not known how well the model predicts among the good trials."
)


def known(found, total_std, *std, **changes):
    """An ablation whose model is good and says how uncertain it is."""
    verdict = Verdict("good", ())
    subject = replace(found.subject, trust=Trust(verdict, verdict, 0.9, 0.95, 30, "by hand"))
    std = np.array(std)
    return replace(found, std=std, order_std=std, total_std=total_std, subject=subject, **changes)


def test_the_path_is_told_by_its_main_steps():
    found = known(ablation(direction="maximize"), 0.2, 0.1, 0.1, source_trial=3)
    assert found.sentence == (
        "From trial 3 to target the predicted objective gets worse by 4.0 ± 0.4, from 4 to 0. "
        "x1 = 0 (was 1) brings -3.0 ± 0.2."
    )
    assert ablation().sentence == (
        "From source to target the predicted objective improves by 4, from 4 to 0. "
        "x1 = 0 (was 1) brings 3." + UNKNOWN
    )


def test_the_levels_have_the_digits_in_which_they_differ():
    found = ablation(lambda X: 1e5 + 0.1 * X[:, 0])
    assert "improves by 0.1, from 100000.1 to 100000." in found.sentence


def test_an_order_that_matters_is_told():
    assert known(ablation(lambda X: X[:, 0] * X[:, 1]), 0.1, 0.01, 0.01).sentence == (
        "From source to target the predicted objective improves by 1.0 ± 0.2, from 1 to 0. "
        "x1 = 0 (was 1) brings 1.00 ± 0.02. Over all orders x1 brings 0.5 on average, not "
        "1.00 ± 0.02."
    )


def test_what_is_within_the_models_uncertainty_is_not_told():
    assert known(ablation(), 9.0, 9.0, 9.0).sentence == (
        "From source to target the predicted objective may not change at all (4 ± 18)."
    )
    assert known(ablation(), 9.0, 0.1, 9.0).sentence == (
        "From source to target the predicted objective may not change at all (4 ± 18). "
        "x1 = 0 (was 1) brings 3.0 ± 0.2."
    )
    assert known(ablation(), 0.1, 9.0, 9.0).sentence == (
        "From source to target the predicted objective improves by 4.0 ± 0.2, from 4 to 0."
    )


def test_no_difference_and_no_effect():
    found = known(ablation(), 0.1, 0.1, 0.1)
    among = replace(found.subject, costs=np.array([0.0, 1e4]))
    assert replace(found, subject=among).sentence == (
        "From source to target the predicted objective hardly changes (4.0 ± 0.2)."
    )
    assert ablation(lambda X: 4.0 + 0.0 * X[:, 0]).sentence == (
        "From source to target the predicted objective does not change."
    )


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (fact("source_chosen", trials=[3]), "source: trial 3, as none was given"),
        (
            fact("same_configuration", config={"x": 1.0}),
            "source and target are the same configuration, so there is no difference to explain "
            "({'x': 1.0}). Choose another source.",
        ),
        (
            fact("model_not_trusted", level="poor", scope="everywhere"),
            "the model predicts badly over the whole space",
        ),
        (fact("value_not_tried", names=["a", "b"]), "hardly any trial has such values of a and b"),
        (
            fact("flipped_at_once", names=["a", "b"]),
            "a and b change at once: each alone would activate a hyperparameter that has a "
            "value in neither configuration",
        ),
    ],
)
def test_facts(told, text):
    assert str(told) == text
