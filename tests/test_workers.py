"""Worker processes, which end when what they work for is interrupted."""

import os
import signal
import subprocess
import sys

import joblib
import pytest

import hpo_explain as hx
from hpo_explain.base.workers import by_workers, deaf_to_interrupts
from hpo_explain.reporting import Report, page
from tests.analytic import unit_cube
from tests.methods.test_desirability_path import run_of

pytestmark = pytest.mark.merge

BLOCKED = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def blocked():
    return subprocess.run(
        [sys.executable, "-S", "-c", BLOCKED], stdout=subprocess.PIPE
    ).stdout


@posix
def test_processes_started_meanwhile_do_not_hear_ctrl_c_and_later_ones_do():
    with deaf_to_interrupts():
        assert blocked() == b"True\n"
    assert blocked() == b"False\n"


@posix
def test_ctrl_c_is_heard_when_the_workers_are_started():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt), deaf_to_interrupts():
        signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def mask(_):
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@posix
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_nothing_is_blocked_where_no_process_is_started(backend):
    n_jobs = 2 if backend == "threading" else 1
    with joblib.parallel_config(backend=backend):
        assert [*by_workers(n_jobs, map(joblib.delayed(mask), range(4)))] == [
            False
        ] * 4


def test_a_report_that_is_interrupted_ends_its_workers(monkeypatch):
    space = unit_cube(1)
    run = hx.Run(
        space,
        space.sample(6),
        [1.0, 9.0, 4.0, 2.0, 3.0, 1.5],
        "minimize",
        proposals=range(2, 6),
    )
    ended = []

    class Workers(joblib.externals.loky.ProcessPoolExecutor):
        def shutdown(self, **options):
            ended.append(options["kill_workers"])
            super().shutdown(**options)

    def interrupt(*_, **__):
        assert not ended
        raise KeyboardInterrupt

    monkeypatch.setattr("joblib.externals.loky.ProcessPoolExecutor", Workers)
    monkeypatch.setattr(page, "_LONG", 1)
    monkeypatch.setattr(page, "card_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Report.of({"loss": run}, n_jobs=2)
    assert ended == [True]  # killed at work


def run_of_a_report():
    return run_of(34, 2, proposals=range(4, 34))


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    """The page that a single process makes."""
    path = tmp_path_factory.mktemp("one") / "report.html"
    run = run_of_a_report()
    return hx.report(run, path, n_jobs=1, progress=False).read_bytes()


def test_the_page_is_the_same_by_how_many_processes_it_is_made(
    tmp_path, by_one
):
    path = tmp_path / "report.html"
    written = hx.report(run_of_a_report(), path, n_jobs=2, progress=False)
    assert written.read_bytes() == by_one
    assert b"<!--figure" not in by_one


@pytest.mark.parametrize(
    "last",
    [
        pytest.param("summary", marks=pytest.mark.thorough),
        "partial-dependence",
    ],
)
def test_a_worker_that_is_killed_loses_nothing_of_a_report(
    tmp_path, monkeypatch, by_one, last
):
    pools = []

    class Workers(joblib.externals.loky.ProcessPoolExecutor):
        def __init__(self, **options):
            super().__init__(**options)
            pools.append(self)

    def card(section, *given, **options):
        if section.name == last:
            for worker in pools[0]._processes.values():
                os.kill(worker.pid, signal.SIGTERM)
        return card_of(section, *given, **options)

    card_of = page.card_of
    monkeypatch.setattr("joblib.externals.loky.ProcessPoolExecutor", Workers)
    monkeypatch.setattr(page, "card_of", card)
    path = tmp_path / "report.html"
    beside = hx.report(run_of_a_report(), path, n_jobs=2, progress=False)
    assert pools
    assert beside.read_bytes() == by_one
