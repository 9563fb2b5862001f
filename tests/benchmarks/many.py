"""Many studies on a local cluster of dask: ``python -m tests.benchmarks.many --studies 1000``.

Two things are promised of importance in each of many studies of 100 × 8: that it takes at most
1.1 times what the work takes divided by the workers, and that a worker holds one run at a time,
however many it has seen. What the work takes is that of a sample of the studies, one after the
other in a process of its own, times their number. On a machine that is busy otherwise the share of
the time in which workers were at work says more: it is measured by them.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from itertools import groupby

import numpy as np
from joblib import delayed, parallel_config

import hpo_explain as hx
from hpo_explain.base.workers import by_workers
from tests.benchmarks.measure import run_of
from tests.source_tree import ROOT

TRIALS, HYPERPARAMETERS = 100, 8
OVERHEAD = 1.1  # at most, of the work over the workers
GROWTH = 1.2  # at most, of a worker's memory after its first runs


def study(seed):
    """Return a run whose objective and trials are its own."""
    space = run_of(1, HYPERPARAMETERS).space
    rng = np.random.default_rng(seed)
    X = space.sample(TRIALS, seed=seed)
    weights = rng.random(HYPERPARAMETERS - 1)
    y = np.sin(5.0 * X[:, 2]) + X[:, 1:] ** 2 @ weights
    y += rng.normal(0.0, 0.05, TRIALS)
    return hx.Run(space, X, y, "minimize")


def answered(seed):
    """Return the shares of a study, who found them, how long it took, and its memory so far."""
    start = time.perf_counter()
    shares = hx.importance(study(seed)).estimate
    seconds = time.perf_counter() - start
    worker = os.getpid()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return {"shares": shares, "worker": worker, "s": seconds, "MB": most}


def alone(count):
    """Print the seconds of some studies, one after the other in this process, after a first one."""
    answered(0)
    start = time.perf_counter()
    for seed in range(1, count + 1):
        answered(seed)
    print((time.perf_counter() - start) / count)


def by_dask(count, workers):
    """Return what the workers of a local cluster answer of studies, and the seconds it took."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
        parallel_config("dask"),
    ):
        client.run(answered, 0)  # imports, and loads what is compiled
        start = time.perf_counter()
        work = (delayed(answered)(seed) for seed in range(1, count + 1))
        answers = list(by_workers(None, work))
        return answers, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(
        "python -m tests.benchmarks.many",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--studies", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sample", type=int, default=60)
    asked = parser.parse_args()
    code = f"from tests.benchmarks.many import alone; alone({asked.sample})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    work = float(done.stdout) * asked.studies
    answers, took = by_dask(asked.studies, asked.workers)
    overhead = took / (work / asked.workers)
    busy = sum(answer["s"] for answer in answers) / (took * asked.workers)
    print(
        f"{asked.studies} studies of {TRIALS} × {HYPERPARAMETERS}: {took:.0f} s, {overhead:.2f} × "
        f"({work:.0f} s of work / {asked.workers} workers), goal {OVERHEAD}; at work {busy:.1%}"
    )
    in_order = sorted(answers, key=lambda answer: answer["worker"])
    for worker, group in groupby(in_order, lambda answer: answer["worker"]):
        megabytes = [answer["MB"] for answer in group]
        early = megabytes[min(4, len(megabytes) - 1)]
        print(
            f"worker {worker}: {len(megabytes)} studies, {early:.0f} MB after five, "
            f"{megabytes[-1]:.0f} MB after all: {megabytes[-1] / early:.2f} ×, goal {GROWTH}"
        )


if __name__ == "__main__":
    main()
