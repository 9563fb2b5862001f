"""One thread of BLAS, while this library's own threads or many small matrices are at work."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


@cache
def _loaded() -> Any:
    """Return the BLAS libraries of numpy and scipy; finding them reads the process's memory map."""
    import scipy.linalg  # noqa: F401  # scipy has a BLAS of its own
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which BLAS works with one thread.

    Several would compete with this library's own for the cores; on small matrices they mostly wait
    for each other; and sums come out in another order, and so in other last digits.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with one_blas_thread():
    ...     {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}
    {1}
    """
    limits: AbstractContextManager[object] = _loaded().limit(limits=1)
    return limits
