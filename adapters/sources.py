"""Read a run from any source: a study, a result, a table, or whatever a plugin knows."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from hpo_explain.adapters._loading import loaded
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError, MissingOptionError, UnknownOptionError
from hpo_explain.base.facts import Option
from hpo_explain.base.options import TOGETHER, Direction
from hpo_explain.run import (
    Objectives,
    Run,
    by_objective,
    chosen,
    counting,
    is_measured,
    measured,
    within,
)
from hpo_explain.run.metrics import direction_of, likelier_direction

ENTRY_POINTS = "hpo_explain.adapters"


@dataclass(frozen=True)
class Known:
    """Sources that an adapter reads.

    Attributes
    ----------
    words : str
        What they are called.
    reader : str
        The adapter: a public function, or "module:function".
    classes : tuple of str
        Their classes: the first part of the module, and the name.
    several : str
        "module:function" that returns the objectives of a source with several; else empty.
    """

    words: str
    reader: str
    classes: tuple[str, ...]
    several: str = ""


KNOWN = (
    Known("an optuna.Study", "from_optuna", ("optuna.Study",)),
    Known(
        "a search of scikit-learn",
        "from_sklearn",
        ("sklearn.BaseSearchCV", "optuna_integration.OptunaSearchCV"),
        "sklearn.search:several_metrics",
    ),
    Known(
        "a result or Optimizer of skopt", "from_skopt", ("skopt.Optimizer", "scipy.OptimizeResult")
    ),
    Known("the Trials of Hyperopt", "from_hyperopt", ("hyperopt.Trials",)),
    Known(
        "a facade of SMAC",
        "from_smac",
        ("smac.AbstractFacade", "smac.RunHistory", "hpo_explain.History"),
        "smac.runhistory:several_objectives",
    ),
    Known(
        "a ResultGrid of Ray Tune",
        "from_ray",
        ("ray.ResultGrid", "ray.ExperimentAnalysis", "hpo_explain.Experiment"),
    ),
    Known(
        "a Client of Ax",
        "from_ax",
        ("ax.Client", "ax.AxClient", "ax.Experiment", "hpo_explain.Snapshot"),
        "ax.client:several_objectives",
    ),
    Known(
        "a tuner of KerasTuner",
        "from_keras_tuner",
        ("keras_tuner.BaseTuner", "keras_tuner.Oracle", "hpo_explain.Search"),
    ),
    Known("what FLAML's tune.run returned", "from_flaml", ("flaml.ExperimentAnalysis",)),
    Known(
        "a pandas.DataFrame",
        "from_frame",
        ("pandas.DataFrame",),
        "frame.table:several_objectives",
    ),
)
"""What is read, by its class: nothing is imported to find out."""
_MORE_ACCEPTED = "runs of MLflow, the path or address of one of them, or a Run"
_OF_A_DICT = (
    "Columns by name: give pandas.DataFrame(run), and objective= the name of its column; leave "
    "out of it what was measured, or name what was chosen with hyperparameters=."
)


def as_run(run: Any, **options: Any) -> Run:
    """Return a run as it is, and read anything else with the adapter that knows it.

    Adapters of other packages are found by the entry-point group ``hpo_explain.adapters``. Each
    names a callable ``reader(source, **options)`` that returns a Run, or None where it does not
    know the source; one that does not take the options given is not asked.
    ``examples/adapter_plugin`` holds an example.

    Parameters
    ----------
    run : Run, optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or object
        What holds the run.
    **options
        Options of the adapter, such as ``objective=`` for a table. Of any source,
        ``trials=slice(50, None)`` reads some of the trials only, by their numbers (a slice of them,
        or a list), ``target="duration"`` has the run be about how long they took,
        ``target="failed"`` about which failed, and ``target="infeasible"`` about which failed or
        broke a constraint, unless it has an objective of that name. Of several objectives, a dict
        of weights is the sum of the normalized objectives.
        ``epsilon=0.005`` has an improvement count from there on, in the objective's units (of
        several objectives a dict by their names).

    Returns
    -------
    Run
        The run.

    Raises
    ------
    InputError
        If no adapter reads the source, or an option is unknown to its adapter.
    NothingToExplain
        If no trial of it can be read.
    ImportError
        If the package that recorded it is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
    >>> len(as_run(table, objective="loss"))
    3
    """
    epsilon = options.pop("epsilon", None)
    if epsilon is not None:
        return counting(as_run(run, **options), epsilon)
    target = options.get("target")
    rest = {n: value for n, value in options.items() if n not in ("target", "bounds")}
    if is_measured(target):
        runs = as_runs(run, **rest)
        about = runs[target] if target in runs else measured(next(iter(runs.values())), target)
        return within(about, options.get("bounds"))
    if target in TOGETHER and isinstance(run, Mapping):
        problem = f"is {target!r}, which importance alone answers"
        raise InputError("target", problem, target, "Ask importance, or for a single objective.")
    if isinstance(target, Mapping):
        return within(as_objectives(run, **rest).run(target), options.get("bounds"))
    trials = options.pop("trials", None)
    if trials is not None:
        return chosen(as_run(run, **options), trials)
    objectives = options.get("objective")
    if isinstance(objectives, list):
        problem = f"names {len(objectives)}: {', '.join(map(str, objectives))}"
        remedy = "Name one here; pareto and report take several."
        raise InputError("objective", problem, objectives, remedy)
    if isinstance(run, Run):
        _check_unread(options)
        return run
    if isinstance(run, (str, os.PathLike)):
        from hpo_explain.adapters.files import opened

        # who installed an adapter of such files wants it
        own, _ = _asked(run, options)
        if own is not None:
            return own
        with opened(run, options) as (content, rest):
            return content.noted(as_run(content.source, **rest))
    if isinstance(run, list) and run and all(is_a(one, "mlflow", "Run") for one in run):
        from hpo_explain.adapters.mlflow_store import table_of_mlflow

        run = table_of_mlflow(run)
    reader = read_with(run)
    if reader:
        return read_by(loaded(reader), run, options)
    return _by_others(run, options)


def as_runs(run: Any, **options: Any) -> dict[str, Run]:
    """Return a run by objective: several where it has several and none is chosen.

    Parameters
    ----------
    run : Run, optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or object
        What holds the runs; or a dict of runs by name, each a Run or anything that is read.
    **options
        As of :func:`as_run`.

    Returns
    -------
    dict of str to Run
        By the name of the objective.

    Raises
    ------
    InputError, NothingToExplain, ImportError
        As of :func:`as_run`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
    >>> list(as_runs(table, objective="loss"))
    ['loss']
    """
    epsilon = options.pop("epsilon", None)
    if epsilon is not None:
        runs = as_runs(run, **options)
        if len(runs) > 1 and not isinstance(epsilon, Mapping):
            problem = f"was {epsilon!r}, but there are {len(runs)} objectives"
            remedy = "Give a dict of an amount by the name of each objective."
            raise InputError("epsilon", problem, epsilon, remedy)
        return {name: counting(one, epsilon) for name, one in runs.items()}
    target = options.get("target")
    if target in TOGETHER:  # of all of them
        options.pop("target")
    elif is_measured(target) or isinstance(target, Mapping):
        about = as_run(run, **options)
        return {about.objective_name: about}
    trials = options.pop("trials", None)
    if trials is not None:
        return {name: chosen(one, trials) for name, one in as_runs(run, **options).items()}
    if isinstance(run, Mapping) and run and all(map(_holds_a_run, run.values())):
        return {str(name): as_run(source, **options) for name, source in run.items()}
    if isinstance(run, (str, os.PathLike)):
        from hpo_explain.adapters.files import opened

        own, _ = _asked(run, options)
        if own is not None:
            return {own.objective_name: own}
        with opened(run, options) as (content, rest):
            runs = as_runs(content.source, **rest)
            return {name: content.noted(one) for name, one in runs.items()}
    option, targets = _targets(run)
    if isinstance(options.get(option), list):
        targets = options.pop(option)
    if len(targets) < 2 or options.get(option) is not None:
        if len(targets) == 1:
            options.setdefault(option, targets[0])
        found = as_run(run, **options)
        return {found.objective_name: found}
    return by_objective(
        as_run(run, **{**options, option: target, **of_target})
        for target, of_target in zip(targets, _of_each(run, targets, options), strict=True)
    )


def as_objectives(run: Any, **options: Any) -> Objectives:
    """Return several objectives of the same trials; of a single one it and its duration.

    Parameters
    ----------
    run, **options
        As of :func:`as_runs`.

    Raises
    ------
    InputError, NothingToExplain, ImportError
        As of :func:`as_runs`, or if there is one objective without durations.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1, 9, 4], "took": [7, 2, 9]})
    >>> as_objectives(table, objective="loss", duration="took").names
    ('loss', 'duration in seconds')
    """
    return Objectives.of(as_runs(run, **options))


def _of_each(source: Any, targets: list[Any], options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the options of each of several objectives: its direction, and what it ignores.

    Raises
    ------
    InputError
        If there are more or fewer directions than objectives.
    """
    directions = options.pop("directions", None)
    one = options.pop("direction", None)
    if not is_a(source, "pandas", "DataFrame"):
        return [{} if one is None else {"direction": one}] * len(targets)
    if directions is None:
        directions = [one] * len(targets)
    if isinstance(directions, Mapping):
        directions = [directions.get(target) for target in targets]
    if len(directions) != len(targets):
        problem = f"must be one for each of {targets}, but was {directions}"
        raise InputError("directions", problem, directions)
    known = [
        direction or direction_of(target)
        for direction, target in zip(directions, targets, strict=True)
    ]
    if None in known:
        raise _missing_direction(targets, known)
    ignored = [*(options.get("ignore") or ())]
    return [
        {"direction": direction, "ignore": ignored + [name for name in targets if name != target]}
        for target, direction in zip(targets, known, strict=True)
    ]


