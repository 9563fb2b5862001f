"""Reports while a run goes on: within their budget of time, one writer at a time, to no harm."""

import errno
import json
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import optuna
import pytest
from optuna.samplers import RandomSampler

from hpo_explain import reporting
from hpo_explain.adapters import _updates
from hpo_explain.adapters._updates import ReportUpdates
from hpo_explain.adapters.optuna import ExplanationCallback
from tests.adapters.studies import parabola
from tests.handmade import Page


class Clock:
    """A clock that stands still unless it is told to go on."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(_updates, "perf_counter", lambda: self.now)


def updates(path, **options):
    defaults = {"every": 1, "budget": 0.1, "sections": None, "on_update": None}
    return ReportUpdates(path, **(defaults | options))


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def simulate(clock, monkeypatch, *, trial, full, brief, trials, path, **options):
    """Trials and reports that take so many seconds; return the kinds of reports and their time."""
    kinds = []

    def report(run, path, *, sections, **_):
        kinds.append("brief" if sections is reporting.BRIEF else "full")
        clock.now += brief if kinds[-1] == "brief" else full

    monkeypatch.setattr(reporting, "report", report)
    subject = updates(path, **options)
    for _ in range(trials):
        clock.now += trial
        subject.step(lambda: None, lasted=trial)
    return kinds, subject


def test_reports_stay_within_their_share_of_the_time(clock, monkeypatch, tmp_path):
    kinds, _ = simulate(
        clock, monkeypatch, trial=1.0, full=5.0, brief=1.0, trials=1000, path=tmp_path / "r.html"
    )
    after_the_first = 5.0 * kinds[1:].count("full") + 1.0 * kinds[1:].count("brief")
    assert after_the_first <= 0.1 * 1000.0
    assert after_the_first >= 0.08 * 1000.0  # and the budget is used
    assert kinds[0] == "full"


def test_the_first_report_is_free_and_short_runs_get_no_second(clock, monkeypatch, tmp_path):
    kinds, _ = simulate(
        clock, monkeypatch, trial=0.001, full=8.0, brief=2.0, trials=1000, path=tmp_path / "r.html"
    )
    assert kinds == ["full"]


def test_without_a_limit_every_report_is_full(clock, monkeypatch, tmp_path):
    kinds, _ = simulate(
        clock, monkeypatch, trial=0.001, full=8.0, brief=2.0, trials=6, budget=None,
        path=tmp_path / "r.html",
    )  # fmt: skip
    assert kinds == ["full"] * 6


def test_updates_that_are_left_out_or_brief_are_logged(clock, monkeypatch, tmp_path, caplog):
    with caplog.at_level(logging.INFO, logger="hpo_explain"):
        kinds, _ = simulate(
            clock, monkeypatch, trial=1.0, full=20.0, brief=2.0, trials=150,
            path=tmp_path / "r.html",
        )  # fmt: skip
    left_out = sum("not written anew" in record.message for record in caplog.records)
    brief = sum("is brief" in record.message for record in caplog.records)
    assert brief == kinds.count("brief") > 0
    assert left_out == 150 - len(kinds) > 0
    assert "10 %" in caplog.records[0].message


def test_sections_of_the_users_own_are_never_made_brief(clock, monkeypatch, tmp_path):
    sections = ["overview"]
    seen = []
    monkeypatch.setattr(
        reporting, "report", lambda run, path, *, sections, **_: seen.append(sections)
    )
    subject = updates(tmp_path / "r.html", sections=sections)
    clock.now = 1.0
    subject.step(lambda: None)
    assert seen == [sections]


def test_the_last_report_is_full_whatever_the_budget(clock, monkeypatch, tmp_path):
    kinds, subject = simulate(
        clock, monkeypatch, trial=0.001, full=8.0, brief=2.0, trials=5, path=tmp_path / "r.html"
    )
    assert subject.finish(lambda: None) == tmp_path / "r.html"
    assert kinds == ["full", "full"]


def test_on_update_gets_the_path_and_may_fail(clock, monkeypatch, tmp_path, caplog):
    told = []

    def on_update(path):
        told.append(path)
        raise RuntimeError("no such channel")

    simulate(
        clock, monkeypatch, trial=1.0, full=0.001, brief=0.001, trials=3, path=tmp_path / "r.html",
        on_update=on_update,
    )  # fmt: skip
    assert told == [tmp_path / "r.html"] * 3
    assert caplog.text.count("no such channel") >= 1
    assert len(caplog.records) == 1


# ---------------------------------------------------------------------- one writer at a time


OTHER = """
import sys
from hpo_explain.adapters._updates import ReportUpdates

def read():
    print("writing", flush=True)
    sys.stdin.read()  # until it is told to go on, or killed
    raise ValueError("enough")

