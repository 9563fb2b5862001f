"""Functions read what the command line reads: storages, tables and pickled results."""

import gzip
import json
import logging
import pickle
import sqlite3
import sys
from contextlib import closing
from types import ModuleType

import joblib
import numpy as np
import optuna
import pandas as pd
import pytest
import skopt

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters.sources import as_runs

TABLE = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})


@pytest.fixture
def storage(tmp_path):
    """A database with a study of two objectives, and one of a single objective."""
    place = tmp_path / "study.db"
    for name, directions in (("one", ["minimize"]), ("two", ["minimize", "maximize"])):
        study = optuna.create_study(
            storage=f"sqlite:///{place}",
            study_name=name,
            directions=directions,
            sampler=optuna.samplers.RandomSampler(seed=0),
        )
        for value in (0.1, 0.4, 0.8):
            trial = study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
            study.tell(trial, [value] * len(directions))
    return place


def test_a_database_is_read_by_its_path_and_by_its_address(storage):
    study = optuna.load_study(storage=f"sqlite:///{storage}", study_name="one")
    expected = hx.from_optuna(study)
    for place in (storage, str(storage), f"sqlite:///{storage}"):
        run = as_run(place, study_name="one")
        assert run.objective.tolist() == expected.objective.tolist()
        assert run.space == expected.space
    assert len(as_runs(storage, study_name="two")) == 2
    assert len(as_runs(storage, study_name="two", target=1)) == 1


def test_a_table_is_read_by_its_path_with_the_options_of_a_table(tmp_path):
    TABLE.to_csv(tmp_path / "t.csv", index=False, sep=";")
    effect = hx.partial_dependence(tmp_path / "t.csv", "x", objective="loss", sample=10)
    table = hx.partial_dependence(TABLE, "x", objective="loss", sample=10)
    assert effect.mean.tolist() == table.mean.tolist()
    run = as_run(str(tmp_path / "t.csv"), objective="loss", direction="maximize")
    assert run.direction == "maximize"
    assert "table: its columns are separated by semicolons" in map(str, run.notes)


def test_a_pickled_result_is_read_only_if_it_is_trusted(tmp_path):
    result = skopt.gp_minimize(
        lambda v: v[0], [(0.0, 1.0)], n_calls=5, n_initial_points=5, random_state=0
    )
    skopt.dump(result, tmp_path / "result.pkl", store_objective=False)
    with pytest.raises(hx.base.InputError, match="runs whatever code is in the file") as caught:
        hx.trust(tmp_path / "result.pkl")
    assert "trust_pickle=True" in caught.value.remedy
    run = as_run(tmp_path / "result.pkl", trust_pickle=True)
    assert run.objective.tolist() == [float(value) for value in result.func_vals]


def test_a_pickled_study_is_read_as_the_study_is(tmp_path):
    study = optuna.create_study(directions=["minimize", "maximize"])
    for value in (0.1, 0.4, 0.8):
        trial = study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
        study.tell(trial, [value, -value])
    place = tmp_path / "study.pkl"
    place.write_bytes(pickle.dumps(study))
    assert as_run(place, trust_pickle=True, target=1).direction == "maximize"
    assert len(as_runs(place, trust_pickle=True)) == 2
    assert hx.pareto(place, trust_pickle=True).front.tolist() == [0]


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x02coptuna.structs\nStudyDirection\n.",
        b"\x80\x02coptuna.distributions\nUniformDistributionOfOld\n.",
    ],
)
def test_a_study_that_another_optuna_pickled_has_a_remedy(tmp_path, content):
    place = tmp_path / "old.pkl"
    place.write_bytes(content)
    with pytest.raises(hx.base.InputError, match="cannot be unpickled") as caught:
        as_run(place, trust_pickle=True)
    assert "another release of Optuna" in caught.value.remedy


@pytest.fixture
def study_of_another_release(monkeypatch):
    """A study whose sampler holds what no release of Optuna here has, without what old ones lack.

    Optuna 2 kept neither a step nor whether a range is logarithmic, Optuna 3.0 no `_directions`.
    """
    gone = ModuleType("optuna.samplers._gone")
    gone.TPESampler = type("TPESampler", (), {"__module__": gone.__name__, "_n_startup_trials": 2})
    monkeypatch.setitem(sys.modules, gone.__name__, gone)
    study = optuna.create_study(direction="maximize")
    for x in (0.1, 0.4, 0.8, 0.2):
        ranges = {"x": optuna.distributions.UniformDistribution(0.0, 1.0)}
        study.tell(study.ask(ranges), x)
    for trial in study.get_trials(deepcopy=False):
        vars(trial.distributions["x"]).pop("log")
        vars(trial.distributions["x"]).pop("step")
    study.sampler = gone.TPESampler()
    study.sampler.random = np.random.RandomState(0)
    del study._directions
    return study


