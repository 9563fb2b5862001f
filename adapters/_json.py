"""Files of JSON: one value, or an object a line, of which a writer may have left the last half."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.regular_files import text_of

_DAMAGED = (ValueError, RecursionError)  # what is nested too deep is no run


def json_of(path: Path, default: Any = None) -> Any:
    """Return what a file of JSON holds; a default, if there is one, where there is no file.

    Raises
    ------
    InputError
        If it is damaged, or no regular file.
    """
    try:
        return json.loads(text_of(path))
    except FileNotFoundError:
        if default is None:
            raise
        return default
    except _DAMAGED as error:
        if isinstance(error, InputError):
            raise
        problem = f"{str(path)!r} cannot be read as JSON: {place_of_damage(error)}"
        raise InputError("run", problem, str(path)) from error


def json_in(text: str) -> tuple[Any, bool]:
    """Return the value of a text, or a list of those of its lines as `json_lines` does."""
    try:
        return json.loads(text), False
    except ValueError as error:
        try:
            return json_lines(text)
        except ValueError:
            raise error from None  # says more of a value over several lines


def json_lines(text: str) -> tuple[list[Any], bool]:
    r"""Return the objects of a text with one a line, and whether a last one is half-written.

    Raises
    ------
    ValueError, RecursionError
        If another line is no JSON.

    Examples
    --------
    >>> json_lines('{"a": 1}\n{"a": 2}\n{"a"')
    ([{'a': 1}, {'a': 2}], True)
    """
    lines = [line for line in text.split("\n") if line.strip()]
    rows = []
    for i, line in enumerate(lines):
        try:
            rows.append(json.loads(line))
        except ValueError:
            if not rows or i < len(lines) - 1:
                raise
            return rows, True
    return rows, False


def half_written(count: int) -> list[Fact]:
    """Return a note on how many files end in a line that is left out; none of no file."""
    if not count:
        return []
    files = "its last line" if count == 1 else f"the last line of {count} files"
    return [fact(f"damage: {files} is half-written and left out", role="check")]


def place_of_damage(error: BaseException) -> str:
    """Return where a file is damaged, as far as an error says it.

    Examples
    --------
    >>> place_of_damage(KeyError("trials"))
    "it is damaged at 'trials'"
    """
    if isinstance(error, json.JSONDecodeError):
        return f"it is damaged at line {error.lineno}, column {error.colno} ({error.msg})"
    if isinstance(error, KeyError):
        return f"it is damaged at {str(error)[:_LONGEST]}"
    first = next(iter(str(error).splitlines()), "")[:_LONGEST]
    return f"it is damaged ({type(error).__name__}: {first})".replace(": )", ")")


_LONGEST = 100  # characters of what an error says
