"""How the command line writes what is an argument in Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import click

from hpo_explain.base.errors import Option

# What is called otherwise here: arguments of the commands, and of reading a table.
_COMMANDS = {"run": "source", "kind": "--surrogate"}
_TABLE = {
    "run": "source",
    "hyperparameters": "--hyperparameter",
    "trial": "--trial-column",
    "time": "--time-column",
    "instance": "--instance-column",
    "proposed": "--proposed-column",
    "fidelity": "--fidelity-column",
}


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


def name_reading_option(option: Option) -> str:
    """Return an argument of reading a source as an option, as `name_option` does."""
    return _named(option, _TABLE)


def _named(option: Option, otherwise: Mapping[str, str]) -> str:
    context = click.get_current_context(silent=True)
    there = set()
    if context is not None:
        there = {name for parameter in context.command.params for name in parameter.opts}
    name = otherwise.get(option.name, f"--{option.name.replace('_', '-')}")
    if name not in there:
        return str(option)
    if option.value is None:
        return name
    several = isinstance(option.value, Sequence) and not isinstance(option.value, str)
    values = option.value if several else [option.value]
    return " ".join(f"{name} {_word(value)}" for value in values)


def _word(value: Any) -> str:
    return shlex.quote(str(value))
