from dataclasses import replace

import numpy as np

import hpo_explain as hx
from tests.handmade import tuning_run


def test_the_drivers_are_named():
    run = tuning_run(20)
    found = hx.aggregate([hx.explain_proposal(run, t, background=40) for t in (17, 18)])
    mean = np.zeros_like(found.mean)
    mean[:, 0, -1], mean[:, 1, -1] = 1.0, -2.0
    assert replace(found, mean=mean).sentence == (
        "On average over 2 runs, layers and lr mattered most to what was proposed under LCB (κ = "
        "1.96)."
    )
    assert replace(found, mean=0.0 * mean).sentence == (
        "No hyperparameter stands out on average over 2 runs."
    )
