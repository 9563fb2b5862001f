"""A pickled result: a study, a search, a table or whatever else the adapters read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters.formats import PICKLE, Opened
from hpo_explain.adapters.sources import is_a
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Option

if TYPE_CHECKING:
    import pandas as pd


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
        if is_a(result, "optuna", "Study"):
            result.get_trials(deepcopy=False)  # fails in another release
    except Exception as error:  # any may be raised by what is in the file
        raise InputError(
            "run",
            f"{path!r} cannot be unpickled: {type(error).__name__}: {error}",
            path,
            _OLD_STUDY if _is_about_optuna(error) else _NOT_THERE,
        ) from error
    yield Opened(_as_table(result) if _has_columns(result) else result)


_NOT_THERE = (
    "Make it with skopt.dump(result, path, store_objective=False), which leaves out your own "
    "code, and read it where the same packages are installed."
)
_OLD_STUDY = (
    "The study was pickled by another release of Optuna: unpickle it with that release, and "
    "write study.trials_dataframe().to_csv('study.csv'), or copy it into a storage by "
    "optuna.copy_study, which newer releases read after optuna storage upgrade."
)


def _is_about_optuna(error: Exception) -> bool:
    """Say whether what is missing is a part of Optuna."""
    module = getattr(error, "name", None) or ""  # of an ImportError
    thing = getattr(error, "obj", None)  # of an AttributeError: what lacks it
    home = getattr(thing, "__module__", None) or getattr(thing, "__name__", "")
    return any(name.split(".")[0] == "optuna" for name in (str(module), str(home)))


def _has_columns(result: Any) -> bool:
    """Say whether columns by name were pickled, as ``cv_results_`` are."""
    if not isinstance(result, Mapping) or not result:
        return False
    lengths = {len(column) if hasattr(column, "__len__") else -1 for column in result.values()}
    is_named = all(isinstance(name, str) for name in result)
    return is_named and len(lengths) == 1 and -1 not in lengths


def _as_table(result: Mapping[str, Any]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({n: [*column] for n, column in result.items()})


def check_trusted(path: str, *, trust_pickle: bool) -> None:
    """Raise InputError where a pickled result is not trusted."""
    if not trust_pickle:
        raise InputError(
            "run",
            f"{path!r} is {PICKLE.kind}. Unpickling runs whatever code is in the file",
            path,
            ("Add ", Option("trust_pickle", True), " only if you trust whoever made it."),
        )