@pytest.mark.filterwarnings("ignore:UniformDistribution")
@pytest.mark.parametrize("way", ["pickle", "gzip", "joblib", "compressed joblib"])
def test_a_study_that_another_optuna_pickled_is_read(
    tmp_path, study_of_another_release, monkeypatch, way
):
    place = tmp_path / "study.pkl"
    if "joblib" in way:
        joblib.dump(study_of_another_release, place, compress=3 * ("compressed" in way))
    else:
        content = pickle.dumps(study_of_another_release)
        place.write_bytes(gzip.compress(content) if way == "gzip" else content)
    monkeypatch.delitem(sys.modules, "optuna.samplers._gone")
    run = as_run(place, trust_pickle=True)
    assert run.objective.tolist() == [0.1, 0.4, 0.8, 0.2]
    assert (run.direction, run.optimizer) == ("maximize", "Optuna's TPESampler")
    assert (run.space["x"].low, run.space["x"].high, run.space["x"].log) == (0.0, 1.0, False)


def test_a_stand_in_is_for_samplers_alone(tmp_path):
    place = tmp_path / "study.pkl"
    place.write_bytes(b"\x80\x02coptuna.samplers._gone\nX\n0coptuna.structs\nX\n.")
    with pytest.raises(hx.base.InputError, match="cannot be unpickled"):
        as_run(place, trust_pickle=True)


def test_pickled_columns_are_a_table(tmp_path):
    place = tmp_path / "columns.joblib"
    joblib.dump(TABLE.to_dict("list"), place)
    run = as_run(place, trust_pickle=True, objective="loss")
    assert run.objective.tolist() == TABLE["loss"].tolist()


ROWS = [{"x": x, "loss": loss} for x, loss in TABLE.itertuples(index=False)]


@pytest.mark.parametrize(
    "content",
    [
        ROWS,
        {"results": ROWS, "best": ROWS[0]},
        {"all_results": [{"params": {"x": r["x"]}, "loss": r["loss"]} for r in ROWS], "n": 5},
        {"trials": {f"trial_{i}": row for i, row in enumerate(ROWS)}},
        {f"trial_{i}": row for i, row in enumerate(ROWS)},
        {name: {str(i): v for i, v in enumerate(TABLE[name])} for name in TABLE},
    ],
    ids=["rows", "results", "all_results", "trials", "names", "pandas"],
)
@pytest.mark.parametrize("kind", ["pickle", "json"])
def test_rows_are_a_table_wherever_they_are(tmp_path, content, kind):
    place = tmp_path / f"t.{kind}"
    if kind == "json":
        place.write_text(json.dumps(content))
    else:
        joblib.dump(content, place)
    options = {"trust_pickle": True} if kind == "pickle" else {}
    run = as_run(place, objective="loss", **options)
    assert run.space.names == ("x",)
    assert run.objective.tolist() == TABLE["loss"].tolist()


def test_documents_of_hyperopt_are_a_table(tmp_path):
    documents = [
        {
            "tid": i,
            "misc": {"tid": i, "vals": {"x": [row["x"]]}, "idxs": {"x": [i]}},
            "result": {"loss": row["loss"], "status": "ok"},
            "state": 2,
        }
        for i, row in enumerate(ROWS)
    ]
    place = tmp_path / "trials.pkl"
    place.write_bytes(pickle.dumps(documents))
    run = as_run(place, trust_pickle=True)
    assert (run.optimizer, run.direction, run.space.names) == ("Hyperopt", "minimize", ("x",))
    assert run.objective.tolist() == TABLE["loss"].tolist()


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize(
    ("directions", "names"), [(["maximize"], None), (["minimize", "maximize"], ["loss", "acc"])]
)
def test_what_optuna_prints_is_read(tmp_path, directions, names):
    log = tmp_path / "run.log"
    printing = logging.FileHandler(log)
    printing.setFormatter(logging.Formatter("[%(levelname)1.1s %(asctime)s] %(message)s"))
    logger = logging.getLogger("optuna")

    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.suggest_categorical("kind", ["a'b", "{c}.", "d"])
        logger.warning("epoch 1: loss 0.5")
        if names is None and trial.number == 3:
            raise optuna.TrialPruned
        if names is None and trial.number == 4:
            return float("nan")
        return x if names is None else (x, -x)

    logger.addHandler(printing)
    optuna.logging.set_verbosity(optuna.logging.INFO)
    for _ in range(2):  # of several studies the last one
        sampler = optuna.samplers.RandomSampler(seed=0)
        study = optuna.create_study(directions=directions, sampler=sampler)
        if names:
            study.set_metric_names(names)
        study.optimize(objective, n_trials=12)
    logger.removeHandler(printing)
    printing.close()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    options = {"objective": "values_loss"} if names else {}
    run = as_run(log, **options)
    done = [t for t in study.trials if t.state.name == "COMPLETE"]
    assert run.trials.tolist() == [t.number for t in done]
    assert run.objective.tolist() == [t.values[0] for t in done]
    assert [run.config(t.number) for t in done] == [pytest.approx(t.params) for t in done]
    assert run.direction == directions[0]
    assert "table: the last of 2 studies" in map(str, run.notes)
    if not names:
        assert {t: why.kind for t, why in run.excluded.items()} == {3: "pruned", 4: "failed"}


