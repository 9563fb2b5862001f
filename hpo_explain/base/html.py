"""Values as HTML and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from hpo_explain.base.phrases import printable_lines


def shown_html(text: str) -> str:
    """Return a text as HTML, nothing in which is obeyed or invisible."""
    return escape(printable_lines(text))


def text_html(text: str) -> str:
    """Return a text as HTML that keeps its lines, and breaks those that are too long."""
    style = "white-space: pre-wrap; overflow-wrap: anywhere; max-width: 60em"
    return f'<div style="{style}">{shown_html(text)}</div>'


def table_html(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return texts as an HTML table that scrolls where it is too wide."""
    head = "".join(f'<th scope="col">{shown_html(column)}</th>' for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{shown_html(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<div style="overflow-x: auto"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def plain_json(value: Any) -> Any:
    """Return a value that `json.dumps` accepts: numpy as Python, NaN as None, others as text."""
    import numpy as np  # help does without: this module escapes what it shows

    if isinstance(value, Mapping):
        return {str(key): plain_json(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return plain_json(value.tolist())
    if isinstance(value, np.generic):
        return plain_json(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return str(value)
    return value
