"""Worker processes, which end when what they work for is interrupted."""

import os
import signal
import threading
import time
from concurrent.futures import wait

import joblib
import pytest

import hpo_explain as hx
from hpo_explain.base import workers as _workers
from hpo_explain.base.workers import LostError, Workers, by_workers
from hpo_explain.reporting import Report, page
from tests.analytic import unit_cube
from tests.methods.test_desirability_path import run_of
from tests.processes import is_there, until

pytestmark = pytest.mark.merge

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture
def workers():
    """One worker, which is ended."""
    made = Workers(1)
    yield made
    made.end()


class OddError(Exception):
    """An error that cannot be made again of its arguments."""

    def __init__(self, text, number):
        super().__init__(text)


def fail():
    raise OddError("odd", 1)


def test_answers_and_errors_come_back_with_what_the_main_program_defines(workers):
    class Mine:
        size = 3

    assert workers.submit(lambda thing: thing.size + 1, Mine()).result() == 4
    with pytest.raises(ZeroDivisionError) as raised:
        workers.submit(lambda: 1 / 0).result()
    assert "in <lambda>" in str(raised.value.__cause__)
    with pytest.raises(RuntimeError, match=r"^OddError: odd$"):
        workers.submit(fail).result()
    with pytest.raises(TypeError, match="lock"):
        workers.submit(print, threading.Lock()).result()
    # what a call prints is no answer, and there is nothing to read
    assert workers.submit(os.write, 1, b"").result() == 0
    assert workers.submit(os.read, 0, 9).result() == b""


@posix
def test_one_that_dies_loses_its_call_alone(workers):
    first = workers.submit(os.getpid).result()
    died = workers.submit(os.kill, first, signal.SIGKILL)
    after = workers.submit(os.getpid)
    with pytest.raises(LostError, match=r"has ended: SIGKILL$"):
        died.result()
    assert after.result() != first


@posix
def test_ctrl_c_of_the_terminal_is_not_theirs(workers):
    assert workers.submit(os.getpgid, 0).result() != os.getpgid(0)


def test_the_end_gives_up_what_was_not_begun_and_leaves_nothing():
    before = threading.active_count()
    workers = Workers(1)
    number = workers.submit(os.getpid).result()
    long, late = (workers.submit(time.sleep, 60.0) for _ in range(2))
    assert until(long.running)
    workers.end()
    wait([long, late], timeout=20.0)
    assert isinstance(long.exception(), LostError)
    assert late.cancelled()
    assert not is_there(number)
    assert threading.active_count() == before


def mask(_):
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@posix
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_nothing_is_blocked_where_no_process_is_started(backend):
    n_jobs = 2 if backend == "threading" else 1
    with joblib.parallel_config(backend=backend):
        assert [*by_workers(n_jobs, map(joblib.delayed(mask), range(4)))] == [False] * 4


def test_a_report_that_is_interrupted_ends_its_workers(monkeypatch):
    space = unit_cube(1)
    run = hx.Run(
        space, space.sample(6), [1.0, 9.0, 4.0, 2.0, 3.0, 1.5], "minimize", proposals=range(2, 6)
    )
    ended = []
    end = Workers.end

    def noted(workers):
        ended.append(workers)
        end(workers)

    def interrupt(*_, **__):
        assert not ended
        raise KeyboardInterrupt

    monkeypatch.setattr(Workers, "end", noted)
    monkeypatch.setattr(page, "_LONG", 1)
    monkeypatch.setattr(page, "card_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Report.of({"loss": run}, n_jobs=2)
    assert len(ended) == 1


def run_of_a_report():
    return run_of(34, 2, proposals=range(4, 34))


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    """The page that a single process makes."""
    path = tmp_path_factory.mktemp("one") / "report.html"
    run = run_of_a_report()
    return hx.report(run, path, n_jobs=1, progress=False).read_bytes()


def test_the_page_is_the_same_by_how_many_processes_it_is_made(tmp_path, by_one):
    path = tmp_path / "report.html"
    written = hx.report(run_of_a_report(), path, n_jobs=2, progress=False)
    assert written.read_bytes() == by_one
    assert b"<!--figure" not in by_one


@pytest.mark.parametrize(
    "last", [pytest.param("summary", marks=pytest.mark.thorough), "partial-dependence"]
)
def test_a_worker_that_is_killed_loses_nothing_of_a_report(tmp_path, monkeypatch, by_one, last):
    started = []

    class Noted(_workers.Interpreter):
        def __init__(self, environment):
            super().__init__(environment)
            started.append(self)

    def card(section, *given, **options):
        if section.name == last:
            for worker in started:
                worker.kill()
        return card_of(section, *given, **options)

    card_of = page.card_of
    monkeypatch.setattr(_workers, "Interpreter", Noted)
    monkeypatch.setattr(page, "card_of", card)
    monkeypatch.setattr(page, "_LONG", 0)
    path = tmp_path / "report.html"
    beside = hx.report(run_of_a_report(), path, n_jobs=2, progress=False)
    assert started
    assert beside.read_bytes() == by_one
