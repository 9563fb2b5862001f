"""What a message says of Python's arguments, said of the options of the command line."""

from __future__ import annotations

import re
import shlex

import click

# Options that have another name than the argument they stand for; the others have the same.
_OTHERWISE = {
    "hyperparameters": "--hyperparameter",
    "trial": "--trial-column",
    "time": "--time-column",
    "instance": "--instance-column",
    "kind": "--surrogate",
}
_QUOTED = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_VALUE = rf"(?:{_QUOTED}|[\w.%+-]*\w%?)"
_ARGUMENT = re.compile(
    rf"(?<![^\s(])(?P<name>[a-z_]+)="
    rf"(?P<value>[(\[]{_VALUE}(?:, {_VALUE})*[)\]]|{_VALUE})?(?![=(\[])"
)


def as_options(text: str) -> str:
    """Return a text in which arguments are options, where the command at hand has them.

    Examples
    --------
    >>> command = click.Command("report", params=[click.Option(["--pruned"])])
    >>> with click.Context(command):
    ...     as_options('pruned="last" reads the last value; a wider space= reads more')
    '--pruned last reads the last value; a wider space= reads more'
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return text
    there = {option for parameter in context.command.params for option in parameter.opts}

    def written(found: re.Match[str]) -> str:
        name, value = found["name"], found["value"]
        option = _OTHERWISE.get(name, f"--{name.replace('_', '-')}")
        if option not in there or _is_in_call(text[: found.start()]):
            return found[0]
        if value is None:
            return option
        return " ".join(f"{option} {_as_word(part)}" for part in re.findall(_VALUE, value))

    return _ARGUMENT.sub(written, text)


def _is_in_call(before: str) -> bool:
    """Say whether what follows a text stands between the parentheses of a call, as in f(x=1)."""
    depth = 0
    for i in range(len(before) - 1, -1, -1):
        depth += (before[i] == ")") - (before[i] == "(")
        if depth < 0:
            return i > 0 and (before[i - 1].isalnum() or before[i - 1] == "_")
    return False


def _as_word(part: str) -> str:
    bare = re.sub(r"\\(.)", r"\1", part[1:-1]) if part[0] in "\"'" else part
    return shlex.quote(bare)
