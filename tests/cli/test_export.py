"""All tables about a run, as files."""

import csv
import io
import json
import os
from pathlib import Path

import numpy as np
import optuna
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.adapters.optuna.storage import read_storage
from hpo_explain.cli._output import as_csv, show
from hpo_explain.reporting import page
from tests.cli.conftest import tune

TABLES = [
    "trials",
    "excluded",
    "trust",
    "importance",
    "interactions",
    "effects",
    "proposal",
    "path",
]


@pytest.fixture
def read(study):
    return read_storage("sqlite:///study.db")


def table(name):
    return pd.read_csv(f"hpo-explain-tables/{name}.csv", keep_default_na=False, na_values=[""])


def test_all_tables_are_written_as_csv(folder, read, run):
    outcome = run("export", "study.db")
    assert outcome.exit_code == 0, outcome.output
    files = {path.name for path in (folder / "hpo-explain-tables").iterdir()}
    assert files == {f"{name}.csv" for name in TABLES}
    for line, name in zip(outcome.stdout.splitlines(), TABLES, strict=True):
        assert line == f"{name}: hpo-explain-tables/{name}.csv ({len(table(name))} rows)"

    assert table("excluded")["trial"].tolist() == [3]
    assert "pruned" in table("excluded")["reason"][0]
    assert table("trust")["r2"][0] == hx.trust(read).r2
    importance = hx.importance(read, 2)
    assert table("importance")["importance"].sum() == pytest.approx(
        hx.importance(read).importance["importance"].sum()
    )
    for row in table("interactions").itertuples():
        assert row.importance == pytest.approx(importance.share(row[1], row[2]), rel=1e-12)
    effects = table("effects").set_index("hyperparameter")
    for name in read.space.names:
        expected = hx.partial_dependence(read, name)
        assert effects.loc[name, "mean"].tolist() == expected.mean.tolist()
        assert effects.loc[name, "upper"].tolist() == expected.band()[1].tolist()
    assert effects.loc["kernel", "value"].tolist() == ["rbf", "poly", "None"]
    assert set(table("proposal")["hyperparameter"]) == {*read.space.names}
    assert table("path")["trial"].unique().tolist() == list(read.proposals)


def test_the_exported_trials_are_the_run_and_can_be_read_again(read, run):
    assert run("export", "study.db", "--table", "trials").exit_code == 0
    frame = table("trials")
    configs = read.space.decode(read.X)
    assert frame["trial"].tolist() == read.trials.tolist()
    assert frame["objective value"].tolist() == read.objective.tolist()
    assert frame["x"].tolist() == [config["x"] for config in configs]
    assert frame["kernel"].tolist() == [str(config["kernel"]) for config in configs]
    np.testing.assert_array_equal(frame["y"], [config.get("y", np.nan) for config in configs])
    assert frame["proposal"].tolist() == [trial in read.proposals for trial in read.trials]
    assert frame["feasible"].all()
    assert frame["finished"].tolist() == read.finished.tolist()

    chosen = [word for name in read.space.names for word in ("--hyperparameter", name)]
    again = run("export", "hpo-explain-tables/trials.csv", "--objective", "objective value",
                "--trial-column", "trial", "--time-column", "started", "--time-column", "finished",
                "--table", "trials", "--out", "again", *chosen)  # fmt: skip
    assert again.exit_code == 0, again.output
    columns = ["trial", "x", "kernel", "y", "objective value", "started", "finished"]
    second = pd.read_csv("again/trials.csv", keep_default_na=False, na_values=[""])
    pd.testing.assert_frame_equal(second[columns], frame[columns])


def test_json_has_all_that_the_results_hold(read, run):
    names = ["trials", "excluded", "trust", "importance", "interactions", "effects", "proposal"]
    chosen = [word for name in names for word in ("--table", name)]
    assert run("export", "study.db", "--format", "json", "--out", "json", *chosen).exit_code == 0

    def loaded(name):
        return json.loads(Path(f"json/{name}.json").read_text(encoding="utf-8"))

    def plain(result):
        return json.loads(json.dumps(result.to_dict()))

    assert [row["config"] for row in loaded("trials")] == read.space.decode(read.X)
    assert [row["trial"] for row in loaded("trials")] == read.trials.tolist()
    assert [row["trial"] for row in loaded("excluded")] == [3]
    assert loaded("trust") == plain(hx.trust(read))
    assert loaded("importance") == plain(hx.importance(read))
    pairs = {tuple(entry["members"]) for entry in loaded("interactions")["importance"]}
    assert pairs == {("x", "kernel"), ("x", "y"), ("kernel", "y")}
    assert loaded("effects")[1] == plain(hx.partial_dependence(read, "kernel"))
    assert loaded("proposal") == plain(hx.explain_proposal(read))


