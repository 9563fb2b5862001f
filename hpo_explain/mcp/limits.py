"""How much an assistant may send and ask for: the only place that says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpo_explain.base.errors import InputError
from hpo_explain.base.phrases import printable

COUNTS = {
    "background": 10_000,
    "grid_size": 200,
    "max_depth": 10,
    "min_leaf": 10_000,
    "more": 1_000,
    "most": 50,
    "n": 100,
    "n_trees": 1_000,
    "names": 50,
    "order": 4,
    "orders": 10_000,
    "pairs": 50,
    "sample": 10_000,
    "studies": 20,
}
"""The largest number that an argument may be, and the most values that it may hold."""
_MOST = 1_000  # values that any other argument may hold, and characters of a text
LONGEST_NAME = 300  # characters of a name, or of a value that is text, in an answer
_QUOTED = 200  # characters of a value in an error
_REMEDY = "Use the command line or Python for more."


def check_size(name: str, value: Any) -> None:
    """Raise InputError where a value would keep the server busy for ever, or fill its memory.

    Parameters
    ----------
    name : str
        The argument.
    value : object
        What was sent: JSON.
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name in COUNTS and is_number and not abs(value) <= COUNTS[name]:
        problem = f"must be at most {COUNTS[name]:,} here, but was {quoted(value)}"
        raise InputError(name, problem, value, _REMEDY)
    most, count = COUNTS.get(name, _MOST), _values_in(name, value)
    if count > most:
        problem = f"must hold at most {most:,} values here, but held {count:,}"
        raise InputError(name, problem, remedy=_REMEDY)


def _values_in(name: str, value: Any, depth: int = 0) -> int:
    """Return how many values lists and objects hold, all of whose texts are short enough."""
    if isinstance(value, str) and len(value) > _MOST:
        problem = f"must be at most {_MOST:,} characters long, but was {quoted(value)}"
        raise InputError(name, problem)
    if not isinstance(value, (list, Mapping)):
        return 1
    if depth == 5:
        raise InputError(name, f"must not be nested deeper than {depth} levels")
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    return sum(_values_in(name, one, depth + 1) for one in value)


def quoted(value: object) -> str:
    """Return a value as an error quotes it: an assistant may send megabytes.

    Examples
    --------
    >>> quoted("x" * 10_000)[-6:]
    'xxx...'
    """
    if isinstance(value, str):
        value = value[: _QUOTED + 1]
    text = printable(repr(value))
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."
