"""From a method's own arguments to the function that users call, with all that functions share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, wraps
from typing import Any, Literal, NamedTuple, TypeVar, get_type_hints, overload

from hpo_explain.base.checks import check_option
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import KINDS, Criterion, Direction, Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.question.explained import Explained
from hpo_explain.question.given import (
    config_of,
    default_source,
    model_of,
    read,
    several_runs,
    trial_of,
)
from hpo_explain.run import Run, is_measured
from hpo_explain.space import Array, Config

_SOURCE_CHOSEN = declared_fact(
    "source_chosen", "source: trial {trials}, as none was given"
)
_OF_KIND = """    surrogate : Surrogate or object, optional
        A model of your own in place of `kind`"""
_BY_NAME = """    surrogate : {"auto", "gp", "forest"}, Surrogate or object, optional
        The model: by its `kind`, as in :meth:`Run.surrogate`, or one of your own"""
_R = TypeVar("_R")
_RUN = """run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    """
_SHARED = """
    acquisition : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"} or Acquisition, optional
        Explain this in place of the objective, as in :func:`explain_proposal`.
    before : int, optional
        Use what was known when this trial was proposed; by default every trial.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate of the objective, as in :meth:`Run.surrogate`.
    surrogate : Surrogate or object, optional
        A model of your own in place of `kind`, as in :meth:`Run.explained_by`.
    seed : int, default 0
        Seed of the surrogate, and of whatever is sampled.
    **reading
        Options of the adapter, such as ``objective=`` for a table; ``trials=slice(50, None)`` or a
        list of numbers for some trials only, ``target="duration"``, ``"failed"`` or
        ``"infeasible"`` to explain these in place of the objective.
