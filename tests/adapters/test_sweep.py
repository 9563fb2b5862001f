import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.adapters.frame._layouts import read_sweep

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


def one(entry, tried=()):
    sweep = read_sweep({"x": entry, "y": {"values": ["a", "b"]}}, {"x": tried})
    return next((p for p in sweep.parameters if p.name == "x"), None)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"value": 3}, None),
        ({"min": 1, "max": 5}, hx.IntParameter("x", 1, 5)),
        ({"min": 1, "max": 5.0}, hx.FloatParameter("x", 1.0, 5.0)),
        ({"distribution": "uniform", "min": 1, "max": 5}, hx.FloatParameter("x", 1.0, 5.0)),
        (
            {"distribution": "log_uniform", "min": np.log(0.01), "max": 0.0},
            hx.FloatParameter("x", 0.01, 1.0, log=True),
        ),
        (
            {"distribution": "inv_log_uniform_values", "min": 0.01, "max": 1.0},
            hx.FloatParameter("x", 0.01, 1.0, log=True),
        ),
        (
            {"distribution": "q_uniform", "min": 0.0, "max": 1.0, "q": 0.25},
            hx.FloatParameter("x", 0.0, 1.0, step=0.25),
        ),
        (
            {"distribution": "q_uniform", "min": 8, "max": 64, "q": 8},
            hx.IntParameter("x", 8, 64, step=8),
        ),
        (
            {"distribution": "q_log_uniform_values", "min": 16, "max": 256},
            hx.IntParameter("x", 16, 256, log=True),
        ),
        ({"values": [16, 32, 64, 128]}, hx.IntParameter("x", 16, 128, log=True)),
        ({"values": [True, False]}, hx.CategoricalParameter("x", [True, False])),
        ({"distribution": "beta", "a": 1, "b": 2}, hx.FloatParameter("x", 0.0, 1.0)),
    ],
)
def test_distributions_of_a_sweep(entry, expected):
    found = one(entry)
    if isinstance(expected, hx.FloatParameter):
        assert found.low == pytest.approx(expected.low)
        assert (found.high, found.log, found.step) == (expected.high, expected.log, expected.step)
    else:
        assert found == expected


def test_a_normal_distribution_reaches_what_was_tried():
    found = one({"mu": 1.0, "sigma": 0.1}, [0.9, 2.5])
    assert found.low == pytest.approx(1.0 - 0.309, abs=1e-3)
    assert found.high == 2.5


@pytest.mark.parametrize("prefix", ["", "config."])
def test_a_sweep_says_what_was_searched_and_what_for(prefix):
    """Its constants and all that was logged are no hyperparameters."""
    rng = np.random.default_rng(0)
    lr = 10 ** rng.uniform(-4, -1, 12)
    accuracy = 1.0 - (np.log10(lr) + 2.0) ** 2 / 10
    table = pd.DataFrame(
        {
            f"{prefix}lr": lr,
            f"{prefix}layers": rng.integers(2, 5, 12),
            f"{prefix}optimizer": rng.choice(["adam", "sgd"], 12),
            f"{prefix}epochs": 10,
        }
    )
    metric = "val_acc" if not prefix else "summary.val_acc"
    table[metric] = accuracy
    table["val_loss" if not prefix else "summary.val_loss"] = -accuracy
    table["Name" if not prefix else "name"] = [f"run-{i}" for i in range(12)]
    table["State" if not prefix else "state"] = "finished"
    run = hx.from_frame(table, space=SWEEP)
    assert run.direction == "maximize"
    assert run.objective.tolist() == accuracy.tolist()
    assert [*run.space] == [
        hx.FloatParameter("lr", 1e-5, 1.0, log=True),
        hx.IntParameter("layers", 1, 6),
        hx.CategoricalParameter("optimizer", ["adam", "sgd", "rmsprop"]),
    ]
    assert hx.from_frame(table, metric, space=SWEEP["parameters"]).space == run.space


@pytest.mark.parametrize(
    ("space", "said"),
    [
        ({"lr": [0.1, 0.2]}, "says of 'lr' only"),
        ({"lr": {"distribution": "cauchy"}}, "cauchy"),
        ({"lr": {"value": 1}}, "no hyperparameter varies"),
    ],
)
def test_what_is_no_sweep_is_told(space, said):
    with pytest.raises(hx.InputError, match=said):
        hx.from_frame(pd.DataFrame({"lr": [1.0], "loss": [1.0]}), "loss", space=space)
