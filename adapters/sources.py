"""Whatever holds an optimization run, as a Run: what every function of the package takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import metadata
from typing import Any

from hpo_explain._checks import unknown_name
from hpo_explain.run import Run

ENTRY_POINTS = "hpo_explain.adapters"

_ACCEPTED = (
    "an optuna.Study, a result, Optimizer or BayesSearchCV of skopt, a pandas.DataFrame or a Run"
)


def as_run(source: Any, **options: Any) -> Run:
    """Return a run as it is, and read anything else with the adapter that knows it.

    Adapters of others are found by the entry-point group ``hpo_explain.adapters``. Each names a
    callable ``reader(source, **options)`` that returns a Run, or None where the source is not
    its own; one that does not take the options given is not asked. ``examples/adapter_plugin``
    holds one.

    Parameters
    ----------
    source : Run, optuna.Study, skopt result, pandas.DataFrame or object
        What holds the run.
    **options
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    ValueError
        If nobody can read the source, or an option is not one of its adapter.
    ImportError
        If the package that recorded it is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
    >>> len(as_run(table, objective="loss"))
    3
    """
    if isinstance(source, Run):
        if options:
            raise ValueError(
                f"{', '.join(options)} cannot be given with a Run, which was read already. "
                "Give them to the from_... function that made it."
            )
        return source
    for (module, name), reader in _READERS.items():
        if _is_a(source, module, name):
            return reader(source, options)
    return _by_others(source, options)


def as_runs(source: Any, **options: Any) -> dict[str, Run]:
    """Return a run by objective: several where a study has several and no `target` names one.

    Parameters
    ----------
    source : Run, optuna.Study, skopt result, pandas.DataFrame or object
        What holds the runs.
    **options
        As of :func:`as_run`.

    Returns
    -------
    dict of str to Run
        By the name of the objective.

    Raises
    ------
    ValueError, ImportError
        As of :func:`as_run`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
    >>> list(as_runs(table, objective="loss"))
    ['loss']
    """
    targets: list[Any] = []
    if _is_a(source, "optuna", "Study") and options.get("target") is None:
        targets = list(range(len(source.directions)))
    if len(targets) < 2:
        run = as_run(source, **options)
        return {run.objective_name: run}
    runs = [as_run(source, **{**options, "target": target}) for target in targets]
    names = [run.objective_name for run in runs]
    if len(set(names)) < len(names):
        names = [f"{name} {i}" for i, name in enumerate(names)]
    return dict(zip(names, runs, strict=True))


def checked_options(
    options: dict[str, Any], reader: Callable[..., Run], taker: Callable[..., Any] | None = None
) -> dict[str, Any]:
    """Return the options of a reader as they are.

    Parameters
    ----------
    options : dict
        The options, by name.
    reader : callable
        What they are for; its first parameter is the source, and no option.
    taker : callable, optional
        What was given them, if not the reader itself: one of its own may have been meant.

    Returns
    -------
    dict
        The options.

    Raises
    ------
    ValueError
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
            kind = f"option of {(taker or reader).__name__}"
            raise unknown_name(name, name, meant, kind)
    return options


def _is_a(source: Any, module: str, name: str) -> bool:
    """Say whether a source is of a class, by the class's name: nothing is imported to find out."""
    return any(
        base.__name__ == name and base.__module__.split(".")[0] == module
        for base in type(source).__mro__
    )


def _optuna(source: Any, options: dict[str, Any]) -> Run:
    from hpo_explain.adapters.optuna import from_optuna

    return from_optuna(source, **checked_options(options, from_optuna))


def _skopt(source: Any, options: dict[str, Any]) -> Run:
    from hpo_explain.adapters.skopt import from_skopt

    return from_skopt(source, **checked_options(options, from_skopt))


def _frame(source: Any, options: dict[str, Any]) -> Run:
    from hpo_explain.adapters.frame import from_frame

    checked_options(options, from_frame)
    if "objective" not in options:
        columns = ", ".join(str(column) for column in source.columns[:30])
        raise ValueError(
            "objective is missing: a table does not say which column it is. Add "
            f'objective="..."; the columns are {columns}.'
        )
    return from_frame(source, **options)


_READERS: dict[tuple[str, str], Callable[[Any, dict[str, Any]], Run]] = {
    ("optuna", "Study"): _optuna,
    ("skopt", "Optimizer"): _skopt,
    ("skopt", "BayesSearchCV"): _skopt,
    ("scipy", "OptimizeResult"): _skopt,
    ("pandas", "DataFrame"): _frame,
}


def _by_others(source: Any, options: dict[str, Any]) -> Run:
    kind = f"{type(source).__module__}.{type(source).__qualname__}"
    unused = []
    for entry_point in metadata.entry_points(group=ENTRY_POINTS):
        try:
            reader = entry_point.load()
            inspect.signature(reader).bind(source, **options)  # not every one takes every option
        except Exception as error:  # a broken adapter must not stop the others
            unused.append(f"{entry_point.name} ({error})")
            continue
        run = reader(source, **options)
        if run is None:
            continue
        if not isinstance(run, Run):
            raise ValueError(
                f"the adapter {entry_point.name!r} ({entry_point.value}) returned a "
                f"{type(run).__name__} for a {kind}; it must return a Run, or None."
            )
        return run
    others = f" Adapters that could not be asked: {'; '.join(unused)}." if unused else ""
    raise ValueError(
        f"source is a {kind}, which no adapter reads. Give {_ACCEPTED}, or install an adapter "
        f"(entry-point group {ENTRY_POINTS!r}).{others}"
    )
