"""Reports while a run goes on: within their budget of time, one at a time, to no harm."""

import logging
import os
import subprocess
import sys
import threading
import time
from functools import partial

import numpy as np
import optuna
import pytest
import skopt
from optuna.samplers import RandomSampler

from hpo_explain.adapters import _drawing, _updates
from hpo_explain.adapters._drawing import Page, Turn
from hpo_explain.adapters._updates import Budget, ReportUpdates
from hpo_explain.adapters.optuna import ExplanationCallback
from hpo_explain.adapters.skopt import ExplanationCallback as SkoptCallback
from hpo_explain.base.errors import InputError
from hpo_explain.reporting import Section
from tests.adapters.drawn import Drawn, drawn_here
from tests.adapters.studies import parabola
from tests.source_tree import ROOT

pytestmark = pytest.mark.merge
flocks = pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")


class Updates(ReportUpdates):
    """Reports of what a function reads."""

    _framework = "tests.adapters.test_updates"

    def _reader(self, source):
        """Take no options."""

    def _read(self, source):
        return source()


@pytest.fixture
def of_study(tmp_path, monkeypatch):
    """A study whose callback was called for some trials, and the callback."""
    drawn_here(monkeypatch)

    def made(
        n, path=tmp_path / "r.html", objective=parabola, *, names=(), directions=None, **options
    ):
        callback = ExplanationCallback(path, **{"budget": None, "sections": ["history"]} | options)
        study = optuna.create_study(sampler=RandomSampler(seed=0), directions=directions)
        if names:
            study.set_metric_names(names)
        study.optimize(objective, n_trials=n, callbacks=[callback])
        return study, callback

    return made


class Clock:
    """A clock that stands still unless it is told to go on."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(_updates, "perf_counter", lambda: self.now)


def updates(path, **options):
    return Updates(path, **({"every": 1, "budget": 0.1} | options))


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


@pytest.fixture
def short():
    """When there were short pages."""
    return []


@pytest.fixture
def simulate(clock, short, monkeypatch, tmp_path):
    """Trials and reports that take so many seconds; it returns when there were reports."""

    def simulated(*, trial, full, trials, reading=0.0, **options):
        seen = []

        def drawn(page):
            if page.is_short:
                short.append(clock.now)
                return 0.3
            seen.append(clock.now)
            return full

        short.clear()
        Drawn(monkeypatch, drawn)
        subject = updates(tmp_path / "r.html", **options)

        def read():
            clock.now += reading
            return {}

        for _ in range(trials):
            clock.now += trial
            subject._step(read, lasted=trial)
        return seen, subject

    return simulated


def test_reports_stay_within_their_share_of_the_time_the_first_included(simulate):
    seen, _ = simulate(trial=1.0, full=5.0, trials=1000)
    assert all(5.0 * (k + 1) <= 0.1 * when for k, when in enumerate(seen))
    assert 5.0 * len(seen) >= 0.08 * 1000.0  # and the budget is used
    seen, _ = simulate(trial=1.0, full=0.0, reading=2.0, trials=400)
    assert 0.8 * 0.1 * 400.0 <= 2.0 * len(seen) <= 0.1 * 400.0  # reading is paid for, too
    seen, _ = simulate(trial=0.001, full=8.0, trials=6, budget=None)
    assert len(seen) == 6  # without a limit all are drawn


def test_the_first_report_comes_when_it_fits(simulate, clock):
    assumed = Budget(0.1).cost
    seen, _ = simulate(trial=1.0, full=9.0, trials=1000, every=25)
    assert 10.0 * assumed <= seen[0] <= 10.0 * assumed + 1.0  # not only after 25 more trials
    seen, _ = simulate(trial=1000.0, full=9.0, trials=25, every=25)
    assert len(seen) == 1  # of long trials at once
    assert Budget(0.1, sections=1).cost < assumed


def test_a_run_that_is_too_short_gets_a_short_page_first_and_its_report_at_the_end(
    simulate, short, tmp_path
):
    seen, subject = simulate(trial=0.001, full=8.0, trials=1000)
    assert seen == []
    assert short == pytest.approx([0.01])  # of ten trials
    assert subject.finish(dict) == tmp_path / "r.html"
    assert len(seen) == 1


PROGRAM = """
import optuna
from hpo_explain.adapters.optuna import ExplanationCallback
def main():
    study = optuna.create_study(storage="sqlite:///study.db", study_name="s")
    callback = ExplanationCallback("why.html", publish={}, sections=["history"])
    study.optimize(lambda t: t.suggest_float("x", 0, 1) ** 2, n_trials={}, callbacks=[callback])