def _missing_direction(targets: list[Any], known: list[Direction | None]) -> InputError:
    """Return the error that the direction of one of several objectives is not known."""
    unknown = targets[known.index(None)]
    problem = f"does not say which way {unknown!r} is better"
    ways = Option("directions", [likelier_direction(target) for target in targets])
    remedy = ("Give one for each objective, as ", ways, ".")
    return MissingOptionError("directions", problem, unknown, remedy, [ways])


def _holds_a_run(value: Any) -> bool:
    """Return whether a value of a dict is a run or what one is read from, not a column of one."""
    return isinstance(value, (Run, str, os.PathLike)) or bool(read_with(value))


def _check_unread(options: Mapping[str, Any]) -> None:
    """Raise InputError where options of reading are given with what was read already."""
    for name, value in options.items():
        problem = "cannot be given with a Run, which was read already"
        remedy = (
            "If it says how the run is read, give it to the from_... function that made the "
            "run; else it is no option here."
        )
        raise UnknownOptionError(name, problem, value, remedy)


def _targets(source: Any) -> tuple[str, list[Any]]:
    """Return the option that chooses an objective of a source, and those that it has."""
    if is_a(source, "optuna", "Study"):
        return "target", list(range(len(source.directions)))
    reader = read_with(source)
    several = next((known.several for known in KNOWN if known.reader == reader), "")
    return "objective", [*loaded(several)(source)] if several else []


