"""The callback writes reports while a study runs, and never harms the run."""

import logging
import random
import threading
import time
import warnings

import numpy as np
import optuna
import pytest
from optuna.samplers import RandomSampler, TPESampler

from hpo_explain import reporting
from hpo_explain.adapters.optuna import ExplanationCallback
from tests.adapters.studies import optimized, parabola


@pytest.fixture
def written(monkeypatch):
    """The runs that a report was asked for."""
    runs = []
    monkeypatch.setattr(reporting, "report", lambda run, path, **_: runs.append((run, path)))
    return runs


def unlimited(*arguments, **options):
    """A callback that writes every report that is due, however short the trials."""
    return ExplanationCallback(*arguments, **{"budget": None} | options)


def failing(error):
    def report(run, path, **_):
        raise error

    return report


def optimize(callback, n_trials, sampler=None, objective=parabola, **options):
    study = optuna.create_study(sampler=sampler or RandomSampler(seed=0))
    study.optimize(objective, n_trials=n_trials, callbacks=[callback], **options)
    return study


# ---------------------------------------------------------------------- when it writes


def test_a_report_is_written_every_so_many_finished_trials(written, tmp_path):
    optimize(unlimited(tmp_path / "why.html", every=4), 11)
    assert [len(run) for run, _ in written] == [4, 8]
    assert {path for _, path in written} == {tmp_path / "why.html"}


def test_trials_that_fail_or_are_pruned_count_as_finished(written, tmp_path):
    def objective(trial):
        x = parabola(trial)
        if trial.number == 1:
            raise RuntimeError
        if trial.number == 2:
            raise optuna.TrialPruned
        return x

    optimize(unlimited(tmp_path / "r.html", every=3), 6, None, objective, catch=RuntimeError)
    assert [len(run) for run, _ in written] == [1, 4]


def test_the_path_is_that_of_the_folder_in_which_the_callback_was_made(
    written, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    callback = unlimited(every=2)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    optimize(callback, 2)
    assert [path for _, path in written] == [tmp_path / "report.html"]


def test_options_of_the_reader_are_passed_on(written, tmp_path):
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=RandomSampler(seed=0))
    callback = unlimited(tmp_path / "r.html", every=5, target=1)
    study.optimize(lambda t: (parabola(t), 1.0), n_trials=5, callbacks=[callback])
    assert [run.direction for run, _ in written] == ["maximize"]


@pytest.mark.thorough
def test_the_real_report_is_written(tmp_path):
    path = tmp_path / "report.html"
    optimize(unlimited(path, every=15), 15, TPESampler(seed=0))
    assert "<html" in path.read_text(encoding="utf-8")


# ---------------------------------------------------------------------- no harm


def suggested(n_trials, callbacks):
    """What a seeded sampler suggests while everything else draws from the global generators."""
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    values = []

    def objective(trial):
        x = trial.suggest_float("x", -1.0, 1.0)
        k = trial.suggest_int("k", 1, 5)
        c = trial.suggest_categorical("c", ["a", "b"])
        values.append((x, k, c, random.random(), np.random.random()))  # noqa: NPY002
        return x**2 + k / 10

    study = optuna.create_study(sampler=TPESampler(seed=5, n_startup_trials=5))
    study.optimize(objective, n_trials=n_trials, callbacks=callbacks)
    return values, random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002


@pytest.mark.parametrize(
    "sections",
    [
        ("latest", "importance", "next"),
        pytest.param(None, marks=pytest.mark.thorough),
    ],
    ids=["some", "all"],
)
def test_a_run_with_the_callback_suggests_the_same_and_leaves_every_random_state_alone(
    sections, tmp_path
):
    path = tmp_path / "report.html"
    with_reports = suggested(14, [unlimited(path, every=11, sections=sections)])
    assert path.exists()
    assert with_reports == suggested(14, [])


