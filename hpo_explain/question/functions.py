"""From a method's own arguments to the function that users call, with all that functions share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints, overload

from hpo_explain.adapters.sources import as_run, as_runs
from hpo_explain.base import (
    KINDS,
    TOGETHER,
    Criterion,
    InputError,
    Kind,
    check_option,
    check_seed,
    shows_progress,
    unknown_name,
)
from hpo_explain.base.errors import UnknownOptionError
from hpo_explain.models import Acquisition
from hpo_explain.question.question import Question
from hpo_explain.run import Objectives, Run, is_measured


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


_OF_KIND = """    surrogate : Surrogate or object, optional
        A model of your own in place of `kind`"""
_BY_NAME = """    surrogate : {"auto", "gp", "forest"}, Surrogate or object, optional
        The model: by its `kind`, as in `Run.surrogate`, or one of your own"""
_R = TypeVar("_R")
_RUN = """run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    """
_SHARED = """
    acquisition : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"} or Acquisition, optional
        An acquisition function to explain in place of the objective, as in `explain_proposal`.
    before : int, optional
        Use only what was known when this trial was proposed; by default all trials.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate of the objective, as in `Run.surrogate`.
    surrogate : Surrogate or object, optional
        A model of your own in place of `kind`, as in `Run.explained_by`.
    seed : int, default 0
        Seed of the surrogate and of all random draws.
    **reading
        Options of the adapter, such as ``objective=`` for a table. For every adapter:
        ``epsilon=0.005``, the smallest improvement that counts; ``trials=slice(50, None)`` or a
        list of numbers, to use some trials only; ``target="duration"``, ``"failed"`` or
        ``"infeasible"``, to explain these in place of the objective.
"""


def _of_optimizer(*, seed: int = 0, **reading: Any) -> None:
    """Take what functions take that explain by what the optimizer knew."""


def _of_surrogate(
    *, kind: Kind = "auto", surrogate: Any = None, seed: int = 0, **reading: Any
) -> None:
    """Take what functions take that explain the objective only."""


def _shared(
    *,
    acquisition: Criterion | Acquisition | None = None,
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    seed: int = 0,
    **reading: Any,
) -> None:
    """Take what every function takes; only its signature counts."""


Of = Literal["anything", "surrogate", "optimizer"]
"""What answers: any model or acquisition, a model of the objective, or what the optimizer knew."""
Several = Literal["", "runs", "objectives", "together"]
_TAKES: dict[Of, Callable[..., None]] = {
    "anything": _shared,
    "surrogate": _of_surrogate,
    "optimizer": _of_optimizer,
}


@overload
def explains(method: Callable[..., _R]) -> Callable[..., _R]: ...
@overload
def explains(
    *, of: Of = ..., without: Sequence[str] = ..., several: Several = ...
) -> Callable[[Callable[..., _R]], Callable[..., _R]]: ...
def explains(
    method: Any = None, *, of: Of = "anything", without: Sequence[str] = (), several: Several = ""
) -> Any:
    """Return the function that users call: it takes a run, the method's own arguments, and more.

    The method gets a `Question` and its own arguments. One `of` a surrogate takes
    no acquisition, nor a time `before` which nothing is known; one of the optimizer neither these
    nor a model, as it explains by what the optimizer knew. `without` names other shared arguments
    that mean nothing to it. One that explains `several` takes a dict of runs, too, or all
    objectives of a run; those `together` only where that is the target.
    """
    if method is None:
        return partial(explains, of=of, without=without, several=several)
    signature = inspect.signature(method)
    own = list(signature.parameters.values())[1:]
    by_name = "kind" in signature.parameters  # which is not that of the model
    without = (*without, "kind") if by_name else without
    shared = [
        p
        for n, p in inspect.signature(_TAKES[of]).parameters.items()
        if n not in without and n not in signature.parameters
    ]
    names = [p.name for p in shared]
    first = inspect.Parameter("run", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Any)

    @wraps(method)
    def public(*args: Any, **options_given: Any) -> Any:
        options = public.__signature__.bind(*args, **options_given)  # type: ignore[attr-defined]
        options.apply_defaults()
        held = options.arguments
        source, reading = held.pop("run"), held.pop("reading")
        if is_measured(held.get("target")):
            # the word names an objective, as everywhere
            reading = {**reading, "target": held.pop("target")}
        taken = {name: held.pop(name) for name in names if name in held}
        if "seed" in taken:
            taken["seed"] = check_seed(taken["seed"])
        if "kind" in taken:
            taken["kind"] = check_option("kind", taken["kind"], KINDS)
        surrogate = taken.pop("surrogate", None)
        if by_name and isinstance(surrogate, str):
            taken["kind"] = check_option("surrogate", surrogate, KINDS)
            surrogate = None
        runs: dict[str, Run] = {}
        if several == "objectives":
            runs = read_by_objective(public, source, reading)
        elif several == "together" and reading.get("target") in TOGETHER:
            taken["target"] = reading["target"]
            each_has_its_own(surrogate=surrogate)
            objectives = read_by_objective(public, source, reading)
            runs = {**Objectives.of(objectives).runs}
        elif several == "runs" and isinstance(source, Mapping):
            each_has_its_own(before=taken.get("before"), surrogate=surrogate)
            runs = several_runs(public, "run", source, reading)
        if runs:
            run = next(iter(runs.values()))
        else:
            kind = taken.get("kind", "auto")
            run = read(public, source, reading, surrogate, kind)
        question = Question(run, runs=runs if len(runs) > 1 else {}, **taken)
        return question.ask(public, **held)

    public.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[first, *own, *shared]
    )
    public.__doc__ = documented(method.__doc__ or "", names)
    if by_name:
        public.__doc__ = public.__doc__.replace(_OF_KIND, _BY_NAME)
    shown = shows_progress(public)
    for function in (public, shown):
        function.method, function.of = method, of  # type: ignore[attr-defined]
        function.several = several  # type: ignore[attr-defined]
    return shown


def documented(text: str, taken: Sequence[str]) -> str:
    """Return a method's documentation with those arguments it takes that functions share."""
    if "    Parameters\n" not in text:  # it has none of its own
        text = text.replace(
            "    Returns\n", "    Parameters\n    ----------\n    \n\n    Returns\n", 1
        )
    head, rule, rest = text.partition("----------\n    ")
    own, blank, tail = rest.partition("\n\n    Returns")
    entries = re.split(r"(?m)^(?=    \S)", _SHARED)
    shared = "".join(p for p in entries if not p.strip() or re.findall(r"\w+", p)[0] in taken)
    first = f"{_RUN}{own}".rstrip()
    return f"{head}{rule}{first}{shared}{blank[1:]}{tail}" if rule else text


