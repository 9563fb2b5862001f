"""Accumulated local effects in words."""

import re
from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.diagnostics._trust import Trust, Verdict
from tests.analytic import AnalyticSurrogate, unit_cube

GOOD = Verdict("good", ())
TRUSTED = Trust(GOOD, GOOD, 1.0, 1.0, 40, "leave-one-out")
CUBE = unit_cube(2)


def effect(names, of, *, error):
    """Of a function at a lattice, with independent errors of the places."""
    lattice = np.array([(a, b) for a in np.linspace(0, 1, 5) for b in np.linspace(0, 1, 5)])
    subject = Subject(CUBE, tried=CUBE.sample(300, seed=0))
    explainer = hx.AccumulatedLocalEffectsExplainer(
        AnalyticSurrogate(CUBE, of), sample=lattice, subject=subject
    )
    found = explainer.explain(names)
    covariance = error**2 * np.eye(found.mean.size)
    return replace(found, covariance=covariance, subject=replace(found.subject, trust=TRUSTED))


# In a lattice the middles of a pair's intervals, 0.25 and 0.75, have a mean of 0.45: the products
# 4 (x1 - 0.45) (x2 - 0.45) range from -0.99 to 1.21.
@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (
            effect("x1", lambda X: 4.0 * X[:, 0], error=0.1),
            (
                "Along the trials, relative to their average, the objective is best at "
                "x1 between 0 and 0.125: -2.0 ± 0.2."
            ),
        ),
        (
            effect("x1", lambda X: 0.1 * X[:, 0], error=2.0),
            (
                "Along the trials, relative to their average, the objective is 0 ± 4 at "
                "best; no value of x1 is ruled out."
            ),
        ),
        (
            effect(("x1", "x2"), lambda X: 4.0 * X[:, 0] * X[:, 1], error=1e-3),
            "Along the trials x1 and x2 act together: their sum misses 2.200 ± 0.004.",
        ),
        (
            effect(("x1", "x2"), lambda X: 4.0 * X[:, 0] * X[:, 1], error=2.0),
            "Along the trials x1 and x2 may act together: their sum misses 2 ± 8.",
        ),
    ],
)
def test_the_sentence_says_what_changes_along_the_trials(result, sentence):
    assert result.sentence == sentence


def test_of_a_sum_nothing_is_left_for_the_pair():
    result = effect(("x1", "x2"), lambda X: 4.0 * X[:, 0] + X[:, 1], error=1e-4)
    assert result.sentence.startswith(
        "Along the trials x1 and x2 do not act together: their sum misses at most 0.000"
    )
    assert result.caution == ""


def test_where_the_partial_dependence_differs_is_told():
    diagonal = np.repeat(np.linspace(0, 1, 60)[:, None] ** 2, 2, axis=1)
    explainer = hx.AccumulatedLocalEffectsExplainer(
        AnalyticSurrogate(CUBE, lambda X: (X[:, 0] - X[:, 1]) ** 2),
        subject=Subject(CUBE, tried=diagonal),
    )
    # along the diagonal the slope is 0, over the square the mean is (x - 1/2)² + 1/12
    assert re.search(
        (
            "The partial dependence differs from it by 0.1[4-7] at x1 = [01]: it "
            "averages over all combinations, tried or not."
        ),
        explainer.explain("x1").sentence,
    )


def test_an_order_of_categories_is_said():
    space = hx.SearchSpace(
        [hx.CategoricalParameter("c", list("abd")), hx.FloatParameter("x", 0, 1)]
    )
    X = np.array([[0, 0.1], [1, 0.9], [2, 0.05], [0, 0.0], [1, 1.0], [2, 0.95]])
    explainer = hx.AccumulatedLocalEffectsExplainer(AnalyticSurrogate(space, 0.0), sample=X)
    (note,) = explainer.explain("c").notes
    assert str(note) == (
        "the categories of c are accumulated from one to the most similar one by the "
        "trials' other hyperparameters (a, d, b)"
    )
