"""No worker outlives what it works for, however that ends."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from hpo_explain.base.workers import Interpreter
from tests.processes import is_there, started_by, until
from tests.source_tree import ROOT

pytestmark = [pytest.mark.merge, pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")]

WORKERS = """
import os, time
from hpo_explain.base.workers import Workers
workers = Workers(2)
for worker in [workers.submit(os.getpid) for _ in range(2)]:
    print(worker.result(), flush=True)
[workers.submit(time.sleep, 600) for _ in range(2)]
time.sleep(600)
"""
REPORT = """
import sys, time
import numpy as np, pandas as pd, hpo_explain as hx
import hpo_explain.reporting.page as page
page._LONG = 0  # workers, however small the run is
x = np.random.default_rng(0).random((60, 3))
table = pd.DataFrame(x, columns=[*"xyz"]).assign(loss=((x - 0.3) ** 2).sum(1))
about = {"objective": "loss", "direction": "minimize", "optimizer": "a GP", "initial": 10}
try:
    hx.report(hx.from_frame(table, **about), "report.html", n_jobs=3)
    print("too early", flush=True)
except KeyboardInterrupt:  # as of a notebook's cell
    print("interrupted", flush=True)
sys.stdin.read()
"""
COMPARE = """
import sys, time
from joblib import delayed
from hpo_explain.base.workers import by_workers
try:
    list(by_workers(2, (delayed(time.sleep)(600) for i in range(2))))
except KeyboardInterrupt:
    print("interrupted", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.thorough)]
)
def test_workers_end_with_a_process_that_is_ended(how):
    with subprocess.Popen(
        [sys.executable, "-c", WORKERS],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
    ) as started:
        try:
            workers = {int(next(started.stdout)) for _ in range(2)}
            started.send_signal(how)
            started.wait(30)
        finally:
            started.kill()
        until(lambda: not any(map(is_there, workers)))
        left = [*filter(is_there, workers)]
        for process in left:
            os.kill(process, signal.SIGKILL)
    assert not left


@pytest.mark.parametrize("program", [REPORT, COMPARE], ids=["report", "compare"])
@pytest.mark.parametrize(
    "how",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.thorough),
        pytest.param(signal.SIGKILL, marks=pytest.mark.thorough),
    ],
)
def test_workers_end_when_a_cell_is_interrupted_or_its_kernel_ended(tmp_path, program, how):
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
    ) as kernel:
        assert until(lambda: len(started_by(kernel.pid)) >= 2, 120)
        time.sleep(1.0)  # until they are at work
        workers = started_by(kernel.pid)
        kernel.send_signal(how)
        if how == signal.SIGINT:
            assert kernel.stdout.readline() == "interrupted\n"
        else:
            kernel.wait(30)
        assert until(lambda: not any(map(is_there, workers)), 10)
        kernel.kill()


@pytest.mark.filterwarnings("ignore:.*multi-threaded")
def test_no_fork_holds_up_an_interpreter_that_starts():
    """As what it kept open did: the end of a pipe that says whether the program was found."""
    took, children = [], []

    def start():
        for _ in range(10):
            began = time.monotonic()
            interpreter = Interpreter({})
            took.append(time.monotonic() - began)
            interpreter.close()

    thread = threading.Thread(target=start)
    thread.start()
    try:
        while thread.is_alive() and len(children) < 200:
            child = os.fork()
            if child == 0:
                time.sleep(20.0)
                os._exit(0)
            children.append(child)
        thread.join()
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    assert len(took) == 10
    assert max(took) < 15.0
