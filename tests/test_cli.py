"""The command line: what a new user types first."""

import optuna
import pytest
from click.testing import CliRunner

from hpo_explain.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def study(folder):
    study = optuna.create_study(
        storage="sqlite:///study.db",
        study_name="first",
        sampler=optuna.samplers.TPESampler(seed=0),
    )
    study.optimize(lambda t: (t.suggest_float("x", 0, 1) - 0.3) ** 2, n_trials=14)
    study._storage.remove_session()
    return study


def run(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize(
    "options",
    [
        ["--trials", "12"],
        ["--trials", "12", "--sampler", "random", "--seed", "3"],
        ["--trials", "12", "--framework", "skopt", "--out", "elsewhere"],
        ["--trials", "12", "--framework", "skopt", "--sampler", "random"],
    ],
    ids=lambda options: " ".join(options),
)
def test_the_demo_tunes_and_writes_a_report(folder, options):
    outcome = run("demo", *options)
    assert outcome.exit_code == 0, outcome.output
    out = folder / ("elsewhere" if "--out" in options else "hpo-explain-demo")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Why the latest proposal" in page
    assert (out / "study.db").exists() == ("skopt" not in options)
    lines = outcome.stdout.splitlines()
    assert lines[0].startswith("Best configuration (trial ")
    assert "learning_rate = " in lines[0]
    assert lines[1].startswith("Overview: The best log loss of 12 trials is ")
    assert lines[2].startswith("Can the model be trusted: Trust is ")
    assert any("with LCB" in line or "gp_minimize" in line for line in lines[3:])
    assert lines[-1] == f"Report: {(out / 'report.html').relative_to(folder)}"


def test_a_demo_that_is_too_short_for_a_proposal_says_so(folder):
    outcome = run("demo", "--trials", "3")
    assert outcome.exit_code == 0, outcome.output
    assert "no proposal" in outcome.stdout
    assert (folder / "hpo-explain-demo" / "report.html").exists()


def test_a_demo_runs_twice_and_repeats_itself(folder):
    first, second = run("demo", "--trials", "11"), run("demo", "--trials", "11")
    assert first.stdout == second.stdout


def test_a_report_of_a_study(folder, study):
    outcome = run("report", "sqlite:///study.db", "--out", "mine.html")
    assert outcome.exit_code == 0, outcome.output
    assert "first" in (folder / "mine.html").read_text(encoding="utf-8")
    assert outcome.stdout.splitlines()[-1] == "Report: mine.html"


def test_a_journal_file_is_read_as_well(folder):
    backend = optuna.storages.journal.JournalFileBackend("journal.log")
    study = optuna.create_study(storage=optuna.storages.JournalStorage(backend))
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=12)
    assert run("report", "journal.log").exit_code == 0
    assert (folder / "report.html").exists()


def test_the_storage_is_not_written_to(folder, study):
    before = (folder / "study.db").read_bytes()
    assert run("report", "sqlite:///study.db").exit_code == 0
    assert (folder / "study.db").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["report", "sqlite:///nowhere.db"], ["no file 'nowhere.db'", "Check the path"]),
        (["report", "nowhere.log"], ["neither a file nor an address"]),
        (["report", "sqlite:///text.db"], ["cannot be read as an Optuna storage"]),
        (["report", "sqlite:///study.db", "--study-name", "second"], ["'second'", "'first'"]),
        (["report", "sqlite:///study.db", "--out", "no/folder/report.html"], ["no/folder"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_mistake_is_one_line_and_exit_code_1(folder, study, arguments, words):
    (folder / "text.db").write_text("not a database")
    outcome = run(*arguments)
    assert outcome.exit_code == 1
    assert "Traceback" not in outcome.output
    for word in words:
        assert word in outcome.stderr
    assert not (folder / "nowhere.db").exists()


def test_several_studies_are_listed(folder, study):
    optuna.create_study(storage="sqlite:///study.db", study_name="second")
    outcome = run("report", "sqlite:///study.db")
    assert outcome.exit_code == 1
    assert "'first', 'second'" in outcome.stderr


@pytest.mark.parametrize(
    "arguments", [["demo", "--sampler", "tea"], ["demo", "--trials", "0"], ["reprot"]]
)
def test_wrong_usage_is_exit_code_2(folder, arguments):
    assert run(*arguments).exit_code == 2
