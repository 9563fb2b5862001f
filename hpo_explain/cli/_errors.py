"""What goes wrong, in one line and with an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from hpo_explain.cli._wording import as_options


@contextmanager
def errors() -> Iterator[None]:
    """Turn what could not be done into one line on stderr and exit code 1."""
    try:
        yield
    except BrokenPipeError:  # whoever read the output has enough; click ends quietly
        raise
    except (ValueError, OSError, ImportError) as error:
        raise click.ClickException(plain(as_options(str(error)))) from error


def plain(text: str) -> str:
    r"""Return a text whose control characters are shown, not obeyed by the terminal.

    Examples
    --------
    >>> plain("a name with\ttab and \x1b[31mcolor")
    'a name with\\ttab and \\x1b[31mcolor'
    """
    return "".join(
        repr(character)[1:-1] if _is_control(character) else character for character in text
    )


def _is_control(character: str) -> bool:
    return ord(character) < 32 or 127 <= ord(character) < 160


def say(text: str) -> None:
    """Tell on stderr what is being done."""
    click.echo(plain(as_options(text)), err=True)
