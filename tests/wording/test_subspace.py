import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.explanations import Subject, Subspace

SPACE = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xyz"])


@pytest.mark.parametrize(
    ("names", "fixed", "sentence"),
    [
        (
            "x",
            "yz",
            "x explains 90% ± 5% (std over trees) of the variance; 2 others can stay fixed.",
        ),
        (
            "xy",
            "z",
            "x and y explain 90% ± 5% (std over trees) of the variance, interactions among them "
            "included; 1 other can stay fixed.",
        ),
        (
            "xyz",
            "",
            "x, y and z explain 90% ± 5% (std over trees) of the variance, interactions among them "
            "included; no hyperparameter can stay fixed.",
        ),
        ("x", "", "x explains 90% ± 5% (std over trees) of the variance."),
        ("", "xyz", "The prediction is constant: no hyperparameter matters."),
    ],
)
def test_the_sentence(names, fixed, sentence):
    result = Subspace(
        subject=Subject(SPACE),
        names=tuple(names),
        share=0.9,
        explained=np.full(len(names), 0.9),
        std=np.full(len(names), 0.05),
        fixed=dict.fromkeys(fixed, 0.5),
        exhaustive=True,
    )
    assert result.sentence == sentence
