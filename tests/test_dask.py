"""Two workers of dask make of the same work the same as one process."""

import subprocess
import sys
import threading

import joblib
import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.workers import by_workers, workers_of
from tests.handmade import tuning_run
from tests.source_tree import ROOT

distributed = pytest.importorskip("distributed")
EXAMPLES = ROOT / "examples"
# what a cluster warns of at its ends
pytestmark = [pytest.mark.merge, pytest.mark.filterwarnings("default")]


@pytest.fixture(
    scope="module", params=["threads", pytest.param("processes", marks=pytest.mark.thorough)]
)
def scheduler(request):
    with (
        pytest.MonkeyPatch.context() as patched,
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=request.param == "processes",
            dashboard_address=":0",
        ) as cluster,
    ):
        patched.syspath_prepend(EXAMPLES)
        with distributed.Client(cluster) as client:
            client.run(exec, f"import sys; sys.path.insert(0, {str(EXAMPLES)!r})")
        yield cluster.scheduler_address


def by_dask(scheduler, work):
    """What it makes of work, which some of its workers must have done."""
    with (
        distributed.Client(scheduler) as client,
        distributed.get_task_stream(client) as stream,
        workers_of(scheduler),
    ):
        made = work()
    assert {task["worker"] for task in stream.data}
    return made


def test_proposals_are_explained(scheduler):
    run = tuning_run(12)

    def phi():
        return hx.methods.desirability_path(run, n_jobs=None, background=20, progress=False).phi

    np.testing.assert_array_equal(by_dask(scheduler, phi), phi())


def test_workers_that_lack_a_module_are_told_and_not_waited_for(scheduler):
    with pytest.raises(ModuleNotFoundError), workers_of(scheduler, module="not_there"):
        pytest.fail("would wait for ever")


def test_work_that_no_worker_answers_is_told_and_not_waited_for(scheduler):
    """It cannot even be read there, as where a worker lacks a module."""
    with workers_of(scheduler), pytest.raises(ChildProcessError, match=r"not here|deserializ"):
        list(by_workers(None, [joblib.delayed(abs)(Unreadable())]))


class Unreadable:
    """Cannot be unpickled."""

    def __reduce__(self):
        return _refuse, ()


def _refuse():
    raise RuntimeError("not here")


class Workers:
    """A scheduler with two workers, processes that nobody starts again."""

    def __init__(self, cluster):
        self.scheduler, self.settings = (cluster.scheduler_address, cluster.scheduler)
        command = [sys.executable, "-m", "dask", "worker", self.scheduler, "--no-nanny"]
        options = ["--nthreads", "1", "--no-dashboard"]
        self.processes = [
            subprocess.Popen([*command, *options], cwd=ROOT, stderr=subprocess.DEVNULL)
            for _ in range(2)
        ]
        with distributed.Client(self.scheduler) as client:
            client.wait_for_workers(2, timeout=120)

    def kill(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def mortal():
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        workers = Workers(cluster)
        yield workers
        workers.kill()


@pytest.mark.thorough
@pytest.mark.parametrize("after", [0.5, 2.0])
def test_the_work_of_a_worker_that_dies_is_done_by_the_other(mortal, after):
    run = tuning_run(20)

    def phi(n_jobs):
        return hx.methods.desirability_path(run, n_jobs=n_jobs, background=100, progress=False).phi

    timer = threading.Timer(after, mortal.processes[0].kill)
    with workers_of(mortal.scheduler):
        timer.start()
        found = phi(None)
    timer.join()
    np.testing.assert_array_equal(found, phi(1))
