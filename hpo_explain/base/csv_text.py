"""Tables as CSV that a spreadsheet shows and does not run."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import Any

Cells = list[tuple[str, list[Any]]]
"""The columns of a table: their names and their plain values, row by row."""

_FORMULA = tuple("=+-@\t＝＋－＠")  # the wide ones count in Japanese
# where a spreadsheet of another language begins a cell, whatever stands in quotes
_CELL_BEGINS = re.compile(r"(?<=[;\t\n])")


def csv_text(cells: Cells, *, nothing: str = "") -> str:
    r"""Return a table as CSV, in which no text is a formula, and what is not known is empty.

    A spreadsheet runs a cell that begins with ``=``, ``+``, ``-``, ``@`` or a tab,
    also one that is only the name of a hyperparameter or a category. Such a text gets an
    apostrophe before it, unless it is a number; so does what stands after a semicolon or a tab in
    it, where a spreadsheet whose decimals have commas begins a new cell. A carriage return is
    spelled out.

    Parameters
    ----------
    cells : list of tuple
        The columns.
    nothing : str, default ""
        What stands for None.

    Examples
    --------
    >>> csv_text([("=x", ["=1+1", "-0.5"]), ("y", [-1, 2.5])])
    "'=x,y\n'=1+1,-1\n-0.5,2.5\n"
    """

    def text(cell: Any) -> str:
        if cell is None:
            return nothing
        if not isinstance(cell, float):
            return _harmless(str(cell))
        return "" if math.isnan(cell) else repr(cell)

    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([_harmless(name) for name, _ in cells])
    columns = [map(text, values) for _, values in cells]
    writer.writerows(zip(*columns, strict=True))
    return written.getvalue()


def _harmless(cell: str) -> str:
    cell = cell.replace("\r", r"\r")  # some readers begin a new row at it
    try:
        float(cell)
    except ValueError:
        return "".join(map(_no_formula, _CELL_BEGINS.split(cell)))
    return cell


def _no_formula(part: str) -> str:
    return f"'{part}" if part.lstrip('"').startswith(_FORMULA) else part
