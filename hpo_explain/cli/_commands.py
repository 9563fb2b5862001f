"""The command of a method, from its function's arguments and their documentation."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args, get_origin

import click

from hpo_explain.catalog.entry import Method
from hpo_explain.cli._model import chooses_surrogate, takes_seed
from hpo_explain.cli._names import check_names
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source

_OWN = "own_"  # before the names of arguments: some mean how a run is read, elsewhere
_ELSEWHERE = {"run", "target", "kind", "surrogate", "draws", "seed", "reading"}


class ConfigOrTrial(click.ParamType):  # type: ignore[type-arg]
    """A trial's number, or a configuration as JSON."""

    name = "trial|json"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number or the dict."""
        try:
            return json.loads(value)
        except ValueError:
            self.fail(f"must be a trial's number or JSON, but was {value!r}.", param, ctx)


class MethodCommand(click.Command):
    """The command of a method, made when it is asked for: what it imports is heavy."""

    def __init__(self, method: Method) -> None:
        super().__init__(method.called, help=method.asks, short_help=method.asks)
        self.method = method

    def make_context(self, *given: Any, **options: Any) -> click.Context:
        """Return the context of the command itself."""
        return command_of(self.method).make_context(*given, **options)


def command_of(method: Method) -> click.Command:
    """Return the command that calls a method and shows its result."""
    from hpo_explain.asked.explains import hints_of, told_arguments

    function = method.function
    told, hints = told_arguments(function), hints_of(function)

    def command(source: Source, form: str, plot: Any, **given: Any) -> None:
        own = {name.removeprefix(_OWN): value for name, value in given.items()}
        if "names" in own:
            check_names(own["names"])
            own["names"] = list(own["names"])
        result = function(read_and_tell(source), **own)
        show(
            result,
            result.to_frame() if result.table.keys else result.to_frame().reset_index(),
            form,
            plot,
        )

    made: Callable[..., Any] = command
    for name, parameter in reversed([*inspect.signature(function).parameters.items()]):
        if name not in _ELSEWHERE or name in method.options:
            if parameter.default is parameter.empty:  # names of hyperparameters
                made = click.argument(f"{_OWN}{name}", nargs=-1, required=True, metavar="NAME...")(
                    made
                )
                continue
            flag = method.options.get(name, f"--{name.replace('_', '-')}")
            option = click.option(
                flag, f"{_OWN}{name}", type=_type_of(hints[name]), default=parameter.default,
                help=told[name],
            )  # fmt: skip
            made = option(made)
    for shared in (chooses_surrogate(), takes_seed("the surrogate and of whatever is sampled"),
                   shows_result, takes_source):  # fmt: skip
        made = shared(made)
    doc = (function.__doc__ or "").partition("\n\n")[0]
    return click.command(method.called, help=f"{doc}\n\n{method.asks}")(made)


def _type_of(hint: Any) -> Any:
    parts = (hint, *get_args(hint))
    if any(get_origin(part) is Mapping for part in parts):
        return ConfigOrTrial()
    words = [w for part in parts if get_origin(part) is Literal for w in get_args(part)]
    return click.Choice(words) if words else next(p for p in parts if p in (bool, int, float, str))
