"""The H-statistic in words."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.h_statistic import InteractionBounds
from hpo_explain.wording import h_statistic as words
from tests.analytic import AnalyticSurrogate, unit_cube

DOUBTS = (
    " This is not certain: the model does not say how uncertain its interactions are, it is not "
    "known how well the model predicts over the whole space and it is not known what was tried."
)


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
            "H = 0.38 ± 0.04, and the interaction's root mean square is 0.08079." + DOUBTS,
        ),
        (
            "x3",
            1.0,
            "Of all pairs with x3, x2 and x3 interact most in their effect on the predicted "
            "objective: H = 0.38 ± 0.04, and the interaction's root mean square is 0.08079."
            + DOUBTS,
        ),
        (
            None,
            0.0,
            "No hyperparameters interact in their effect on the predicted objective." + DOUBTS,
        ),
        (
            "x1",
            1.0,
            "No hyperparameter interacts with x1 in its effect on the predicted objective."
            + DOUBTS,
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
    sampled = "Whiskers: standard error of estimating from 50 points, not the model's uncertainty."
    assert words.totals_whiskers(found) == sampled
    assert words.whiskers(found).startswith(sampled)
    assert words.caption(found, in_cells=True).startswith("In the cells: H ± standard error. ")


def bounded(size, size_lower, size_upper, H):
    """A result of x1, x2, x3 with bounds; numbers are of (x1, x2), (x1, x3) and (x2, x3)."""

    def pairs(numbers):
        found = np.full((3, 3), np.nan)
        for (j, k), number in zip([(0, 1), (0, 2), (1, 2)], numbers, strict=True):
            found[j, k] = found[k, j] = number
        return found

    shares = [pairs(np.square(numbers)) for numbers in (size, size_lower, size_upper)]
    low = [h if s else 0.0 for h, s in zip(H, size_lower, strict=True)]
    bounds = InteractionBounds(
        *map(pairs, (H, low, np.add(H, 0.05), size, size_lower, size_upper)), *shares
    )
    zeros = np.zeros(3)
    return hx.InteractionStrength(
        subject=Subject(unit_cube(3)),
        pairs=bounds.H,
        pairs_std=pairs(zeros),
        absolute=bounds.size,
        total=zeros,
        total_std=zeros,
        bounds=bounds,
        sample_size=50,
    )


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        (
            ((0.1, 0.2, 0.8), (0.0, 0.1, 0.7), (0.2, 0.3, 0.9), (0.1, 0.2, 0.5)),
            "Of all pairs, x2 and x3 interact most in their effect on the objective: H is between "
            "0.50 and 0.55, and the interaction's root mean square is 0.8. This",
        ),
        (
            ((0.1, 0.2, 0.8), (0.0, 0.1, 0.7), (0.2, 0.75, 0.9), (0.1, 0.9, 0.5)),
            "Of all pairs, x2 and x3 seem to interact most in their effect on the objective: H is "
            "between 0.50 and 0.55, and the interaction's root mean square is 0.8. H is larger for "
            "x1 and x3 (0.90), which matter less together. This",
        ),
        (
            ((0.0, 0.0, 0.05), (0.0, 0.0, 0.0), (0.1, 0.1, 0.13), (0.0, 0.0, 0.3)),
            "No hyperparameters interact in their effect on the objective: each pair explains less "
            "than 2% of its variance. This",
        ),
    ],
)
def test_what_is_told_of_functions_drawn_from_a_posterior(numbers, said):
    assert bounded(*numbers).sentence.replace("predicted ", "").startswith(said)
