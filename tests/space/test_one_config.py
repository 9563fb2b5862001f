"""A configuration that does not fit the space: the error names the caller's own argument."""

import pytest

import hpo_explain as hx
from tests.handmade import tuning_run

RUN = tuning_run(12)
WHOLE = RUN.incumbent
NAME = next(p.name for p in RUN.space.parameters if isinstance(p, hx.FloatParameter))
UNKNOWN, MISSING = {**WHOLE, "y": 1}, {k: v for k, v in WHOLE.items() if k != NAME}
WRONG = {**WHOLE, NAME: "a"}


@pytest.mark.parametrize(
    ("argument", "explain"),
    [
        ("config", lambda config: hx.lime(RUN, config)),
        ("target", lambda config: hx.ablation(RUN, target=config)),
        ("config", lambda config: hx.local_background(RUN.space, config, 10)),
        ("cap", lambda config: hx.importance(RUN, n_trees=4, cap=config)),
    ],
    ids=["lime", "target", "background", "cap"],
)
@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (UNKNOWN, "names 'y', which is not a hyperparameter"),
        (MISSING, f"does not fit the search space: {NAME} is missing"),
        (WRONG, f"does not fit the search space: {NAME} = 'a' is not a number"),
    ],
    ids=["unknown", "missing", "wrong"],
)
def test_the_error_names_the_argument_that_was_given(argument, explain, config, problem):
    with pytest.raises(ValueError, match=f"^{argument} {problem}") as error:
        explain(config)
    assert error.value.argument == argument


def test_what_was_probably_meant_is_told():
    space = hx.SearchSpace([hx.FloatParameter("learning_rate", 0.0, 1.0)])
    with pytest.raises(
        ValueError, match=r"^configs names 'learning_rat', .* Did you mean 'learning_ra"
    ):
        space.encode({"learning_rat": 0.5})