ReportUpdates(sys.argv[1], every=1, budget=None, sections=[], on_update=None).finish(read)
"""


@pytest.fixture
def other(tmp_path):
    """Another process, in the middle of writing the same report."""
    command = [sys.executable, "-c", OTHER, str(tmp_path / "r.html")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout.readline() == "writing\n"
        yield process
        process.kill()


def names(folder):
    return [entry.name for entry in folder.iterdir()]


def test_while_another_process_writes_this_one_does_not(
    clock, monkeypatch, tmp_path, caplog, other
):
    kinds, subject = simulate(
        clock, monkeypatch, trial=1.0, full=0.1, brief=0.1, trials=3, path=tmp_path / "r.html",
        patience=0.2,
    )  # fmt: skip
    assert kinds == []
    assert subject.finish(lambda: None) is None
    assert "another process has been writing it" in caplog.text
    other.communicate()
    assert subject.finish(lambda: None) == tmp_path / "r.html"
    assert kinds == ["full"]
    assert names(tmp_path) == []  # nothing but the report, which is not written here


def test_the_last_report_waits_for_another_process(clock, monkeypatch, tmp_path, other):
    kinds, subject = simulate(
        clock, monkeypatch, trial=1.0, full=0.1, brief=0.1, trials=1, path=tmp_path / "r.html"
    )
    timer = threading.Timer(0.3, other.stdin.close)
    timer.start()
    assert subject.finish(lambda: None) == tmp_path / "r.html"
    timer.join()
    assert kinds == ["full"]
    assert names(tmp_path) == []


def test_a_process_that_was_killed_while_it_wrote_keeps_nobody_waiting(tmp_path, other):
    other.kill()
    other.wait()
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(parabola, n_trials=3)
    path = tmp_path / "r.html"
    assert ExplanationCallback(path, sections=["overview"]).finish(study) == path
    assert names(tmp_path) == ["r.html"]


@pytest.mark.parametrize("held", [b"", b"\xff\xfe", b"somewhere 4711"])
def test_a_lock_file_that_nobody_holds_keeps_nobody_waiting(clock, monkeypatch, tmp_path, held):
    (tmp_path / ".r.html.lock").write_bytes(held)
    kinds, _ = simulate(
        clock, monkeypatch, trial=1.0, full=0.1, brief=0.1, trials=1, path=tmp_path / "r.html"
    )
    assert kinds == ["full"]
    assert names(tmp_path) == []


def test_of_many_threads_and_callbacks_one_writes_at_a_time(monkeypatch, tmp_path):
    writing = threading.Lock()
    written = []

    def report(run, path, *, sections, **_):
        assert writing.acquire(blocking=False)
        time.sleep(0.005)
        written.append(path)
        writing.release()

    monkeypatch.setattr(reporting, "report", report)
    path = tmp_path / "r.html"
    work = [threading.Thread(target=updates(path).finish, args=(lambda: None,)) for _ in range(16)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert written == [path] * 16
    assert names(tmp_path) == []


def test_where_no_lock_can_be_had_the_report_is_written_all_the_same(
    clock, monkeypatch, tmp_path, caplog
):
    (tmp_path / ".r.html.lock").mkdir()
    with caplog.at_level(logging.INFO, logger="hpo_explain"):
        kinds, _ = simulate(
            clock, monkeypatch, trial=1.0, full=0.1, brief=0.1, trials=1, path=tmp_path / "r.html"
        )
    assert kinds == ["full"]
    assert "is written without a lock" in caplog.text


@pytest.mark.skipif(os.name != "posix", reason="locks as POSIX does")
def test_a_file_system_without_locks_gets_no_file_in_their_place(clock, monkeypatch, tmp_path):
    def flock(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", flock)
    kinds, _ = simulate(
        clock, monkeypatch, trial=1.0, full=0.1, brief=0.1, trials=1, path=tmp_path / "r.html"
    )
    assert kinds == ["full"]
    assert names(tmp_path) == []


def test_a_folder_that_is_missing_is_not_made(tmp_path, caplog):
    path = tmp_path / "missing" / "r.html"
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    callback = ExplanationCallback(path, every=2, budget=None, sections=["overview"])
    study.optimize(parabola, n_trials=4, callbacks=[callback])
    assert callback.finish(study) is None
    assert "there is no folder" in caplog.text
    assert names(tmp_path) == []


def test_a_report_that_fails_leaves_the_last_good_one_and_no_lock_file(tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    path.write_text("the last good one")
    callback = ExplanationCallback(path, every=2, budget=None, sections=["overview"])

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hpo_explain.reporting.page.write_atomically", full_disk)
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(parabola, n_trials=4, callbacks=[callback])
    assert path.read_text() == "the last good one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.html"]


# ---------------------------------------------------------------------- Optuna


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_several_objectives_get_a_tab_each(tmp_path):
    path = tmp_path / "r.html"
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=RandomSampler(seed=0))
    study.set_metric_names(["loss", "speed"])
    callback = ExplanationCallback(path, every=6, budget=None, sections=["overview"])
    study.optimize(lambda t: (parabola(t), 1.0 + t.number), n_trials=6, callbacks=[callback])
    page = Page(path.read_text(encoding="utf-8"))
    assert page.values("for") == ["tab-1", "tab-2"]
    assert "by trial 5; the last one" in page.text  # the fastest
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    assert {"overview", "o1-overview"} <= set(ids)
    assert [attrs for tag, attrs in page.elements if tag == "script"] == [{}]
    assert not page.misnested


def test_a_target_shows_one_of_them_without_tabs(tmp_path):
    path = tmp_path / "r.html"
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=RandomSampler(seed=0))
    callback = ExplanationCallback(path, every=6, budget=None, sections=["overview"], target=0)
    study.optimize(lambda t: (parabola(t), 1.0), n_trials=6, callbacks=[callback])
    assert "input" not in Page(path.read_text(encoding="utf-8")).tags()


def test_the_importance_is_noted_in_the_study_only_if_asked_for(tmp_path):
    def objective(trial):
        return 10.0 * trial.suggest_float("x", 0, 1) + trial.suggest_float("y", 0, 1)

    for name in (None, "why"):
        study = optuna.create_study(sampler=RandomSampler(seed=0))
        callback = ExplanationCallback(
            tmp_path / "r.html", every=20, budget=None, sections=["overview"], user_attr=name
        )
        study.optimize(objective, n_trials=20, callbacks=[callback])
        assert list(study.user_attrs) == ([] if name is None else ["why"])
    noted = study.user_attrs["why"]
    json.dumps(noted)
    assert noted["trials"] == 20
    assert next(iter(noted["importance"])) == "x"
    assert noted["importance"]["x"] > 0.8


def test_finish_writes_the_whole_study(tmp_path):
    path = tmp_path / "r.html"
    callback = ExplanationCallback(path, every=25, sections=["overview"])
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(parabola, n_trials=7, callbacks=[callback])
    assert not path.exists()
    assert callback.finish(study) == path
    assert "of 7 trials" in path.read_text(encoding="utf-8")


# ---------------------------------------------------------------------- skopt


def test_skopt_calls_back_and_the_report_is_written(tmp_path):
    skopt = pytest.importorskip("skopt")
    from hpo_explain.adapters.skopt import ExplanationCallback as SkoptCallback

    told = []
    callback = SkoptCallback(
        tmp_path / "r.html", every=4, budget=None, sections=["overview"], on_update=told.append
    )
    plain = skopt.gp_minimize(
        lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)], n_calls=9, n_initial_points=4, random_state=0
    )
    result = skopt.gp_minimize(
        lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)], n_calls=9, n_initial_points=4, random_state=0,
        callback=[callback],
    )  # fmt: skip
    assert told == [tmp_path / "r.html"] * 2
    np.testing.assert_array_equal(result.x_iters, plain.x_iters)  # the run is left alone
    assert callback.finish(result) == tmp_path / "r.html"
    assert "of 9 trials" in Path(told[0]).read_text(encoding="utf-8")


def test_skopt_ask_and_tell(tmp_path):
    skopt = pytest.importorskip("skopt")
    from hpo_explain.adapters.skopt import ExplanationCallback as SkoptCallback

    told = []
    callback = SkoptCallback(
        tmp_path / "r.html", every=3, budget=None, sections=["overview"], on_update=told.append
    )
    optimizer = skopt.Optimizer([(0.0, 1.0)], n_initial_points=3, random_state=0)
    for _ in range(7):
        x = optimizer.ask()
        assert callback(optimizer.tell(x, (x[0] - 0.3) ** 2)) is None
    assert len(told) == 2


def test_what_is_not_a_result_is_logged_and_not_raised(tmp_path, caplog):
    pytest.importorskip("skopt")
    from hpo_explain.adapters.skopt import ExplanationCallback as SkoptCallback

    callback = SkoptCallback(tmp_path / "r.html", every=1)
    assert callback("nothing") is None
    assert callback.finish("nothing") is None
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"budget": 0.0}, r"budget must be above 0 and at most 1.* but was 0.0"),
        ({"budget": 7}, r"budget must be above 0 and at most 1.* but was 7"),
        ({"on_update": "mail"}, r"on_update must be a function"),
        ({"user_attr": ""}, r"user_attr must be a name"),
    ],
)
def test_bad_arguments_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        ExplanationCallback(**options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"evry": 5}, r"^evry is not an option of ExplanationCallback. Did you mean 'every'\? "),
        (
            {"name": ["x"]},
            r"^name is not .*. Did you mean 'names'\? There are: path, every, .*, names\.$",
        ),
        ({"result": None}, r"^result is not"),  # which the callback is called with
        ({"options": {}}, r"^options is not"),
    ],
)
def test_an_option_that_skopts_callback_does_not_know_is_refused_at_once(options, text, tmp_path):
    pytest.importorskip("skopt")
    from hpo_explain.adapters.skopt import ExplanationCallback as SkoptCallback

    with pytest.raises(ValueError, match=text):
        SkoptCallback(tmp_path / "r.html", **options)
    assert SkoptCallback(tmp_path / "r.html", names=["x"], every=5).every == 5
