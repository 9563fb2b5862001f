import numpy as np

import hpo_explain as hx

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])


def test_a_run_says_what_was_read_left_out_and_assumed():
    run = hx.Run(
        SPACE,
        [[0.5], [0.25], [0.75]],
        [3.0, 1.0, 2.0],
        "maximize",
        proposals=[2],
        excluded={3: "failed", 5: "pruned", 6: "pruned"},
        notes=["space: given"],
        objective_name="accuracy",
        optimizer="Optuna's TPESampler",
    )
    assert repr(run) == (
        "<Run: 3 trials of 1 hyperparameter, accuracy (maximize), by Optuna's TPESampler>"
    )
    assert str(run).splitlines()[:5] == [
        "3 trials of 1 hyperparameter, accuracy (maximize), by Optuna's TPESampler",
        "best: trial 0, 3",
        "proposals: 1 (after the initial design)",
        "left out: 1 (3): failed",
        "left out: 2 (5-6): pruned",
    ]
    assert "note: space: given" in str(run).splitlines()


def test_a_run_without_a_feasible_trial_has_no_best_one():
    run = hx.Run(SPACE, [[0.5]], [3.0], "minimize", feasible=np.array([False]))
    assert "best" not in str(run)
