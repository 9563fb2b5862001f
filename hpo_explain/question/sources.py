"""From what users hand over to runs; errors name the arguments and options of what was called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hpo_explain.adapters.sources import as_run, as_runs
from hpo_explain.base import InputError, Kind, unknown_name
from hpo_explain.base.errors import UnknownOptionError
from hpo_explain.run import Run


@contextmanager
def options_of(function: Callable[..., Any]) -> Iterator[None]:
    """Have an error about an unknown option name those of the function that was called, too."""
    try:
        yield
    except UnknownOptionError as error:
        own = [*inspect.signature(function).parameters.values()][1:]
        names = [p.name for p in own if p.kind is not p.VAR_KEYWORD]
        there = unknown_name(error.argument, error.argument, [*names, *error.known], "option")
        problem = f"is not an option of {function.__name__}"
        rest = "" if error.known else f" {error.remedy}"
        remedy = f"{there.remedy}{rest}"
        raise UnknownOptionError(error.argument, problem, error.value, remedy) from None


def read(
    function: Callable[..., Any],
    source: Any,
    reading: Mapping[str, Any],
    surrogate: Any = None,
    kind: Kind = "auto",
) -> Run:
    """Return the run in a source, explained by a model of the user's where one is given.

    Parameters
    ----------
    function : callable
        What was called, whose options an error names.
    source, reading, surrogate, kind
        As it was given them.

    Raises
    ------
    InputError
        If it cannot be read, the model is none of its space, or a kind of model is asked for, too.
    """
    with options_of(function):
        run = as_run(source, **reading)
    if surrogate is None:
        return run
    if kind != "auto":
        problem = f"was {kind!r}, but surrogate is a model itself"
        raise InputError("kind", problem, kind, "Leave one of them out.")
    return run.explained_by(surrogate)


def read_by_objective(
    function: Callable[..., Any], source: Any, reading: Mapping[str, Any]
) -> dict[str, Run]:
    """Return a run by objective; an error names the options of what was called."""
    with options_of(function):
        return as_runs(source, **reading)


def each_has_its_own(**options: Any) -> None:
    """Raise InputError where an option of a single run was given with several ones."""
    for name, value in options.items():
        if value is not None:
            problem = "was given with several runs, of which each has its own"
            raise InputError(name, problem, value, "Ask for one run at a time.")


def several_runs(
    function: Callable[..., Any], argument: str, runs: Mapping[str, Any], reading: Mapping[str, Any]
) -> dict[str, Run]:
    """Return runs by their names.

    Parameters
    ----------
    function : callable
        What was called, whose options an error names.
    argument : str
        The name of its argument that the runs are.
    runs, reading
        As they were given to it.

    Raises
    ------
    InputError
        If one cannot be read, or there are fewer than two.
    """
    by_name = {}
    for name, source in runs.items():
        try:
            by_name[str(name)] = read(function, source, reading)
        except InputError as error:
            if error.argument != "run":
                raise
            what = f"has {name!r}, which cannot be read: run "
            raise error.inside(argument, what, source) from None
    if len(by_name) < 2:
        problem = f"must hold at least two runs, but held {', '.join(by_name) or 'none'}"
        raise InputError(argument, problem, [*by_name], "To explain one run, use hx.report(run).")
    return by_name
