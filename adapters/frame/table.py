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
    DeepHyper, Sherpa, Syne Tune and Nevergrad are known by their columns, and only those of
    hyperparameters are read as such, without their prefix, as in any table with names like
    ``params.lr``. A column of dictionaries, or their text, is read as a column for each entry. In
    other tables all columns without a role are hyperparameters, unless one is suspicious: it is
    called as a metric, time, identifier, counter, seed, fold or status, numbers the rows, holds
    lists, differs in every row of a grid, follows from other columns, or orders the trials as the
    objective does. Then an error asks for `hyperparameters`, and proposes them. Rows that failed,
    were pruned, run or wait are left out, where `status` tells.

    Without `space` it is inferred. Text, booleans and categories become categorical hyperparameters
    with the choices that occur; numbers, also those written as text, get the range that occurs, on
    the scale on which they spread evenly, and no other values than those that occur where each of
    these is in many rows, or all are powers of two. Where a cell is empty the hyperparameter was
    inactive if another one explains that; else None is one of its choices, or a range of numbers
    counts as active at its frequency.

    Parameters
    ----------
    frame : pandas.DataFrame
        The trials. A column that a number or tuple names is given by it, and read as its text.
    objective : str, optional
        Column of the objective; rows in which it is NaN or infinite failed. May be left out
        where the framework has one.
    direction : {"minimize", "maximize"}, optional
        Which way is better; by default as the objective's name says, where it is that of a known
        metric: loss and error are minimized, accuracy and AUC maximized, as scores of scikit-learn.
    space : SearchSpace, sequence of hyperparameters or dict, optional
        The search space, whose names are columns; a list of some hyperparameters, which says
        what single columns are, while the others are inferred; or the configuration of a sweep of
        W&B, whose parameters alone are the hyperparameters, and whose metric is the objective.
    hyperparameters : sequence of str, optional
        Columns of the hyperparameters, which are then read whatever they hold; by default all
        without a role, unless one is suspicious.
    ignore : sequence of str, optional
        Columns to leave out, whatever they hold.
    log, linear : sequence of str, optional
        Hyperparameters whose scale is logarithmic, or linear; by default that on which the values
        of each spread evenly.
    initial : int, optional
        How many trials came first and were not chosen by a model, whereas all others were.
    proposed : str, optional
        Column that says which trials a model chose. A table alone does not tell them from a grid or
        random draws; so by default none is explained as a proposal, except for those that Ax's
        table names.
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
        If a column is missing, it is not clear which are hyperparameters, no direction is given or
        known by the name, the objective is not numeric, a trial finishes before it starts, no row
        has the `level`, or a status is not known.
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
    about = text, Option("direction"), " says otherwise"
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
