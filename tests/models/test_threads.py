"""Threads end with what they compute for."""

import threading
from concurrent.futures import CancelledError

import pytest

from hpo_explain.models._threads import n_threads, threads


def test_after_an_interrupt_no_thread_begins_anything():
    before, may_end = threading.active_count(), threading.Event()
    futures = []

    def interrupt():
        with threads() as pool:
            futures.extend(pool.submit(may_end.wait, 5.0) for _ in range(10 * n_threads()))
            threading.Timer(0.05, may_end.set).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert threading.active_count() == before
    for future in futures[n_threads() :]:
        with pytest.raises(CancelledError):
            future.result()
