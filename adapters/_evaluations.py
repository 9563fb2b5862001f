"""Evaluations that a framework recorded one by one, put together as a Run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters._cells import is_empty
from hpo_explain.adapters._reading import (
    NO_HYPERPARAMETER,
    against_conditions,
    best_outside,
    fits_conditions,
    level_of,
    not_finite,
    nothing_left,
    only_left_out,
    outside_space,
    positions,
    repeated,
    state_of,
)
from hpo_explain.adapters._sentinels import Sentinels, of_sentinels
from hpo_explain.base.checks import check_name
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Option, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.base.phrases import counted_trials
from hpo_explain.run import NO_VALUE, Curves, Run, WithoutResult
from hpo_explain.space import Array, Bools, Ints, SearchSpace, asked_as

if TYPE_CHECKING:
    import pandas as pd


_MOST_ATTRIBUTES = 100  # beside the objective


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One trial as its framework recorded it.

    Attributes
    ----------
    config : mapping of str to object
        The values of the hyperparameters that are active.
    value : float
        The objective; NaN where there is none.
    reason : Fact, optional
        Why it does not count; its kind may be one of the states of a trial without a result.
    origin : Origin
        Who chose it.
    started, finished : float
        Seconds since the epoch; NaN where they are not known.
    fidelity : float
        Its budget; NaN where it has none.
    curve : mapping of float to float
        What it reported at each budget on the way.
    duration : float
        How many seconds it took; NaN for the time from start to finish.
    feasible : bool
        Whether it met the constraints.
    proposed : bool, optional
        Whether it counts as a proposal; by default where a model chose it.
    attributes : mapping of str to float
        What else was measured.
    """

    config: Mapping[str, Any]
    value: float = np.nan
    reason: Fact | None = None
    origin: Origin = Origin.UNKNOWN
    started: float = np.nan
    finished: float = np.nan
    fidelity: float = np.nan
    curve: Mapping[float, float] = field(default_factory=dict)
    duration: float = np.nan
    feasible: bool = True
    proposed: bool | None = None
    attributes: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_proposal(self) -> bool:
        """Whether it counts as a proposal."""
        if self.proposed is None:
            return self.origin is Origin.MODEL
        return self.proposed

    @property
    def reported(self) -> bool:
        """Whether it gave a finite number, at the end or on the way."""
        return bool(np.isfinite([self.value, *self.curve.values()]).any())


def objective_among(names: Sequence[str], chosen: str | None, what: str) -> str:
    """Return the objective that is meant, the one chosen or the only one.

    Raises
    ------
    InputError
        If there are several and none is chosen, or there is no such one.
    """
    if chosen is not None:
        return check_name("objective", chosen, names, what)
    if len(names) > 1:
        problem = f"must be given, as there are {len(names)}"
        raise InputError(
            "objective", problem, None, f"Choose one of {', '.join(map(repr, names))}."
        )
    return names[0]


def outcome(value: Any, reason: Fact | None) -> tuple[float, Fact | None]:
    """Return a recorded value as a number, and why it does not count, as where there is none."""
    if value is None:
        return np.nan, reason or NO_VALUE
    return float(value), reason


def seconds(time: datetime | None) -> float:
    """Return a time in seconds since the epoch; NaN where there is none."""
    return time.timestamp() if time else np.nan


@dataclass(frozen=True)
class Source:
    """What evaluations come from.

    Attributes
    ----------
    kind : str
        What it is called where nothing of it can be read, such as "study".
    optimizer : str
        What ran the optimization, as in "chosen by Optuna's TPESampler".
    direction : {"minimize", "maximize"}
        Which way is better.
    objective_name : str
        What the objective is called.
    fidelity : str
        What the budget is called; empty where there is none.
    step_name : str
        What a step of a learning curve is called.
    """

    kind: str
    optimizer: str
    direction: Direction = "minimize"
    objective_name: str = "objective"
    fidelity: str = ""
    step_name: str = "step"