"""


@dataclass(eq=False)
class Question:
    """A run (or several, by name), and how it is to be explained."""

    run: Run
    kind: Kind = "auto"
    seed: int = 0
    acquisition: Criterion | Acquisition | None = None
    before: int | None = None
    notes: list[Fact] = field(default_factory=list)
    runs: Mapping[str, Run] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def model(self) -> Any:
        """What is explained: a surrogate, or an acquisition where one may be asked for."""
        model, notes = model_of(
            self.run, self.acquisition, self.before, self.kind, self.seed
        )
        self.notes += notes
        return model

    @property
    def feasible(self) -> Callable[[Array], Array] | None:
        """The probability of being feasible, of encoded rows, if some trials are not."""
        found = self.run.feasibility(seed=self.seed)
        return None if found is None else found.probability

    def config(self, name: str, given: Any) -> Config:
        """Return the configuration given as an argument of this name; by default the incumbent."""
        return config_of(self.run, name, given)

    def trial(self, given: Any) -> int | None:
        """Return the trial that was given, if one was."""
        return trial_of(self.run, given)

    def start_of(self, end: Config) -> int:
        """Return a trial that is worse than a configuration, and note that it was chosen."""
        start = default_source(self.run, end)
        self.notes.insert(0, _SOURCE_CHOSEN(trials=[start]))
        return start

    def subject(self, trial: int | None = None) -> Subject:
        """Return what the result is about."""
        return Subject.of(self.run, trial=trial, notes=self.notes)


def _of_surrogate(
    *,
    kind: Kind = "auto",
    surrogate: Any = None,
    seed: int = 0,
    **reading: Any,
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


@overload
def explains(method: Callable[..., _R]) -> Callable[..., _R]: ...
@overload
def explains(
    *,
    of: Literal["anything", "surrogate"] = ...,
    without: Sequence[str] = ...,
    several: bool = ...,
) -> Callable[[Callable[..., _R]], Callable[..., _R]]: ...
def explains(
    method: Any = None,
    *,
    of: Literal["anything", "surrogate"] = "anything",
    without: Sequence[str] = (),
    several: bool = False,
) -> Any:
    """Return the function that users call: it takes a run, the method's own arguments, and more.

    The method gets a `Question` and its own arguments. One `of` a surrogate takes
    no acquisition, nor a time `before` which nothing is known; `without` names shared arguments
    that mean nothing to it, or something else (which it takes itself). One that explains `several`
    runs takes a dict of them, too.
    """
    if method is None:
        return partial(explains, of=of, without=without, several=several)
    signature = inspect.signature(method)
    own = list(signature.parameters.values())[1:]
    asks = _of_surrogate if of == "surrogate" else _shared
    by_name = "kind" in signature.parameters  # which is not that of the model
    without = (*without, "kind") if by_name else without
    shared = [
        p
        for n, p in inspect.signature(asks).parameters.items()
        if n not in without
    ]
    first = inspect.Parameter(
        "run", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Any
    )

    @wraps(method)
    def public(*args: Any, **given: Any) -> Any:
        options = public.__signature__.bind(*args, **given)  # type: ignore[attr-defined]
        options.apply_defaults()
        held = options.arguments
        reading = held.pop("reading")
        if is_measured(
            held.get("target")
        ):  # the word names an objective, as everywhere
            reading = {**reading, "target": held.pop("target")}
        names = {p.name for p in shared}
        surrogate = (
            held.pop("surrogate", None) if "surrogate" in names else None
        )
        kind: Kind = held.get("kind", "auto") if "kind" in names else "auto"
        if by_name and isinstance(surrogate, str):
            named: Any = check_option("surrogate", surrogate, KINDS)
            kind, surrogate = named, None
        source, runs = held.pop("run"), dict[str, Run]()
        if several and isinstance(source, Mapping):
            for name, value in (
                ("before", held.get("before")),
                ("surrogate", surrogate),
            ):
                if value is not None:
                    problem = "was given with several runs, of which each has its own"
                    raise InputError(
                        name, problem, value, "Ask for one run at a time."
                    )
            runs = several_runs(public, "run", source, reading)
            run = next(iter(runs.values()))
        else:
            run = read(public, source, reading, surrogate, kind)
        taken = {p.name: held.pop(p.name) for p in shared if p.name in held}
        question = Question(
            run, runs=runs, reading=reading, **{"kind": kind, **taken}
        )
        return method(question, **held)

    public.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[first, *own, *shared]
    )
    public.__doc__ = documented(method.__doc__ or "", [p.name for p in shared])
    if by_name:
        public.__doc__ = public.__doc__.replace(_OF_KIND, _BY_NAME)
    return shows_progress(public)


def documented(text: str, taken: Sequence[str]) -> str:
    """Return a method's documentation with those arguments it takes that functions share."""
    if "    Parameters\n" not in text:  # it has none of its own
        text = text.replace(
            "    Returns\n",
            "    Parameters\n    ----------\n    \n\n    Returns\n",
            1,
        )
    head, rule, rest = text.partition("----------\n    ")
    own, blank, tail = rest.partition("\n\n    Returns")
    parts = re.split(r"(?m)^(?=    \S)", _SHARED)
    shared = "".join(
        p for p in parts if not p.strip() or re.findall(r"\w+", p)[0] in taken
    )
    first = f"{_RUN}{own}".rstrip()
    return f"{head}{rule}{first}{shared}{blank[1:]}{tail}" if rule else text


def told_arguments(function: Callable[..., Any]) -> dict[str, str]:
    """Return what the documentation says of each argument, in one line."""
    found = re.findall(
        r"^    (\w+(?:, \w+)*)(?: :)?[^\n]*\n((?:        [^\n]*\n)+)",
        function.__doc__ or "",
        re.M,
    )
    return {
        name: " ".join(text.split())
        for names, text in found
        for name in names.split(", ")
    }


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of all arguments of a function that users call."""
    return {
        **get_type_hints(_shared),
        **get_type_hints(inspect.unwrap(function)),
    }


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


def arguments_of(function: Callable[..., Any]) -> tuple[bool, list[Argument]]:
    """Return whether a function takes several runs, and its arguments that can be written down."""
    told, hints = told_arguments(function), hints_of(function)
    run, *others = inspect.signature(function).parameters.values()
    own = (
        {"surrogate"} if hints.get("kind") == Kind else set()
    )  # a model that is an object
    found = [
        Argument(
            one.name,
            one.default,
            hints.get(one.name, Any),
            told.get(one.name, ""),
        )
        for one in others
        if one.kind is not one.VAR_KEYWORD and one.name not in own
    ]
    return run.name == "runs", found


def explained_of(
    model: Any, subject: Subject | None, direction: Direction
) -> tuple[Explained, Subject]:
    """Return what a model predicts, and the subject with all that is known of it."""
    explained = Explained.of(
        model, subject.direction if subject else direction
    )
    return explained, explained.completed(subject)
