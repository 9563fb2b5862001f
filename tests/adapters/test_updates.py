"""Reports while a run goes on: within their budget of time, one at a time, to no harm."""

import errno
import json
import logging
import os
import threading
import time
from pathlib import Path

import numpy as np
import optuna
import pytest
from optuna.samplers import RandomSampler

from hpo_explain.adapters import _budget, _updates
from hpo_explain.adapters._budget import Budget, Extent
from hpo_explain.adapters._drawing import Failure
from hpo_explain.adapters._one_writer import one_writer
from hpo_explain.adapters._updates import ReportUpdates
from hpo_explain.adapters.optuna import ExplanationCallback
from hpo_explain.base.errors import InputError
from hpo_explain.reporting import Section
from tests.adapters.drawn import Drawn, answered, drawn_here
from tests.adapters.studies import parabola
from tests.handmade import Page


class Clock:
    """A clock that stands still unless it is told to go on."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        for module in (_budget, _updates):
            monkeypatch.setattr(module, "perf_counter", lambda: self.now)


def updates(path, **options):
    defaults = {"every": 1, "budget": 0.1, "sections": None, "on_update": None}
    return ReportUpdates(path, **(defaults | options))


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def simulate(
    clock, monkeypatch, *, trial, full, brief, trials, path, answer=None, reading=0.0, **options
):
    """Trials and reports that take so many seconds; return the kinds of reports and when."""
    seen = []

    def drawn(job, content):
        seconds = brief if content.brief else full
        seen.append(("brief" if content.brief else "full", clock.now))
        return answered(seconds=seconds) if answer is None else answer

    Drawn(monkeypatch, drawn)
    subject = updates(path, **options)

    def read():
        clock.now += reading

    for _ in range(trials):
        clock.now += trial
        subject.step(read, lasted=trial)
    return seen, subject


def test_reports_stay_within_their_share_of_the_time_the_first_included(
    clock, monkeypatch, tmp_path
):
    seen, _ = simulate(
        clock, monkeypatch, trial=1.0, full=5.0, brief=1.0, trials=1000, path=tmp_path / "r.html"
    )
    cost = {"full": 5.0, "brief": 1.0}
    spent = 0.0
    for kind, when in seen:
        spent += cost[kind]
        assert spent <= 0.1 * when
    assert spent >= 0.08 * 1000.0  # and the budget is used


def test_the_first_report_comes_when_it_fits(clock, monkeypatch, tmp_path):
    assumed = Budget(0.1).cost(Extent.BRIEF)
    seen, _ = simulate(
        clock, monkeypatch, trial=1.0, full=99.0, brief=1.0, trials=1000, every=25,
        path=tmp_path / "r.html",
    )  # fmt: skip
    first = seen[0]
    assert first[0] == "brief"
    assert 10.0 * assumed <= first[1] <= 10.0 * assumed + 1.0  # not only after 25 more trials
    many, _ = simulate(
        clock, monkeypatch, trial=1000.0, full=99.0, brief=1.0, trials=25, every=25,
        path=tmp_path / "r.html",
    )  # fmt: skip
    assert [kind for kind, _ in many] == ["full"]  # of long trials, the whole one at once


def test_a_run_that_is_too_short_gets_its_report_at_the_end_only(clock, monkeypatch, tmp_path):
    seen, subject = simulate(
        clock, monkeypatch, trial=0.001, full=8.0, brief=2.0, trials=1000, path=tmp_path / "r.html"
    )
    assert seen == []
    assert subject.finish(lambda: None) == tmp_path / "r.html"
    assert [kind for kind, _ in seen] == ["full"]


def test_a_machine_on_which_one_took_longer_is_a_slow_one():
    budget = Budget(0.1)
    assumed = budget.cost(Extent.FULL)
    budget.pay(3.0 * budget.cost(Extent.BRIEF), Extent.BRIEF)
    assert budget.cost(Extent.FULL) == pytest.approx(3.0 * assumed)


def test_few_sections_are_assumed_to_take_less():
    few, brief, full = (
        budget.cost(extent)
        for budget, extent in [
            (Budget(0.1, sections=1), Extent.FULL),
            (Budget(0.1), Extent.BRIEF),
            (Budget(0.1), Extent.FULL),
        ]
    )
    assert 0.0 < few < brief < full


def test_the_time_of_reading_is_paid_for_and_is_not_the_optimizations(clock, monkeypatch, tmp_path):
    seen, _ = simulate(
        clock, monkeypatch, trial=1.0, full=0.0, brief=0.0, reading=2.0, trials=400,
        path=tmp_path / "r.html",
    )  # fmt: skip
    spent = 2.0 * len(seen)
    assert 0.8 * 0.1 * 400.0 <= spent <= 0.1 * 400.0


def test_without_a_limit_every_report_is_full(clock, monkeypatch, tmp_path):
    seen, _ = simulate(
        clock, monkeypatch, trial=0.001, full=8.0, brief=2.0, trials=6, budget=None,
        path=tmp_path / "r.html",
    )  # fmt: skip
    assert [kind for kind, _ in seen] == ["full"] * 6


def test_reports_that_wait_or_are_brief_are_logged(clock, monkeypatch, tmp_path, caplog):
    with caplog.at_level(logging.INFO, logger="hpo_explain"):
        seen, _ = simulate(
            clock, monkeypatch, trial=1.0, full=200.0, brief=20.0, trials=1000,
            path=tmp_path / "r.html",
        )  # fmt: skip
    waits = sum("not written anew" in record.message for record in caplog.records)
    brief = sum("is brief" in record.message for record in caplog.records)
    assert brief == [kind for kind, _ in seen].count("brief") > 0
    assert waits == len(seen) + 1  # once for each that has to wait, not with every trial
    assert "10 %" in caplog.records[0].message


def test_sections_of_the_users_own_are_never_made_brief(clock, monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch)
    sections = ("overview",) * 10
    subject = updates(tmp_path / "r.html", sections=sections)
    for clock.now in (200.0, 10_000.0):  # at first there is room for a brief one only
        subject.step(lambda: None, lasted=100.0)
    assert [(c.brief, c.sections) for c in drawn.contents] == [(False, sections)]


def test_on_update_gets_the_path_in_a_thread_and_may_fail(clock, monkeypatch, tmp_path, caplog):
    told = []

    def on_update(path):
        told.append(path)
        raise RuntimeError("no such channel")

    simulate(
        clock, monkeypatch, trial=1000.0, full=0.001, brief=0.001, trials=3,
        path=tmp_path / "r.html", on_update=on_update,
    )  # fmt: skip
    assert told == [tmp_path / "r.html"] * 3
    assert len(caplog.records) == 1
    assert "was written, but on_update failed (RuntimeError: no such channel)" in caplog.text


# ---------------------------------------------------------------------- one at a time


def test_what_becomes_due_while_one_is_drawn_is_drawn_thereafter(monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch, at_once=False)
    subject = updates(tmp_path / "r.html", every=2, budget=None)
    for _ in range(7):
        subject.step(dict)
    assert len(drawn.jobs) == 1
    drawn.pending[0].go_on()
    subject.step(dict)  # the next trial, whatever its number
    assert len(drawn.jobs) == 2
    drawn.pending[0].go_on()
    subject.step(dict)
    assert len(drawn.jobs) == 2  # nothing is due


def test_the_last_report_gives_up_one_of_fewer_trials(monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch, at_once=False)
    told = []
    subject = updates(tmp_path / "r.html", budget=None, on_update=told.append)
    subject.step(dict)
    (old,) = drawn.pending
    assert subject.finish(dict) == tmp_path / "r.html"
    assert old.is_stopped
    assert len(told) == 1
    assert [job.last for job in drawn.jobs] == [False, True]


def test_the_last_report_is_read_when_nobody_else_can_write_an_older_one(monkeypatch, tmp_path):
    drawn_here(monkeypatch)
    free = []

    def read():
        with one_writer(tmp_path / "r.html") as mine:
            free.append(mine)
        return {}

    subject = updates(tmp_path / "r.html", budget=None)
    subject.finish(read)
    assert free == [False]
    assert names(tmp_path) == []


def test_a_report_that_another_process_writes_costs_nothing_and_is_left_to_it(
    clock, monkeypatch, tmp_path, caplog
):
    busy = answered(written=False, busy=True, seconds=1.0)
    seen, subject = simulate(
        clock, monkeypatch, trial=1000.0, full=0.0, brief=0.0, trials=2, answer=busy,
        path=tmp_path / "r.html",
    )  # fmt: skip
    assert len(seen) == 2
    assert subject.budget.spent == 0.0
    assert caplog.records == []


def test_a_last_report_that_another_process_goes_on_writing_is_not_written(tmp_path, caplog):
    subject = updates(tmp_path / "r.html", budget=None, patience=0.01)
    with one_writer(tmp_path / "r.html"):
        assert subject.finish(dict) is None
    assert "another process has been writing it" in caplog.text


def test_what_was_logged_while_drawing_is_logged_here_once(clock, monkeypatch, tmp_path, caplog):
    record = logging.LogRecord("hpo_explain", logging.ERROR, "x.py", 1, "a section", (), None)
    simulate(
        clock, monkeypatch, trial=1000.0, full=0.0, brief=0.0, trials=3,
        answer=answered(records=(record,)), path=tmp_path / "r.html",
    )  # fmt: skip
    assert [r.getMessage() for r in caplog.records] == ["a section"]


def test_a_failure_elsewhere_is_logged_with_its_traceback(clock, monkeypatch, tmp_path, caplog):
    failure = Failure("OSError", "disk full", "page.py:7", "Traceback: ...")
    simulate(
        clock, monkeypatch, trial=1000.0, full=0.0, brief=0.0, trials=3,
        answer=answered(written=False, failures=(failure,)), path=tmp_path / "r.html",
    )  # fmt: skip
    (record,) = caplog.records
    assert "was not written (OSError: disk full). The optimization goes on." in record.getMessage()
    assert "Traceback: ..." in record.getMessage()


# ---------------------------------------------------------------------- one writer


def names(folder):
    return [entry.name for entry in folder.iterdir()]


@pytest.mark.parametrize("held", [b"", b"\xff\xfe", b"somewhere 4711"])
def test_a_lock_file_that_nobody_holds_keeps_nobody_waiting(tmp_path, held):
    (tmp_path / ".r.html.lock").write_bytes(held)
    with one_writer(tmp_path / "r.html") as mine:
        assert mine
    assert names(tmp_path) == []


def test_of_many_threads_one_writes_at_a_time(tmp_path):
    writing = threading.Lock()
    written = []

    def write():
        with one_writer(tmp_path / "r.html", 60.0) as mine:
            assert mine
            assert writing.acquire(blocking=False)
            time.sleep(0.005)
            written.append(mine)
            writing.release()

    work = [threading.Thread(target=write) for _ in range(16)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert written == [True] * 16
    assert names(tmp_path) == []


def test_where_no_lock_can_be_had_the_report_is_written_all_the_same(tmp_path, caplog):
    (tmp_path / ".r.html.lock").mkdir()
    with (
        caplog.at_level(logging.INFO, logger="hpo_explain"),
        one_writer(tmp_path / "r.html") as mine,
    ):
        assert mine
    assert "is written without a lock" in caplog.text


@pytest.mark.skipif(os.name != "posix", reason="locks as POSIX does")
def test_a_file_system_without_locks_gets_no_file_in_their_place(monkeypatch, tmp_path):
    def flock(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", flock)
    with one_writer(tmp_path / "r.html") as mine:
        assert mine
    assert names(tmp_path) == []


def test_a_folder_that_is_missing_is_not_made(tmp_path, caplog, monkeypatch):
    drawn_here(monkeypatch)
    path = tmp_path / "missing" / "r.html"
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    callback = ExplanationCallback(path, every=2, budget=None, sections=["overview"])
    study.optimize(parabola, n_trials=4, callbacks=[callback])
    assert callback.finish(study) is None
    assert "there is no folder" in caplog.text
    assert names(tmp_path) == []


def test_a_report_that_fails_leaves_the_last_good_one_and_no_lock_file(tmp_path, monkeypatch):
    drawn_here(monkeypatch)
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


# ---------------------------------------------------------------------- sections of one's own


def test_sections_that_cannot_be_sent_are_refused_before_the_run_starts():
    lock = threading.Lock()
    section = Section("mine", "Mine", "Read it.", lambda context: lock)
    with pytest.raises(InputError, match=r"^sections are drawn by .* 'mine' cannot be sent to it"):
        ExplanationCallback(sections=["overview", section])


# ---------------------------------------------------------------------- Optuna


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_several_objectives_get_a_tab_each(tmp_path, monkeypatch):
    drawn_here(monkeypatch)
    path = tmp_path / "r.html"
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=RandomSampler(seed=0))
    study.set_metric_names(["loss", "speed"])
    callback = ExplanationCallback(path, every=6, budget=None, sections=["overview"])
    study.optimize(lambda t: (parabola(t), 1.0 + t.number), n_trials=6, callbacks=[callback])
    page = Page(path.read_text(encoding="utf-8"))
    assert page.values("for") == ["tab-1", "tab-2"]
    assert "The best of 6 trials is trial 5, at 6." in page.text  # the fastest
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    assert {"overview", "o1-overview"} <= set(ids)
    assert [attrs for tag, attrs in page.elements if tag == "script"] == [{}]
    assert not page.misnested


def test_a_target_shows_one_of_them_without_tabs(tmp_path, monkeypatch):
    drawn_here(monkeypatch)
    path = tmp_path / "r.html"
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=RandomSampler(seed=0))
    callback = ExplanationCallback(path, every=6, budget=None, sections=["overview"], target=0)
    study.optimize(lambda t: (parabola(t), 1.0), n_trials=6, callbacks=[callback])
    assert "input" not in Page(path.read_text(encoding="utf-8")).tags()


def test_the_importance_is_noted_in_the_study_only_if_asked_for(tmp_path, monkeypatch):
    drawn_here(monkeypatch)

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


def test_finish_writes_the_whole_study(tmp_path, monkeypatch):
    drawn_here(monkeypatch)
    path = tmp_path / "r.html"
    callback = ExplanationCallback(path, every=25, sections=["overview"])
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(parabola, n_trials=7, callbacks=[callback])
    assert not path.exists()
    assert callback.finish(study) == path
    assert "of 7 trials" in path.read_text(encoding="utf-8")


# ---------------------------------------------------------------------- skopt


def test_skopt_calls_back_and_the_report_is_written(tmp_path, monkeypatch):
    drawn_here(monkeypatch)
    skopt = pytest.importorskip("skopt")
    from hpo_explain.adapters.skopt import ExplanationCallback as SkoptCallback

    told = []
    callback = SkoptCallback(
        tmp_path / "r.html", every=3, budget=None, sections=["overview"], on_update=told.append
    )
    plain = skopt.gp_minimize(
        lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)], n_calls=6, n_initial_points=4, random_state=0
    )
    result = skopt.gp_minimize(
        lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)], n_calls=6, n_initial_points=4, random_state=0,
        callback=[callback],
    )  # fmt: skip
    assert told == [tmp_path / "r.html"] * 2
    np.testing.assert_array_equal(result.x_iters, plain.x_iters)  # the run is left alone
    assert callback.finish(result) == tmp_path / "r.html"
    assert "of 6 trials" in Path(told[0]).read_text(encoding="utf-8")


def test_skopt_ask_and_tell(tmp_path, monkeypatch):
    drawn_here(monkeypatch)
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
