"""A table of trials, turned into a Run: one row per trial, one column per hyperparameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._reading import instances_of, nothing_left, repeated
from hpo_explain.adapters._sentinels import Sentinels, of_sentinels
from hpo_explain.adapters.frame._cells import read_durations, read_objective
from hpo_explain.adapters.frame._columns import (
    Roles,
    check_names,
    choose_columns,
    column_called,
    configurations,
    read_roles,
)
from hpo_explain.adapters.frame._configurations import spread
from hpo_explain.adapters.frame._layouts import Layout, layout_of, read_sweep
from hpo_explain.adapters.frame._names import different_columns
from hpo_explain.adapters.frame._objective import guessed_objective
from hpo_explain.adapters.frame._results import (
    encoded_of,
    last_of_each,
    read_curves,
    read_proposed,
    read_results,
    read_without_result,
)
from hpo_explain.adapters.frame._space import infer_space, trials_of_ranges
from hpo_explain.adapters.frame._summaries import without_summaries
from hpo_explain.adapters.frame._trials import Evaluations, read_trials
from hpo_explain.base.checks import (
    check_count,
    check_direction,
    unknown_name,
)
from hpo_explain.base.errors import (
    InputError,
    MissingOptionError,
    NothingToExplain,
    Option,
)
from hpo_explain.base.facts import Fact, Origin
from hpo_explain.base.options import Direction
from hpo_explain.base.text import declared_fact
from hpo_explain.run import UNDER_WAY, Instances, Run
from hpo_explain.run.grids import enumerated
from hpo_explain.run.metrics import direction_of, likelier_direction
from hpo_explain.space import Array, Ints, Parameter, SearchSpace

if TYPE_CHECKING:
    import pandas as pd

_EMPTY = declared_fact(
    "table_empty", "frame has no row. Give at least one trial."
)
_ONE_TRAINING = declared_fact(
    "one_training",
    "frame has {rows} rows of one training, as {names} says, and no trials to compare. Give a "
    "table with a row for each trial, or {fidelity=False} if each row is one.",
)
_OF_LAYOUT = declared_fact(
    "direction_of_layout",
    "direction: {direction}, as {names} of {source} is meant",
)
_BY_NAME = declared_fact(
    "direction_by_name",
    "direction: {names} is {way}d, as its name says; {direction=} says otherwise",
)


def from_frame(
    frame: pd.DataFrame,
    objective: str | None = None,
    direction: Direction | None = None,
    space: SearchSpace | Sequence[Parameter] | Mapping[str, Any] | None = None,
    *,
    hyperparameters: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    log: Sequence[str] | None = None,
    linear: Sequence[str] | None = None,
    initial: int | None = None,
    proposed: str | bool | Sequence[int] | None = None,
    optimizer: str | None = None,
    trial: str | None = None,
    time: str | tuple[str, str] | None = None,
    instance: str | None = None,
    fidelity: str | bool | None = None,
    level: float | None = None,
    duration: str | None = None,
    status: str | None = None,
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read a table with one row per trial: an export of W&B, Ray or MLflow, or a CSV file.

    The tables of Optuna (``trials_dataframe()``), scikit-learn (``cv_results_``), Ray Tune
    (``get_dataframe()``), MLflow (``search_runs()``), W&B and Ax (``summarize()``) are recognized
    by their columns, and only those of hyperparameters are read as such, without their prefix, as
    in any table with names like ``params.lr``. A column of dictionaries, or their text, is read as
    a column for each entry. In other tables every column is a hyperparameter that is nothing else:
    numbers and names of trials, states, times, durations, seeds, metrics, copies of the objective
    or of another column, what never varies. Folds, seeds and budgets of which the same
    configurations have several become `instance` and `fidelity`. A note says what was taken for
    what. Rows that failed, were pruned, run or wait are left out.

    Without `space` it is inferred. Text, booleans and categories become categorical hyperparameters
    with the choices that occur; numbers, also those written as text, get the range that occurs, on
    the scale on which they spread evenly. Where a cell is empty the hyperparameter was inactive if
    another one explains that; else None is one of its choices, or a range of numbers counts as
    active at its frequency.

    Parameters
    ----------
    frame : pandas.DataFrame
        The trials. A column that a number or tuple names is given by it, and read as its text.
    objective : str, optional
        Column of the objective; rows in which it is NaN or infinite failed. May be left out
        where a single column is called as a metric is, or several by which the trials are in nearly
        the same order, or where it is the one of scikit-learn's or Optuna's table; "?" lists all
        columns.
    direction : {"minimize", "maximize"}, optional
        Which way is better; by default as the objective's name says, where it is that of a known
        metric: loss and error are minimized, accuracy and AUC maximized, as scores of scikit-learn.
    space : SearchSpace, sequence of hyperparameters or dict, optional
        The search space, whose names are columns; a list of some hyperparameters, which says
        what single columns are, while the others are inferred; or the configuration of a sweep of
        W&B, whose parameters alone are the hyperparameters, and whose metric is the objective.
    hyperparameters : sequence of str, optional
        Columns of the hyperparameters, which are then read whatever they hold.
    ignore : sequence of str, optional
        Columns to leave out, whatever they hold.
    log, linear : sequence of str, optional
        Hyperparameters whose scale is logarithmic, or linear; by default that on which the values
        of each spread evenly.
    initial : int, optional
        How many trials came first and were not chosen by a model, whereas all others were.
    proposed : str, bool or sequence of int, optional
        Which trials a model chose: a column that says so, True for all, or their numbers. A table
        alone does not tell them from a grid or random draws; so by default none is explained as a
        proposal, except for those that Ax's table names.
    optimizer : str, optional
        What ran the optimization; without `initial` and `proposed` it chose all trials.
    trial : str, optional
        Column of the trial numbers, which also order the rows, or of their names; by default rows
        are numbered from 0, of the tables of Optuna and Ax by their own column.
    time : str or tuple of two str, optional
        Column of a time that orders the rows, or columns of start and finish, by which what was
        known when a trial was proposed is decided: seconds, or timestamps as dates or ISO 8601, but
        not durations. A trial without finish and objective counts as still running. By default
        those of MLflow and W&B.
    instance : str, optional
        Column of the fold, data set or seed, where a trial has one row for each of them: rows of
        the same number (`trial`), or else of the same configuration. The objective of the trial
        is then the mean over its instances, and the run's `instances` holds every value.
    fidelity : str or False, optional
        Column of the samples, epochs or other budget of a result. Only results of the same budget
        are comparable: by default those of the highest count. With `trial`, rows of the same trial
        are its learning curve (``run.curves``). The resources of a halving search
        and the iterations of Ray Tune are known; False takes them for comparable.
    level : float, optional
        The fidelity that counts in place of the highest.
    duration : str, optional
        Column of how long a trial took: seconds, or durations as pandas writes them. By default
        that of Optuna, scikit-learn, W&B or Ray Tune, else the time from start to finish.
    status : str, optional
        Column that says what became of a trial, in words such as "finished", "failed", "timeout"
        or "pruned"; of failed and pruned ones the objective does not count.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default that of the metric by its name, if it has one. A
        number that lies far beyond all others, such as 1e6, counts as a failure unless they hold
        it.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    InputError
        If a column is missing, no direction is given or known by the name, the objective is not
        numeric, a row is outside `space`, a trial finishes before it starts, no row has the
        `level`, or a status is not known.
    NothingToExplain
        If there is no row with a finite objective.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame(
    ...     {"lr": [1e-4, 1e-2, 0.3], "booster": ["dart", "gbtree", "dart"], "auc": [0.7, 0.9, 0.8]}
    ... )
    >>> run = hx.from_frame(table, objective="auc")
    >>> run.space["lr"].log, run.incumbent
    (True, {'lr': 0.01, 'booster': 'gbtree'})

    One row per configuration and fold:

    >>> table = pd.DataFrame(
    ...     {"lr": [0.1, 0.1, 0.2, 0.2], "fold": [1, 2, 1, 2], "loss": [4.0, 2.0, 1.0, 2.0]}
    ... )
    >>> run = hx.from_frame(table, objective="loss", instance="fold")
    >>> run.objective.tolist(), run.instances.names, run.instances.objective.tolist()
    ([3.0, 1.5], (1, 2), [4.0, 2.0, 1.0, 2.0])
    """
    if initial is not None:
        check_count("initial", initial, minimum=0)
    table = _with_text_names(frame)
    if len(table) == 0:
        raise NothingToExplain(_EMPTY())
    table, about_rows = without_summaries(table)
    ignored = [
        column_called("ignore", name, table)
        for name in check_names("ignore", ignore)
    ]
    dictionaries = spread(
        table.drop(columns=ignored),
        {str(objective), *_mentioned(hyperparameters, None)},
    )
    table = dictionaries.table
    about_sweep: Sequence[Fact] = ()
    if isinstance(space, Mapping):
        tried = {
            str(name).removeprefix("config."): table[name].tolist()
            for name in table.columns
        }
        sweep = read_sweep(space, tried)
        space, about_sweep = [*sweep.parameters], sweep.notes
        hyperparameters = hyperparameters or [p.name for p in sweep.parameters]
        objective = sweep.objective if objective is None else objective
        direction = direction or (
            sweep.direction if objective == sweep.objective else None
        )
    # columns may be named by numbers and tuples, hyperparameters by text only
    mentioned = _mentioned(hyperparameters, space)
    asked: dict[str, Any] = {
        "objective": objective,
        "trial": trial,
        "time": time,
        "instance": instance,
        "fidelity": fidelity,
        "proposed": proposed,
        "duration": duration,
        "status": status,
    }
    guessed = guessed_objective(table) if objective is None else None
    likely = objective if guessed is None else guessed.names[0]
    layout = layout_of(table, dictionaries, likely)
    given = read_roles(table, layout, mentioned, asked, guessed)
    is_guessed = guessed is not None and given.objective in guessed.names
    about_objective = [guessed] if guessed is not None and is_guessed else []
    values = read_objective(table, given.objective)
    direction, about_direction = _direction(direction, layout, given.objective)
    chosen = choose_columns(
        table,
        layout,
        given,
        hyperparameters,
        space,
        values,
        without=("fidelity",) if fidelity is False else (),
    )
    roles = chosen.roles
    every_step = table
    has_curves = bool(roles.trial and roles.fidelity and not roles.instance)
    if has_curves and not _is_of(layout, roles.fidelity):
        table = last_of_each(table, roles.trial, roles.fidelity, level)
        values = read_objective(table, roles.objective)
        layout = layout_of(table, dictionaries, likely)
    configs, set_to_none = configurations(table, chosen, layout)

    columns = [*chosen.names]
    asked_of_results = Sentinels(
        direction,
        roles.objective,
        bounds,
        lambda row: repr(configs.iloc[row].tolist()),
    )
    results = read_results(
        table,
        layout,
        roles,
        values,
        hyperparameters=columns,
        level=level,
        asked=asked_of_results,
    )
    trials = read_trials(
        table,
        roles,
        columns,
        by_time=len(roles.times) == 1 or (time is None and bool(roles.times)),
    )
    numbers, evaluations = trials.numbers, trials.evaluations
    means = evaluations.mean(results.objective)
    kept = trials.order[np.isfinite(means[trials.order])]
    excluded = results.excluded(trials, roles.objective)
    if not len(kept):
        raise nothing_left("frame", excluded)
    if (
        len(kept) == 1
        and roles.fidelity
        and not roles.trial
        and len(table) > 1
        and table[roles.fidelity].is_unique
    ):
        raise NothingToExplain(
            _ONE_TRAINING(names=[roles.fidelity], rows=len(table))
        )

    cells = configs.iloc[evaluations.first]
    inferred: list[Fact] = []
    ranges: dict[str, list[int]] = {}
    if isinstance(space, SearchSpace):
        own, X = space, space.encode(cells.iloc[kept])
    else:
        none = {
            name: rows[evaluations.first] for name, rows in set_to_none.items()
        }
        own, X, inferred = infer_space(
            cells,
            kept,
            numbers[kept],
            given=chosen.given,
            log=_scales(log, linear, [*configs.columns]),
            set_to_none=none,
        )
        in_order = cells.iloc[trials.order]
        ranges = trials_of_ranges(own, in_order, numbers[trials.order])
    by_model, known, about_proposals = read_proposed(
        table,
        layout,
        trials,
        initial=initial,
        proposed=proposed,
        optimizer=optimizer,
    )
    by_number = cells.set_axis(numbers)
    excluded_times = trials.times_without(means)
    without_result = read_without_result(
        by_number,
        _without_running(excluded, excluded_times),
        own,
        by_model,
        known=known,
        reported=numbers[
            evaluations.configuration[np.isfinite(values)]
        ].tolist(),
    )
    curves = None
    if has_curves:
        keys = table[roles.trial].map(str).iloc[evaluations.first].tolist()
        of_trial = dict(zip(numbers[kept].tolist(), X, strict=True))
        of_trial |= encoded_of(
            own, by_number, {*numbers.tolist()} - {*of_trial}
        )
        of_key = dict(zip(keys, numbers.tolist(), strict=True))
        curves = read_curves(every_step, roles, of_key, of_trial, level)
    return Run(
        own,
        X,
        means[kept],
        direction,
        trials=numbers[kept],
        proposals=[t for t in numbers[kept].tolist() if t in by_model],
        origins={}
        if known
        else dict.fromkeys(numbers.tolist(), Origin.UNKNOWN),
        excluded=excluded,
        notes=[
            *about_rows,
            *about_sweep,
            *chosen.named_in(own, given, ignored),
            *about_objective,
            *about_direction,
            *of_sentinels(excluded),
            *results.notes,
            *trials.notes,
            *evaluations.notes(roles.objective),
            *inferred,
            *about_proposals,
            *repeated(X),
            *enumerated(X),
        ],
        started=None if trials.started is None else trials.started[kept],
        finished=None if trials.finished is None else trials.finished[kept],
        durations=_durations(table, roles, layout, evaluations)[kept],
        excluded_times=excluded_times,
        without_result=without_result,
        objective_name=roles.objective,
        bounds=bounds,
        optimizer=optimizer
        or (layout.optimizer if layout is not None else "")
        or "the optimizer",
        instances=_instances(
            table, roles, layout, evaluations, results.objective, X, kept
        ),
        curves=curves,
        ranges_from={
            name: of for name, of in ranges.items() if name not in chosen.given
        },
    )


