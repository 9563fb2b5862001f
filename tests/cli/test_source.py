"""What may be given as SOURCE, and what the options of each kind are."""

import contextlib
import io
import os
import pickle
import sys
import threading

import optuna
import pandas as pd
import pytest
from skopt import dump, gp_minimize

from hpo_explain.cli import main
from tests.cli.conftest import tune

TABLE = pd.DataFrame(
    {
        "x": [0.1, 0.9, 0.5, 0.3, 0.2],
        "kernel": ["None", "rbf", "rbf", "None", "NA"],
        "note": ["a", "b", "c", "d", "e"],
        "auc": [0.5, 0.9, 0.7, 0.6, 0.55],
    }
)


@pytest.fixture
def table(folder):
    TABLE.to_csv(folder / "trials.csv", index=False)
    return folder / "trials.csv"


@pytest.fixture
def result(folder):
    space, options = ([(0.0, 1.0)], {"n_calls": 6, "n_initial_points": 5, "random_state": 0})
    return gp_minimize(lambda point: (point[0] - 0.3) ** 2, space, **options)


def first_column(text):
    return {line.split(",")[0] for line in text.splitlines()[1:]}


def test_a_journal_file_is_read_and_not_locked(folder, run):
    backend = optuna.storages.journal.JournalFileBackend("journal.log")
    storage = optuna.storages.JournalStorage(backend)
    tune(optuna.create_study(storage=storage, sampler=optuna.samplers.TPESampler(seed=0)), 10)
    before = (folder / "journal.log").read_bytes()
    outcome = run("importance", "journal.log", "--csv")
    assert first_column(outcome.stdout) == {"x", "kernel", "y"}
    assert [path.name for path in folder.iterdir()] == ["journal.log"]
    assert (folder / "journal.log").read_bytes() == before


def test_a_table_is_read_as_the_options_say(table, run):
    outcome = run(
        "partial-dependence",
        "trials.csv",
        "kernel",
        "--objective",
        "auc",
        "--direction",
        "maximize",
        "--hyperparameters",
        "x,kernel",
        "--csv",
    )
    assert outcome.exit_code == 0, outcome.output
    assert "2 hyperparameters, auc (maximize)" in outcome.stderr
    # an empty cell is inactive, but the texts None and NA are categories
    assert first_column(outcome.stdout) == {"None", "rbf", "NA"}


@pytest.mark.parametrize("first", [0, 1])
def test_a_column_without_a_name_that_numbers_the_rows_is_left_out(folder, run, first):
    numbered = TABLE.set_index(pd.RangeIndex(first, first + len(TABLE)))
    numbered.to_csv("again.csv")
    # saved twice, two such columns
    pd.read_csv("again.csv").to_csv("trials.csv")
    ask = ["importance", "trials.csv", "--objective", "auc", "--csv"]
    outcome = run(*ask, "--ignore", "note")
    assert first_column(outcome.stdout) == {"x", "kernel"}
    assert "left out: Unnamed: 0" in outcome.stderr
    chosen = ["--hyperparameters", "Unnamed: 0,x"]
    asked = run("importance", "trials.csv", "--objective", "auc", "--csv", *chosen)
    assert first_column(asked.stdout) == {"x", "Unnamed: 0"}
    assert "Unnamed: 0: left out" not in asked.stderr


def test_a_table_may_number_and_time_its_trials_and_name_folds(folder, run):
    frame = pd.DataFrame(
        {
            "x": [0.1, 0.1, 0.9, 0.9],
            "fold": [1, 2, 1, 2],
            "id": [7, 7, 5, 5],
            "start": [3.0, 3.0, 1.0, 1.0],
            "end": [4.0, 5.0, 2.0, 2.5],
            "loss": [1.0, 3.0, 5.0, 7.0],
        }
    )
    frame.to_csv("folds.csv", index=False)
    outcome = run(
        "history",
        "folds.csv",
        "--objective",
        "loss",
        "--trial-column",
        "id",
        "--time-column",
        "start",
        "--time-column",
        "end",
        "--instance-column",
        "fold",
        "--initial",
        "1",
        "--csv",
    )
    assert outcome.exit_code == 0, outcome.output
    found = pd.read_csv(io.StringIO(outcome.stdout))
    assert found["trial"].tolist() == [5, 7]
    assert found["objective"].tolist() == [6.0, 2.0]
    assert found["origin"].tolist() == ["initial", "model"]


