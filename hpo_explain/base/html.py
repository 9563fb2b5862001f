"""Texts and small tables as HTML for notebooks, in which everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def text_html(text: str) -> str:
    """Return a text as HTML that keeps its lines, and breaks those that are too long."""
    style = "white-space: pre-wrap; overflow-wrap: anywhere; max-width: 60em"
    return f'<div style="{style}">{escape(text)}</div>'


def table_html(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return texts as an HTML table that scrolls where it is too wide."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<div style="overflow-x: auto"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