def _without_running(
    excluded: Mapping[int, Fact], times: Mapping[int, tuple[float, float]]
) -> dict[int, Fact]:
    """Return why trials were left out, without those that have no value as they still run."""
    found = dict(excluded)
    for trial, (_, finish) in times.items():
        if np.isinf(finish) and found[trial].kind not in UNDER_WAY:
            del found[trial]
    return found


def _instances(
    table: pd.DataFrame,
    roles: Roles,
    layout: Layout | None,
    evaluations: Evaluations,
    objective: Array,
    X: Array,
    kept: Ints,
) -> Instances | None:
    """Return the evaluations of trials on several instances, or their scores on several folds."""
    if roles.instance:
        return evaluations.of(kept, X, objective)
    if layout is None or not layout.folds(roles.objective):
        return None
    scores = [
        read_objective(table, name) for name in layout.folds(roles.objective)
    ]
    return instances_of(X, np.column_stack(scores)[kept])


def _durations(
    table: pd.DataFrame,
    roles: Roles,
    layout: Layout | None,
    evaluations: Evaluations,
) -> Array:
    """Return how long trials took, all their evaluations together; NaN where it is unknown."""
    column = roles.duration or (layout.duration if layout is not None else "")
    if column not in table.columns:
        return np.full(len(evaluations.first), np.nan)
    return evaluations.total(read_durations(table[column], column))


