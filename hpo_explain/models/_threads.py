"""Work on many trees in threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, pairwise
from typing import TypeVar

from hpo_explain.base import steps

T = TypeVar("T")

_PART = 50_000  # nodes or boxes per task: smaller tasks would mostly wait


def n_threads() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def threads() -> Iterator[ThreadPoolExecutor]:
    """Return a context with one thread per core; after an error no thread begins anything."""
    pool = ThreadPoolExecutor(n_threads())
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def in_parts(work: Callable[[slice], list[T]], n: int, size: int) -> list[T]:
    """Return the results of `work` on n items, in order, computed by one thread per core.

    Parameters
    ----------
    work : callable
        Function from a slice of the items to their results; it should release the lock.
    n : int
        Number of items.
    size : int
        Number of nodes or boxes in all of them.
    """
    count = min(n, max(n_threads(), size // _PART))
    edges = [n * i // count for i in range(count + 1)]
    slices = [slice(a, b) for a, b in pairwise(edges)]
    with threads() as pool:
        return list(chain.from_iterable(steps(pool.map(work, slices), "parts", count)))