def told_arguments(function: Callable[..., Any]) -> dict[str, str]:
    """Return what the documentation says of each argument, in one line."""
    doc = (function.__doc__ or "").replace("``", "`")
    entries = re.findall(r"^    (\w+(?:, \w+)*)(?: :)?[^\n]*\n((?:        [^\n]*\n)+)", doc, re.M)
    return {name: " ".join(text.split()) for names, text in entries for name in names.split(", ")}


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of all arguments of a function that users call."""
    return {**get_type_hints(_shared), **get_type_hints(inspect.unwrap(function))}


PLAIN = (bool, int, float, str)


class Argument(NamedTuple):
    """An argument of a function that users call, beside the run."""

    name: str
    default: Any
    hint: Any
    told: str

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is inspect.Parameter.empty

    @property
    def kind(self) -> type | tuple[Any, ...] | None:
        """The type of its values, or the words that it may be; None of objects and what varies."""
        is_one = get_origin(self.hint) is Literal
        hints = [self.hint] if is_one else get_args(self.hint) or [self.hint]
        hints = [hint for hint in hints if hint is not type(None)]
        words = [hint for hint in hints if get_origin(hint) is Literal]
        others = [hint for hint in hints if hint not in words]
        if words:
            # an object can be written nowhere
            is_word = not any(hint in PLAIN or not inspect.isclass(hint) for hint in others)
            return tuple(word for hint in words for word in get_args(hint)) if is_word else None
        return others[0] if len(others) == 1 and others[0] in PLAIN else None


def arguments_of(function: Callable[..., Any]) -> tuple[bool, list[Argument]]:
    """Return whether a function takes several runs, and its arguments that can be written down."""
    descriptions, hints = told_arguments(function), hints_of(function)
    run, *others = inspect.signature(function).parameters.values()
    # a model that is an object
    own = {"surrogate"} if hints.get("kind") == Kind else set()
    hints["surrogate"] = Kind  # else, as a word
    arguments = [
        Argument(one.name, one.default, hints.get(one.name, Any), descriptions.get(one.name, ""))
        for one in others
        if one.kind is not one.VAR_KEYWORD and one.name not in own
    ]
    return run.name == "runs", arguments
