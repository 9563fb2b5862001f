import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.subspace import Subspace

SPACE = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xyz"])


LEFT = "can stay at the incumbent's values: most of what can still be gained is left."


@pytest.mark.parametrize(
    ("names", "fixed", "sentence"),
    [
        ("x", "yz", f"x explains 90% ± 5% (std over trees) of the variance. y and z {LEFT}"),
        (
            "xy",
            "z",
            "x and y explain 90% ± 5% (std over trees) of the variance, interactions among them "
            f"included. z {LEFT}",
        ),
        (
            "x",
            "",
            "x explains 90% ± 5% (std over trees) of the variance. No hyperparameter can certainly "
            "stay fixed.",
        ),
        (
            "x",
            "xyz",
            "x explains 90% ± 5% (std over trees) of the variance. All hyperparameters can stay at "
            "the incumbent's values: little is left to gain.",
        ),
        ("", "", "The prediction is constant: no hyperparameter matters."),
    ],
)
def test_the_sentence(names, fixed, sentence):
    assert subspace(names, fixed).sentence == sentence


def test_a_cap_is_told_with_the_variance():
    capped = subspace("x", "", notes=(fact("objectives_capped"),))
    assert capped.sentence.startswith(
        "x explains 90% ± 5% (std over trees) of the variance among good predictions."
    )


def test_where_it_cannot_be_told_what_can_stay_fixed_the_sentence_says_why():
    doubted = subspace("x", "", doubts=(fact("no_posterior_to_draw"),))
    assert doubted.sentence.endswith(
        "What can stay fixed cannot be told: the model has no joint posterior."
    )


def subspace(names, fixed, **known):
    return Subspace(
        subject=Subject(SPACE),
        names=tuple(names),
        share=0.9,
        explained=np.full(len(names), 0.9),
        std=np.full(len(names), 0.05),
        fixed=dict.fromkeys(fixed, 0.5),
        exhaustive=True,
        **known,
    )
