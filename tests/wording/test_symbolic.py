"""A formula of an effect in words."""

import numpy as np

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.symbolic import Factor, Term
from tests.analytic import unit_cube
from tests.handmade import TRUSTED


def effect(**changes):
    """A formula made by hand."""
    fields = {
        "subject": Subject(
            unit_cube(2), objective_name="loss", trust=TRUSTED, tried=unit_cube(2).sample(30)
        ),
        "names": ("x1", "x2"),
        "intercept": -0.5,
        "terms": (
            Term((Factor("x1", "log_square"),), 0.25, 0.4),
            Term((Factor("x1", "identity"), Factor("x2", "identity")), -2.0, 0.5),
        ),
        "points": ({"x1": 0.5, "x2": 0.5},) * 4,
        "mean": np.linspace(0.0, 1.0, 4),
        "fitted": np.linspace(0.0, 1.0, 4),
        "held_out": np.ones(4, dtype=bool),
        "r2": 0.97,
        "r2_interval": (0.8, 0.96),
        "known": 0.7,
        "least": 0.9,
    }
    return hx.SymbolicEffect(**{**fields, **changes})


def test_a_formula_is_told_with_both_of_its_r2():
    found = effect()
    assert found.formula == "loss ≈ −0.5 + 0.25 · log10(x1)² − 2 · x1 · x2"
    assert found.sentence == (
        f"{found.formula} describes the effect of x1 and x2 on the loss: R² is 0.97 with the "
        "model's prediction, and 0.8 to 0.96 with 95% of the effects that the trials allow."
    )


def test_a_formula_that_may_not_fit_is_not_certain():
    assert effect(r2_interval=(0.3, 0.96)).sentence.endswith(
        "This is not certain: with some effects that the trials allow its R² is only 0.3."
    )


def test_no_formula_is_told_where_it_does_not_fit_or_nothing_is_known():
    assert effect(r2=0.6, r2_interval=(0.5, 0.7)).sentence == (
        "No short formula describes the effect of x1 and x2 on the loss: the best sum of 2 terms "
        "has an R² of 0.6 (at least 0.9 is asked for)."
    )
    assert effect(known=-0.3).sentence == (
        "No formula is given for the effect of x1 and x2 on the loss: the trials do not tell the "
        "effect from none."
    )