def test_columns_of_times_and_states(folder, run):
    (folder / "t.csv").write_text("x,loss,took,state\n1,2,9,ok\n2,3,8,ok\n3,,7,failed\n4,5,6,ok\n")
    options = ["--objective", "loss", "--duration-column", "took", "--status-column", "state"]
    outcome = run("history", "t.csv", *options, "--json")
    assert outcome.exit_code == 0, outcome.output
    assert "3 trials of 1 hyperparameter, loss (minimize)" in outcome.stderr
    took = run("history", "t.csv", *options, "--target", "duration", "--csv")
    assert "9" in took.stdout.splitlines()[1], took.output


@pytest.mark.parametrize(("name", "compress"), [("r.pkl", 0), ("r.gz", 3), ("r.bin", 3)])
def test_a_result_of_skopt_is_unpickled_only_if_it_is_trusted(folder, result, run, name, compress):
    dump(result, name, store_objective=False, compress=compress)
    refused = run("importance", name)
    assert refused.exit_code == 2
    assert "runs whatever code is in the file" in refused.stderr
    assert "--trust-pickle" in refused.stderr
    trusted = run("importance", name, "--trust-pickle", "--csv")
    assert first_column(trusted.stdout) == {"x0"}


class Bomb:
    def __reduce__(self):
        return (open, ("exploded", "w"))


@pytest.mark.parametrize("protocol", [2, 4, 5])
@pytest.mark.parametrize("name", ["study.db", "trials.csv", "journal.log", "result.pkl"])
def test_nothing_in_a_pickle_runs_without_trust_whatever_its_name(folder, run, name, protocol):
    (folder / name).write_bytes(pickle.dumps(Bomb(), protocol=protocol))
    outcome = run("importance", name, "--objective", "loss")
    assert outcome.exit_code != 0
    assert not (folder / "exploded").exists()


@pytest.mark.parametrize(
    ("module", "problem", "remedy"),
    [
        ("nope", "No module named 'nope'", "Run pip install nope, or"),
        ("json", "'gone'", "store_objective=False"),
    ],
)
def test_a_pickle_that_cannot_be_loaded_says_what_to_do(folder, run, module, problem, remedy):
    (folder / "r.pkl").write_bytes(f"\x80\x02c{module}\ngone\n.".encode("latin-1"))
    outcome = run("report", "r.pkl", "--trust-pickle")
    assert outcome.exit_code == 1
    assert problem in outcome.stderr
    assert remedy in outcome.stderr


