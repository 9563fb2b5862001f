"""Tables as CSV that a spreadsheet shows and does not run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = tuple("=+-@\t＝＋－＠")  # the wide ones count in Japanese
# where a spreadsheet of another language begins a cell, whatever stands in quotes
_CELL_BEGINS = re.compile(r"(?<=[;\t\n])")


def csv_text(frame: pd.DataFrame, **options: Any) -> str:
    r"""Return a table as CSV, in which no text is a formula.

    A spreadsheet runs a cell that begins with ``=``, ``+``, ``-``, ``@`` or a tab,
    also one that is only the name of a hyperparameter or a category. Such a text gets an
    apostrophe before it, unless it is a number; so does what stands after a semicolon or a tab in
    it, where a spreadsheet whose decimals have commas begins a new cell. A carriage return is
    spelled out.

    Examples
    --------
    >>> import pandas as pd
    >>> csv_text(pd.DataFrame({"=x": ["=1+1", "-0.5"], "y": [-1, 2]}), lineterminator="\n")
    "'=x,y\n'=1+1,-1\n-0.5,2\n"
    """
    from pandas.api.types import is_numeric_dtype

    harmless = frame.rename(columns=_harmless)
    for place, column in enumerate(harmless.dtypes):
        if not is_numeric_dtype(column):
            harmless.isetitem(
                place, harmless.iloc[:, place].map(_harmless).array
            )
    text: str = harmless.to_csv(index=False, **options)
    return text


def _harmless(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    cell = cell.replace("\r", r"\r")  # some readers begin a new row at it
    try:
        float(cell)
    except ValueError:
        return "".join(map(_no_formula, _CELL_BEGINS.split(cell)))
    return cell


def _no_formula(part: str) -> str:
    return f"'{part}" if part.lstrip('"').startswith(_FORMULA) else part
