"""Options that take a number or one of some words."""

from __future__ import annotations

import click


def number_or_word(context: click.Context, option: click.Parameter, text: str) -> int | str:
    """Return a whole number from 0 on, or one of the words that the option's metavar lists.

    Examples
    --------
    >>> option = click.Option(["--trial"], metavar="[N|latest|best]")
    >>> [number_or_word(None, option, text) for text in ("best", "7")]
    ['best', 7]
    """
    words = str(option.metavar).strip("[]").split("|")[1:]
    if text in words:
        return text
    if not text.isdecimal():
        raise click.BadParameter(f"must be a number or one of {', '.join(words)}, not {text!r}.")
    return int(text)
