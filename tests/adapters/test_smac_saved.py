"""Folders of SMAC3, whose files are written here as its releases write them."""

import json

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters.sources import as_runs
from tests.noted import the_note

MODEL = "Acquisition Function Maximizer: Local Search"
CONFIGS = [
    {"lr": 0.01, "kind": "a", "gain": 0.5},
    {"lr": 0.1, "kind": "b"},
    {"lr": 0.5, "kind": "a", "gain": 0.25},
    {"lr": 0.9, "kind": "b"},
]
COSTS = [4.0, 2.0, 1.0, 9.0]
STATUSES = [1, 1, 1, 2]
ENUMS = ["SUCCESS", "SUCCESS", "DONOTADVANCE", "CRASHED"]


def space_of_configspace_1():
    return {
        "hyperparameters": [
            {
                "type": "uniform_float",
                "name": "lr",
                "lower": 0.001,
                "upper": 1.0,
                "default_value": 0.1,
                "log": True,
                "meta": None,
            },
            {
                "type": "categorical",
                "name": "kind",
                "choices": ["a", "b"],
                "weights": None,
                "default_value": "b",
            },
            {
                "type": "uniform_float",
                "name": "gain",
                "lower": 0.0,
                "upper": 1.0,
                "default_value": 0.5,
                "log": False,
            },
        ],
        "conditions": [{"type": "EQ", "child": "gain", "parent": "kind", "value": "a"}],
        "forbiddens": [{"type": "EQUALS", "name": "kind", "value": "b"}],
        "format_version": 0.4,
    }


def space_of_configspace_0():
    found = space_of_configspace_1()
    for entry in found["hyperparameters"]:
        entry["default"] = entry.pop("default_value")
        entry.pop("weights", None)
    found["hyperparameters"][1]["probabilities"] = [0.5, 0.5]
    return {**found, "json_format_version": 0.4}


def rows_of_smac_1():
    return [
        [[i + 1, None, 0, 0.0], [c, 0.1, {"__enum__": f"StatusType.{s}"}, 5.0 + i, 6.0 + i, {}]]
        for i, (c, s) in enumerate(zip(COSTS, ENUMS, strict=True))
    ]


def rows_of_smac_2_0():
    return [
        [i + 1, None, 0, None, c, 0.1, s, 5.0 + i, 6.0 + i, {}]
        for i, (c, s) in enumerate(zip(COSTS, STATUSES, strict=True))
    ]


def rows_of_smac_2_2():
    return [[*row[:6], 0.01, *row[6:]] for row in rows_of_smac_2_0()]


def row(i, cost, status=1, **about):
    return {
        "config_id": i + 1,
        "instance": None,
        "seed": 0,
        "budget": None,
        "cost": cost,
        "time": 0.1,
        "cpu_time": 0.1,
        "status": status,
        "starttime": 5.0 + i,
        "endtime": 6.0 + i,
        "additional_info": {},
    } | about


def rows_of_smac_2_4():
    return [row(i, c, s) for i, (c, s) in enumerate(zip(COSTS, STATUSES, strict=True))]


def write(folder, rows, space=None, scenario=None):
    origins = ["Initial Design: Sobol"] * 2 + [MODEL] * 2
    about = {
        "data": rows,
        "configs": {str(i): c for i, c in enumerate(CONFIGS, start=1)},
        "config_origins": {str(i): o for i, o in enumerate(origins, start=1)},
    }
    (folder / "runhistory.json").write_text(json.dumps(about))
    space = space_of_configspace_1() if space is None else space
    (folder / "configspace.json").write_text(json.dumps(space))
    if scenario is not None:
        (folder / "scenario.json").write_text(json.dumps(scenario))
    return folder


