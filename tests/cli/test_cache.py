"""What was answered about the same trials is repeated, and never about others."""

import functools
import json
import os

import optuna
import pytest

from hpo_explain.cli import _cache

ASKED = ["history", "study.db"]


@pytest.fixture
def answers(monkeypatch, tmp_path_factory):
    """A place for answers."""
    place = tmp_path_factory.mktemp("cache") / "answers"
    monkeypatch.setattr(_cache, "folder", lambda: place)
    return place


@pytest.fixture
def count(monkeypatch):
    """How often a history was computed."""
    from hpo_explain.methods.runs import history as module

    times, compute = [], module.history

    @functools.wraps(compute)
    def counted(*args, **options):
        times.append(1)
        return compute(*args, **options)

    monkeypatch.setattr(module, "history", counted)
    return times


def test_an_answer_is_repeated_on_both_streams_without_computing_it(study, run, answers, count):
    first, second = run(*ASKED), run(*ASKED)
    assert len(count) == 1
    assert (second.stdout, second.stderr) == (first.stdout, first.stderr)
    assert "reading study.db" in second.stderr
    if os.name == "posix":
        assert answers.stat().st_mode & 0o077 == 0  # it may name what others need not know


@pytest.mark.parametrize(
    "others", [["--json"], ["--trials", "5:"], ["--no-cache"], ["--plot", "a.svg"], ["--debug"]]
)
def test_another_question_is_answered_anew(study, run, answers, count, others):
    run(*ASKED)
    assert run(*ASKED, *others).exit_code == 0
    assert len(count) == 2


def test_new_trials_are_answered_anew(study, run, answers, count):
    run(*ASKED, "--json")
    known = optuna.load_study(study_name="first", storage="sqlite:///study.db")
    known.enqueue_trial({"x": 0.5, "kernel": "rbf"})
    known.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=1)
    told = run(*ASKED, "--json")
    assert len(count) == 2
    assert "16" in json.dumps(json.loads(told.stdout))


def test_an_address_of_the_same_file_and_another_folder(study, run, answers, count, monkeypatch):
    run("history", "sqlite:///study.db")
    run("history", "sqlite:///study.db")
    assert len(count) == 1
    (study.parent / "inside").mkdir()
    monkeypatch.chdir(study.parent / "inside")
    assert run("history", "study.db").exit_code == 1  # there is none
    study.rename("study.db")
    assert run(*ASKED).exit_code == 0


def test_errors_and_what_is_no_file_are_not_kept(study, run, answers):
    assert run("partial-dependence", "study.db", "z").exit_code == 1
    assert not answers.exists()
    for place in ("postgresql://host/trials", "."):
        assert _cache.key_of([place, "study.db"], "") == ""
    assert _cache.key_of(["--order", "2"], "") == ""


def test_the_code_and_the_versions_are_part_of_the_key(study, monkeypatch):
    key = _cache.key_of(ASKED, "")
    assert key == _cache.key_of(ASKED, "")
    monkeypatch.setattr(_cache, "version", lambda package: "0.0")
    assert _cache.key_of(ASKED, "") != key


def test_what_sqlite_has_not_written_into_its_file_counts(study):
    key = _cache.key_of(ASKED, "")
    study.with_name("study.db-wal").write_bytes(b"new")
    assert _cache.key_of(ASKED, "") != key


def test_the_oldest_answers_go(answers, monkeypatch):
    monkeypatch.setattr(_cache, "_MOST", 25)
    for i, key in enumerate("abc"):
        _cache.store(key, "x" * 10)
        os.utime(answers / key, (i, i))
    assert _cache.cached("b") == "x" * 10  # which is the latest now
    _cache.store("d", "x" * 10)
    assert {path.name for path in answers.iterdir()} == {"b", "d"}


def test_where_nothing_can_be_written_answers_come_all_the_same(study, run, count):
    assert run(*ASKED).exit_code == 0
    assert run(*ASKED).exit_code == 0
    assert len(count) == 2