def test_a_path_that_is_none_says_where_to_look(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("trials.csv", index=False)
    for place, remedy in (
        ("trial.csv", "Did you mean 'trials.csv'?"),
        ("away/trials.csv", "There is no folder 'away'"),
        ("nothing-like-it", str(tmp_path)),
    ):
        with pytest.raises(hx.base.InputError, match="neither a file nor an address") as caught:
            hx.importance(place)
        assert remedy in caught.value.remedy
    with pytest.raises(hx.base.InputError, match="is not an option of from_frame"):
        as_run("trials.csv", study_name="s", objective="loss")


def test_a_folder_is_looked_into(tmp_path):
    inside = tmp_path / "results" / "first"
    inside.mkdir(parents=True)
    with pytest.raises(hx.base.InputError, match="no run was found"):
        as_run(tmp_path, objective="loss")
    TABLE.to_csv(inside / "trials.csv", index=False)
    assert len(as_run(tmp_path, objective="loss")) == len(TABLE)
    TABLE.to_csv(inside / "others.csv", index=False)
    with pytest.raises(hx.base.InputError, match="a folder with 2 runs") as caught:
        as_run(tmp_path, objective="loss")
    assert "trials.csv' (a table)" in caught.value.remedy


def test_what_is_not_read_says_what_it_is(tmp_path):
    (tmp_path / "a.json").write_text('{"lr": 0.1, "acc": 0.9}')
    (tmp_path / "b.bin").write_bytes(b"\x00\x01\x02")
    (tmp_path / "b.log").write_text("[INFO] epoch 1\n[INFO] epoch 2\n")
    (tmp_path / "b.npy").write_bytes(b"\x93NUMPY\x00")
    with closing(sqlite3.connect(tmp_path / "c.db")) as database:
        database.execute("CREATE TABLE cars (wheels)")
        database.commit()
    for name, what in (
        ("a.json", "JSON with the keys lr, acc"),
        ("b.bin", "a binary file"),
        ("b.log", "text without a row of names"),
        ("b.npy", "an array of NumPy"),
        ("c.db", "an SQLite database with the tables cars"),
    ):
        with pytest.raises(hx.base.InputError, match=what) as caught:
            as_run(tmp_path / name)
        assert caught.value.remedy.startswith("Write its trials as a table")


@pytest.mark.parametrize("lines", [True, False])
def test_rows_of_json_are_a_table(tmp_path, lines):
    place = tmp_path / ("t.jsonl" if lines else "t.json")
    TABLE.to_json(place, orient="records", lines=lines)
    run = as_run(place, objective="loss")
    assert run.objective.tolist() == TABLE["loss"].tolist()


@pytest.mark.parametrize(
    ("name", "package"),
    [("t.parquet", "pyarrow"), ("t.feather", "pyarrow"), ("t.xlsx", "openpyxl")],
)
def test_binary_tables_are_read_or_name_the_package_that_they_need(tmp_path, name, package):
    place = tmp_path / name
    write = {
        "t.parquet": TABLE.to_parquet,
        "t.feather": TABLE.to_feather,
        "t.xlsx": lambda at: TABLE.to_excel(at, index=False),
    }[name]
    try:
        write(place)
    except ImportError:
        place.write_bytes(b"PAR1" if package == "pyarrow" else b"PK")
        with pytest.raises(hx.base.InputError) as caught:
            as_run(place, objective="loss")
        assert f"pip install {package}" in caught.value.remedy
        return
    run = as_run(place, objective="loss")
    assert run.objective.tolist() == TABLE["loss"].tolist()


def test_a_dict_of_columns_is_told_to_be_a_table_and_what_to_leave_out():
    with pytest.raises(hx.base.InputError, match="no adapter reads") as caught:
        hx.importance(TABLE.to_dict("list"), objective="loss")
    for word in ("pandas.DataFrame(run)", "objective=", "hyperparameters="):
        assert word in caught.value.remedy
