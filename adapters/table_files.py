"""Tables in files: separated values, parquet, feather, Excel and JSON, as a pandas.DataFrame."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from csv import QUOTE_NONE
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters.formats import Opened, read_json
from hpo_explain.adapters.frame._names import different_columns
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.text import declared_fact

if TYPE_CHECKING:
    import pandas as pd

_MARKS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_BLANKS = r"\s+"
_SEPARATORS = {**_MARKS, _BLANKS: "blanks"}
_LINES = 50  # that are looked at before a table is read
_WITH_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d+([eE][+-]?\d+)?")
_BELOW_ONE = re.compile(r"[+-]?0?,\d+([eE][+-]?\d+)?")

_SEPARATED = declared_fact(
    "separator",
    "table: its columns are separated by {separator}{decimals}",
    decimals=lambda fact: (
        ", and numbers have decimal commas" * fact["decimal_commas"]
    ),
)

_NOT_UTF8 = declared_fact(
    "not_utf8", "table: its text is not UTF-8, so it is read as Windows-1252"
)
# the options of a table that name columns
_COLUMNS = (
    "objective",
    "hyperparameters",
    "ignore",
    "trial",
    "time",
    "instance",
    "proposed",
    "fidelity",
    "duration",
    "status",
)


@contextmanager
def opened_csv(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open a table of separated values, which may be compressed.

    Raises
    ------
    InputError
        If it is empty, or no table.
    """
    check_filled(path)
    frame, notes = read_csv(path, _named(options))
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

    yield Opened(pd.DataFrame(read_json(Path(path))))


def _read_by_pandas(
    read: Callable[[str], pd.DataFrame], path: str, package: str
) -> pd.DataFrame:
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
        raise InputError(
            "run", f"{path!r} cannot be read as a table: {text}", path
        ) from error


def check_filled(path: str) -> None:
    """Raise InputError where a table is empty."""
    if Path(path).stat().st_size == 0:
        raise InputError(
            "run",
            f"{path!r} is empty",
            path,
            "Give a file with a row of names and a row for each trial.",
        )


def _named(options: Mapping[str, Any]) -> set[str]:
    """Return the columns that the options of a table name."""
    named: set[str] = set()
    for option in _COLUMNS:
        value = options.get(option)
        if value is not None:
            named |= {value} if isinstance(value, str) else {*value}
    return named


# ---------------------------------------------------------------------- separated values


@dataclass(frozen=True)
class _Text:
    """How the text of a table is read.

    Attributes
    ----------
    source : str
        The path of the file, which may be compressed.
    encoding : str
        Its encoding.
    above : int
        How many lines stand above the names: remarks that begin with "#".
    """

    source: str
    encoding: str = "utf-8"
    above: int = 0

    @classmethod
    def of(cls, source: str) -> _Text:
        """Return how a file is read."""
        encoding = _encoding_of(source)
        lines = cls(source, encoding).lines()
        above = next(
            (i for i, line in enumerate(lines) if not line.startswith("#")), 0
        )
        return cls(source, encoding, above)

    def lines(self) -> list[str]:
        """Return the first lines."""
        # no text has this character, so that a line is a cell
        table = self.read(
            "\x1f", header=None, nrows=_LINES, quoting=QUOTE_NONE
        )
        return [str(line) for line in table.iloc[:, 0].tolist()]

    def read(self, separator: str, **options: Any) -> pd.DataFrame:
        """Return the table that a separator gives."""
        import pandas as pd

        # An empty cell means inactive; the texts None and NA may be categories.
        frame: pd.DataFrame = pd.read_csv(
            self.source,
            sep=separator,
            encoding=self.encoding,
            skiprows=self.above,
            keep_default_na=False,
            na_values=["", "NaN", "nan"],
            low_memory=False,
            **options,
        )
        return frame

    def names(self, separator: str) -> list[str]:
        """Return the names as they are written."""
        # as a row like any other: pandas renames a name that occurs twice
        row = self.read(separator, header=None, nrows=1, dtype=str).iloc[0]
        return ["" if cell != cell else str(cell) for cell in row]


