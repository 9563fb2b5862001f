"""A table of trials, turned into a Run: one row per trial, one column per hyperparameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._cells import (
    different_columns,
    read_durations,
    read_numbers,
    read_objective,
)
from hpo_explain.adapters._evaluations import (
    Encoded,
    Evaluation,
    Source,
    configs_of,
    encoded,
    inferred,
    run_of,
)
from hpo_explain.adapters._reading import instances_of
from hpo_explain.adapters._sentinels import Sentinels
from hpo_explain.adapters.frame._columns import (
    Chosen,
    Roles,
    check_names,
    choose_columns,
    column_called,
    configurations,
    read_roles,
    scales_of,
    times_of,
)
from hpo_explain.adapters.frame._curves import read_curves
from hpo_explain.adapters.frame._layouts import Known, known_of, read_status
from hpo_explain.adapters.frame._proposal import Missing, likeliest_objectives
from hpo_explain.adapters.frame._proposed import read_proposed
from hpo_explain.adapters.frame._settings import Spread, spread
from hpo_explain.adapters.frame._trials import Trials, read_trials
from hpo_explain.adapters.wandb_sweep import read_sweep
from hpo_explain.base.checks import check_count, check_direction
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Option, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.run import RUNNING, Run
from hpo_explain.run.grids import enumerated
from hpo_explain.run.metrics import direction_of
from hpo_explain.space import Array, Parameter, SearchSpace

if TYPE_CHECKING:
    import pandas as pd


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
    proposed: str | None = None,
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
    (``get_dataframe()``), MLflow (``search_runs()``), W&B, Ax (``summarize()``), Hyperopt,
    DeepHyper, Sherpa, Syne Tune and Nevergrad are recognized by their columns, and so are columns
    such as ``params.lr``; the prefix is dropped. A column of dictionaries becomes one column per
    entry. In other tables all columns without a role are hyperparameters. If a column may be
    something else, such as a metric, a time, a counter or a seed, an error asks for
    `hyperparameters` and proposes some. Rows are excluded if `status` says that they failed, were
    pruned or are unfinished.

    Without `space`, the search space is inferred. Text, booleans and categories become categorical
    hyperparameters with the choices that occur. Numbers, also those written as text, get the range
    that occurs, on the scale on which they are spread most evenly; if each value is in many rows or
    all are powers of two, only these values are allowed. An empty cell means an inactive
    hyperparameter if another one explains that. Otherwise None becomes a choice, or a number is
    active in this share of the configurations.

    Parameters
    ----------
    frame : pandas.DataFrame
        The trials. Column names that are numbers or tuples are converted to text.
    objective : str, optional
        Column of the objective; rows in which it is NaN or infinite count as failed. Optional for
        the tables of frameworks that name it.
    direction : {"minimize", "maximize"}, optional
        Direction of the optimization; by default derived from the objective's name if that is a
        known metric: losses and errors are minimized, accuracy, AUC and scikit-learn's scores are
        maximized.
    space : SearchSpace, sequence of hyperparameters or dict, optional
        The search space, with the names of the columns; or a list of some hyperparameters, while
        the others are inferred; or the configuration of a W&B sweep, whose parameters are the
        hyperparameters and whose metric is the objective.
    hyperparameters : sequence of str, optional
        Columns of the hyperparameters; by default all without a role.
    ignore : sequence of str, optional
        Columns to ignore.
    log, linear : sequence of str, optional
        Hyperparameters with a logarithmic or a linear scale; by default the scale on which the
        values are spread most evenly.
    initial : int, optional
        Number of initial trials that no model chose; a model chose all others.
    proposed : str, optional
        Column that says which trials a model chose. By default none is explained as a proposal,
        because a table does not show whether its rows are a grid or random draws; Ax's table does.
    optimizer : str, optional
        Name of the optimizer. Without `initial` and `proposed` it chose all trials.
    trial : str, optional
        Column of the trial numbers (which also order the rows) or names. By default rows are
        numbered from 0, or by the column of Optuna's and Ax's tables.
    time : str or tuple of two str, optional
        Column of a time that orders the rows, or columns of start and finish, which decide what was
        known when a trial was proposed. Seconds, dates or ISO 8601 timestamps, not durations. A
        trial without finish and objective counts as running. By default those of MLflow and W&B.
    instance : str, optional
        Column of the fold, data set or seed, if a trial has one row for each. Rows belong to the
        same trial if they have the same number (`trial`), or else the same configuration. The
        objective is the mean over instances; ``run.instances`` holds all values.
    fidelity : str or False, optional
        Column of the budget of a result, such as epochs or samples. Only results with the same
        budget are compared, by default the highest. With `trial`, the rows of a trial are its
        learning curve (``run.curves``). The resources of halving searches and the iterations of
        Ray Tune are recognized; False means that all results are comparable.
    level : float, optional
        The budget to use in place of the highest.
    duration : str, optional
        Column of the duration of a trial: seconds, or durations as pandas writes them. By default
        that of Optuna, scikit-learn, W&B or Ray Tune, else the time from start to finish.
    status : str, optional
        Column of the state of a trial, in words such as "finished", "failed", "timeout" or
        "pruned". The objective of failed and pruned trials is ignored.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric. A number far
        beyond all others, such as 1e6, counts as a failure unless it is within this range.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    InputError
        If a column is missing, the hyperparameters or the direction are unclear, the objective is
        not numeric, a trial finishes before it starts, no row has the `level`, or a status is
        unknown.
    NothingToExplain
        If no row has a finite objective.

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
    spread_out = _spread_out(frame, objective, hyperparameters, ignore)
    table, notes = spread_out.table, []
    if isinstance(space, Mapping):
        tried = {name.removeprefix("config."): table[name].tolist() for name in table.columns}
        sweep = read_sweep(space, tried)
        space, notes = [*sweep.parameters], [*sweep.notes]
        hyperparameters = hyperparameters or [p.name for p in sweep.parameters]
        objective = sweep.objective if objective is None else objective
        if objective == sweep.objective:
            direction = direction or sweep.direction
    known = known_of(table, spread_out, objective)
    wanted = known.objective
    if objective is not None:
        name = str(objective)
        wanted = known.metrics.get(name) or column_called("objective", name, table)
    named = (trial, instance, fidelity, proposed, duration, status)
    columns = ["" if name is None or name is False else str(name) for name in named]
    given = Roles(times_of(time), wanted, *columns)
    mentioned = _mentioned(hyperparameters, space)
    roles = read_roles(table, known, mentioned, given, has_levels=fidelity is None)
    curves: dict[str, dict[float, float]] = {}
    if roles.trial and roles.fidelity and not roles.instance:
        curves, table = read_curves(table, roles, level)
        known = known_of(table, spread_out, objective)
    read = _understood(table, known, roles, direction, hyperparameters, space)
    by_model, about = read_proposed(
        table, known, read.trials, initial=initial, proposed=proposed, optimizer=optimizer
    )
    evaluations = read.evaluations(by_model, curves, bounds)
    run = run_of(
        evaluations,
        read.encoded(evaluations, space, log, linear),
        Source(
            "frame",
            optimizer or known.layout.optimizer,
            read.direction,
            read.roles.objective,
            roles.fidelity,
            roles.fidelity or "step",
        ),
        level=level,
        bounds=bounds,
        notes=[*notes, *read.notes, *about],
    )
    return read.completed(run)


def _understood(
    table: pd.DataFrame,
    known: Known,
    roles: Roles,
    direction: Direction | None,
    hyperparameters: Sequence[str] | None,
    space: SearchSpace | Sequence[Parameter] | None,
) -> _Table:
    """Return a table with what its columns and rows are.

    Raises
    ------
    InputError
        If that is not clear; the error proposes it.
    """
    way, about = _direction(direction, known, roles.objective)
    is_known = bool(roles.objective)
    if not is_known:
        roles = replace(roles, objective=likeliest_objectives(table, roles)[0])
    chosen = choose_columns(table, known, roles, hyperparameters, space)
    if not (is_known and way) or chosen.suspicious:
        raise Missing(table, roles, is_known, way, chosen).error()
    trials = read_trials(table, roles, [*chosen.names, *filter(None, [roles.fidelity])])
    notes = [*about, *trials.notes, *trials.rows.notes(roles.objective)]
    return _Table(table, known, roles, chosen, trials, way, notes)


def _spread_out(
    frame: pd.DataFrame, objective: object, hyperparameters: object, ignore: Sequence[str] | None
) -> Spread:
    """Return the table without what is ignored, with a column for each entry of dictionaries."""
    table = _with_text_names(frame)
    if len(table) == 0:
        raise NothingToExplain(fact("frame has no row. Give at least one trial."))
    ignored = [column_called("ignore", name, table) for name in check_names("ignore", ignore)]
    named = {str(objective), *_mentioned(hyperparameters, None)}
    return spread(table.drop(columns=ignored), named)


@dataclass(frozen=True, eq=False)
class _Table:
    """A table, what is known of it, what its columns are, and which rows are of which trial."""

    table: pd.DataFrame
    known: Known
    roles: Roles
    chosen: Chosen
    trials: Trials
    direction: Direction
    notes: Sequence[Fact]

    def evaluations(
        self,
        by_model: set[int] | None,
        curves: Mapping[str, Mapping[float, float]],
        bounds: tuple[float, float] | None,
    ) -> dict[int, Evaluation]:
        """Return the trials in the order in which they were proposed.

        Parameters
        ----------
        by_model : set of int or None
            Those that a model chose; None where that is not known.
        curves : mapping of str to mapping of float to float
            What trials reported, by what names them.
        bounds : tuple of float or None
            The objective's natural range.
        """
        trials, roles = self.trials, self.roles
        values = read_objective(self.table, roles.objective)
        means, reasons = trials.rows.mean(values), self._reasons(values, bounds)
        started, finished = trials.started, trials.finished
        durations = fidelity = np.full(len(means), np.nan)
        column = roles.duration or self.known.layout.duration
        if column in self.table.columns:
            seconds = read_durations(self.table[column], column)
            durations = trials.rows.joined(seconds, np.add, 0.0)
        if roles.fidelity:
            steps = read_numbers(self.table[roles.fidelity])
            fidelity = steps[trials.rows.first]
        keys = self.table[roles.trial].map(str).tolist() if curves else []
        found = {}
        for i in trials.order.tolist():
            number, has_end = int(trials.numbers[i]), not np.isnan([means[i], finished[i]]).all()
            is_under_way = not (has_end or np.isnan(started[i]))
            reason = reasons.get(number, RUNNING if is_under_way else None)
            found[number] = Evaluation(
                {},
                float(means[i]),
                reason,
                _origin(number, by_model),
                float(started[i]),
                np.inf if reason is RUNNING else float(finished[i]),
                float(fidelity[i]),
                curves[keys[i]] if curves else {},
                float(durations[i]),
            )
        return found

    def _reasons(self, values: Array, bounds: tuple[float, float] | None) -> dict[int, Fact]:
        """Return why trials do not count: they did not finish, or failed on an instance."""
        name, status = self.roles.objective, self.roles.status
        rows, configuration = self.trials.rows, self.trials.rows.configuration
        numbers = self.trials.numbers[configuration].tolist()
        reasons = {}
        if rows.column:  # no mean over instances shows that one result stands for a failure
            of_rows = Sentinels(self.direction, name, bounds, lambda i: int(configuration[i]))
            reasons = rows.not_finite(values, numbers, name) | of_rows.excluded(values, numbers)
        stopped = read_status(self.table[status], status) if status else {}
        return reasons | {numbers[row]: why for row, why in stopped.items()}

    def encoded(
        self,
        evaluations: Mapping[int, Evaluation],
        space: SearchSpace | Sequence[Parameter] | None,
        log: Sequence[str] | None,
        linear: Sequence[str] | None,
    ) -> Encoded:
        """Return trials as rows of a space, by default of the one that those span which count."""
        configs, none = configurations(self.table, self.chosen, self.known)
        first = self.trials.rows.first[self.trials.order]
        cells = configs.iloc[first].reset_index(drop=True)
        if isinstance(space, SearchSpace):
            return encoded(space, configs_of(cells, space))
        counts = [not e.reason and np.isfinite(e.value) for e in evaluations.values()]
        return inferred(
            cells,
            np.flatnonzero(counts),
            np.array([*evaluations]),
            given=self.chosen.given,
            log=scales_of(log, linear, [*configs.columns]),
            set_to_none={name: rows[first] for name, rows in none.items()},
        )

    def completed(self, run: Run) -> Run:
        """Return a run with what is known of its instances or folds, and of its columns."""
        trials, table = self.trials, self.table
        place = {int(n): i for i, n in enumerate(trials.numbers)}
        kept = np.array([place[int(n)] for n in np.asarray(run.trials)])
        instances = None
        folds = self.known.folds(self.roles.objective, [*table.columns])
        if self.roles.instance:
            values = read_objective(table, self.roles.objective)
            instances = trials.rows.of(kept, run.X, values)
        elif folds:
            scores = [read_objective(table, name) for name in folds]
            instances = instances_of(run.X, np.column_stack(scores)[kept])
        source = self.known.layout.source
        about = self.chosen.note(run.space, table, self.roles, source)
        notes = [about, *run.notes, *enumerated(run.X)]
        return replace(run, notes=notes, instances=instances)


def _origin(number: int, by_model: set[int] | None) -> Origin:
    """Return who chose a trial; what came before the first proposal is the initial design."""
    if by_model is None:
        return Origin.UNKNOWN
    if number in by_model:
        return Origin.MODEL
    is_first = number < min(by_model, default=number + 1)
    return Origin.INITIAL if is_first else Origin.UNKNOWN


def _direction(
    given: Direction | None, known: Known, objective: str
) -> tuple[Direction | None, list[Fact]]:
    """Return which way is better, if that is known, and a note on how."""
    if given is not None:
        return check_direction(given), []
    of_layout = known.direction(objective)
    if of_layout:
        text = f"direction: {of_layout}, as {objective} of {known.layout.source} is meant"
        return of_layout, [fact(text, kind="direction_of_layout")]
    by_name = direction_of(objective)
    if not by_name:
        return None, []
    text = f"direction: {objective} is {by_name}d, as its name says; "
    about = text, Option("direction"), " changes it"
    return by_name, [fact(*about, kind="direction_by_name", role="check")]


def several_objectives(frame: pd.DataFrame) -> list[str]:
    """Return the objectives of a table of Optuna's with several; none of another table."""
    columns = [*map(str, frame.columns)]
    is_optunas = {"number", "state"} <= {*columns}
    return [name for name in columns if is_optunas and name.startswith("values_")]


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
        problem = f"must be a pandas.DataFrame, but was a {type(frame).__name__}"
        remedy = "Make one with pandas.DataFrame(...) or pandas.read_csv(...)."
        raise InputError("frame", problem, type(frame).__name__, remedy)
    names = [str(column) for column in frame.columns]
    table = frame.reset_index(drop=True)
    table.columns = names  # of the new frame: reset_index copied it
    return table.iloc[:, different_columns(frame, names, "frame")]
