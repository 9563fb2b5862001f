"""Databases of NNI, written here as its manager writes them."""

import json
import sqlite3
from contextlib import closing

import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run

SPACE = {
    "lr": {"_type": "loguniform", "_value": [0.0001, 0.1]},
    "units": {"_type": "quniform", "_value": [16, 64, 16]},
    "depth": {"_type": "randint", "_value": [1, 5]},
    "layer": {
        "_type": "choice",
        "_value": [
            {"_name": "none"},
            {"_name": "drop", "rate": {"_type": "uniform", "_value": [0, 1]}},
        ],
    },
}
TRIALS = [
    (
        {"lr": 0.01, "units": 16.0, "depth": 1, "layer": {"_name": "none"}},
        "0.5",
    ),
    (
        {
            "lr": 0.02,
            "units": 32.0,
            "depth": 4,
            "layer": {"_name": "drop", "rate": 0.25},
        },
        json.dumps({"default": 0.75, "loss": 0.125}),
    ),
    (
        {"lr": 0.03, "units": 64.0, "depth": 2, "layer": {"_name": "none"}},
        None,
    ),
]


def database(folder, tuner="TPE", mode="maximize", space=SPACE):
    path = folder / "nni.sqlite"
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(
            "CREATE TABLE TrialJobEvent (timestamp integer, trialJobId text, event text, "
            "data text, logPath text, sequenceId integer, message text)"
        )
        store.execute(
            "CREATE TABLE MetricData (timestamp integer, trialJobId text, parameterId text, "
            "type text, sequence integer, data text)"
        )
        store.execute(
            "CREATE TABLE ExperimentProfile (params text, id text, execDuration integer, "
            "startTime integer, endTime integer, logDir text, nextSequenceId integer, "
            "revision integer)"
        )
        given = {"optimize_mode": mode} if mode else {}
        about = {
            "searchSpace": json.dumps(space),
            "tuner": {"name": tuner, "classArgs": given},
        }
        store.execute(
            "INSERT INTO ExperimentProfile VALUES (?, 'e', 1, 1, 1, '', 1, 1)",
            (json.dumps(about),),
        )
        for i, (settings, metric) in enumerate(TRIALS):
            start = 10_000 * i
            data = json.dumps(
                {
                    "parameter_id": i,
                    "parameters": settings,
                    "parameter_index": 0,
                }
            )
            end = "SUCCEEDED" if metric else "FAILED"
            for event, time, given in (
                ("WAITING", start, data),
                ("RUNNING", start + 1000, ""),
                (end, start + 9000, None),
            ):
                store.execute(
                    "INSERT INTO TrialJobEvent VALUES (?, ?, ?, ?, '', ?, NULL)",
                    (time, f"job{i}", event, given, i),
                )
            if metric:
                for kind, step, value in (
                    ("PERIODICAL", 0, "0.25"),
                    ("FINAL", 0, metric),
                ):
                    store.execute(
                        "INSERT INTO MetricData VALUES (?, ?, ?, ?, ?, ?)",
                        (
                            start + 8000,
                            f"job{i}",
                            str(i),
                            kind,
                            step,
                            json.dumps(value),
                        ),
                    )
    return path


def test_a_database_is_read_with_its_space_its_times_and_its_tuner(tmp_path):
    for path in (database(tmp_path), tmp_path):
        run = as_run(path)
        assert run.objective.tolist() == [0.5, 0.75]
        assert (run.direction, run.optimizer) == ("maximize", "NNI's TPE")
        assert [*run.space] == [
            hx.FloatParameter("lr", 0.0001, 0.1, log=True),
            hx.IntParameter("units", 16, 64, step=16),
            hx.IntParameter("depth", 1, 4),
            hx.CategoricalParameter("layer", ["none", "drop"]),
            hx.FloatParameter(
                "layer/rate", 0.0, 1.0, active_when={"layer": ["drop"]}
            ),
        ]
        assert run.config(1) == pytest.approx(
            {
                "lr": 0.02,
                "units": 32,
                "depth": 4,
                "layer": "drop",
                "layer/rate": 0.25,
            }
        )
        assert {t: why.kind for t, why in run.excluded.items()} == {
            2: "failed"
        }
        assert run.started.tolist() == [1.0, 11.0]
        assert run.finished.tolist() == [9.0, 19.0]


def test_the_metric_says_which_settings_a_job_ran_with(tmp_path):
    """Jobs that start together may get each other's."""
    path = database(tmp_path)
    with closing(sqlite3.connect(path)) as store, store:
        for job, number in (("job0", "1"), ("job1", "0")):
            store.execute(
                "UPDATE MetricData SET parameterId = ? WHERE trialJobId = ?",
                (number, job),
            )
    run = as_run(path)
    assert run.objective.tolist() == [0.75, 0.5]
    assert run.started.tolist() == [11.0, 1.0]


def test_another_metric_may_be_chosen_and_random_draws_are_no_proposals(
    tmp_path,
):
    path = database(tmp_path, tuner="Random")
    run = as_run(path, objective="loss", direction="minimize")
    assert dict(zip(run.trials, run.objective, strict=True)) == {
        0: 0.5,
        1: 0.125,
    }
    assert (run.direction, run.proposals) == ("minimize", ())


def test_a_direction_that_is_not_on_record_is_asked_for(tmp_path):
    path = database(tmp_path, mode="")
    with pytest.raises(hx.base.InputError, match="direction was not given"):
        as_run(path)
    assert as_run(path, direction="minimize").direction == "minimize"