def _direction(
    given: Direction | None, layout: Layout | None, objective: str
) -> tuple[Direction, list[Fact]]:
    """Return which way is better, and what was assumed."""
    if given is not None:
        return check_direction(given), []
    known = None if layout is None else layout.direction(objective)
    if layout is not None and known is not None:
        note = _OF_LAYOUT(
            names=[objective], source=layout.source, direction=known
        )
        return known, [note]
    by_name = direction_of(objective)
    if by_name is None:
        problem = f"was not given, and the name {objective!r} does not say which way is better"
        smaller, larger = (
            Option("direction", "minimize"),
            Option("direction", "maximize"),
        )
        raise MissingOptionError(
            "direction",
            problem,
            objective,
            ("Give ", smaller, " or ", larger, "."),
            [Option("direction", likelier_direction(objective))],
        )
    return by_name, [_BY_NAME(names=[objective], way=by_name)]


def several_objectives(frame: pd.DataFrame) -> list[str]:
    """Return the objectives of a table of Optuna's with several; none of another table."""
    columns = [*map(str, frame.columns)]
    if not {"number", "state"} <= {*columns}:
        return []
    return [name for name in columns if name.startswith("values_")]


def _is_of(layout: Layout | None, fidelity: str) -> bool:
    """Say whether a framework writes one row per trial, with the budget that it reached."""
    return layout is not None and layout.fidelity == fidelity


