"""Tables in files: separated values, parquet, feather, Excel and JSON, as a pandas.DataFrame."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from hpo_explain.adapters._cells import different_columns, literal
from hpo_explain.adapters._json import half_written, json_in
from hpo_explain.adapters._signs import records_of
from hpo_explain.adapters.formats import AS_TABLE, Opened
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.regular_files import open_regular, text_of

if TYPE_CHECKING:
    import pandas as pd

_SPACES = r"\s+"
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", _SPACES: "spaces"}
_LOGGED = re.compile(
    r"Trial (\d+) (?:(pruned|failed)|finished with values?: (.+?) and parameters: (\{.*\})\.)"
)
_BEST = re.compile(r"Best is trial \d+ with value: (\S+)\.$", re.MULTILINE)
_NEW_STUDY = "A new study created"
_NUMBERS = re.compile(r"[\d\s.eE+-]+")
_UNPACKED: dict[str, Callable[[Any], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
_MOST_BYTES = 500_000_000  # of a table, unpacked
_MOST_COLUMNS = 10_000


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

    def read(path: str) -> pd.DataFrame:
        from pyarrow.parquet import read_metadata

        about = read_metadata(path)
        _check_size(path, about.num_columns, 8 * about.num_columns * about.num_rows)
        return pd.read_parquet(path)

    yield Opened(_read_by_pandas(read, path, "pyarrow"))


@contextmanager
def opened_feather(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open a file of feather."""
    import pandas as pd

    yield Opened(_read_by_pandas(pd.read_feather, path, "pyarrow"))


