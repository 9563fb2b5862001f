"""Folders of Ray Tune, written here as it writes them."""

import json

import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run


def reported(i, step, loss):
    return {
        "loss": loss,
        "timestamp": 100 + i,
        "training_iteration": step,
        "trial_id": f"abc_{i:05}",
        "time_total_s": 2.0,
        "done": False,
        "config": {},
    }


@pytest.fixture
def folder(tmp_path):
    """Four trials of which the third has stopped early, and the last failed."""
    states = []
    for i in range(4):
        place = tmp_path / "exp" / f"train_abc_{i:05}"
        place.mkdir(parents=True)
        config = {"lr": 0.1 * (i + 1), "net": {"kind": "ab"[i % 2]}, "n": 3}
        (place / "params.json").write_text(json.dumps(config))
        steps = range(1, 2 if i == 2 else 3)
        rows = [reported(i, step, 10.0 * i + 1.0 / step) for step in steps]
        if i == 1:  # old releases wrote this as well
            names = [*rows[0]]
            lines = [",".join(names)] + [",".join(str(row[name]) for name in names) for row in rows]
            (place / "progress.csv").write_text("\n".join(lines))
        else:
            lines = [json.dumps(row) for row in rows]
            (place / "result.json").write_text("\n".join(lines) + "\n")
        varied = {"lr": config["lr"], "net/kind": config["net"]["kind"]}
        about = {"trial_id": f"abc_{i:05}", "status": "TERMINATED", "evaluated_params": varied}
        states.append([json.dumps(about), "{}"])
    (place / "error.txt").write_text("Traceback")
    state = {"trial_data": states, "runner_data": {"_metric": "loss"}}
    (tmp_path / "exp" / "experiment_state-1.json").write_text(json.dumps(state))
    return tmp_path


def test_a_folder_is_read_with_its_metric_and_its_iterations(folder):
    for path in (folder, folder / "exp", folder / "exp" / "experiment_state-1.json"):
        run = as_run(path)
        assert (run.objective_name, run.direction) == ("loss", "minimize")
        assert run.objective.tolist() == [0.5, 10.5]
        assert run.space.names == ("lr", "net/kind")
        assert run.config(1) == pytest.approx({"lr": 0.2, "net/kind": "b"})
        assert {t: why.kind for t, why in run.excluded.items()} == {
            2: "another_fidelity",
            3: "failed",
        }
        assert run.finished.tolist() == [100.0, 101.0]
        assert run.curves is not None


def test_without_the_state_the_only_metric_is_taken(folder):
    (folder / "exp" / "experiment_state-1.json").unlink()
    assert as_run(folder).objective_name == "loss"
    with pytest.raises(hx.base.InputError, match="Reported: loss"):
        as_run(folder, objective="acc")
    (folder / "exp" / "basic-variant-state-1.json").write_text("{}")
    assert as_run(folder).origin(0) is hx.base.Origin.INITIAL
