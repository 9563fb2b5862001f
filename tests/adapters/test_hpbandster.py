"""What hpbandster logs, written here as its logger writes it."""

import json

import pytest

from hpo_explain.adapters import as_run

CONFIGS = [
    ([0, 0, 0], {"x": 0.5, "kind": "a"}, {"model_based_pick": False}),
    ([0, 0, 1], {"x": 1.5, "kind": "b"}, {"model_based_pick": False}),
    ([0, 0, 2], {"x": 2.5, "kind": "a"}, {"model_based_pick": True}),
    ([0, 0, 3], {"x": 3.5, "kind": "b"}, {"model_based_pick": True}),
]
RESULTS = [
    (0, 1.0, 5.0),
    (1, 1.0, 4.0),
    (2, 1.0, 3.0),
    (3, 1.0, None),
    (0, 3.0, 2.5),
    (2, 3.0, 1.5),
]


@pytest.fixture
def folder(tmp_path):
    lines = [json.dumps(one) for one in CONFIGS]
    (tmp_path / "configs.json").write_text("\n".join(lines) + "\n")
    lines = []
    for i, (at, budget, loss) in enumerate(RESULTS):
        times = {"submitted": i, "started": i + 0.1, "finished": i + 0.5}
        result = None if loss is None else {"loss": loss, "info": {}}
        error = "Traceback" if loss is None else None
        lines.append(
            json.dumps([CONFIGS[at][0], budget, times, result, error])
        )
    (tmp_path / "results.json").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_configurations_are_compared_at_the_highest_budget(folder):
    for path in (folder, folder / "results.json"):
        run = as_run(path)
        assert dict(zip(run.trials, run.objective, strict=True)) == {
            0: 2.5,
            2: 1.5,
        }
        assert run.config(2) == {"x": 2.5, "kind": "a"}
        assert (run.direction, run.proposals) == ("minimize", (2,))
        assert {t: why.kind for t, why in run.excluded.items()} == {
            1: "another_fidelity",
            3: "failed",
        }
        assert run.started.tolist() == [4.1, 5.1]


def test_a_lower_budget_may_be_chosen(folder):
    run = as_run(folder, level=1.0)
    assert run.objective.tolist() == [5.0, 4.0, 3.0]
    assert run.started.tolist() == [0.1, 1.1, 2.1]
