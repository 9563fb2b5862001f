"""No worker outlives what it works for, however that ends."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.source_tree import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

POOL = """
import os, time
from hpo_explain.reporting._ahead import Pool
pool = Pool(2)
for found in [pool.submit(os.getpid) for _ in range(2)]:
    print(found.result(), flush=True)
print("ready", flush=True)
[pool.submit(time.sleep, 600) for _ in range(2)]
time.sleep(600)
"""
JOBLIB = """
import os, time
from joblib import delayed
from hpo_explain.base.workers import by_workers
def work(i):
    print(os.getpid(), flush=True)
    if i:
        print("ready", flush=True)
    time.sleep(600)
list(by_workers(2, (delayed(work)(i) for i in range(2))))
"""


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # a process that ended and that nobody waits for is still listed
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)],
        capture_output=True,
        text=True,
    )
    return state.stdout.strip()[:1] not in ("Z", "")


@pytest.mark.parametrize("program", [POOL, JOBLIB], ids=["report", "compare"])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_a_process_that_is_ended(program, how):
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
    ) as started:
        workers = set()
        for line in started.stdout:
            if line.strip() == "ready":
                break
            workers.add(int(line))
        started.send_signal(how)
        started.wait(30)
        assert workers
        until = time.monotonic() + 10
        while time.monotonic() < until and any(map(is_there, workers)):
            time.sleep(0.1)
        left = [*filter(is_there, workers)]
        for process in left:
            os.kill(process, signal.SIGKILL)
    assert not left
