"""What was asked for: the run, the model or acquisition, the configuration, the trial."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters.sources import as_run, as_runs
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError, UnknownOptionError
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Criterion, Kind
from hpo_explain.base.phrases import counted, join_words, spans
from hpo_explain.base.text import declared_fact
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.protocols import KnowsTrainingRows, Surrogate
from hpo_explain.question.explained import accepted_acquisition
from hpo_explain.run import Run
from hpo_explain.run.fits import EXPLAINED_SOME, learned_rows, which_of
from hpo_explain.space import Config, encode_one
from hpo_explain.space.support import nearest

_ALL, _SOME = 2000, 500  # trials that are explained one by one


@contextmanager
def options_of(function: Callable[..., Any]) -> Iterator[None]:
    """Have an error about an unknown option name those of the function that was called, too."""
    try:
        yield
    except UnknownOptionError as error:
        own = [*inspect.signature(function).parameters.values()][1:]
        names = [p.name for p in own if p.kind is not p.VAR_KEYWORD]
        there = unknown_name(
            error.argument, error.argument, [*names, *error.known], "option"
        )
        problem = f"is not an option of {function.__name__}"
        rest = "" if error.known else f" {error.remedy}"
        remedy = f"{there.remedy}{rest}"
        raise UnknownOptionError(
            error.argument, problem, error.value, remedy
        ) from None


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
            raise InputError(
                name, problem, value, "Ask for one run at a time."
            )


def read_one(
    function: Callable[..., Any],
    argument: str,
    what: str,
    source: Any,
    reading: Mapping[str, Any],
) -> Run:
    """Return one of several runs; where it is none, the error names the argument that holds it."""
    try:
        return read(function, source, reading)
    except InputError as error:
        if error.argument != "run":
            raise
        raise error.inside(argument, f"{what}run ", source) from None


def several_runs(
    function: Callable[..., Any],
    argument: str,
    runs: Mapping[str, Any],
    reading: Mapping[str, Any],
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
    read = {}
    for name, source in runs.items():
        read[str(name)] = read_one(
            function,
            argument,
            f"has {name!r}, which cannot be read: ",
            source,
            reading,
        )
    if len(read) < 2:
        problem = f"must hold at least two runs, but held {', '.join(read) or 'none'}"
        raise InputError(
            argument,
            problem,
            [*read],
            "To explain one run, use hx.report(run).",
        )
    return read


def model_of(
    run: Run,
    acquisition: Criterion | Acquisition | None,
    before: int | None,
    kind: Kind,
    seed: int,
) -> tuple[Surrogate | Acquisition, tuple[Fact, ...]]:
    """Return what is explained around a configuration, and what was assumed."""
    _check_before(run, before)
    if acquisition is None:
        return surrogate_of(run, before, kind, seed)
    chosen = run.chosen_acquisition(before, acquisition, seed=seed)
    if run.model is None or kind != "auto":
        return accepted_acquisition(chosen.acquisition), chosen.notes
    model, later = surrogate_of(run, before, kind, seed)
    through = chosen.through(model, run.direction)
    return accepted_acquisition(through.acquisition), (*through.notes, *later)


def surrogate_of(
    run: Run, before: int | None, kind: Kind, seed: int
) -> tuple[Surrogate, tuple[Fact, ...]]:
    """Return the surrogate before a trial, and what one of the user's knows of later trials.

    By default the belief; "gp" and "forest" ask for another model.
    """
    _check_before(run, before)
    if kind != "auto":
        return run.surrogate(before=before, kind=kind, seed=seed), ()
    if run.model is None:
        belief = run.belief(before, seed=seed)
        taken, of = len(belief.X), belief.of_trials
        return belief, (
            BELIEVED_FROM_SOME(taken=taken, of=of),
        ) if taken < of else ()
    return run.model, () if before is None else learned_later(
        run, before, run.model
    )


BELIEVED_FROM_SOME = declared_fact(
    "believed_from_some",
    "what is told of the objective rests on {taken:,} of {of:,} trials: the best ones, and some of "
    "every other part of the objective",
)


def some_trials(
    run: Run, *, seed: int = 0
) -> tuple[list[int], tuple[Fact, ...]]:
    """Return the trials that are explained one by one, of many some, and that they are not all."""
    numbers = np.asarray(run.trials)
    if len(numbers) <= _ALL:
        return numbers.tolist(), ()
    in_order = np.argsort(numbers, kind="stable")
    cost = np.where(np.asarray(run.feasible), run.cost, np.inf)[in_order]
    rows = learned_rows(run.space, run.X[in_order], cost, _SOME, seed=seed)
    told = EXPLAINED_SOME(**which_of(len(run), _SOME, seed=seed))
    return numbers[in_order[rows]].tolist(), (told,)


def _check_before(run: Run, before: int | None) -> None:
    """Raise InputError unless `before` is None, or the number of a trial or of the next one."""
    if before is not None and (
        isinstance(before, bool) or not isinstance(before, (int, np.integer))
    ):
        problem = f"must be the number of a trial, but was {before!r}"
        raise InputError(
            "before", problem, before, f"Finished trials: {spans(run.trials)}."
        )
    try:
        run.known_before(before)
    except InputError as error:
        raise error.inside("before", "", before) from None


def config_of(run: Run, name: str, given: Config | int | None) -> Config:
    """Return a configuration: one given, that of a trial, or by default the incumbent.

    Raises
    ------
    ValueError
        If it is neither a configuration nor the number of a finished trial.
    """
    if given is None:
        return run.incumbent
    if isinstance(given, Mapping):
        return given
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        wrong = f"was {given!r}"
    elif given in run.excluded:
        wrong = f"trial {given} was left out: {run.excluded[int(given)]}"
    elif given not in np.asarray(run.trials):
        wrong = f"trial {given} does not exist"
    else:
        return run.config(given)
    raise InputError(
        name,
        f"must be a configuration (a dict) or the number of a trial, but {wrong}",
        given,
        f"Finished trials: {spans(run.trials)}.",
    )


def trial_of(run: Run, given: Config | int | None) -> int | None:
    """Return the number of the trial that was asked for, None for a configuration."""
    if isinstance(given, Mapping):
        return None
    return run.incumbent_trial if given is None else int(given)


def default_source(run: Run, target: Config) -> int:
    """Return the first trial that is another and, if any is, not as good; else one in the middle.

    The middle is that of the ranking, which is where a run that began at its target begins.
    """
    same = np.isclose(
        run.X,
        encode_one(run.space, target, "target"),
        rtol=0.0,
        atol=1e-9,
        equal_nan=True,
    )
    is_target: npt.NDArray[np.bool_] = np.all(same, axis=1)
    tied: npt.NDArray[np.bool_] = np.isin(run.cost, run.cost[is_target])
    ranking = np.argsort(run.cost, kind="stable")
    candidates = [0, *ranking[len(ranking) // 2 :].tolist()]
    apart = [row for row in candidates if not is_target[row] and not tied[row]]
    others = [row for row in candidates if not is_target[row]]
    return int(np.asarray(run.trials)[[*apart, *others, *candidates][0]])


def _seen(fact: Fact) -> str:
    later = sum(trial != fact["at"] for trial in fact.trials)
    itself = [f"trial {fact['at']} itself"] if later < len(fact.trials) else []
    others = (
        [f"{counted(later, 'trial')} not finished by then"] if later else []
    )
    return join_words([*itself, *others])


_LEARNED_LATER = declared_fact(
    "model_learned_later",
    "the model given has learned from {seen}, which the optimizer had not seen",
    seen=_seen,
)
_MAY_HAVE_LEARNED = declared_fact(
    "model_may_have_learned",
    "the model given may have learned from trial {trials} itself: it "
    "does not say which trials it was fitted on",
)


def learned_later(
    run: Run, number: int, model: Surrogate | None
) -> tuple[Fact, ...]:
    """Return a fact where a model from outside has seen a trial or later ones, or may have.

    Parameters
    ----------
    run : Run
        The run.
    number : int
        The trial.
    model : Surrogate or None
        The model, if it is known.
    """
    known = run.known_before(number)
    later = np.setdiff1d(np.arange(len(run)), known)
    # a configuration that was known already may be the earlier trial
    later = later[nearest(run.space, run.X[later], run.X[known]) > 0.0]
    learned = (
        model.learned_from(run.X[later])
        if isinstance(model, KnowsTrainingRows)
        else None
    )
    if learned is None:
        return (_MAY_HAVE_LEARNED(trials=[number]),)
    trials = np.asarray(run.trials)[later[learned]]
    return (_LEARNED_LATER(trials=trials, at=number),) if len(trials) else ()