def checked_options(
    options: dict[str, Any], reader: Callable[..., Run], taker: Callable[..., Any] | None = None
) -> dict[str, Any]:
    """Return the options of a reader as they are.

    Parameters
    ----------
    options : dict
        The options, by name.
    reader : callable
        What they are for; its first parameter is the source, not an option.
    taker : callable, optional
        What they were given to, if not the reader itself: one of its own options may be meant.

    Returns
    -------
    dict
        The options.

    Raises
    ------
    InputError
        If the reader has no such option.

    Examples
    --------
    >>> from hpo_explain.adapters import from_frame
    >>> checked_options({"objective": "loss"}, from_frame)
    {'objective': 'loss'}
    """
    known = list(inspect.signature(reader).parameters)[1:]
    for name in options:
        if name not in known:
            own = inspect.signature(taker).parameters.values() if taker is not None else ()
            meant = [p.name for p in own if p.kind is not p.VAR_KEYWORD] + known
            problem = f"is not an option of {(taker or reader).__name__}"
            remedy = unknown_name(name, name, meant, "option").remedy
            raise UnknownOptionError(name, problem, options[name], remedy, meant)
    return options


def read_by(reader: Callable[..., Run], source: Any, options: dict[str, Any]) -> Run:
    """Return what a reader reads; an error about its source is one about the run.

    Raises
    ------
    InputError
        If the reader has no such option, or refuses the source.
    """
    (name, *_) = inspect.signature(reader).parameters
    try:
        return reader(source, **checked_options(options, reader))
    except InputError as error:
        if error.argument != name:
            raise
        raise error.inside("run", "", error.value) from error.__cause__


