"""A result on stdout: a table for people, or JSON or CSV for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from wcwidth import ljust, rjust

from hpo_explain.base.phrases import columns as width
from hpo_explain.base.phrases import first_words, printable, printable_lines
from hpo_explain.cli._errors import name_option, put, say, say_after
from hpo_explain.cli._interrupt import interrupt_at_hand

if TYPE_CHECKING:
    from hpo_explain.base import Cells

_ANY = 10**6  # columns
_FORMATS = (".png", ".svg", ".pdf")


def _drawable(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Return the file of a plot if it can be written, before anything is computed."""
    if path and path.suffix.lower() not in _FORMATS:
        raise click.BadParameter(f"must end in {' or '.join(_FORMATS)}, but was {str(path)!r}.")
    if path and not path.resolve().parent.is_dir():
        lost = str(path.resolve().parent)
        raise click.BadParameter(f"is {str(path)!r}, but there is no folder {lost!r}. Create it.")
    return path


def shows_result(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options --json, --csv, --plot and --no-cache."""
    for option in (
        click.option(
            "--no-cache",
            is_flag=True,
            expose_value=False,
            help="Compute the result again, even if it is cached.",
        ),
        click.option(
            "--plot",
            type=click.Path(dir_okay=False, path_type=Path),
            callback=_drawable,
            metavar="FILE",
            help="Also save the figure to this file (.png, .svg or .pdf).",
        ),
        click.option("--csv", "form", flag_value="csv", help="Write the table as CSV."),
        click.option("--json", "form", flag_value="json", help="Write the full result as JSON."),
    ):
        command = option(command)
    return command


def show(result: Any, form: str | None, plot: Path | None) -> None:
    """Write a result to stdout; beside CSV, what it means goes to stderr."""
    if plot:
        _draw(result, plot)
    if form == "json":
        _write(f"{json.dumps(result.to_dict(), indent=2, allow_nan=False)}\n")
        return
    put(result.said, err=form == "csv")
    say_after([f"note: {note.text(name_option)}" for note in result.notes])
    if form == "csv":
        _write(_csv(result))
        return
    if columns := _without_members(result.printed_cells()):
        put(f"\n{text_table(columns)}")
    if result.details:
        put(printable_lines(f"\n{result.details}"))


def _csv(result: Any) -> str:
    """Return the table of a result as CSV: None is a category, and what is not known is empty."""
    from hpo_explain.base.csv_text import csv_text

    return csv_text(_without_members(result.cells()), nothing="None")


def _without_members(cells: Cells) -> Cells:
    """Return the columns without the members of sets, which are in their labels."""
    return [column for column in cells if column[0] != "members"]


def _write(text: str) -> None:
    """Write text for a program to stdout as it is; on a terminal no name in it is obeyed."""
    put(printable_lines(text) if sys.stdout.isatty() else text, nl=False)


def _draw(result: Any, path: Path) -> None:
    """Draw a result into a file, whose name says the format."""
    from hpo_explain.draw.pages import image_of
    from hpo_explain.reporting._file import write_atomically

    image = image_of(result, path.suffix.lower().lstrip("."))
    interrupt_at_hand().check()
    write_atomically(path, image)
    say(f"plot: {path}")


def text_table(columns: Sequence[tuple[str, Sequence[Any]]]) -> str:
    """Return a table in aligned columns, numbers to the right, with a bold heading.

    Parameters
    ----------
    columns : sequence of (str, sequence)
        Their names and values; among numbers None is not known, elsewhere it is a value.

    Examples
    --------
    >>> columns = [("name", ["lr", "momentum"]), ("share", [0.98765, 0.01])]
    >>> print(click.unstyle(text_table(columns)))
    name       share
    lr        0.9877
    momentum    0.01
    """
    from hpo_explain.base.numbers import more_digits

    aligned = []
    for name, cells in columns:
        kinds = {type(cell) for cell in cells if cell is not None}
        number = bool(kinds) and kinds <= {int, float}
        shown = ["" if number and c is None else _cell(c) for c in cells]
        texts = [_cell(name), *(more_digits(cells) or shown)]
        pad, widest = rjust if number else ljust, max(map(width, texts))
        aligned.append([pad(text, widest, control_codes="ignore") for text in texts])
    heading, *rows = ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]
    return "\n".join([click.style(heading, bold=True), *rows])


def _cell(value: Any) -> str:
    from hpo_explain.base.numbers import format_value

    missing = value is not None and value != value  # None may be a category
    if missing or value == "":
        return ""
    return printable(first_words(format_value(value, width=_ANY), 60))
