"""Of several processes that update the same report, only one writes at a time."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

_logger = logging.getLogger("hpo_explain")


@contextlib.contextmanager
def one_writer(path: Path, patience: float = 0.0) -> Iterator[bool]:
    """Say whether this process may write a report; until it has done so, no other one may.

    The operating system holds the lock, so it ends with its process, however that ends. Where no
    lock can be had, this process writes all the same: reports are replaced in one step.

    Parameters
    ----------
    path : pathlib.Path
        The report.
    patience : float, default 0.0
        Seconds to wait for another process.
    """
    file = path.with_name(f".{path.name[:100]}.lock")
    # a soft lock is its file, which a killed process would leave behind
    lock = FileLock(file, timeout=patience, fallback_to_soft=False)
    mine = True
    try:
        if path.parent.is_dir():  # filelock would make it, but writing says that it is missing
            lock.acquire()
    except Timeout:
        mine = False
    except OSError as error:  # a folder that is read-only, or a file system without locks
        _logger.info("The report %s is written without a lock (%s).", path, error)
    try:
        yield mine
    finally:
        if mine:
            with contextlib.suppress(OSError):
                file.unlink()  # before the release: whoever has opened it meanwhile notices
            with contextlib.suppress(OSError):
                lock.release()
