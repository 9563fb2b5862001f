"""A bar that shows on a terminal how much of some work is done."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from shutil import get_terminal_size
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from tqdm import tqdm

_T = TypeVar("_T")


def progress_bar(work: Iterable[_T], *, total: int, name: str, unit: str, shown: bool) -> tqdm[_T]:
    """Return the work, whose progress is shown while it is done.

    Parameters
    ----------
    work : iterable
        The pieces of work.
    total : int
        Their number.
    name, unit : str
        What is done, and what a piece of it is called.
    shown : bool
        Whether there is a bar, if standard error is a terminal.
    """
    # None: shown on a terminal only, which has 80 columns if it says that it has none
    return _bar()(
        work, total=total, desc=name, unit=unit, disable=None if shown else True,
        ncols=get_terminal_size().columns,
    )  # fmt: skip


@lru_cache(maxsize=1)
def _bar() -> Any:
    """Return tqdm's bar with a lock for threads.

    Its usual lock is one for processes too: making that fixes how the user's processes are started,
    and leaves a semaphore behind where a worker is killed.
    """
    from tqdm import tqdm

    return type("bar", (tqdm,), {"_lock": RLock()})