def read_with(source: Any) -> str:
    """Return the name of the adapter that knows the class of a source; empty if none does."""
    for known in KNOWN:
        for of_source in known.classes:
            if is_a(source, *of_source.split(".")):
                return known.reader
    return ""


def is_a(source: Any, module: str, name: str) -> bool:
    """Say whether a source is of a class, by the class's name: nothing is imported to find out."""
    return any(
        base.__name__ == name and base.__module__.split(".")[0] == module
        for base in type(source).__mro__
    )


def _asked(source: Any, options: dict[str, Any]) -> tuple[Run | None, list[str]]:
    """Return the run that an adapter of another package reads, and those that cannot be asked."""
    unused = []
    for entry_point in metadata.entry_points(group=ENTRY_POINTS):
        try:
            reader = entry_point.load()
            # not every one takes every option
            inspect.signature(reader).bind(source, **options)
        except Exception as error:  # a broken adapter must not stop the others
            unused.append(f"{entry_point.name} ({error})")
            continue
        run = reader(source, **options)
        if run is None:
            continue
        if not isinstance(run, Run):
            kind = _kind_of(source)
            problem = (
                f"was read by the adapter {entry_point.name!r} ({entry_point.value}), which "
                f"returned a {type(run).__name__} for a {kind}"
            )
            raise InputError("run", problem, kind, "An adapter must return a Run, or None.")
        return run, unused
    return None, unused


def _by_others(source: Any, options: dict[str, Any]) -> Run:
    run, unused = _asked(source, options)
    if run is not None:
        return run
    kind = _kind_of(source)
    if isinstance(source, Mapping):
        raise InputError("run", f"is a {kind}, which no adapter reads", kind, _OF_A_DICT)
    others = f" Adapters that could not be asked: {'; '.join(unused)}." if unused else ""
    accepted = ", ".join(known.words for known in KNOWN)
    remedy = (
        f"Give {accepted}, {_MORE_ACCEPTED}, or install an adapter (entry-point group "
        f"{ENTRY_POINTS!r}).{others}"
    )
    raise InputError("run", f"is a {kind}, which no adapter reads", kind, remedy)


def _kind_of(source: Any) -> str:
    return f"{type(source).__module__}.{type(source).__qualname__}"


def apply_advice(advice: Any, source: Any, **options: Any) -> Any:
    """Return the study as it goes on with all actions; what is given stays as it is.

    Parameters
    ----------
    advice : Advice
        The advice.
    source : optuna.Study
        The study that is advised.
    **options
        Options of the adapter.

    Returns
    -------
    optuna.Study
        As of :meth:`Advice.apply`.

    Raises
    ------
    InputError
        If the source is no study.
    """
    if is_a(source, "optuna", "Study"):
        from hpo_explain.adapters.optuna.advice import continued

        return continued(advice, source, **options)
    problem = f"must be an optuna.Study, but was a {_kind_of(source)}"
    remedy = "Evaluate the configurations of its actions, or paste their code."
    raise InputError("source", problem, source, remedy)
