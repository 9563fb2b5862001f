"""Tables in files: separated values, parquet, feather, Excel and JSON, as a pandas.DataFrame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._json import half_written, json_in
from hpo_explain.adapters.formats import Opened
from hpo_explain.adapters.frame._names import different_columns
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.regular_files import text_of

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_NUMBERS = re.compile(r"[\d\s.eE+-]+")


@contextmanager
def opened_csv(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open a table of separated values, which may be compressed.

    Raises
    ------
    InputError
        If it is empty, or no table.
    """
    check_filled(path)
    frame, notes = read_csv(path)
    yield Opened(frame, notes)


@contextmanager
def opened_parquet(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open a file of parquet."""
    import pandas as pd

    yield Opened(_read_by_pandas(pd.read_parquet, path, "pyarrow"))


@contextmanager
def opened_feather(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open a file of feather."""
    import pandas as pd

    yield Opened(_read_by_pandas(pd.read_feather, path, "pyarrow"))


@contextmanager
def opened_excel(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open the first sheet of a workbook of Excel."""
    import pandas as pd

    yield Opened(_read_by_pandas(pd.read_excel, path, "openpyxl"))


@contextmanager
def opened_json(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open objects of JSON, one after the other or in a list, as the rows of a table."""
    import pandas as pd

    rows, is_half = json_in(text_of(Path(path), "replace"))
    yield Opened(pd.DataFrame(rows), half_written(is_half))


def _read_by_pandas(read: Callable[[str], pd.DataFrame], path: str, package: str) -> pd.DataFrame:
    if find_spec(package) is None:
        raise InputError(
            "run",
            f"{path!r} takes {package} to be read, which is not installed",
            path,
            f"Run: pip install {package}",
        )
    try:
        return read(path)
    except Exception as error:  # each engine has errors of its own
        text = " ".join(str(error).split()).removesuffix(".")
        raise InputError("run", f"{path!r} cannot be read as a table: {text}", path) from error


def check_filled(path: str) -> None:
    """Raise InputError where a table is empty."""
    if Path(path).stat().st_size == 0:
        raise InputError(
            "run",
            f"{path!r} is empty",
            path,
            "Give a file with a row of names and a row for each trial.",
        )


# ---------------------------------------------------------------------- separated values


def read_csv(source: str) -> tuple[pd.DataFrame, list[Fact]]:
    """Return the table in a file, and a note on its separator where that is no comma.

    The separator is the one of commas, semicolons and tabs that gives most names.

    Parameters
    ----------
    source : str
        The path of the file, which may be compressed.

    Raises
    ------
    InputError
        If it is no table, has no names, or has one twice.
    """
    import pandas as pd

    # An empty cell means inactive; the texts None and NA may be categories.
    options: dict[str, Any] = {
        "encoding": "utf-8-sig",
        "keep_default_na": False,
        "na_values": ["", "NaN", "nan"],
        "low_memory": False,
    }
    try:
        # as a row like any other: pandas renames a name that occurs twice
        rows = {
            mark: pd.read_csv(source, sep=mark, header=None, nrows=1, dtype=str, **options).iloc[0]
            for mark in _SEPARATORS
        }
        separator = max(rows, key=lambda mark: len(rows[mark]))
        frame = pd.read_csv(source, sep=separator, **options).rename(columns=str.strip)
    except ValueError as error:  # pandas's own errors end in a new line
        message = " ".join(str(error).split()).removesuffix(".")
        raise InputError(
            "run", f"{source!r} cannot be read as a table: {message}", source
        ) from error
    names = ["" if cell != cell else str(cell).strip() for cell in rows[separator]]
    if all(_NUMBERS.fullmatch(name) for name in names):
        problem = f"{source!r} has no row of names"
        remedy = "Write the names of its columns into a first row."
        raise InputError("run", problem, source, remedy)
    if len(names) == len(frame.columns):
        different = different_columns(frame, names, "run", f"{source!r} ")
        frame = frame.iloc[:, different]
    if separator == ",":
        return frame, []
    text = f"table: its columns are separated by {_SEPARATORS[separator]}"
    return frame, [fact(text, role="check")]