main()
"""


@pytest.mark.parametrize(("publish", "trials"), [(False, 4), (True, 15)])
def test_a_program_that_ends_without_finish_leaves_a_page(publish, trials, tmp_path):
    if publish:
        dashboard = pytest.importorskip("optuna_dashboard", reason="optuna-dashboard is missing")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    subprocess.run(
        [sys.executable, "-c", PROGRAM.format(publish, trials)],
        cwd=tmp_path,
        env=environment,
        check=True,
    )
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert f"{trials} trials · 1 hyperparameter" in page
    if publish:
        storage = f"sqlite:///{tmp_path / 'study.db'}"
        study = optuna.load_study(study_name="s", storage=storage)
        assert "count: 15" in dashboard.get_note(study)


def test_what_no_dashboard_reads_is_not_published_and_logged_once(monkeypatch, tmp_path, caplog):
    record = Drawn(monkeypatch)
    callback = ExplanationCallback(tmp_path / "r.html", every=4, budget=None, publish=True)
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(parabola, n_trials=8, callbacks=[callback])
    assert [job.page.afterwards for job in record.jobs] == [None, None]
    assert caplog.text.count("Nothing is published") == 1


def test_on_update_gets_the_path_and_may_fail(simulate, tmp_path, caplog):
    told = []

    def on_update(path):
        told.append(path)
        raise RuntimeError("no such channel")

    simulate(trial=1000.0, full=0.001, trials=3, on_update=on_update)
    assert told == [tmp_path / "r.html"] * 3
    assert len(caplog.records) == 1
    assert "was written, but on_update failed (RuntimeError: no such channel)" in caplog.text


# ---------------------------------------------------------------------- one at a time


def test_what_becomes_due_while_one_is_drawn_is_drawn_thereafter(monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch, at_once=False)
    subject = updates(tmp_path / "r.html", every=2, budget=None)
    for _ in range(7):
        subject._step(dict)
    assert len(drawn.jobs) == 1
    drawn.pending[0].go_on()
    subject._step(dict)  # the next trial, whatever its number
    assert len(drawn.jobs) == 2
    drawn.pending[0].go_on()
    subject._step(dict)
    assert len(drawn.jobs) == 2  # nothing is due


def test_the_last_report_gives_up_one_of_fewer_trials(monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch, at_once=False)
    told = []
    subject = updates(tmp_path / "r.html", budget=None, on_update=told.append)
    subject._step(dict)
    (old,) = drawn.pending
    assert subject.finish(dict) == tmp_path / "r.html"
    assert old.is_stopped
    assert len(told) == 1
    assert [job.gives_way for job in drawn.jobs] == [True, False]


def test_the_last_report_is_read_when_nobody_else_can_write_an_older_one(monkeypatch, tmp_path):
    Drawn(monkeypatch)
    free = []

    def read():
        free.append(Turn(tmp_path).is_mine)
        return {}

    assert updates(tmp_path / "r.html", budget=None).finish(read) == tmp_path / "r.html"
    assert free == [False]
    assert names(tmp_path) == []


FINISHES = """
import sys, time
import optuna
from markupsafe import Markup
from hpo_explain.adapters.optuna import ExplanationCallback
from hpo_explain.reporting import Content, Section

number = int(sys.argv[1])
def slow(context):
    with open("drawn", "a") as file:
        file.write(f"{len(context.run)}\\n")
    time.sleep(4.0)
    return Content("slow", Markup(f"<p>on {len(context.run)} trials</p>"))
