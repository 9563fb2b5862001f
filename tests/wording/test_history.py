import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.wording import history

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])


def run(**options):
    direction = options.pop("direction", "minimize")
    return hx.Run(SPACE, [[0.5], [0.25]], [3.0, 1.0], direction, objective_name="loss", **options)


def made(**options):
    return hx.history(run(**options))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "best loss 1 in trial 1; lower is better"),
        ({"direction": "maximize"}, "best loss 3 in trial 0; higher is better"),
        ({"feasible": np.array([False] * 2)}, "no feasible trial yet; lower loss is better"),
    ],
)
def test_the_best_trial_is_named(options, text):
    assert history.subtitle(made(**options)) == text


def test_trials_that_were_left_out_are_counted_with_their_reasons():
    assert history.footer(made()) == ""
    excluded = {2: "pruned", 3: "failed", 4: "pruned"}
    assert history.footer(made(excluded=excluded)) == "3 trials left out: failed; pruned"