@pytest.mark.parametrize(
    "error", [OSError("disk full"), ValueError("too few"), ZeroDivisionError(), MemoryError()]
)
def test_whatever_fails_is_logged_once_and_the_run_goes_on(error, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(reporting, "report", failing(error))
    study = optimize(unlimited(tmp_path / "r.html", every=2), 9)
    assert len(study.trials) == 9
    assert [record.name for record in caplog.records] == ["hpo_explain"]
    assert type(error).__name__ in caplog.text
    assert "The optimization goes on." in caplog.text
    assert caplog.records[0].exc_info[1] is error


def test_failures_of_different_kinds_are_logged_each(tmp_path, monkeypatch, caplog):
    errors = [OSError("first"), ValueError("second"), OSError("third"), KeyError("fourth")]
    left = list(errors)

    def report(run, path, **_):
        raise left.pop(0)

    monkeypatch.setattr(reporting, "report", report)
    optimize(unlimited(tmp_path / "r.html", every=1), 4)
    assert left == []
    logged = [record.exc_info[1] for record in caplog.records]
    assert logged == [errors[0], errors[1], errors[3]]


def test_a_missing_folder_does_not_end_the_run(tmp_path, caplog):
    study = optimize(unlimited(tmp_path / "no" / "folder" / "r.html", every=3), 6)
    assert len(study.trials) == 6
    assert len(caplog.records) == 1


def test_a_study_that_cannot_be_read_does_not_end_the_run(tmp_path, caplog):
    callback = unlimited(tmp_path / "r.html", every=2, target=3)
    assert len(optimize(callback, 6).trials) == 6
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "target" in caplog.text


@pytest.mark.thorough
def test_a_first_report_after_one_trial_does_not_end_the_run(tmp_path):
    assert len(optimize(unlimited(tmp_path / "r.html", every=1), 2).trials) == 2


def test_warnings_that_are_errors_do_not_end_the_run(tmp_path, monkeypatch, caplog):
    def report(run, path, **_):
        warnings.warn("a fit did not converge", stacklevel=1)

    monkeypatch.setattr(reporting, "report", report)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(optimize(unlimited(tmp_path / "r.html", every=1), 3).trials) == 3
    assert "did not converge" in caplog.text


def test_the_user_can_still_stop_the_run_and_continue_it(tmp_path, monkeypatch):
    callback = unlimited(tmp_path / "r.html", every=2)
    monkeypatch.setattr(reporting, "report", failing(KeyboardInterrupt()))
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    with pytest.raises(KeyboardInterrupt):
        study.optimize(parabola, n_trials=4, callbacks=[callback])
    runs = []
    monkeypatch.setattr(reporting, "report", lambda run, path, **_: runs.append(len(run)))
    study.optimize(parabola, n_trials=2, callbacks=[callback])
    assert runs == [4]


def test_threads_write_one_report_at_a_time_and_none_that_is_due_is_lost(tmp_path, monkeypatch):
    busy = threading.Lock()
    lengths, clashes = [], []

    def report(run, path, **_):
        if not busy.acquire(blocking=False):
            clashes.append(len(run))
            return
        time.sleep(0.05)
        lengths.append(len(run))
        busy.release()

    monkeypatch.setattr(reporting, "report", report)
    study = optimize(unlimited(tmp_path / "r.html", every=2), 40, n_jobs=4)
    assert len(study.trials) == 40
    assert clashes == []
    assert lengths == sorted(lengths)
    assert lengths[-1] == 40


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "options", "text"),
    [
        ((7,), {}, r"path must name the report's file, but was 7"),
        (("",), {}, r"path must name the report's file, but was ''"),
        ((), {"every": 0}, r"every must be at least 1, but was 0"),
        ((), {"every": 2.5}, r"every must be a whole number, but was 2.5"),
        ((), {"evry": 2}, r"evry is not an option of ExplanationCallback. Did you mean 'every'"),
    ],
)
def test_bad_arguments_are_refused_before_the_run_starts(arguments, options, text):
    with pytest.raises(ValueError, match=text):
        unlimited(*arguments, **options)


def test_the_callback_is_called_with_a_study_and_a_trial(written, tmp_path):
    study = optimized(parabola, 5)
    callback = unlimited(tmp_path / "r.html", every=1)
    assert callback(study, study.trials[-1]) is None
    assert [len(run) for run, _ in written] == [5]