def test_several_studies_are_listed(folder, study, run):
    optuna.create_study(storage="sqlite:///study.db", study_name="second")
    outcome = run("report", "sqlite:///study.db")
    assert outcome.exit_code == 1
    assert "'first', 'second'" in outcome.stderr
    assert "--study-name" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["report", "sqlite:///nowhere.db"], ["no file 'nowhere.db'", "Check the path"]),
        (["report", "nowhere.log"], ["neither a file nor an address"]),
        (["report", "sqlite:///text.db"], ["cannot be read as an Optuna storage"]),
        (["report", "oracle://me:secret@host/x"], ["me:***@host"]),
        (["importance", "study.db", "--cap", "-5"], ["--cap must lie within the observed"]),
        (
            ["importance", "study.db", "--given", '{"z": [1]}'],
            ["--given", "'z' is unknown", "x, kernel, y"],
        ),
        (["explain-proposal", "study.db", "--trial", "2"], ["no model selected trial 2"]),
        (["importance", "trials.csv", "--objective", "los"], ["'los'", "auc"]),
        (
            ["importance", "trials.csv", "--objective", "auc", "--trial-column", "auc"],
            ["--trial-column names 'auc', which objective does already"],
        ),
        (["importance", "half.csv", "--objective", "x"], ["cannot be read as a table"]),
        (["importance", "broken.log"], ["cannot be read as a journal"]),
        (["importance", "empty.csv", "--objective", "auc"], ["'empty.csv' is empty"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_what_cannot_be_done_is_one_line_and_exit_code_1(
    folder, study, table, run, arguments, words
):
    (folder / "text.db").write_text("not a database")
    for name in ("empty.csv", "empty.log"):
        (folder / name).touch()
    (folder / "half.csv").write_text('x,y\n1,2\n1,2,3,4\n"')
    (folder / "broken.log").write_text('{"op_code":0,\n{"op_code":\n')
    outcome = run(*arguments)
    assert outcome.exit_code == 1
    assert "Traceback" not in outcome.output
    errors = [line for line in outcome.stderr.splitlines() if line.startswith("Error: ")]
    assert errors == outcome.stderr.splitlines()[-1:]
    for word in words:
        assert word in errors[0]
    assert "secret" not in outcome.output
    assert outcome.stdout == ""
    assert not (folder / "nowhere.db").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["importance", "study.db", "--objective", "x"], ["--objective is for a table"]),
        (["report", "trials.csv", "--objective", "auc", "--study-name", "a"], ["--study-name is"]),
        (["report", "trials.csv", "--trust-pickle"], ["--trust-pickle is for a pickled result"]),
        (["importance", "study.db", "--given", "{x"], ["is not JSON"]),
        (["importance", "study.db", "--yaml"], ["--yaml"]),
        (["importance", "study.db", "--plot", "plot.xyz"], [".png or .svg or .pdf", "plot.xyz"]),
        (
            ["importance", "study.db", "--plot", "no/plot.png"],
            ["'no/plot.png', but there is no folder", "Create it"],
        ),
        (
            ["report", "study.db", "--sampler", "BaseSampler"],
            ["--sampler must be one of", "RandomSampler", "TPESampler", "'BaseSampler'"],
        ),
        (
            ["report", "trials.csv", "--objective", "auc", "--sampler", "RandomSampler"],
            ["--sampler is for an Optuna storage"],
        ),
        (["importance"], ["Missing argument 'SOURCE'"]),
        (["compare", "study.db", "study.db"], ["study.db was given twice. Give each run once."]),
        (["watch", "study.db", "--every", "0"], ["--every", "more than 0"]),
        (["watch", "study.db", "--every", "3x"], ["a time like 30s", "'3x'"]),
        (["watch", "study.db", "--every", "2000h"], ["at most a week"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_wrong_usage_is_exit_code_2(folder, study, table, run, arguments, words):
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert "Traceback" not in outcome.output
    for word in words:
        assert word in outcome.stderr
    assert outcome.stdout == ""


@pytest.mark.merge
@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "study.db"],
        ["importance", "study.db"],
        ["explain-proposal", "study.db"],
        ["partial-dependence", "study.db", "x"],
        ["desirability-path", "study.db"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_command_writes_to_the_storage(folder, study, run, arguments, brief_reports):
    before, times = study.read_bytes(), study.stat()
    assert run(*arguments).exit_code == 0
    assert study.read_bytes() == before
    assert study.stat().st_mtime_ns == times.st_mtime_ns
    assert not [path for path in folder.iterdir() if path.name.startswith("study.db-")]


@pytest.mark.skipif(os.name != "posix", reason="terminals as POSIX has them")
def test_neither_csv_nor_json_sends_commands_to_the_terminal(folder, monkeypatch):
    name = "loss\x1b]0;title\x07\x9b31m\x7f\u202e"
    pd.DataFrame({"x": [0.1, 0.9, 0.5], name: [1.0, 3.0, 2.0]}).to_csv("t.csv", index=False)
    terminal, its_end = os.openpty()
    shown = []

    def look():
        with contextlib.suppress(OSError):  # when nobody has the other end any more
            while part := os.read(terminal, 10_000):
                shown.append(part)

    looking = threading.Thread(target=look)
    looking.start()
    monkeypatch.setenv("NO_COLOR", "1")
    with os.fdopen(its_end, "w", encoding="utf-8") as screen:
        for stream in ("stdout", "stderr"):
            monkeypatch.setattr(sys, stream, screen)
        for form in (["--csv"], ["--json"], []):
            command = ["history", "t.csv", "--objective", name, "--direction", "minimize"]
            main([*command, *form], standalone_mode=False)
        monkeypatch.undo()
    looking.join()
    os.close(terminal)
    text = b"".join(shown).decode()
    assert text.count(r"\x1b]0;title\x07\x9b31m\x7f\u202e") >= 4, text
    assert not {"\x1b", "\x07", "\x9b", "\x7f", "\u202e"} & {*text}