study = optuna.load_study(study_name="one", storage="sqlite:///one.db")
section = Section("slow", "Slow", "", slow)
callback = ExplanationCallback("r.html", every=100, budget=None, sections=[section])
print("ready", flush=True)
sys.stdin.readline()
study.add_trial(optuna.create_trial(
    params={"x": number / 4},
    distributions={"x": optuna.distributions.FloatDistribution(0, 1)},
    value=float(number),
))
began = time.monotonic()
path = callback.finish(study)
print(time.monotonic() - began, path is not None, flush=True)
"""


@pytest.mark.thorough
@pytest.mark.skipif(os.name != "posix", reason="processes of POSIX")
def test_of_four_writers_that_finish_together_one_draws(tmp_path):
    optuna.create_study(study_name="one", storage=f"sqlite:///{tmp_path / 'one.db'}")
    (tmp_path / "program.py").write_text(FINISHES)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    writers = [
        subprocess.Popen(
            [sys.executable, "program.py", str(number)],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    answers = [writer.communicate(timeout=300)[0].split() for writer in writers]
    assert [written for _, written in answers] == ["True"] * 4
    assert "on 4 trials" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert sorted(names(tmp_path)) == ["drawn", "one.db", "program.py", "r.html"]
    # four pages one after the other would take sixteen seconds, beside their starts
    assert (tmp_path / "drawn").read_text().split().count("4") == 1


@flocks
def test_what_another_process_has_written_of_all_trials_is_not_drawn_again(monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch)
    path = tmp_path / "r.html"
    subject = updates(path, budget=None)
    other = Turn(tmp_path)

    def write():
        time.sleep(0.1)
        version = Page(path, {}).version
        path.write_text(f'<head><meta name="version" content="{version}">')
        other.end()

    thread = threading.Thread(target=write)
    thread.start()
    assert subject.finish(dict) == path
    thread.join()
    assert drawn.jobs == []
    # of what nobody else has written meanwhile it may be about other settings
    assert subject.finish(dict) == path
    assert len(drawn.jobs) == 1
    assert names(tmp_path) == ["r.html"]


@flocks
def test_while_another_process_draws_nothing_is_and_the_last_one_waits_long_enough(
    simulate, monkeypatch, tmp_path, caplog
):
    other = Turn(tmp_path)
    seen, subject = simulate(trial=1000.0, full=1.0, trials=2)
    assert (seen, subject._budget.spent, caplog.records) == ([], 0.0, [])
    monkeypatch.setattr(_updates, "_PATIENCE", 0.01)
    assert subject.finish(dict) == tmp_path / "r.html"
    other.end()
    assert len(seen) == 1


def test_a_failure_of_the_drawing_is_logged_once_with_its_traceback(monkeypatch, tmp_path, caplog):
    def no_drawing(_):
        raise ValueError("no such color")

    Drawn(monkeypatch, no_drawing)
    subject = updates(tmp_path / "r.html", budget=None)
    for _ in range(3):
        subject._step(dict)
    (record,) = caplog.records
    assert (
        "was not written (ValueError: no such color). The optimization goes on."
        in record.getMessage()
    )
    assert "no_drawing" in caplog.text


def test_a_path_that_cannot_be_written_is_one_line(of_study, tmp_path, caplog):
    study, callback = of_study(6, tmp_path, every=2)
    assert callback.finish(study) is None
    (record,) = caplog.records
    assert record.exc_info is None
    assert f"{tmp_path} was not written" in record.getMessage()
    assert "\n" not in record.getMessage()


# ---------------------------------------------------------------------- once it is over


@pytest.fixture
def over(monkeypatch):
    """Whether the optimization is over, which is looked at all the time."""
    state = threading.Event()
    monkeypatch.setattr(_updates, "_LOOK", 0.002)
    monkeypatch.setattr(_updates, "_PAUSE", 0.01)
    monkeypatch.setattr(_updates, "goes_on", lambda _: not state.is_set())
    return state


def waits(subject):
    """Return what was written when the thread that waits for the end has ended."""
    until = time.monotonic() + 30.0
    while subject._waiting and time.monotonic() < until:
        time.sleep(0.001)
    return not subject._waiting


def test_once_it_is_over_a_short_page_and_then_all_of_it_is_written(over, monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch)
    subject = updates(tmp_path / "r.html", every=100)
    for _ in range(4):
        subject._step(dict)
    time.sleep(0.1)
    assert drawn.jobs == []  # it goes on
    over.set()
    assert waits(subject)
    assert [job.page.is_short for job in drawn.jobs] == [True, False]
    assert subject not in _updates._UNFINISHED  # nothing is left for the exit
    assert subject._budget.has_room is False  # nothing was earned or paid
    # a whole page needs no short one, and each of the same trials is drawn once
    subject._step(dict)
    assert waits(subject)
    assert [job.page.is_short for job in drawn.jobs[2:]] == [False]


def test_it_is_given_up_where_the_optimization_goes_on_after_all(over, monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch, at_once=False)
    subject = updates(tmp_path / "r.html", every=100)
    subject._step(dict)
    over.set()
    while not drawn.pending:
        time.sleep(0.001)
    (first,) = drawn.pending
    over.clear()
    while drawn.pending:
        time.sleep(0.001)
    assert first.is_stopped
    subject._step(dict)
    over.set()
    for _ in range(2):
        while not drawn.pending:
            time.sleep(0.001)
        drawn.pending[0].go_on()
    assert waits(subject)
    assert [job.page.is_short for job in drawn.jobs] == [True, True, False]


def test_few_sections_are_drawn_at_once(over, monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch)
    subject = updates(tmp_path / "r.html", every=9, sections=["history"])
    subject._step(dict)
    over.set()
    assert waits(subject)
    assert [job.page.is_short for job in drawn.jobs] == [False]


def test_finish_makes_it_needless(over, monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch)
    subject = updates(tmp_path / "r.html", every=100)
    subject._step(dict)
    assert subject.finish(dict)
    over.set()
    assert waits(subject)
    assert len(drawn.jobs) == 1


def test_who_asks_and_tells_gets_no_page_between_two_trials(over, monkeypatch, tmp_path):
    drawn = Drawn(monkeypatch)
    subject = updates(tmp_path / "r.html", every=100)
    subject._framework = "another"
    subject._step(dict)
    over.set()
    assert not subject._waiting
    assert drawn.jobs == []


LIVES_ON = """
import pathlib, time
import optuna
from hpo_explain.adapters.optuna import ExplanationCallback
page = pathlib.Path("r.html")
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
callback = ExplanationCallback(page, sections=["history", "trust"])
def objective(trial):
    assert not page.exists()
    return trial.suggest_float("x", 0, 1) ** 2
