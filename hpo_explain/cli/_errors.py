"""What goes wrong, in one line and with an exit code."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.phrases import printable
from hpo_explain.cli._options import name_option, name_reading_option


@contextmanager
def errors(*, debug: bool = False) -> Iterator[None]:
    """Turn what could not be done into one line on stderr and exit code 1.

    With `debug` the exception is raised as it is, so that its traceback is shown, and so are the
    tracebacks of what goes wrong on the way.
    """
    # without a handler, Python writes tracebacks of what was logged whether asked for or not
    handler = logging.StreamHandler() if debug else logging.NullHandler()
    logger = logging.getLogger("hpo_explain")
    logger.addHandler(handler)
    try:
        yield
    except BrokenPipeError:  # whoever read the output has enough; click ends quietly
        raise
    except (ValueError, OSError, ImportError) as error:
        if debug:
            raise
        raise click.ClickException(printable(told(error))) from error
    finally:
        logger.removeHandler(handler)


class SourceError(ValueError):
    """A source that cannot be read; its text names the options of the command at hand."""

    def __init__(self, error: InputError | NothingToExplain) -> None:
        super().__init__(error.told(name_reading_option))


def told(error: Exception) -> str:
    """Return an error's text, in which arguments are options of the command at hand."""
    if isinstance(error, (InputError, NothingToExplain)):
        return error.told(name_option)
    return str(error)


def debuggable(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option --debug, which its function gets as ``debug``."""
    option = click.option(
        "--debug", is_flag=True, help="Show the traceback of whatever goes wrong."
    )
    return option(command)


def say(text: str) -> None:
    """Tell on stderr what is being done."""
    click.echo(printable(text), err=True)
