"""Projects of KerasTuner, whose files are written here as KerasTuner writes them."""

import json
import random

import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run


def entry(kind, name, conditions=(), **about):
    conditions = [
        {"class_name": "Parent", "config": {"name": n, "values": v}} for n, v in conditions
    ]
    config = {"name": name, "default": None, "conditions": conditions}
    return {"class_name": kind, "config": config | about}


def whole(name, low, high, step=1):
    return entry("Int", name, min_value=low, max_value=high, step=step, sampling=None)


def write(folder, entries, trials, **state):
    """Write a project: of each trial its values, and its score or None."""
    (folder / "oracle.json").write_text(
        json.dumps({"hyperparameters": {"space": entries}, **state})
    )
    for i, (values, score) in enumerate(trials):
        place = folder / f"trial_{i:04}"
        place.mkdir()
        observed = {"observations": [{"value": [score], "step": 0}]}
        worse = {"observations": [{"value": [score], "step": 1}]}
        metrics = {
            "val_loss": {"direction": "min", **observed},
            "accuracy": {"direction": "max", **worse},
        }
        if score is not None:
            metrics["accuracy"]["observations"][0]["value"] = [-score]
        state_of = "FAILED" if score is None else "COMPLETED"
        (place / "trial.json").write_text(
            json.dumps(
                {
                    "trial_id": f"{i:04}",
                    "hyperparameters": {"space": entries, "values": values},
                    "metrics": {"metrics": {} if score is None else metrics},
                    "score": score,
                    "status": state_of,
                }
            )
        )
    return folder


def tuned(n, build):
    """The values of trials as KerasTuner draws them: those of all that was ever used."""
    rng, known, trials = random.Random(0), {}, []
    for _ in range(n):
        values = {name: draw(rng) for name, draw in known.items()}
        used = build(values, known, rng)
        trials.append((values, used))
    return trials


def test_a_project_is_read_with_its_metric_its_space_and_its_tuner(tmp_path):
    entries = [
        entry("Float", "lr", min_value=1e-4, max_value=0.1, step=None, sampling="log"),
        entry("Choice", "act", values=["relu", "tanh"], ordered=False),
        entry("Boolean", "bias", conditions=[("act", ["tanh"])], default=False),
    ]
    trials = [
        ({"lr": 1e-3, "act": "relu", "bias": True}, 0.5),
        ({"lr": 1e-2, "act": "tanh", "bias": True}, 0.25),
        ({"lr": 5e-2, "act": "tanh", "bias": False}, 0.75),
        ({"lr": 9e-2, "act": "tanh", "bias": False}, None),
    ]
    (tmp_path / "tuned").mkdir()
    place = write(tmp_path / "tuned", entries, trials, num_initial_points=2)
    for path in (place, place / "oracle.json", tmp_path):
        run = as_run(path)
        assert run.objective.tolist() == [0.5, 0.25, 0.75]
        assert (run.objective_name, run.direction) == ("val_loss", "minimize")
        assert run.optimizer == "KerasTuner's BayesianOptimization"
        assert run.proposals == (2,)
        assert [*run.excluded] == [3]
        assert run.space["lr"] == hx.FloatParameter("lr", 1e-4, 0.1, log=True)
        assert run.config(0) == {"lr": 1e-3, "act": "relu"}


def test_layers_of_a_loop_are_inactive_in_shallower_models(tmp_path):
    layers = [f"units_{i}" for i in range(4)]

    def build(values, known, rng):
        for name in ("depth", *layers):
            if name == "depth":
                known.setdefault(name, lambda rng: rng.randint(1, 4))
                values.setdefault(name, 1)
            elif layers.index(name) < values["depth"]:
                known.setdefault(name, lambda rng: rng.randint(8, 64))
                values.setdefault(name, 8)
        return sum(values[name] for name in layers[: values["depth"]]) + rng.random()

    trials = tuned(30, build)
    assert any("units_3" not in values for values, _ in trials)
    assert any("units_3" in values and values["depth"] < 4 for values, _ in trials)
    entries = [whole("depth", 1, 4), *[whole(name, 8, 64) for name in layers]]
    run = as_run(write(tmp_path, entries, trials))
    assert not run.excluded
    for i, name in enumerate(layers[1:], start=1):
        assert run.space[name].active_when == {"depth": tuple(range(i + 1, 5))}
    for number, (values, _) in enumerate(trials):
        used = layers[: values["depth"]]
        assert run.config(number) == {name: values[name] for name in ("depth", *used)}


def test_what_is_inside_of_an_if_is_active_where_that_is_true(tmp_path):
    def build(values, known, rng):
        known.setdefault("drop", lambda rng: rng.random() < 0.2)
        values.setdefault("drop", False)
        if values["drop"]:
            known.setdefault("rate", lambda rng: rng.random())
            values.setdefault("rate", 0.0)
        return values["drop"] * values.get("rate", 0.0) + rng.random()

    trials = tuned(20, build)
    assert sum("rate" not in values for values, _ in trials) > 3
    entries = [
        entry("Boolean", "drop"),
        entry("Float", "rate", min_value=0.0, max_value=1.0, step=None, sampling=None),
    ]
    run = as_run(write(tmp_path, entries, trials))
    assert not run.excluded
    assert run.space["rate"].active_when == {"drop": (True,)}


def test_scores_of_several_objectives_are_refused(tmp_path):
    trials = [({"n": 1}, 0.5), ({"n": 2}, 0.75)]
    place = write(tmp_path, [whole("n", 1, 3)], trials)
    for i in range(2):
        file = place / f"trial_000{i}" / "trial.json"
        about = json.loads(file.read_text())
        file.write_text(json.dumps({**about, "score": 7.0 + i}))
    with pytest.raises(hx.base.InputError, match="several objectives"):
        as_run(place)
