"""Threads end with what they compute for."""

import threading
import time
from concurrent.futures import CancelledError

import pytest

from hpo_explain.models._threads import check_wanted, n_threads, threads


def test_threads_end_what_nobody_waits_for():
    """Neither is done what no thread has begun, nor all of what one is at."""
    begun, before, until = [], threading.active_count(), time.monotonic() + 5.0

    def work(_):
        begun.append(True)
        while time.monotonic() < until:
            check_wanted()
            time.sleep(0.001)

    def interrupt():
        with threads() as pool:
            futures.extend(
                pool.submit(work, i) for i in range(10 * n_threads())
            )
            while len(begun) < n_threads():
                time.sleep(0.001)
            raise KeyboardInterrupt

    futures = []
    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert len(begun) == n_threads()
    assert threading.active_count() == before
    for future in futures:
        with pytest.raises(CancelledError):
            future.result()


def test_what_a_user_calls_in_threads_of_their_own_is_wanted():
    check_wanted()
