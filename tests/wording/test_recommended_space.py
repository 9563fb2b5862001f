import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.recommended_space import Evidence, Recommendation
from tests.handmade import TRUSTED

SPACE = hx.SearchSpace(
    [hx.FloatParameter("lr", 1e-4, 1.0, log=True), hx.CategoricalParameter("kind", ["a", None])]
)
LR, KIND = (1e-4, 1.0), ("a", None)
WORSE = fact(
    "worse_at_best", names=["lr"], bound=0.31234, reached=0.25, near=4, level=0.95, objective="loss"
)


def recommended(*rows, **about):
    return Recommendation(
        subject=Subject(SPACE, objective_name="loss", **about), space=SPACE, rows=rows, level=0.95
    )


def evidence(name, before, after, kept=1.0, **known):
    nothing = {"bound": np.nan, "reached": np.nan, "trials": None, "tried": True, "untried": ()}
    reason = known.pop("reason", fact("nothing_given_up"))
    return Evidence(name, before, after, kept, **{**nothing, **known}, reason=reason)


def test_a_narrower_space():
    found = {"bound": 0.31234, "reached": 0.25, "trials": 4, "reason": WORSE}
    result = recommended(
        evidence("lr", LR, (1e-3, 0.0123456), 0.25, untried=((1e-3, 2e-3),), **found),
        evidence("kind", KIND, KIND, untried=((None, None),)),
    )
    assert result.sentence == (
        "No range can be narrowed with confidence yet for a better loss. Perhaps values of lr can "
        "be left out: 25% of the space would remain."
    )
    columns = ["before", "after", "untried", "reason"]
    assert result.evidence[columns].values.tolist() == [
        [
            "[0.0001, 1]",
            "[0.001, 0.01235]",
            "[0.001, 0.002]",
            "given up: loss 0.3123 at best (95% bound), 0.25 is reached; at least 4 trials near "
            "each value",
        ],
        ["{a, None}", "{a, None}", "{None}", "no value can be given up with confidence yet"],
    ]


def test_what_is_certain_stands_apart_from_what_is_not():
    found = {"bound": 0.31234, "reached": 0.25, "trials": 4, "reason": WORSE}
    rows = [
        evidence("lr", LR, (1e-3, 0.0123456), 0.25, **found),
        evidence("kind", KIND, ("a",), 0.5, **{**found, "tried": False}),
    ]
    result = recommended(*rows, trust=TRUSTED)
    assert [claim.certain for claim in result.claims] == [True, False]
    assert result.sentence == (
        "For a better loss the search can leave out values of lr: 25% of the space remains. This "
        "rests on the model's bounds: with the values left out even the best choice of the others "
        "is worse than what is predicted to be best (95% certainty), with at least 4 trials near "
        "each of them. Perhaps values of kind can be left out as well."
    )


def test_nothing_can_be_narrowed():
    assert recommended(evidence("lr", LR, LR)).sentence == (
        "No range can be narrowed with confidence yet for a better loss."
    )


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (fact("never_active"), "left out, because never active in the recommended space"),
        (
            fact("never_active", names=["x", "y"]),
            "left out, because never active in the recommended space: x and y",
        ),
        (
            fact("fitted_on_some", used=500, n=2000),
            "the model is fitted on 500 of the 2000 trials, drawn at random",
        ),
        (fact("no_trials_known"), "no trials are known, so nothing is given up"),
    ],
)
def test_reasons_and_notes(found, text):
    assert str(found) == text
