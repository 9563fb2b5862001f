"""What goes wrong, in one line and with an exit code."""

from __future__ import annotations

import logging
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import click

from hpo_explain.adapters.addresses import without_secrets
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Option
from hpo_explain.base.phrases import printable

# What is called otherwise here: arguments of the commands, and of reading.
_COMMANDS = {"run": "source"}
READ_AS = {
    "run": "source",
    "directions": "--direction",
    "trial": "--trial-column",
    "time": "--time-column",
    "instance": "--instance-column",
    "proposed": "--proposed-column",
    "fidelity": "--fidelity-column",
    "duration": "--duration-column",
    "status": "--status-column",
}
LISTED = "--hyperparameters"  # an option whose value is a list with commas
_AFTER = "hpo_explain.after"  # in a context: what is told after the answer
RECORDED = "hpo_explain.recorded"  # in a context: what was written so far
WRITTEN = "hpo_explain.written"  # in a context: the key of the answer, and the command line
ARGUMENTS = "hpo_explain.arguments"  # in a context: the command line as it was typed
_UNEXPECTED = "{}: {}. This is a defect: please report it with what --debug shows."


@contextmanager
def errors(*, debug: bool = False) -> Iterator[None]:
    """Turn what could not be done, or went wrong, into one line on stderr and exit code 1.

    With `debug` the exception is raised as it is, so that its traceback is shown, and so are the
    tracebacks of what goes wrong on the way.
    """
    # without a handler, Python writes tracebacks of what was logged whether asked for or not
    handler = logging.StreamHandler() if debug else logging.NullHandler()
    logger = logging.getLogger("hpo_explain")
    logger.addHandler(handler)
    try:
        yield
    except (BrokenPipeError, click.ClickException, click.exceptions.Exit, click.Abort):
        raise  # of the first: whoever read the output has enough; click ends quietly
    except Exception as error:
        if debug:
            raise
        is_expected = isinstance(error, (ValueError, OSError, ImportError))
        text = told(error) if is_expected else _UNEXPECTED.format(type(error).__name__, error)
        raise click.ClickException(printable(without_secrets(text))) from error
    finally:
        logger.removeHandler(handler)


class SourceError(ValueError):
    """A source that cannot be read; its text names the options of the command at hand."""

    def __init__(self, error: InputError | NothingToExplain) -> None:
        super().__init__(error.text(name_reading_option))


def told(error: Exception) -> str:
    """Return an error's text, in which arguments are options of the command at hand."""
    if isinstance(error, (InputError, NothingToExplain)):
        return error.text(name_option)
    return str(error)


debuggable = click.option("--debug", is_flag=True, help="Show the traceback of an error.")
"""Gives a command the option --debug, which its function gets as ``debug``."""


def say(text: str) -> None:
    """Tell on stderr what is being done."""
    put(printable(text), err=True)


def say_after(lines: Sequence[str]) -> None:
    """Tell lines on stderr once the command has answered, or has failed."""
    context = click.get_current_context()
    if _AFTER not in context.meta:
        context.meta[_AFTER] = []
        context.call_on_close(answered)
    context.meta[_AFTER] += lines


def answered() -> None:
    """Tell what was to be told after the answer, each line once."""
    context = click.get_current_context()
    for line in dict.fromkeys(context.meta.get(_AFTER, ())):
        say(line)
    context.meta[_AFTER] = []


def put(text: str, err: bool = False, nl: bool = True) -> None:
    """Write a part of an answer, and note it where answers are recorded."""
    context = click.get_current_context(silent=True)
    if context and RECORDED in context.meta:
        context.meta[RECORDED].append((text, err, nl))
    click.echo(text, err=err, nl=nl)


def command_with(options: Iterable[Option]) -> str:
    """Return the command line at hand with further options, to be copied."""
    context = click.get_current_context()
    typed = context.meta.get(ARGUMENTS, [])
    words = [context.find_root().info_name or "hpo-explain", *typed]
    named = [name_reading_option(option) for option in options]
    return " ".join([*map(shlex.quote, words), *named])


def name_option(option: Option) -> str:
    """Return an argument as an option, where the command at hand has it; else as in Python.

    Examples
    --------
    >>> command = click.Command("proposal", params=[click.Option(["--acquisition"])])
    >>> with click.Context(command):
    ...     name_option(Option("acquisition", "lcb")), name_option(Option("space"))
    ('--acquisition lcb', 'space=')
    """
    return _named(option, _COMMANDS)


def as_list(names: Sequence[str]) -> str:
    r"""Return names as one text with commas between them, and a backslash before their own.

    Examples
    --------
    >>> print(as_list(["lr", "units, first"]))
    lr,units\, first
    """
    return ",".join(name.replace(",", r"\,") for name in names)


def from_list(text: str) -> list[str]:
    """Return the names in a text with commas between them.

    Examples
    --------
    >>> from_list(as_list(["lr", "units, first"]))
    ['lr', 'units, first']
    """
    return [name.replace(r"\,", ",") for name in re.split(r"(?<!\\),", text)]


def name_reading_option(option: Option) -> str:
    """Return an argument of reading a source as an option, as `name_option` does."""
    return _named(option, READ_AS)


def _named(option: Option, otherwise: Mapping[str, str]) -> str:
    context = click.get_current_context(silent=True)
    taken = context.command.params if context else []
    there = {name for parameter in taken for name in parameter.opts}
    name = otherwise.get(option.name, f"--{option.name.replace('_', '-')}")
    if name not in there:
        return str(option)
    if option.value in (None, True):  # an option without a value, or a flag
        return name
    several = isinstance(option.value, Sequence) and not isinstance(option.value, str)
    values = option.value if several else [option.value]
    if name == LISTED:
        values = [as_list(values)]
    return " ".join(f"{name} {shlex.quote(str(value))}" for value in values)
