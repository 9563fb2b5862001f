"""Snapshots of Ax, written here as its clients of today and of years ago write them."""

import json

import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters.sources import as_runs

TRIALS = [
    ("COMPLETED", {"lr": 0.01, "n": 1, "kind": "a"}, 3.0),
    ("COMPLETED", {"lr": 0.1, "n": 2, "kind": "b"}, 1.0),
    ("COMPLETED", {"lr": 0.5, "n": 5, "kind": "a"}, 2.0),
    ("FAILED", {"lr": 0.9, "n": 4, "kind": "b"}, None),
]
MAKERS = {
    "new": ["CenterOfSearchSpace", "Sobol", "BoTorch", None],
    "old": ["Sobol", "Sobol", "GPEI", None],
}


def of(kind, **about):
    return {"__type": kind, **about}


def time(seconds):
    return of("datetime", value=f"2024-01-01 00:00:{seconds:02}.500000")


def number(name, low, high, kind, log=False):
    return of(
        "RangeParameter",
        name=name,
        parameter_type=of("ParameterType", name=kind),
        lower=low,
        upper=high,
        log_scale=log,
    )


def table(i, **metrics):
    rows = {
        "trial_index": {str(k): i for k in range(len(metrics))},
        "metric_name": {str(k): name for k, name in enumerate(metrics)},
        "mean": {str(k): value for k, value in enumerate(metrics.values())},
        "sem": {str(k): None for k in range(len(metrics))},
    }
    return of("Data", df=of("DataFrame", value=json.dumps(rows)))


def objective_of(release, names):
    if release == "new":
        return of("Objective", expression=", ".join(f"-{n}" for n in names))
    each = [of("Objective", metric=of("Metric", name=name), minimize=True) for name in names]
    if len(each) == 1:
        return each[0]
    return of("MultiObjective", objectives=each)


def write(path, release, names=("loss",)):
    trials, data = {}, {}
    for i, (status, values, loss) in enumerate(TRIALS):
        maker = MAKERS[release][i]
        key = "generator_key" if release == "new" else "model_key"
        trials[str(i)] = of(
            "Trial",
            index=i,
            status=of("TrialStatus", name=status),
            time_run_started=time(i),
            time_completed=time(i + 1),
            generator_run=of(
                "GeneratorRun", arms=[of("Arm", parameters=values, name=f"{i}_0")], **{key: maker}
            ),
        )
        if loss is not None:
            told = table(i, **{n: loss + k for k, n in enumerate(names)})
            data[str(i)] = of("OrderedDict", value=[[0, told]])
    experiment = of(
        "Experiment",
        search_space=of(
            "SearchSpace",
            parameters=[
                number("lr", 1e-3, 1.0, "FLOAT", log=True),
                number("n", 1, 5, "INT"),
                of("ChoiceParameter", name="kind", values=["a", "b"]),
            ],
            parameter_constraints=[],
        ),
        optimization_config=of("OptimizationConfig", objective=objective_of(release, names)),
        trials=trials,
        data_by_trial=data,
    )
    content = {"experiment": experiment, "generation_strategy": {}}
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize("release", MAKERS)
def test_a_snapshot_is_read_whichever_client_wrote_it(tmp_path, release):
    run = as_run(write(tmp_path / "ax.json", release))
    assert [*run.space] == [
        hx.FloatParameter("lr", 1e-3, 1.0, log=True),
        hx.IntParameter("n", 1, 5),
        hx.CategoricalParameter("kind", ["a", "b"]),
    ]
    assert (run.objective_name, run.direction) == ("loss", "minimize")
    assert run.objective.tolist() == [3.0, 1.0, 2.0]
    assert run.config(1) == TRIALS[1][1]
    assert run.proposals == (2,)
    assert {t: why.kind for t, why in run.excluded.items()} == {3: "failed"}
    assert (run.finished - run.started).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("release", MAKERS)
def test_one_of_several_objectives_is_chosen(tmp_path, release):
    place = write(tmp_path / "ax.json", release, ("loss", "size"))
    with pytest.raises(hx.base.InputError, match="there are 2"):
        as_run(place)
    assert as_run(place, objective="size").objective.tolist() == [4, 2, 3]
    assert [*as_runs(place)] == ["loss", "size"]