def _encoding_of(source: str) -> str:
    """Return the encoding of a file: UTF-8 or UTF-16, else what Excel writes on Windows."""
    with Path(source).open("rb") as file:
        if file.read(2) in (BOM_UTF16_LE, BOM_UTF16_BE):
            return "utf-16"
    try:
        _Text(source).read("\x1f", header=None, quoting=QUOTE_NONE)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def read_csv(
    source: str, named: Collection[str]
) -> tuple[pd.DataFrame, list[Fact]]:
    """Return the table in a file, and notes on how it was read.

    The separator is that of the row of names, and what the file's name says where this could be
    several. Numbers with a decimal comma are read where semicolons separate. Lines above the names
    that begin with "#" are remarks; rows that have the names again are left out.

    Parameters
    ----------
    source : str
        The path of the file, which may be compressed.
    named : collection of str
        Columns that the user named: a separator that does not give them is not meant.

    Raises
    ------
    ValueError
        If it is no table, or has a name twice.
    """
    try:
        text = _Text.of(source)
        usual = "\t" if ".tsv" in source.lower() else ","
        separator, names = _header(text, usual, named)
        comma = separator == ";" and _has_decimal_commas(text, named)
        padded = any(name != name.strip() for name in names)
        frame = text.read(
            separator,
            decimal="," if comma else ".",
            skipinitialspace=padded,
        )
    except (
        ValueError
    ) as error:  # pandas's own errors are among them, and end in a new line
        message = " ".join(str(error).split()).removesuffix(".")
        raise InputError(
            "run", f"{source!r} cannot be read as a table: {message}", source
        ) from error
    if padded:  # the table is set in columns of equal width
        frame.columns = frame.columns.str.strip()
    if len(names) == len(frame.columns):
        different = different_columns(frame, names, "run", f"{source!r} ")
        frame = frame.iloc[:, different]
    is_again = (frame.astype(str) == [*frame.columns]).all(axis=1)
    notes = []
    if separator != ",":
        notes.append(
            _SEPARATED(separator=_SEPARATORS[separator], decimal_commas=comma)
        )
    if text.encoding == "cp1252":
        notes.append(_NOT_UTF8())
    return frame[~is_again].reset_index(drop=True), notes


def _header(
    text: _Text, usual: str, named: Collection[str]
) -> tuple[str, list[str]]:
    """Return the separator, and the names as they are written."""
    tried = dict.fromkeys([usual, *_MARKS])
    found = {separator: text.names(separator) for separator in tried}
    apart = {
        separator: names
        for separator, names in found.items()
        if len(names) > 1
    }
    if len(apart) > 1:
        apart = {
            separator: names
            for separator, names in apart.items()
            if {*named} <= {*names}
        }
    if len(apart) == 1:
        separator = next(iter(apart))
    elif not apart and _is_set_apart_by_blanks(text):
        separator = _BLANKS
        found[_BLANKS] = text.names(_BLANKS)
    else:
        separator = usual
    return separator, found[separator]


def _is_set_apart_by_blanks(text: _Text) -> bool:
    """Say whether the first lines have equally many words, more than one."""
    lines = text.lines()
    counts = {len(line.split()) for line in lines}
    return len(lines) > 1 and len(counts) == 1 and counts != {1}


def _has_decimal_commas(text: _Text, named: Collection[str]) -> bool:
    """Say whether commas can be nothing but decimal ones: "64,32" alone may be two numbers."""
    table = text.read(";", dtype=str)
    columns = {
        str(name): table[name].dropna().str.strip().tolist()
        for name in table.columns
    }
    if any(
        _WITH_POINT.fullmatch(cell)
        for cells in columns.values()
        for cell in cells
    ):
        return False
    with_comma = {
        name: cells
        for name, cells in columns.items()
        if any(map(_WITH_COMMA.fullmatch, cells))
        and all(
            _WITH_COMMA.fullmatch(cell) or _WHOLE.fullmatch(cell)
            for cell in cells
        )
    }
    return any(
        name in named or any(map(_BELOW_ONE.fullmatch, cells))
        for name, cells in with_comma.items()
    )
