import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx

SWEEP = {
    "method": "bayes",
    "metric": {"name": "val_acc", "goal": "maximize"},
    "parameters": {
        "lr": {"distribution": "log_uniform_values", "min": 1e-5, "max": 1.0},
        "layers": {"min": 1, "max": 6},
        "optimizer": {"values": ["adam", "sgd", "rmsprop"]},
        "epochs": {"value": 10},
    },
}


def test_a_sweep_says_what_was_searched_and_what_for():
    """Its constants and all that was logged are no hyperparameters."""
    rng = np.random.default_rng(0)
    lr = 10 ** rng.uniform(-4, -1, 12)
    accuracy = 1.0 - (np.log10(lr) + 2.0) ** 2 / 10
    table = pd.DataFrame({"config.lr": lr, "config.epochs": 10})
    table["config.layers"] = rng.integers(2, 5, 12)
    table["config.optimizer"] = rng.choice(["adam", "sgd"], 12)
    table["summary.val_acc"], table["summary.val_loss"] = accuracy, -accuracy
    table["name"], table["state"] = [f"run-{i}" for i in range(12)], "finished"
    run = hx.from_frame(table, space=SWEEP)
    assert run.direction == "maximize"
    assert run.objective.tolist() == accuracy.tolist()
    assert [*run.space] == [
        hx.FloatParameter("lr", 1e-5, 1.0, log=True),
        hx.IntParameter("layers", 1, 6),
        hx.CategoricalParameter("optimizer", ["adam", "sgd", "rmsprop"]),
    ]
    assert hx.from_frame(table, "summary.val_acc", space=SWEEP["parameters"]).space == run.space


@pytest.mark.parametrize(
    ("space", "said"),
    [
        ({"lr": [0.1, 0.2]}, "says of 'lr' only"),
        ({"lr": {"distribution": "cauchy"}}, "cauchy"),
        ({"lr": {"value": 1}}, "no hyperparameter varies"),
    ],
)
def test_what_is_no_sweep_is_told(space, said):
    with pytest.raises(hx.base.InputError, match=said):
        hx.from_frame(pd.DataFrame({"lr": [1.0], "loss": [1.0]}), "loss", space=space)
