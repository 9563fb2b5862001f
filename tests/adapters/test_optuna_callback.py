"""The callback writes reports while a study runs, and never harms the run."""

import gc
import logging
import random
import weakref

import numpy as np
import optuna
import pytest
from optuna.samplers import RandomSampler, TPESampler

from hpo_explain.adapters import _updates
from hpo_explain.adapters.optuna import ExplanationCallback
from tests.adapters.drawn import Drawn
from tests.adapters.studies import parabola


@pytest.fixture
def written(monkeypatch):
    """What reports were asked for."""
    return Drawn(monkeypatch)


def unlimited(*arguments, **options):
    """A callback that writes every report that is due, however short the trials."""
    return ExplanationCallback(*arguments, **{"budget": None} | options)


def optimize(callback, n_trials, sampler=None, objective=parabola, **options):
    study = optuna.create_study(sampler=sampler or RandomSampler(seed=0))
    study.optimize(objective, n_trials=n_trials, callbacks=[callback], **options)
    return study


# ---------------------------------------------------------------------- when it writes


def test_a_report_is_written_every_so_many_finished_trials(written, tmp_path):
    optimize(unlimited(tmp_path / "why.html", every=4), 11)
    assert written.lengths == [4, 8]
    assert {job.page.path for job in written.jobs} == {tmp_path / "why.html"}


def test_trials_that_fail_or_are_pruned_count_as_finished(written, tmp_path):
    def objective(trial):
        x = parabola(trial)
        if trial.number == 1:
            raise RuntimeError
        if trial.number == 2:
            raise optuna.TrialPruned
        return x

    optimize(unlimited(tmp_path / "r.html", every=3), 6, None, objective, catch=RuntimeError)
    assert written.lengths == [1, 4]


@pytest.mark.parametrize("sampler", [RandomSampler, TPESampler])
def test_what_a_report_was_drawn_from_is_not_held_until_the_next(written, tmp_path, sampler):
    held = []

    class Noting(ExplanationCallback):
        def _read(self, source):
            runs = super()._read(source)
            held.extend(weakref.ref(run) for run in runs.values())
            return runs

    callback = Noting(tmp_path / "r.html", every=4, budget=None)
    optimize(callback, 13, sampler(seed=0))
    gc.collect()
    assert len(held) == len(written.lengths) == 3
    assert [ref() for ref in held] == [None] * 3


@pytest.mark.parametrize(
    ("target", "directions"), [(1, ["maximize"]), (None, ["minimize", "maximize"])]
)
def test_options_of_the_reader_are_passed_on(written, tmp_path, target, directions):
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=RandomSampler(seed=0))
    callback = unlimited(tmp_path / "r.html", every=5, target=target)
    study.optimize(lambda t: (parabola(t), 1.0), n_trials=5, callbacks=[callback])
    (job,) = written.jobs
    assert [run.direction for run in job.page.runs.values()] == directions


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


def test_a_run_with_the_callback_suggests_the_same_and_leaves_every_random_state_alone(
    written, tmp_path
):
    with_reports = suggested(14, [unlimited(tmp_path / "r.html", every=11)])
    assert written.lengths == [10, 11]  # a short one first
    assert with_reports == suggested(14, [])


@pytest.mark.parametrize("error", [OSError("disk full"), ZeroDivisionError(), MemoryError()])
def test_whatever_fails_here_is_logged_once_and_the_run_goes_on(
    error, tmp_path, monkeypatch, caplog
):
    def no_process(*_, **__):
        raise error

    monkeypatch.setattr(_updates, "Drawing", no_process)
    study = optimize(unlimited(tmp_path / "r.html", every=2), 9)
    assert len(study.trials) == 9
    assert [record.name for record in caplog.records] == ["hpo_explain"]
    assert type(error).__name__ in caplog.text
    assert "The optimization goes on." in caplog.text
    told = caplog.records[0].exc_info
    # of what cannot be written the message says all
    assert told is None if isinstance(error, OSError) else told[1] is error


def test_a_study_that_cannot_be_read_does_not_end_the_run(tmp_path, caplog):
    callback = unlimited(tmp_path / "r.html", every=2, target=3)
    assert len(optimize(callback, 6).trials) == 6
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "target" in caplog.text


def test_the_user_can_still_stop_the_run_and_continue_it(written, tmp_path, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    callback = unlimited(tmp_path / "r.html", every=2)
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    with monkeypatch.context() as patched:
        patched.setattr("hpo_explain.adapters.optuna.callback.as_runs", stopped)
        with pytest.raises(KeyboardInterrupt):
            study.optimize(parabola, n_trials=4, callbacks=[callback])
    study.optimize(parabola, n_trials=1, callbacks=[callback])
    assert written.lengths == [3]


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "options", "text"),
    [
        ((7,), {}, r"path must name the report's file, but was 7"),
        (("",), {}, r"path must name the report's file, but was ''"),
        ((), {"every": 0}, r"every must be at least 1, but was 0"),
        ((), {"every": 2.5}, r"every must be a whole number, but was 2.5"),
        ((), {"budget": 0.0}, r"budget must be above 0 and at most 1.* but was 0.0"),
        ((), {"on_update": "mail"}, r"on_update must be a function"),
        ((), {"evry": 2}, r"evry is not an option of ExplanationCallback. Did you mean 'every'"),
    ],
)
def test_bad_arguments_are_refused_before_the_run_starts(arguments, options, text):
    with pytest.raises(ValueError, match=text):
        unlimited(*arguments, **options)