@contextmanager
def opened_excel(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open the first sheet of a workbook of Excel."""
    import pandas as pd

    def read(path: str) -> pd.DataFrame:
        with ZipFile(path) as archive:
            _check_size(path, 0, sum(part.file_size for part in archive.infolist()))
        return pd.read_excel(path)

    yield Opened(_read_by_pandas(read, path, "openpyxl"))


@contextmanager
def opened_json(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open objects of JSON as the rows of a table, wherever in it they are."""
    import pandas as pd

    content, is_half = json_in(text_of(Path(path), "replace"))
    rows = records_of(content)
    _check_size(path, max(map(len, rows), default=0))
    yield Opened(pd.DataFrame(rows), half_written(is_half))


@contextmanager
def opened_log(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open what Optuna printed of a study, the last one, as its ``trials_dataframe()``.

    The trial that it calls the best tells the direction.
    """
    import pandas as pd

    text = text_of(Path(path), "replace")
    *earlier, last = text.split(_NEW_STUDY)
    rows = {row["number"]: row for row in map(_logged, _LOGGED.finditer(last))}
    values = [row["value"] for row in rows.values() if "value" in row]
    best = float((_BEST.findall(last) or ["nan"])[-1])
    ways = {"minimize": min(values, default=best), "maximize": max(values, default=best)}
    fitting = [way for way, extreme in ways.items() if extreme == best]
    n_studies = len(earlier)
    several = [fact(f"table: the last of {n_studies} studies", role="check")]
    yield Opened(
        pd.DataFrame([*rows.values()]),
        several if n_studies > 1 else [],
        {"direction": fitting[0]} if len(fitting) == 1 else {},
    )


def _logged(found: re.Match[str]) -> dict[str, Any]:
    number, state, printed, params = found.groups()
    if not printed:
        return {"number": int(number), "state": state}
    value = literal(printed)
    values = {"value": value}
    if isinstance(value, Mapping):
        values = {f"values_{name}": one for name, one in value.items()}
    elif isinstance(value, list):
        values = {f"values_{i}": one for i, one in enumerate(value)}
    of_params = {f"params_{name}": one for name, one in literal(params).items()}
    return {"number": int(number), "state": "COMPLETE", **values, **of_params}


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
    except InputError:
        raise
    except Exception as error:  # each engine has errors of its own
        raise _no_table(path, error) from error


def _no_table(path: str, error: Exception) -> InputError:
    text = " ".join(str(error).split()).removesuffix(".")
    return InputError("run", f"{path!r} cannot be read as a table: {text}", path, AS_TABLE)


def _check_size(path: str, n_columns: int, n_bytes: int = 0) -> None:
    """Raise InputError where a table is too large, before it is read."""
    remedy = "Write a table of what was tried and what came of it."
    if n_columns > _MOST_COLUMNS:
        problem = f"{path!r} has {n_columns:,} columns, and at most {_MOST_COLUMNS:,} are read"
        raise InputError("run", problem, path, remedy)
    if n_bytes > _MOST_BYTES:
        problem = (
            f"{path!r} holds more than {_MOST_BYTES // 10**6} MB, which is the most to be read"
        )
        raise InputError("run", problem, path, remedy)


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
    """Return the table in a file, and notes on a separator that is no comma, and on damage.

    The separator is the one of commas, semicolons and tabs that gives most names, else spaces. A
    last line that is half-written is left out.

    Parameters
    ----------
    source : str
        The path of the file, which may be compressed.

    Raises
    ------
    InputError
        If it is no table, is too large, has no names, or has one twice.
    """
    import pandas as pd

    data = _data_of(source)

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
            mark: pd.read_csv(
                BytesIO(data), sep=mark, header=None, nrows=1, dtype=str, **options
            ).iloc[0]
            for mark in _SEPARATORS
        }
        # names may have spaces, so these separate where nothing else does
        others = [mark for mark in rows if mark != _SPACES and len(rows[mark]) > 1]
        separator = max(others or rows, key=lambda mark: len(rows[mark]))
        data, is_half = _without_half(data, separator, len(rows[separator]))
        frame = pd.read_csv(BytesIO(data), sep=separator, **options).rename(columns=str.strip)
    except ValueError as error:
        raise _no_table(source, error) from error
    names = ["" if cell != cell else str(cell).strip() for cell in rows[separator]]
    numbers = [name for name in names if _NUMBERS.fullmatch(name)]
    is_row = 2 * len(numbers) >= len(names) and any("." in number for number in numbers)
    if is_row or len(numbers) == len(names):
        problem = f"{source!r} has no row of names"
        remedy = "Write the names of its columns into a first row."
        raise InputError("run", problem, source, remedy)
    if len(names) == len(frame.columns):
        different = different_columns(frame, names, "run", f"{source!r} ")
        frame = frame.iloc[:, different]
    notes = half_written(is_half)
    if separator != ",":
        text = f"table: its columns are separated by {_SEPARATORS[separator]}"
        notes = [fact(text, role="check"), *notes]
    return frame, notes


def _data_of(path: str) -> bytes:
    """Return the bytes of a table, unpacked: no more of them than is read, nor more columns."""
    unpacked = _UNPACKED.get(Path(path).suffix.lower(), lambda file: file)
    with open_regular(path) as file:
        data: bytes = unpacked(file).read(_MOST_BYTES + 1)
    # of a row that is longer than the names pandas makes an index
    for line in data.split(b"\n", 2)[:2]:
        _check_size(path, 1 + max(map(line.count, (b",", b";", b"\t", b" "))), len(data))
    return data


def _without_half(data: bytes, separator: str, n_names: int) -> tuple[bytes, bool]:
    """Return a table without a last line that has no end and too few cells, and whether it had one.

    The end of a quoted cell of several lines is not looked into.
    """
    start = data.rfind(b"\n") + 1
    line = data[start:]
    if not start or not line or data.count(b'"', 0, start) % 2 == 1:
        return data, False
    text = line.decode("utf-8", "replace")
    cells = text.split() if separator == _SPACES else next(csv.reader([text], delimiter=separator))
    is_half = len(cells) < n_names or line.count(b'"') % 2 == 1
    return (data[:start], True) if is_half else (data, False)
