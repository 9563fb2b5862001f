"""Text that people read as a number, and a table as a category: 5.3%, 4,000, 0,5, $3."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters.frame._cells import is_empty
from hpo_explain.base.facts import Fact, fact

if TYPE_CHECKING:
    import pandas as pd

_WHOLE = re.compile(r"[+-]?\d+")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}([,' _\u00a0\u2009\u202f]\d{3})+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_ENDS = "%€$£ \u00a0\u202f"


def as_plain_number(text: str) -> str | None:
    """Return how a computer writes the number that a text holds; None where it holds none.

    Examples
    --------
    >>> [as_plain_number(text) for text in ("5.3%", "4,000", "0,5", "64,32,16", "relu")]
    ['5.3', '4000', '0.5', None, None]
    """
    bare = text.strip(_ENDS)
    if _PLAIN.fullmatch(bare):
        return bare
    if _THOUSANDS.fullmatch(bare):
        return re.sub(r"[^\d.+-]", "", bare)
    if _DECIMAL_COMMA.fullmatch(bare):
        return bare.replace(",", ".")
    return None


def texts_as_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of plain numbers written as text, such as "1e-3", as numbers; else itself.

    So a data frame is read as a CSV file is. Categories are left as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> texts_as_numbers(pd.Series(["1", None, "30"])).tolist()
    [1, None, 30]
    """
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column
    cells = column.tolist()
    texts = [cell for cell in cells if not is_empty(cell)]
    if not texts or not all(isinstance(t, str) and _PLAIN.fullmatch(t.strip()) for t in texts):
        return column
    read = int if all(_WHOLE.fullmatch(text.strip()) for text in texts) else float
    numbers = [None if is_empty(cell) else read(cell) for cell in cells]
    return pd.Series(numbers, index=column.index, dtype=object)


def number_texts(name: str, choices: Sequence[Any]) -> list[Fact]:
    """Return a note where most choices look like numbers but are text that is no plain number.

    Beside words plain numbers are categories that are meant, such as "sqrt" and "0.5".
    """
    plain = {text: as_plain_number(text) for text in choices if isinstance(text, str)}
    read = {text: number for text, number in plain.items() if number is not None}
    marked = {text: number for text, number in read.items() if number != text.strip()}
    if 2 * len(read) <= len(choices) or not marked:
        return []
    example, number = next(iter(marked.items()))
    return [fact("text_of_numbers", names=[name], example=example, number=number)]
