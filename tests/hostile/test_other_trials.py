"""No answer is repeated about other trials than those that it was computed from."""

import os
import pickle
import sqlite3
import subprocess
import sys

import optuna
import pytest
from click.testing import CliRunner

from hpo_explain.cli import _cache, main
from tests.cli.conftest import tuned  # noqa: F401

pytestmark = pytest.mark.merge


@pytest.fixture
def answers(monkeypatch, tmp_path):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    place = tmp_path / "answers"
    monkeypatch.setattr(_cache, "folder", lambda: place)
    return place


def table(path, best):
    path.write_text(f"x,loss\n0.1,{best}\n0.5,3.0\n0.9,4.0\n0.7,3.5\n")


def ran(*args):
    done = CliRunner().invoke(main, [*map(str, args)])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("argument", ["{}", "--source={}", "a={}"])
@pytest.mark.parametrize("name", ["run.csv", "run=1.csv", "a=b=c.csv"])
def test_a_name_with_an_equals_sign(answers, tmp_path, name, argument):
    table(tmp_path / "work" / "other.csv", 2.0)
    asked = ["compare", argument.format(name), "other.csv"]
    keys = set()
    for best in (1.0, 2.5):
        table(tmp_path / "work" / name, best)
        keys.add(_cache.key_of(asked, ""))
    assert len(keys) == 2


@pytest.mark.parametrize("linked", ["link.db", "sqlite:///link.db"])
def test_a_link_to_a_database_with_a_write_ahead_log(
    answers,
    tmp_path,
    tuned,  # noqa: F811
    linked,
):
    real = tmp_path / "real.db"
    real.write_bytes(tuned.read_bytes())
    (tmp_path / "work" / "link.db").symlink_to(real)
    asked = ["history", linked, "--study-name", "first", "--json"]
    writer = sqlite3.connect(real)
    writer.execute("PRAGMA journal_mode=WAL")
    before, file = ran(*asked), real.read_bytes()
    assert ran(*asked) == before
    writer.execute("UPDATE trial_values SET value = value + 1000")
    writer.commit()
    assert real.read_bytes() == file  # the trials are in the log alone
    assert ran(*asked) != before
    writer.close()


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_what_comes_through_a_pipe(answers, tmp_path):
    run = tmp_path / "run.csv"
    table(run, 1.0)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert _cache.key_of(["compare", str(run), str(pipe)], "") == ""


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://host/trials",
        "sqlite:///run.csv?mode=ro",
        "sqlite:///file:run.csv?uri=true",
        "sqlite:///file:run.csv",
        "sqlite:///r%75n.csv",
        "sqlite+pysqlite:///run.csv",
        "--source=mysql://host/trials",
    ],
)
def test_addresses_that_may_mean_another_file(answers, tmp_path, address):
    for name in ("run.csv", "run.csv?mode=ro", "file:run.csv", "r%75n.csv"):
        table(tmp_path / "work" / name, 1.0)
    assert _cache.key_of(["compare", "run.csv", address], "") == ""
    assert _cache.key_of(["history", "sqlite:///run.csv"], "") is not None


def test_results_that_rest_on_other_files(answers, tmp_path):
    """A pickle runs code, which may read anything; a JSON file may be one of several."""
    for name, content in {
        "result.pkl": pickle.dumps([1]),
        "runhistory.json": b'{"data": []}',
        "folder/a": b"",
    }.items():
        path = tmp_path / "work" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        place = name.partition("/")[0]
        assert _cache.key_of(["history", place], "") == ""


def test_a_journal_that_grows(answers, tmp_path):
    path = str(tmp_path / "journal.log")
    backend = optuna.storages.journal.JournalFileBackend(path)
    storage = optuna.storages.JournalStorage(backend)
    study = optuna.create_study(storage=storage)
    said = set()
    for x in (0.1, 0.5, 0.9):
        study.add_trial(
            optuna.create_trial(
                params={"x": x},
                distributions={"x": optuna.distributions.FloatDistribution(0, 1)},
                value=x,
            )
        )
        said.add(ran("history", path, "--json"))
    assert len(said) == 3


def test_a_damaged_answer_is_computed_anew(answers, tmp_path):
    path = tmp_path / "run.csv"
    table(path, 1.0)
    asked = ["history", path, "--objective", "loss"]
    before = ran(*asked)
    for damage in (b"", b"[[", b"\xff\xfe", b"7"):
        for answer in answers.iterdir():
            answer.write_bytes(damage)
        assert ran(*asked) == before


def test_files_in_place_of_each_other(answers, tmp_path):
    """What one file ends with is not what another one begins with."""
    keys = set()
    for first, second in (("a|", "b"), ("a", "|b"), ("a|b", "")):
        (tmp_path / "work" / "1.csv").write_text(first)
        (tmp_path / "work" / "2.csv").write_text(second)
        keys.add(_cache.key_of(["compare", "1.csv", "2.csv"], ""))
    assert len(keys) == 3


@pytest.mark.thorough
def test_two_processes_that_ask_about_a_run_that_grows(tmp_path):
    """Each answer is about the trials that were there while it was computed."""
    path = tmp_path / "run.csv"
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "hpo_explain.cli", "history", str(path)]
    command += ["--objective", "loss", "--json"]
    code = "from hpo_explain.cli import main; main()"
    command[1:3] = ["-c", code]
    said = []
    for best in (1.0, 2.0, 1.0):
        table(path, best)
        started = [
            subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        first, second = (process.communicate()[0] for process in started)
        assert first == second
        said.append(first)
    assert said[0] == said[2] != said[1]