@pytest.mark.parametrize(
    ("rows", "space"),
    [
        (rows_of_smac_1(), space_of_configspace_0()),
        (rows_of_smac_2_0(), space_of_configspace_0()),
        (rows_of_smac_2_2(), space_of_configspace_0()),
        (rows_of_smac_2_4(), space_of_configspace_1()),
    ],
    ids=["1.4", "2.0", "2.2", "2.4"],
)
def test_a_folder_is_read_whichever_release_wrote_it(tmp_path, rows, space):
    for path in (write(tmp_path, rows, space), tmp_path / "runhistory.json"):
        run = as_run(path)
        assert run.objective.tolist() == COSTS[:3]
        assert [run.config(t) for t in run.trials] == CONFIGS[:3]
        assert {t: why.kind for t, why in run.excluded.items()} == {3: "failed"}
        assert [*run.space] == [
            hx.FloatParameter("lr", 0.001, 1.0, log=True),
            hx.CategoricalParameter("kind", ["a", "b"]),
            hx.FloatParameter("gain", 0.0, 1.0, active_when={"kind": ["a"]}),
        ]
        assert run.default == {"lr": 0.1, "kind": "b"}
        assert run.proposals == (2,)
        assert run.started.tolist() == [5.0, 6.0, 7.0]
        assert the_note(run.notes, "forbidden: the space rules out kind == 'b', which the search")


def test_evaluations_without_budgets_and_times_are_read(tmp_path):
    rows = [[[*key[:3]], [*value[:3], {}]] for key, value in rows_of_smac_1()]  # SMAC 0
    run = as_run(write(tmp_path, rows, space_of_configspace_0()))
    assert run.objective.tolist() == COSTS[:3]
    assert [run.config(t) for t in run.trials] == CONFIGS[:3]
    assert {t: why.kind for t, why in run.excluded.items()} == {3: "failed"}


def test_the_scenario_names_objectives_and_the_facade(tmp_path):
    scenario = {"objectives": ["error", "size"], "_meta": {"facade": {"name": "RandomFacade"}}}
    rows = [row(i, [c, -c]) for i, c in enumerate(COSTS)]
    runs = as_runs(write(tmp_path, rows, scenario=scenario))
    assert [*runs] == ["error", "size"]
    assert runs["size"].objective.tolist() == [-c for c in COSTS]
    assert runs["size"].optimizer == "SMAC3's RandomFacade"
    with pytest.raises(hx.base.InputError, match="'error', 'size'"):
        as_run(tmp_path)
    assert as_run(tmp_path, objective="size").objective_name == "size"


def test_budgets_are_compared_at_the_highest_and_seeds_are_averaged(tmp_path):
    rows = [
        row(i, c + 10 * (budget == 1.0) + seed, seed=seed, budget=budget)
        for i, c in enumerate(COSTS)
        for budget in (1.0, 3.0)
        for seed in (0, 1)
        if i < 3 or budget == 1.0
    ]
    run = as_run(write(tmp_path, rows))
    assert run.objective.tolist() == [c + 0.5 for c in COSTS[:3]]
    assert [why.kind for why in run.excluded.values()] == ["another_fidelity"]
    assert run.instances.names == (0, 1)
    assert run.instances.objective.tolist() == [4, 5, 2, 3, 1, 2]
    low = as_run(tmp_path, level=1.0)
    assert low.objective.tolist() == [c + 10.5 for c in COSTS]


def test_a_row_that_says_running_of_a_finished_trial_is_no_trial(tmp_path):
    finished = [row(i, c) for i, c in enumerate(COSTS[:3])]
    running = [row(i, None, 0, seed=7, endtime=0.0) for i in range(len(COSTS))]
    run = as_run(write(tmp_path, [*running, *finished]))
    assert run.objective.tolist() == COSTS[:3]
    assert np.isfinite(run.finished).all()
    assert {t: why.kind for t, why in run.excluded.items()} == {3: "running"}


def test_without_a_space_it_is_inferred_from_what_was_tried(tmp_path):
    write(tmp_path, rows_of_smac_2_4(), {})
    (tmp_path / "configspace.json").unlink()
    run = as_run(tmp_path)
    assert run.objective.tolist() == COSTS[:3]
    assert the_note(run.notes, "space: not on record")