@dataclass(frozen=True, eq=False)
class Encoded:
    """Configurations as rows of a search space.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        The rows; NaN where a hyperparameter is inactive, or its value not one of the space.
    outside : dict of int to Fact
        Why rows have a value outside the space.
    notes : sequence of Fact
        What was assumed where the space was inferred.
    ranges_from : mapping of str to list of int
        Which trials decided the ranges that were inferred.
    """

    space: SearchSpace
    X: Array
    outside: Mapping[int, Fact]
    notes: Sequence[Fact] = ()
    ranges_from: Mapping[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Trials:
    """n evaluations side by side, and their numbers."""

    numbers: Ints
    all: Sequence[Evaluation]

    def column(self, name: str) -> Array:
        return np.array([getattr(t, name) for t in self.all], dtype=float)

    def numbered(self, by_row: Mapping[int, Fact]) -> dict[int, Fact]:
        return {int(self.numbers[i]): why for i, why in by_row.items()}


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Why trials do not count, by number; those outside the space by row; and what to note."""

    reasons: dict[int, Fact]
    misfits: dict[int, Fact]
    notes: list[Fact]


def run_of(
    evaluations: Mapping[int, Evaluation],
    space: SearchSpace | Encoded | None,
    source: Source,
    *,
    level: float | None = None,
    bounds: tuple[float, float] | None = None,
    notes: Sequence[Fact] = (),
    **more: Any,
) -> Run:
    """Return the run of some evaluations, by the numbers of their trials.

    Parameters
    ----------
    evaluations : mapping of int to Evaluation
        The trials, by number.
    space : SearchSpace or Encoded, optional
        The search space; trials outside it are left out. Or the rows of the evaluations in it. By
        default it is inferred from the trials that have a value.
    source : Source
        What they come from.
    level : float, optional
        The budget that counts; by default the highest.
    bounds : tuple of (float, float), optional
        The objective's natural range.
    notes : sequence of Fact
        What was assumed so far.
    **more
        Further fields of the run: `record`, `name`, `framework`, `reviewed`, `instances`.

    Raises
    ------
    NothingToExplain
        If no trial has a finite value.
    InputError
        If there is no such level.
    """
    numbers = np.array([*evaluations], dtype=np.int64)
    trials = _Trials(numbers, [*evaluations.values()])
    read = _rows_of(trials, space, source)
    out = _left_out(trials, read, source, level, bounds)
    counts = ~np.isin(numbers, [*out.reasons])
    values = trials.column("value")
    outside = {
        int(numbers[i]): (float(values[i]), why)
        for i, why in out.misfits.items()
        if not trials.all[i].reason
    }
    if not counts.any():
        raise _nothing_left(out.reasons, outside, read.space, source)
    kept, X = np.flatnonzero(counts).tolist(), read.X[counts]
    known = [trials.all[i] for i in kept]
    times, untimed = _times(trials, counts, out.reasons)
    of_rows = _fitting_rows(trials, read)
    return Run(
        read.space,
        X,
        values[counts],
        source.direction,
        trials=numbers[counts],
        proposals=[int(numbers[i]) for i in kept if trials.all[i].is_proposal],
        origins={int(numbers[i]): trials.all[i].origin for i in kept},
        excluded=dict(sorted(out.reasons.items())),
        notes=[
            *notes,
            *of_sentinels(out.reasons),
            *read.notes,
            *out.notes,
            *best_outside(outside, values[counts], source.direction),
            *repeated(X),
            *_only_left_out(trials, counts, read.space),
            *untimed,
        ],
        durations=trials.column("duration")[counts],
        feasible=np.array([trial.feasible for trial in known]),
        attributes=_attributes(known),
        without_result=_without_result(trials, out.reasons, of_rows),
        curves=Curves.of(
            {int(n): trial.curve for n, trial in zip(numbers, trials.all, strict=True)},
            of_rows,
            step_name=source.step_name,
        ),
        objective_name=source.objective_name,
        bounds=bounds,
        optimizer=source.optimizer,
        ranges_from=read.ranges_from,
        **times,
        **more,
    )


def _attributes(known: Sequence[Evaluation]) -> dict[str, Array]:
    """Return what else was measured: a column of each name, of those that most trials have.

    Names may be of one trial each: columns of all of them would fill the memory.
    """
    counts = Counter(name for trial in known for name in trial.attributes)
    return {
        name: np.array([trial.attributes.get(name, np.nan) for trial in known])
        for name, _ in counts.most_common(_MOST_ATTRIBUTES)
    }


def _rows_of(trials: _Trials, space: SearchSpace | Encoded | None, source: Source) -> Encoded:
    """Return the rows of trials in a space, which is inferred where none is given."""
    if isinstance(space, Encoded):
        return space
    configs = [trial.config for trial in trials.all]
    if space is not None:
        return encoded(space, configs)
    finite = np.isfinite(trials.column("value")) & np.array(
        [not trial.reason for trial in trials.all], dtype=bool
    )
    if not finite.any():
        raise nothing_left(source.kind, _without_value(trials, source))
    return _inferred(configs, np.flatnonzero(finite), trials.numbers)


def _without_value(trials: _Trials, source: Source) -> dict[int, Fact]:
    """Return why trials have no value: their own reasons, else that it is not finite."""
    own = {i: trial.reason for i, trial in enumerate(trials.all) if trial.reason}
    missing = not_finite(trials.column("value"), trials.numbers, source.objective_name)
    return missing | trials.numbered(own)


def _left_out(
    trials: _Trials,
    read: Encoded,
    source: Source,
    level: float | None,
    bounds: tuple[float, float] | None,
) -> _LeftOut:
    """Return which trials do not count: without a value, outside, at another budget, failed."""
    misfits = against_conditions(read.space, read.X) | {**read.outside}
    reasons = trials.numbered(misfits) | _without_value(trials, source)
    notes: list[Fact] = []
    if source.fidelity:
        counts = ~np.isin(trials.numbers, [*reasons])
        at = level_of(source.fidelity, trials.column("fidelity"), counts, level)
        reasons = at.reasons(trials.numbers) | reasons
        notes = at.notes()
    elif level is not None:
        problem = f"was given, but all trials of the {source.kind} have the same budget"
        raise InputError("level", problem, level, "Leave it out.")
    values = trials.column("value")
    values[np.isin(trials.numbers, [*reasons])] = np.nan
    results = Sentinels(
        source.direction, source.objective_name, bounds, lambda i: read.X[i].tobytes()
    )
    reasons |= results.excluded(values, trials.numbers.tolist())
    return _LeftOut(reasons, misfits, notes)


def _inferred(
    configs: Sequence[Mapping[str, Any]],
    rows: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
) -> Encoded:
    """Return configurations in the space that some of them span, as those of a table."""
    import pandas as pd

    names = [*dict.fromkeys(name for i in rows.tolist() for name in configs[i])]
    if not names:
        raise NothingToExplain(NO_HYPERPARAMETER)
    table = pd.DataFrame([{**config} for config in configs], columns=names, dtype=object)
    not_recorded = fact(
        "space: not on record, so that ranges, scales and conditions are inferred from the "
        "trials; ",
        Option("space"),
        " gives it",
    )
    read = inferred(table, rows, numbers)
    return replace(read, notes=[not_recorded, *read.notes])


def inferred(cells: pd.DataFrame, kept: Ints, numbers: Ints, **known: Any) -> Encoded:
    """Return rows of cells in the space that those which are kept span.

    Parameters
    ----------
    cells : pandas.DataFrame
        A column per hyperparameter, a row per trial.
    kept : ndarray of int
        The rows that count.
    numbers : ndarray of int, shape (n,)
        The numbers of the trials.
    **known
        What is known of columns, as `infer_space` takes it.
    """
    from hpo_explain.adapters._inferred import infer_space, trials_of_ranges

    space, X, notes = infer_space(cells, kept, numbers[kept], **known)
    read = encoded(space, configs_of(cells, space))
    read.X[kept] = X
    outside = {i: why for i, why in read.outside.items() if i not in kept}
    ranges = trials_of_ranges(space, cells, numbers)
    of_trials = {n: t for n, t in ranges.items() if n not in known.get("given", {})}
    return Encoded(space, read.X, outside, notes, of_trials)


def configs_of(cells: pd.DataFrame, space: SearchSpace) -> list[dict[str, Any]]:
    """Return rows of cells as configurations: an empty cell is None where that is a choice."""
    columns = [cells[name].tolist() for name in space.names]
    takes_none = {p.name for p in space if None in getattr(p, "choices", ())}
    return [
        {
            name: None if is_empty(cell) else cell
            for name, cell in zip(space.names, row, strict=True)
            if name in takes_none or not is_empty(cell)
        }
        for row in zip(*columns, strict=True)
    ]


def encoded(space: SearchSpace, configs: Sequence[Mapping[str, Any]]) -> Encoded:
    """Return configurations as rows of a space, and why some have a value outside it.

    Raises
    ------
    InputError
        If the space lacks a hyperparameter that a configuration has.
    """
    missing = [n for n in dict.fromkeys(n for c in configs for n in c) if n not in space.names]
    if missing:
        problem = f"lacks {', '.join(missing)}, which trials have"
        raise InputError("space", problem, missing, "Add them.")
    X = np.full((len(configs), len(space)), np.nan)
    outside: dict[int, Fact] = {}
    for j, parameter in enumerate(space):
        rows = [i for i, config in enumerate(configs) if parameter.name in config]
        values = [configs[i][parameter.name] for i in rows]
        X[rows, j], reasons = positions(parameter, values)
        for k, why in reasons.items():
            outside.setdefault(rows[k], outside_space(why))
    return Encoded(space, X, outside)


def _nothing_left(
    reasons: Mapping[int, Fact],
    outside: Mapping[int, tuple[float, Fact]],
    space: SearchSpace,
    source: Source,
) -> Exception:
    """Return the error that no trial counts: the space fits none, or what else there was."""
    for value, why in outside.values():
        if np.isfinite(value):
            problem = f"fits no trial of the {source.kind}: ", why
            remedy = "Correct it, or leave it out."
            return InputError("space", problem, str(space), remedy)
    return nothing_left(source.kind, reasons)


def _times(
    trials: _Trials, counts: Bools, excluded: Mapping[int, Fact]
) -> tuple[dict[str, Any], list[Fact]]:
    """Return the times of trials as fields of a run, and a note on those that have none."""
    started, finished = trials.column("started"), trials.column("finished")
    unknown = np.isnan(started) | np.isnan(finished)
    if unknown[counts].all():
        return {}, []
    of_others = {}
    for i in np.flatnonzero(~counts & ~np.isnan(started)).tolist():
        number = int(trials.numbers[i])
        is_running = excluded[number].kind == "running"
        end = np.inf if is_running else float(finished[i])
        of_others[number] = float(started[i]), end
    untimed = trials.numbers[counts & unknown]
    times = {
        "started": started[counts],
        "finished": finished[counts],
        "excluded_times": of_others,
    }
    if not len(untimed):
        return times, []
    text = (
        f"times: not recorded for {counted_trials(untimed)}; there, what was known before a trial "
        "is decided by trial numbers"
    )
    return times, [fact(text, trials=untimed)]


def _fitting_rows(trials: _Trials, read: Encoded) -> dict[int, Array]:
    """Return the rows of trials whose values, as far as there are any, fit the space."""
    fits = fits_conditions(read.space, read.X)
    fits[[*read.outside]] = False
    fitting = np.flatnonzero(fits).tolist()
    return {int(trials.numbers[i]): read.X[i] for i in fitting}


def _without_result(
    trials: _Trials, excluded: Mapping[int, Fact], rows: Mapping[int, Array]
) -> dict[int, WithoutResult]:
    """Return the trials that are left out as they gave no result, by their numbers."""
    found = {}
    for number, trial in zip(trials.numbers.tolist(), trials.all, strict=True):
        state = state_of(excluded[number]) if number in excluded else None
        if state and number in rows:
            found[number] = WithoutResult(
                state, rows[number], trial.origin, trial.is_proposal, trial.reported
            )
    return found


def _only_left_out(trials: _Trials, counts: Bools, space: SearchSpace) -> list[Fact]:
    """Note hyperparameters that no trial has which counts."""
    known = {*map(asked_as, space)}
    others = [trials.all[i].config for i in np.flatnonzero(~counts).tolist()]
    names = [*dict.fromkeys(n for config in others for n in config if n not in known)]
    return [only_left_out(names)] if names else []
