"""A pickled result: a study, a search, a table or whatever else the adapters read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hpo_explain.adapters.formats import PICKLE, Opened
from hpo_explain.base.errors import InputError, Option


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
    import joblib

    try:
        result = joblib.load(path)
    except Exception as error:  # any may be raised by what is in the file
        raise InputError(
            "run",
            f"{path!r} cannot be unpickled: {type(error).__name__}: {error}",
            path,
            "Make it with skopt.dump(result, path, store_objective=False), which leaves out "
            "your own code, and read it where the same packages are installed.",
        ) from error
    yield Opened(result)


def check_trusted(path: str, *, trust_pickle: bool) -> None:
    """Raise InputError where a pickled result is not trusted."""
    if not trust_pickle:
        raise InputError(
            "run",
            f"{path!r} is {PICKLE.kind}. Unpickling runs whatever code is in the file",
            path,
            (
                "Add ",
                Option("trust_pickle", True),
                " only if you trust whoever made it.",
            ),
        )
