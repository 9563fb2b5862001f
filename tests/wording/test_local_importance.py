from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.wording import local_importance as words
from tests.analytic import AnalyticSurrogate, unit_cube

CONFIG = {"x1": 0.5, "x2": 0.5}


def explained(mean=lambda X: 3.0 * X[:, 0] + X[:, 1], **subject):
    found = hx.LocalImportanceExplainer(AnalyticSurrogate(unit_cube(2), mean)).explain(CONFIG)
    return replace(found, subject=replace(found.subject, **subject))


def test_sentences():
    assert explained().sentence == (
        "Around this configuration the predicted objective varies most along x1 with 90% of the "
        "variance along single hyperparameters."
    )
    found = explained(lambda X: X[:, 0] + X[:, 1], trial=3, objective_name="loss")
    assert replace(found, std=np.array([0.02, 0.1])).sentence == (
        "Around trial 3 the predicted loss varies most along x1 with 50% ± 2% and x2 with 50% ± "
        "10% of the variance along single hyperparameters."
    )
    assert explained(lambda X: 4.0 + 0.0 * X[:, 0], acquisition="EI").sentence == (
        "Around this configuration no hyperparameter alone changes the EI, which is 4."
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("trees", "standard deviation over the trees of the forest, not a confidence interval."),
        ("posterior", "standard deviation over draws from the model's posterior."),
        ("", "The shares have no standard deviation: the model gives none."),
    ],
)
def test_whiskers_are_named(kind, text):
    assert words.whiskers(replace(explained(), std_kind=kind)).endswith(text)
