"""Learning curves in words."""

import numpy as np

import hpo_explain as hx
from tests.analytic import unit_cube


def found_of(values, final=None, **asked):
    m = len(values)
    X = np.linspace(0.0, 1.0, m)[:, None]
    final = values[:, -1] if final is None else np.asarray(final)
    done = ~np.isnan(final)
    curves = hx.Curves(np.arange(m), X, np.arange(1.0, values.shape[1] + 1), values, "epoch")
    run = hx.Run(
        unit_cube(1), X[done], final[done], "minimize", trials=np.arange(m)[done], curves=curves,
        objective_name="loss",
    )  # fmt: skip
    return hx.learning_curves(run, at=(), **asked)


def test_known_ranks_are_told_with_the_step_and_the_interval():
    values = np.random.default_rng(0).permutation(30)[:, None] + np.linspace(1.0, 0.0, 4)
    sentence = found_of(values, orders=0).sentence
    assert sentence.startswith(
        "From epoch 1 of 4 on the loss ranks the 30 finished trials much as in the end: at epoch 1 "
        "the rank correlation with the final values is 1 (95% interval 0.99"
    )
    assert "a median pruner saves" in sentence
    assert "and keeps the best" in sentence


def test_unknown_ranks_and_pruned_trials_are_told():
    rng = np.random.default_rng(1)
    values = rng.random((20, 5))
    final = np.where(np.arange(20) < 12, values[:, -1], np.nan)
    sentence = found_of(values, final, orders=0).sentence
    assert sentence.startswith("The rank of trials before the end is not")
    assert "8 trials that reported values have no final one" in sentence
    assert "From epoch" not in sentence
