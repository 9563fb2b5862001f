"""A pickled result: a study, a search, a table or whatever else the adapters read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import joblib
from joblib.numpy_pickle import NumpyUnpickler

from hpo_explain.adapters._loading import loaded
from hpo_explain.adapters._signs import records_of
from hpo_explain.adapters.formats import PICKLE, Opened
from hpo_explain.adapters.sources import is_a
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Option
from hpo_explain.base.regular_files import open_regular


@contextmanager
def opened(
    path: str, options: Mapping[str, Any], *, trust_pickle: bool = False
) -> Iterator[Opened]:
    """Unpickle a file of pickle, joblib or skopt.dump, which runs whatever code is in it.

    Raises
    ------
    InputError
        If it is not trusted, or what it needs is not there.
    """
    check_trusted(path, trust_pickle=trust_pickle)
    try:
        result = _loaded(path)
    except Exception as error:  # any may be raised by what is in the file
        problem = f"{path!r} cannot be unpickled: {type(error).__name__}: {error}"
        raise InputError("run", problem, path, _remedy(error)) from error
    yield Opened(_as_table(result))


def _loaded(path: str) -> Any:
    """Return what was pickled, where it must be with stand-ins for the samplers of Optuna."""
    try:
        return _checked(joblib.load(path))
    except Exception as first:
        with open_regular(path) as file:
            content = file.read()
        for start, decompressed in _COMPRESSED.items():
            content = decompressed(content) if content.startswith(start) else content
        if b"optuna.samplers" not in content:
            raise
        try:
            result = _WithoutSamplers(path, BytesIO(content), None).load()
            is_study = is_a(result, "optuna", "Study")
            return _checked(loaded("optuna.renewed:renewed")(result) if is_study else result)
        except Exception:
            raise first from None


def _checked(result: Any) -> Any:
    """Return what was pickled; a study of another release fails here, not when it is read."""
    if is_a(result, "optuna", "Study"):
        result.get_trials(deepcopy=False)
        result.directions  # noqa: B018
    return result


class _WithoutSamplers(NumpyUnpickler):  # type: ignore[misc]
    """Reads studies of other releases of Optuna, whose samplers have other classes."""

    def find_class(self, module: str, name: str) -> Any:
        if (module + ".").startswith("optuna.samplers."):
            return type(name, (_StandIn,), {})
        return super().find_class(module, name)


class _StandIn:
    """Has what was pickled, and can do nothing."""

    def __new__(cls, *_: Any, **__: Any) -> _StandIn:
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            vars(self).update(state)


_COMPRESSED: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"x": zlib.decompress,
    b"BZ": bz2.decompress,
    b"\xfd7zXZ": lzma.decompress,
    b"]\x00\x00\x80": lzma.decompress,
}
_NOT_THERE = (
    "Make it with skopt.dump(result, path, store_objective=False), which leaves out your own "
    "code, and read it where the same packages are installed."
)
_OLD_STUDY = (
    "The study was pickled by another release of Optuna: unpickle it with that release, and "
    "write study.trials_dataframe().to_csv('study.csv'), or copy it into a storage by "
    "optuna.copy_study, which newer releases read after optuna storage upgrade."
)


def _remedy(error: Exception) -> str:
    """Return what to do: install a package, or unpickle it where it was pickled."""
    thing = getattr(error, "obj", None)  # of an AttributeError: what lacks it
    home = getattr(thing, "__module__", None) or getattr(thing, "__name__", "")
    package, _, part = str(getattr(error, "name", None) or "").partition(".")
    if "optuna" in (package, str(home).split(".")[0]):
        return _OLD_STUDY
    if isinstance(error, ModuleNotFoundError) and not part:
        return f"Run pip install {package}, or read it where your own module {package} is."
    return _NOT_THERE


def _has_columns(result: Any) -> bool:
    """Say whether columns by name were pickled, as ``cv_results_`` are."""
    if not isinstance(result, Mapping) or not result:
        return False
    lengths = {len(column) if hasattr(column, "__len__") else -1 for column in result.values()}
    is_named = all(isinstance(name, str) for name in result)
    return is_named and len(lengths) == 1 and -1 not in lengths


def _as_table(result: Any) -> Any:
    """Return columns, or dictionaries of which each is a row, as a table; else what it is."""
    import pandas as pd

    rows = records_of(result)
    if rows:
        return pd.DataFrame(rows)
    if _has_columns(result):
        return pd.DataFrame({n: [*column] for n, column in result.items()})
    return result


def check_trusted(path: str, *, trust_pickle: bool) -> None:
    """Raise InputError where a pickled result is not trusted."""
    if not trust_pickle:
        raise InputError(
            "run",
            f"{path!r} is {PICKLE.kind}. Unpickling runs whatever code is in the file",
            path,
            ("Add ", Option("trust_pickle", True), " only if you trust whoever made it."),
        )