study.optimize(objective, n_trials=9, callbacks=[callback], n_jobs=JOBS)
until = time.monotonic() + 120
while time.monotonic() < until and not (
    page.exists() and "</html>" in page.read_text(encoding="utf-8")
):
    time.sleep(0.1)
print(page.exists(), "9 trials · " in page.read_text(encoding="utf-8"))
"""


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_in_a_process_that_lives_on_the_page_comes_by_itself(jobs, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LIVES_ON.replace("JOBS", str(jobs))],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True True\n"
    assert "Traceback" not in done.stderr
    assert names(tmp_path) == ["r.html"]


# ---------------------------------------------------------------------- one writer


def names(folder):
    return [entry.name for entry in folder.iterdir()]


@flocks
def test_of_many_threads_one_writes_at_a_time(tmp_path):
    writing = threading.Lock()
    written = []

    def write():
        turn = Turn(tmp_path, 60.0)
        assert turn.is_mine
        assert writing.acquire(blocking=False)
        time.sleep(0.005)
        written.append(turn)
        writing.release()
        turn.end()

    work = [threading.Thread(target=write) for _ in range(8)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert len(written) == 8
    assert names(tmp_path) == []


HOLDS = """
import os, pathlib, sys, time
from hpo_explain.adapters._drawing import Turn
assert Turn(pathlib.Path(sys.argv[1])).is_mine
print(flush=True)
time.sleep(60)
"""


@flocks
def test_a_process_that_is_killed_leaves_its_turn_and_no_file(tmp_path):
    command = [sys.executable, "-c", HOLDS, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as other:
        other.stdout.readline()
        assert not Turn(tmp_path).is_mine
        other.kill()
    assert Turn(tmp_path).is_mine
    assert names(tmp_path) == []


@flocks
@pytest.mark.parametrize("is_drawn_then", [False, True])
def test_finish_in_a_fork_writes_the_page(is_drawn_then, tmp_path):
    path = tmp_path / "why.html"
    every = 4 if is_drawn_then else 100
    callback = ExplanationCallback(path, every=every, budget=None, sections=["history"])
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(parabola, n_trials=9, callbacks=[callback])
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writes, str(callback.finish(study)).encode())
        finally:
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as told:
        assert told.read() == str(path)
    os.waitpid(child, 0)
    assert "9 trials · " in path.read_text(encoding="utf-8")
    assert callback.finish(study) == path


@flocks
def test_what_forks_keep_open_keeps_nobody_waiting(tmp_path):
    turn = Turn(tmp_path)
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(reads, 1)
        os._exit(0)
    turn.end()
    after = Turn(tmp_path)
    os.write(writes, b".")
    os.waitpid(child, 0)
    assert after.is_mine


def test_where_no_lock_can_be_had_the_report_is_written_all_the_same(monkeypatch, tmp_path, caplog):
    caplog.set_level(logging.INFO, logger="hpo_explain")

    def no_locks(_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(_drawing, "_locked", no_locks)
    assert Turn(tmp_path, 60.0).is_mine
    assert "cannot be locked" in caplog.text


def test_a_folder_that_is_missing_is_not_made(of_study, tmp_path, caplog):
    study, callback = of_study(4, tmp_path / "missing" / "r.html", every=2)
    assert callback.finish(study) is None
    assert "there is no folder" in caplog.text
    assert names(tmp_path) == []


def test_sections_that_cannot_be_sent_are_refused_before_the_run_starts():
    lock = threading.Lock()
    section = Section("mine", "Mine", "Read it.", lambda context: lock)
    with pytest.raises(InputError, match=r"^sections are drawn by .* 'mine' cannot be sent to it"):
        ExplanationCallback(sections=["history", section])


# ---------------------------------------------------------------------- Optuna


def test_finish_writes_the_whole_study(of_study, tmp_path):
    path = tmp_path / "r.html"
    study, callback = of_study(7, every=25, budget=0.1)
    assert not path.exists()
    assert callback.finish(study) == path
    assert "7 trials · " in path.read_text(encoding="utf-8")


# ---------------------------------------------------------------------- skopt


def test_skopt_calls_back_and_the_report_is_written(tmp_path, monkeypatch):
    drawn_here(monkeypatch)
    path, told = tmp_path / "r.html", []
    options = {"every": 3, "budget": None, "sections": ["history"], "on_update": told.append}
    callback = SkoptCallback(path, **options)
    run = partial(skopt.gp_minimize, n_calls=6, n_initial_points=4, random_state=0)
    plain = run(lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)])
    result = run(lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)], callback=[callback])
    assert told == [path] * 2
    # the run is left alone
    np.testing.assert_array_equal(result.x_iters, plain.x_iters)
    assert callback.finish(result) == path
    assert "6 trials · " in path.read_text(encoding="utf-8")


def test_what_is_not_a_result_is_logged_and_not_raised(tmp_path, caplog):

    callback = SkoptCallback(tmp_path / "r.html", every=1)
    assert callback("nothing") is None
    assert callback.finish("nothing") is None
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"evry": 5}, r"^evry is not an option of ExplanationCallback. Did you mean 'every'\? "),
        ({"result": None}, r"^result is not"),  # which the callback is called with
    ],
)
def test_an_option_that_skopts_callback_does_not_know_is_refused_at_once(options, text, tmp_path):

    with pytest.raises(ValueError, match=text):
        SkoptCallback(tmp_path / "r.html", **options)
    assert SkoptCallback(tmp_path / "r.html", names=["x"], every=5).every == 5
