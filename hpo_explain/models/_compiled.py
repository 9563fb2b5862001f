"""Compiled functions, whose compilation is kept on disk wherever there is a place for it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache

from hpo_explain.base.cache_folder import cache_folder
from hpo_explain.base.links import is_ours_alone

_Function = TypeVar("_Function", bound=Callable[..., Any])
_CHANGING_PLACE = Lock()
_SETTINGS: Any = numba.config
_JIT: Any = numba.njit  # has options of which its types know nothing
_OnDisk: Any = FunctionCache
# Nothing calls these functions from C, nothing needs to be rewritten, and who calls them keeps the
# arrays: to count references to each row takes several times as long as to compute with it.
_LEAN: Any = {"no_cfunc_wrapper": True, "no_rewrites": True, "_nrt": False}


def compiled(**options: Any) -> Callable[[_Function], _Function]:
    """Return a decorator that compiles a function, which releases the lock and is kept on disk.

    The function makes no arrays: it writes into those that it is given. A cache saves time and is
    never needed: without a place for it, each process compiles anew.

    Parameters
    ----------
    **options
        Those of ``numba.njit``.
    """
    compile_it = _JIT(nogil=True, **_LEAN, **options)

    def decorated(function: _Function) -> _Function:
        dispatcher = compile_it(function)
        if hasattr(dispatcher, "enable_caching"):  # not where numba is off
            cache = _cache_of(function)
            if cache is not None:
                dispatcher._cache = cache
        return dispatcher

    return decorated


def compiled_part(**options: Any) -> Callable[[_Function], _Function]:
    """Return a decorator that compiles what only other compiled functions call.

    It is kept on disk as a part of them, and nothing is compiled by which Python could call it.

    Parameters
    ----------
    **options
        Those of ``numba.njit``.
    """
    part: Callable[[_Function], _Function] = _JIT(no_cpython_wrapper=True, **_LEAN, **options)
    return part


class _Cache(_OnDisk):  # type: ignore[misc]
    """A cache that is left alone where it can be neither read nor written."""

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the kept compilation; None if there is none that can be read.

        numba would first load all that it can compile, which takes ten times as long and which only
        the compiler needs. It loads that itself.
        """
        with suppress(Exception):  # a damaged file can raise anything
            return self._load_overload(signature, target)
        return None

    def save_overload(self, *about: Any) -> None:
        """Keep a compilation, unless the disk is full or read-only by now."""
        try:
            super().save_overload(*about)
        except Exception:  # of a damaged index, too, which begins anew
            with suppress(OSError):
                self.flush()


def _cache_of(function: Callable[..., Any]) -> _Cache | None:
    """Return the cache of a function: where numba has it, in a folder of ours, or None.

    It is pickled: what another user could have put there would run.
    """
    if _has_home():
        with suppress(RuntimeError, OSError):  # numba: "no locator available"
            cache = _Cache(function)
            if is_ours_alone(Path(cache.cache_path)):
                return cache
    place = cache_folder("compiled")
    if place is None:
        return None
    with _CHANGING_PLACE, suppress(RuntimeError, OSError):
        usual = _SETTINGS.CACHE_DIR
        _SETTINGS.CACHE_DIR = str(place)
        try:
            return _Cache(function)
        finally:
            _SETTINGS.CACHE_DIR = usual
    return None


def _has_home() -> bool:
    """Say whether the user has a home; numba would make a folder that is called "~"."""
    try:
        return Path("~").expanduser().is_absolute()
    except RuntimeError:
        return False