def _scales(
    log: Sequence[str] | None, linear: Sequence[str] | None, names: list[str]
) -> dict[str, bool]:
    """Return whether the user said that the scale of hyperparameters is logarithmic, by name.

    Raises
    ------
    InputError
        If there is no such hyperparameter, or one has both scales.
    """
    scales: dict[str, bool] = {}
    for argument, listed, is_log in (
        ("log", log, True),
        ("linear", linear, False),
    ):
        for name in check_names(argument, listed):
            if name not in names:
                raise unknown_name(argument, name, names, "hyperparameter")
            if name in scales:
                problem = f"names {name!r}, which log does already"
                raise InputError(argument, problem, name, "Choose one.")
            scales[name] = is_log
    return scales


def _mentioned(hyperparameters: object, space: object) -> list[str]:
    """Return the names of columns that the user gave as hyperparameters."""
    given = space if hyperparameters is None else hyperparameters
    if isinstance(given, str) or not isinstance(given, Iterable):
        return []
    return [str(getattr(entry, "name", entry)) for entry in given]


def _with_text_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a name of text for every column, and its rows numbered from 0."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        problem = (
            f"must be a pandas.DataFrame, but was a {type(frame).__name__}"
        )
        remedy = "Make one with pandas.DataFrame(...) or pandas.read_csv(...)."
        raise InputError("frame", problem, type(frame).__name__, remedy)
    names = [str(column) for column in frame.columns]
    if (
        isinstance(frame.columns, pd.MultiIndex)
        and ("number", "") in frame.columns
    ):
        # Optuna's trials_dataframe(multi_index=True)
        names = [
            "_".join(str(part) for part in parts if part != "")
            for parts in frame.columns
        ]
    table = frame.reset_index(drop=True)
    table.columns = names  # of the new frame: reset_index copied it
    return table.iloc[:, different_columns(frame, names, "frame")]