def test_what_cannot_be_made_is_named_and_the_others_are_written(folder, run):
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(storage="sqlite:///few.db", sampler=sampler)
    tune(study, 3)
    study._storage.remove_session()
    outcome = run("export", "few.db", "--sampler", "TPESampler", "--out", "some/where")
    assert outcome.exit_code == 0, outcome.output
    assert "path left out: run has no proposal" in outcome.stderr
    assert "proposal left out: " in outcome.stderr
    files = {path.stem for path in (folder / "some" / "where").iterdir()}
    assert files == {*TABLES} - {"path", "proposal"}

    nothing = run("export", "few.db", "--sampler", "TPESampler", "--table", "path")
    assert nothing.exit_code == 1
    assert "None of the tables" in nothing.stderr


def test_one_hyperparameter_has_no_interactions_and_may_be_called_like_a_column(run, folder):
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(storage="sqlite:///one.db", sampler=sampler)
    study.optimize(lambda t: t.suggest_float("trial", 0, 1) ** 2, n_trials=5)
    study._storage.remove_session()
    outcome = run("export", "one.db", "--table", "interactions", "--table", "trials")
    assert outcome.exit_code == 0, outcome.output
    assert "interactions left out: there is a single hyperparameter" in outcome.stderr
    assert table("trials")["trial_"].tolist() == [0, 1, 2, 3, 4]
    assert table("trials")["trial"].between(0, 1).all()


def test_a_folder_that_takes_no_files_is_one_line(folder, study, run):
    (folder / "taken").write_text("a file")
    outcome = run("export", "study.db", "--out", "taken")
    assert outcome.exit_code == 1
    assert "taken" in outcome.stderr
    assert "Traceback" not in outcome.output


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t"])
def test_no_name_or_category_is_a_formula_of_a_spreadsheet(begin):
    evil = f"{begin}HYPERLINK(1)"
    frame = pd.DataFrame({evil: [evil, "-0.5"], "number": [-1.0, 2.0]})
    rows = list(csv.reader(io.StringIO(as_csv(frame), newline="")))
    assert rows == [[f"'{evil}", "number"], [f"'{evil}", "-1.0"], ["-0.5", "2.0"]]


def test_no_name_becomes_part_of_the_name_of_a_file(folder, run, monkeypatch):
    monkeypatch.setattr(page, "SECTIONS", ())
    names = ["../../outside", str(folder / "absolute"), "..", "a/b"]
    values = np.random.default_rng(0).uniform(size=(6, 4))
    trials = pd.DataFrame(values, columns=names).assign(loss=values.sum(axis=1))
    (folder / "in" / "here").mkdir(parents=True)
    monkeypatch.chdir(folder / "in" / "here")
    trials.to_csv("trials.csv", index=False)
    source = ["trials.csv", "--objective", "loss"]
    chosen = ["trials", "effects", "importance"]
    tables = [word for name in chosen for word in ("--table", name)]
    assert run("export", *source, "--out", "out", *tables).exit_code == 0
    assert run("history", *source, "--plot", "out/plot.svg").exit_code == 0
    assert run("report", *source, "--out", "out/report.html").exit_code == 0
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    written = {*(f"{name}.csv" for name in chosen), "plot.svg", "report.html"}
    assert found == {"in/here/trials.csv", *(f"in/here/out/{name}" for name in written)}
    assert not [path for path in folder.parent.iterdir() if "outside" in path.name]


def test_a_carriage_return_begins_no_row():
    assert as_csv(pd.DataFrame({"a\rb": ["\r=1"]})) == "a\\rb\n\\r=1\n"


def test_a_plot_that_cannot_be_written_leaves_the_old_file_whole(folder, monkeypatch):
    path = folder / "plot.svg"
    path.write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3], "loss": [1.0, 9.0, 4.0, 2.0]})
    result = hx.importance(table, objective="loss", n_trees=4)
    with pytest.raises(OSError, match="No space left"):
        show(result, result.to_frame(), "json", path)
    assert path.read_text() == "old"
    assert [*folder.iterdir()] == [path]
