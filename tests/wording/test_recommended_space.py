import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.explanations import Evidence, Recommendation, Subject
from hpo_explain.facts import fact

SPACE = hx.SearchSpace(
    [hx.FloatParameter("lr", 1e-4, 1.0, log=True), hx.CategoricalParameter("kind", ["a", None])]
)
LR, KIND = (1e-4, 1.0), ("a", None)


def recommended(*rows):
    return Recommendation(
        subject=Subject(SPACE, objective_name="loss"), space=SPACE, rows=rows, bound=0.5
    )


def test_a_narrower_space():
    result = recommended(
        Evidence("lr", LR, (1e-3, 0.0123456), 0.25, 0.04, np.nan, fact("little_gain", gain=0.04)),
        Evidence("kind", KIND, KIND, 1.0, np.nan, np.nan, fact("nothing_given_up")),
    )
    assert result.sentence == (
        "For a better loss the search can leave out values of lr: 0.25 of the space remains."
    )
    assert result.evidence[["before", "after", "reason"]].values.tolist() == [
        ["[0.0001, 1]", "[0.001, 0.01235]", "outside, at most 4% of what the best value gains"],
        ["{a, None}", "{a, None}", "no value can be given up with confidence yet"],
    ]


def test_nothing_can_be_narrowed():
    row = Evidence("lr", LR, LR, 1.0, np.nan, np.nan, fact("nothing_given_up"))
    assert recommended(row).sentence == (
        "No range can be narrowed with confidence yet for a better loss."
    )


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (
            fact("never_best", categories=("a", None), margin=0.12345, objective="loss"),
            "a and None never best anywhere: worse than the best by 0.123 in loss or more",
        ),
        (fact("never_active"), "left out, because never active in the recommended space"),
        (
            fact("never_active", names=["x", "y"]),
            "left out, because never active in the recommended space: x and y",
        ),
        (fact("good_region", objective="loss", bound=0.5), "the good region: loss better than 0.5"),
    ],
)
def test_reasons_and_notes(found, text):
    assert str(found) == text
