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
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed, parallel_config

import hpo_explain as hx
from hpo_explain.base.workers import by_workers
from tests.benchmarks.measure import number_from, run_of

TRIALS, HYPERPARAMETERS = 100, 8
# Otherwise dask has its workers give back all memory that is freed, and ask for it again: 1.6 times
# the processor's time.
KEPT = {"MALLOC_TRIM_THRESHOLD_": "268435456", "MALLOC_MMAP_THRESHOLD_": "33554432"}
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
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", env=KEPT
        ) as cluster,
        distributed.Client(cluster) as client,
        parallel_config("dask"),
    ):
        client.run(answered, 0)  # imports, and loads what is compiled
        start = time.perf_counter()
        work = (delayed(answered)(seed) for seed in range(1, count + 1))
        answers = list(by_workers(None, work))
        return answers, time.perf_counter() - start


@dataclass(frozen=True)
class Measured:
    """What many studies took, in seconds, and the answers of the workers."""

    took: float
    work: float
    workers: int
    answers: list[dict[str, Any]]

    @property
    def overhead(self):
        """The seconds over those of the work divided by the workers."""
        return self.took / (self.work / self.workers)

    @property
    def busy(self):
        """The share of the time in which workers were at work."""
        return sum(one["s"] for one in self.answers) / (self.took * self.workers)

    @property
    def memory(self):
        """Of each worker, the megabytes that it needed by the end of each study."""
        by_worker = defaultdict(list)
        for one in self.answers:
            by_worker[one["worker"]].append(one["MB"])
        return [sorted(megabytes) for megabytes in by_worker.values()]

    @property
    def growth(self):
        """By how much a worker's memory grew after its first five studies, the largest."""
        return max(
            megabytes[-1] / megabytes[min(4, len(megabytes) - 1)] for megabytes in self.memory
        )


def measured(studies, workers, sample):
    """Ask a sample of the studies one after the other, then all of them of a cluster."""
    alone_each = number_from(f"from tests.benchmarks.many import alone; alone({sample})")
    answers, took = by_dask(studies, workers)
    return Measured(took, alone_each * studies, workers, answers)


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
    found = measured(asked.studies, asked.workers, asked.sample)
    print(
        f"{asked.studies} studies of {TRIALS} × {HYPERPARAMETERS}: {found.took:.0f} s, "
        f"{found.overhead:.2f} × ({found.work:.0f} s of work / {asked.workers} workers), "
        f"goal {OVERHEAD}; workers were at work {found.busy:.1%} of the time"
    )
    for megabytes in found.memory:
        print(f"a worker: {len(megabytes)} studies, {megabytes[-1]:.0f} MB")
    print(f"after the first five: {found.growth:.2f} ×, goal {GROWTH}")


if __name__ == "__main__":
    main()
