"""The H-statistic in words."""

import pytest

import hpo_explain as hx
from hpo_explain.wording import h_statistic as words
from tests.analytic import AnalyticSurrogate, unit_cube


def strength(name=None, factor=1.0):
    surrogate = AnalyticSurrogate(unit_cube(3), lambda X: X[:, 0] + factor * X[:, 1] * X[:, 2])
    return hx.InteractionExplainer(surrogate, sample=50).explain(name)


@pytest.mark.parametrize(
    ("name", "factor", "sentence"),
    [
        (
            None,
            1.0,
            "Of all pairs, x2 and x3 interact most in their effect on the predicted objective: "
            "H = 0.38 ± 0.04, and the interaction's root mean square is 0.08079.",
        ),
        (
            "x3",
            1.0,
            "Of all pairs with x3, x2 and x3 interact most in their effect on the predicted "
            "objective: H = 0.38 ± 0.04, and the interaction's root mean square is 0.08079.",
        ),
        (None, 0.0, "No hyperparameters interact in their effect on the predicted objective."),
        (
            "x1",
            1.0,
            "No hyperparameter interacts with x1 in its effect on the predicted objective.",
        ),
    ],
)
def test_which_pair_interacts_most(name, factor, sentence):
    assert strength(name, factor).sentence == sentence


def test_notes_and_captions():
    found = strength()
    assert [str(note) for note in found.notes] == [
        "estimated from 50 points (seed 0); ± is the standard error of this estimate, not the "
        "model's uncertainty"
    ]
    assert words.whiskers(found) == "Whiskers: standard error of estimating from 50 points."
    assert words.caption(found, in_cells=True).startswith("In the cells: H ± standard error. ")
