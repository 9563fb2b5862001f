"""Partial dependence in words."""

from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.base.subject import Subject
from hpo_explain.diagnostics._narrow import Branch
from hpo_explain.diagnostics._trust import Trust, Verdict
from hpo_explain.methods.effects.effect_show import band_caption
from tests.analytic import AnalyticSurrogate, unit_cube

GOOD = Verdict("good", ())
TRUSTED = Trust(GOOD, GOOD, 1.0, 1.0, 40, "leave-one-out")
CUBE = unit_cube(2)


def effect(names="x1", *, std=0.0, scale=1.0, error=None, low=0.0, of=lambda X: X[:, 0], **options):
    """Of 2 + scale · x1, with trials above `low` and independent errors of the means."""
    surrogate = AnalyticSurrogate(CUBE, lambda X: 2.0 + scale * of(X), std)
    tried = CUBE.sample(300, seed=0) * (1.0 - low) + low
    subject = Subject(CUBE, options.pop("direction", "minimize"), tried=tried)
    explainer = hx.PartialDependenceExplainer(
        surrogate, sample=10, grid_size=5, subject=subject, **options
    )
    found = explainer.explain(names)
    if error is None:
        return found
    covariance = error**2 * np.eye(found.mean.size)
    return replace(found, covariance=covariance, subject=replace(found.subject, trust=TRUSTED))


DOUBTS = (
    "Not certain: it is not known how well the model predicts over the whole space and "
    "the model does not say how uncertain it is of a difference."
)


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (
            effect(std=0.1),
            "On average the objective is best at x1 between 0 and 0.125: 2.0 ± 0.2. " + DOUBTS,
        ),
        (
            effect(error=0.1),
            "On average the objective is best at x1 between 0 and 0.375: 2.0 ± 0.2.",
        ),
        (
            effect(error=1e-3, direction="maximize"),
            "On average the objective is best at x1 between 0.875 and 1: 3.000 ± 0.002.",
        ),
        (
            effect(error=1e-3, low=0.5),
            (
                "On average the objective is best at x1 between 0.5 and 0.625: 2.500 ± "
                "0.002. Hardly tried, so not ruled out: x1 = 0.00495 to 0.4505."
            ),
        ),
        (
            effect(("x1", "x2"), error=1e-3, of=lambda X: X[:, 0] + X[:, 1]),
            (
                "On average the objective is best at x1 between 0 and 0.125 and x2 "
                "between 0 and 0.125: 2.000 ± 0.002."
            ),
        ),
        (
            effect(error=1e-3, of=lambda X: -((X[:, 0] - 0.5) ** 2)),
            (
                "On average the objective is best at x1 between 0 and 0.125 or between "
                "0.875 and 1: 1.750 ± 0.002."
            ),
        ),
        (
            effect(error=9.0),
            "On average the objective is 2 ± 18 at best; no value of x1 is ruled out.",
        ),
        (
            effect(("x1", "x2"), error=9.0),
            "On average the objective is 2 ± 18 at best; no value of x1 or x2 is ruled out.",
        ),
        (
            effect(scale=1e-6, direction="maximize", error=0.0),
            "On average the objective is best at x1 between 0.875 and 1: 2.000001.",
        ),
        (
            effect(scale=0.0, error=0.0),
            "On average the objective is 2 for every value of x1.",
        ),
        (
            effect(("x1", "x2"), scale=0.0, error=0.0),
            "On average the objective is 2 for every value of x1 and x2.",
        ),
    ],
)
def test_which_values_may_be_best(result, sentence):
    assert result.sentence == sentence


def test_categories_that_may_be_best_are_named():
    space = hx.SearchSpace([hx.CategoricalParameter("kind", ["a", "b", "c"])])
    surrogate = AnalyticSurrogate(space, lambda X: np.array([1.0, 1.1, 5.0])[X[:, 0].astype(int)])
    found = hx.PartialDependenceExplainer(surrogate, sample=5).explain("kind")
    one, two = (replace(found, covariance=s**2 * np.eye(3)) for s in (0.01, 0.3))
    assert one.finding == "On average the objective is best at kind = a: 1.00 ± 0.02."
    assert two.finding == "On average the objective is best at kind in {a, b}: 1.0 ± 0.6."


def test_a_small_effect_is_flat_within_a_bound():
    flat = effect(of=lambda X: 10 * X[:, 1] + 0.01 * X[:, 0], error=0.01)
    claim = flat.claims[0]
    assert (claim.kind, claim.certain) == ("flat", True)
    assert flat.finding.startswith("On average the objective is 6.9")
    assert flat.finding.endswith("for every value of x1.")


def test_a_finding_and_its_caution_stand_alone():
    unsure = effect(std=0.3, low=0.5)
    parts = unsure.finding, unsure.caution, unsure.basis
    assert unsure.sentence == " ".join(parts)
    assert "Hardly tried" in parts[2]
    assert effect(error=0.01).caution == effect(error=0.01).basis == ""


@pytest.mark.parametrize(
    ("branch", "text"),
    [
        (
            Branch(("x1",), 14, 0.5),
            "Not certain: judged on the 14 trials in which x1 is active",
        ),
        (
            Branch(("x1",), 40, 0.5),
            "Judged on the 40 trials in which x1 is active, held-out R²",
        ),
        (
            Branch(("x1",), 40, -0.5),
            "Not certain: judged on the 40 trials in which x1 is active",
        ),
        (
            Branch(("x1",), 14, np.nan),
            "Not certain: judged on the 14 trials in which x1 is active",
        ),
    ],
)
def test_a_conditional_hyperparameter_is_judged_in_its_branch(branch, text):
    found = replace(effect(error=0.01), branch=branch)
    assert text in found.sentence
    assert found.claims[0].certain == branch.enough


def test_a_model_that_predicts_badly_says_nothing_certain():
    poor = Verdict("poor", ())
    subject = replace(effect(error=0.01).subject, trust=Trust(poor, poor, 0.0, 1.0, 9, "none"))
    found = replace(effect(error=0.01), subject=subject)
    assert not found.claims[0].certain
    assert found.sentence.endswith("Not certain: the model predicts badly over the whole space.")


@pytest.mark.parametrize(
    ("gaps", "text"),
    [
        ([("a", "a"), ("b", "b")], "hardly tried, so not ruled out: x = a, b"),
        ([(1, 2), (3, 4), (5, 6), (7, 8)], "x = 1 to 2, 3 to 4, 5 to 6 and 1 more"),
    ],
)
def test_what_was_hardly_tried(gaps, text):
    assert str(fact("hardly_tried", names=["x"], gaps=gaps)).endswith(text)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (
            {"variance": "average", "exact": True},
            "the band is the uncertainty about single configurations",
        ),
        (
            {"variance": "covariance", "exact": False},
            "the band is the uncertainty about the average",
        ),
        (
            {"variance": "covariance", "exact": True},
            "the band is the spread of the average over the trees",
        ),
    ],
)
def test_what_a_band_is_of(values, text):
    assert str(fact("effect_band", **values)) == text


def test_the_caption_says_what_the_band_leaves_out():
    assert band_caption(effect()) == (
        "The 95 % band is the uncertainty about single configurations, without observation noise."
    )


def test_a_pair_that_is_never_active_together():
    reason = fact(
        "never_active_together", names=["C", "units"], ancestor="k", first=(1,), second=(2, 3)
    )
    assert str(reason) == (
        "C and units are never active together (C when k = 1, units when k = 2 or 3)"
    )
