"""The command of a method, from its function's arguments and their documentation."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from itertools import starmap
from typing import TYPE_CHECKING, Any

import click

from hpo_explain.base.options import TOGETHER
from hpo_explain.catalog.entry import Method
from hpo_explain.cli._cache import cached, key_of, store
from hpo_explain.cli._errors import RECORDED, WRITTEN, answered, put
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_all_and_tell, read_and_tell
from hpo_explain.cli._source import OWN, SourceCommand, takes_source

if TYPE_CHECKING:
    from hpo_explain.question import Argument


class Value(click.ParamType):  # type: ignore[type-arg]
    """A number, a word, or what JSON writes: a configuration, several trials.

    Examples
    --------
    >>> [Value().convert(text, None, None) for text in ("7", "best", '{"lr": 0.1}')]
    [7, 'best', {'lr': 0.1}]
    """

    name = "value|json"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return what the text says; where it is no JSON, the text itself."""
        try:
            return json.loads(value) if isinstance(value, str) else value
        except ValueError:
            if value[:1] in "{[":
                self.fail(f"is not JSON: {value!r}.", param, ctx)
            return value


class MethodCommand(click.Command):
    """The command of a method, made when it is asked for: what it imports is heavy.

    What was answered before about the same files is repeated without importing anything.
    """

    def __init__(self, method: Method) -> None:
        super().__init__(method.called, help=method.asks, short_help=method.asks)
        self.method = method

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> click.Context:
        """Return the context of the command itself."""
        given = [*args]
        key = _key(info_name, given)
        if recorded := _recorded(key):
            repeated = click.Command(info_name, callback=lambda: [*starmap(put, recorded)])
            return repeated.make_context(info_name, [], parent)
        context = command_of(self.method).make_context(info_name, args, parent, **extra)
        context.meta[WRITTEN] = (key, given)
        context.meta[RECORDED] = []
        return context


def _key(name: str | None, args: Sequence[str]) -> str:
    """Return the key of an answer; empty where it is not to be kept."""
    anew = any(one.startswith(("--plot", "--no-cache", "--debug")) for one in args)
    return "" if anew else key_of(args, (name, sys.stdout.isatty()))


def _recorded(key: str) -> list[Any]:
    """Return what was written as an answer; nothing where it is damaged."""
    try:
        written = json.loads(cached(key) or "[]")
    except ValueError:
        return []
    return written if isinstance(written, list) else []


def _keep_written() -> None:
    """Keep what was written, unless somebody added trials meanwhile."""
    context = click.get_current_context()
    key, given = context.meta.get(WRITTEN, ("", []))
    if key and key == _key(context.info_name, given):
        store(key, json.dumps(context.meta[RECORDED]))


def command_of(method: Method) -> click.Command:
    """Return the command that calls a method and shows its result."""
    from hpo_explain.question import arguments_of

    function = method.function
    several, arguments = arguments_of(function)
    takes = "runs" if several else function.several  # type: ignore[attr-defined]

    def command(source: Any, form: str | None, plot: Any, **given: Any) -> None:
        options = {
            name.removeprefix(OWN): [*value] if isinstance(value, tuple) else value
            for name, value in given.items()
            if value not in (None, ())
        }
        if several:
            read: Any = {label: read_and_tell(one) for label, one in source.items()}
        elif takes == "objectives":
            read = read_all_and_tell(source)
        elif takes == "together" and source.target in TOGETHER:
            read, options["target"] = read_all_and_tell(source), source.target
        else:
            read = read_and_tell(source)
        result = function(read, **options)
        show(result, form, plot)
        answered()
        _keep_written()

    made: Callable[..., Any] = command
    for argument in reversed(arguments):
        made = _taken(method, argument)(made)
    option_names = {argument.name for argument in arguments} - {*method.options}
    made = takes_source(shows_result(made), option_names, several=several)
    doc = (function.__doc__ or "").partition("\n\n")[0]
    return click.command(method.called, cls=SourceCommand, help=f"{doc}\n\n{method.asks}")(made)


def _taken(method: Method, argument: Argument) -> Callable[..., Any]:
    """Return what gives a command an argument of the function: its name, type and default."""
    name, default, hint, description = argument
    kind: Any = argument.kind
    parameter = f"{OWN}{name}"
    if argument.is_required or (name == "names" and default is None):
        count, shown = (1, "NAME") if hint is str else (-1, "NAME...")
        return click.argument(parameter, nargs=count, required=argument.is_required, metavar=shown)
    flag = method.options.get(name, f"--{name.replace('_', '-')}")
    if default is False:
        return click.option(flag, parameter, is_flag=True, help=description)
    options: dict[str, Any] = {"help": description, "show_default": default is not None}
    if isinstance(kind, tuple):
        kind = click.Choice([str(word) for word in kind])
    shown_default = default if isinstance(default, (int, float, str)) else None
    return click.option(flag, parameter, type=kind or Value(), default=shown_default, **options)
