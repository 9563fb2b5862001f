"""Evaluations that a framework recorded one by one, put together as a Run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters._reading import (
    NO_HYPERPARAMETER,
    OUTSIDE,
    against_conditions,
    best_outside,
    level_of,
    not_finite,
    nothing_left,
    positions,
    repeated,
    state_of,
)
from hpo_explain.adapters._sentinels import Sentinels, of_sentinels
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin
from hpo_explain.base.options import Direction
from hpo_explain.base.text import declared_fact
from hpo_explain.run import Curves, OptimizerRecord, Run, WithoutResult
from hpo_explain.space import Array, SearchSpace

_NOT_RECORDED = declared_fact(
    "space_not_recorded",
    "space: not on record, so that ranges, scales and conditions are inferred from the trials; "
    "{space=} gives it",
)


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
        Who chose it; those that a model chose are the proposals.
    started, finished : float
        Seconds since the epoch; NaN where they are not known.
    fidelity : float
        Its budget; NaN where it has none.
    curve : mapping of float to float
        What it reported at each budget on the way.
    """

    config: Mapping[str, Any]
    value: float = np.nan
    reason: Fact | None = None
    origin: Origin = Origin.UNKNOWN
    started: float = np.nan
    finished: float = np.nan
    fidelity: float = np.nan
    curve: Mapping[float, float] = field(default_factory=dict)


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


def run_of(
    evaluations: Mapping[int, Evaluation],
    space: SearchSpace | None,
    source: Source,
    *,
    level: float | None = None,
    bounds: tuple[float, float] | None = None,
    notes: Sequence[Fact] = (),
    record: OptimizerRecord | None = None,
) -> Run:
    """Return the run of some evaluations, by the numbers of their trials.

    Parameters
    ----------
    evaluations : mapping of int to Evaluation
        The trials, by number.
    space : SearchSpace, optional
        The search space; trials outside it are left out. By default it is inferred from the
        trials that have a value.
    source : Source
        What they come from.
    level : float, optional
        The budget that counts; by default the highest.
    bounds : tuple of (float, float), optional
        The objective's natural range.
    notes : sequence of Fact
        What was assumed so far.
    record : OptimizerRecord, optional
        The framework's own models.

    Raises
    ------
    NothingToExplain
        If no trial has a finite value.
    InputError
        If there is no such level.
    """
    numbers = np.array([*evaluations], dtype=np.int64)
    trials = [*evaluations.values()]
    values = np.array([trial.value for trial in trials], dtype=float)
    given = {
        int(numbers[i]): t.reason
        for i, t in enumerate(trials)
        if t.reason is not None
    }
    finite = np.isfinite(values) & np.array(
        [trial.reason is None for trial in trials], dtype=bool
    )
    configs = [trial.config for trial in trials]
    if space is not None:
        read = Encoded(space, *encoded(space, configs))
    elif finite.any():
        read = _inferred(configs, np.flatnonzero(finite), numbers)
    else:
        raise nothing_left(
            source.kind,
            not_finite(values, numbers, source.objective_name) | given,
        )
    space, X, misfits = read.space, read.X, read.misfits
    excluded = not_finite(values, numbers, source.objective_name)
    excluded |= {int(numbers[i]): why for i, why in misfits.items()} | given
    about: list[Fact] = []
    fidelity = np.array([trial.fidelity for trial in trials], dtype=float)
    if source.fidelity:
        counts = np.array(
            [number not in excluded for number in numbers.tolist()]
        )
        at = level_of(source.fidelity, fidelity, counts, level)
        excluded = at.reasons(numbers) | excluded
        about = at.notes()
    elif level is not None:
        problem = f"was given, but all trials of the {source.kind} have the same budget"
        raise InputError("level", problem, level, "Leave it out.")
    known = np.where(np.isin(numbers, [*excluded]), np.nan, values)
    results = Sentinels(
        source.direction,
        source.objective_name,
        bounds,
        lambda i: repr(sorted(configs[i].items())),
    )
    excluded |= results.excluded(known, numbers.tolist())
    kept = np.array(
        [i for i, n in enumerate(numbers.tolist()) if n not in excluded],
        dtype=int,
    )
    fitting = {
        int(numbers[i]): i for i in range(len(trials)) if i not in misfits
    }
    if not len(kept):
        raise nothing_left(source.kind, excluded)
    times = np.array([(trial.started, trial.finished) for trial in trials])
    took = times[kept, 1] - times[kept, 0]
    timed = not bool(np.isnan(times[kept]).any())
    return Run(
        space,
        X[kept],
        values[kept],
        source.direction,
        trials=numbers[kept],
        proposals=[
            int(numbers[i]) for i in kept if trials[i].origin is Origin.MODEL
        ],
        origins={int(numbers[i]): trials[i].origin for i in kept},
        excluded=dict(sorted(excluded.items())),
        notes=[
            *notes,
            *of_sentinels(excluded),
            *read.notes,
            *about,
            *best_outside(
                {
                    int(numbers[i]): (values[i], why)
                    for i, why in misfits.items()
                    if trials[i].reason is None
                },
                values[kept],
                source.direction,
            ),
            *repeated(X[kept]),
        ],
        started=times[kept, 0] if timed else None,
        finished=times[kept, 1] if timed else None,
        durations=np.where(np.isfinite(took) & (took >= 0.0), took, np.nan),
        excluded_times=_times_of(excluded, numbers, times) if timed else {},
        without_result=_without_result(excluded, fitting, trials, X),
        curves=Curves.of(
            {number: trials[i].curve for number, i in fitting.items()},
            {number: X[i] for number, i in fitting.items()},
            step_name=source.step_name,
        ),
        objective_name=source.objective_name,
        bounds=bounds,
        optimizer=source.optimizer,
        ranges_from=read.ranges_from,
        record=record,
    )


@dataclass(frozen=True, eq=False)
class Encoded:
    """Configurations as rows of a search space.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        The rows.
    misfits : dict of int to Fact
        Why rows are outside the space.
    notes : sequence of Fact
        What was assumed where the space was inferred.
    ranges_from : mapping of str to list of int
        Which trials decided the ranges that were inferred.
    """

    space: SearchSpace
    X: Array
    misfits: Mapping[int, Fact]
    notes: Sequence[Fact] = ()
    ranges_from: Mapping[str, list[int]] = field(default_factory=dict)


def _inferred(
    configs: Sequence[Mapping[str, Any]],
    rows: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
) -> Encoded:
    """Return configurations in the space that some of them span, as those of a table."""
    import pandas as pd

    from hpo_explain.adapters.frame import infer_space, trials_of_ranges

    names = [
        *dict.fromkeys(name for i in rows.tolist() for name in configs[i])
    ]
    if not names:
        raise NothingToExplain(NO_HYPERPARAMETER())
    table = pd.DataFrame(
        [{**config} for config in configs], columns=names, dtype=object
    )
    space, inferred, notes = infer_space(table, rows, numbers[rows])
    known = [
        {n: v for n, v in config.items() if n in space.names}
        for config in configs
    ]
    X, misfits = encoded(space, known)
    X[rows] = inferred
    return Encoded(
        space,
        X,
        {i: why for i, why in misfits.items() if i not in rows},
        [_NOT_RECORDED(), *notes],
        trials_of_ranges(space, table, numbers),
    )


def encoded(
    space: SearchSpace, configs: Sequence[Mapping[str, Any]]
) -> tuple[Array, dict[int, Fact]]:
    """Return configurations as encoded rows, and for those that are outside the space the reason.

    Raises
    ------
    InputError
        If the space lacks a hyperparameter that a configuration has.
    """
    missing = [
        n
        for n in dict.fromkeys(n for c in configs for n in c)
        if n not in space.names
    ]
    if missing:
        problem = f"lacks {', '.join(missing)}, which trials have"
        raise InputError("space", problem, missing, "Add them.")
    X = np.full((len(configs), len(space)), np.nan)
    outside: dict[int, Fact] = {}
    for j, parameter in enumerate(space):
        rows = [
            i for i, config in enumerate(configs) if parameter.name in config
        ]
        values = [configs[i][parameter.name] for i in rows]
        X[rows, j], reasons = positions(parameter, values)
        for k, why in reasons.items():
            outside.setdefault(rows[k], OUTSIDE(why=why))
    return X, against_conditions(space, X) | outside


def _times_of(
    excluded: Mapping[int, Fact], numbers: npt.NDArray[np.int64], times: Array
) -> dict[int, tuple[float, float]]:
    """Return start and finish of the trials that are left out, where the start is known."""
    found = {}
    for number, (start, end) in zip(
        numbers.tolist(), times.tolist(), strict=True
    ):
        reason = excluded.get(number)
        if reason is not None and not np.isnan(start):
            found[number] = (
                start,
                np.inf if reason.kind == "running" else end,
            )
    return found


def _without_result(
    excluded: Mapping[int, Fact],
    fitting: Mapping[int, int],
    trials: Sequence[Evaluation],
    X: Array,
) -> dict[int, WithoutResult]:
    """Return the trials that are left out as they gave no result, by their numbers.

    `fitting` has the rows of the trials whose configurations the space has.
    """
    found = {}
    for number, reason in excluded.items():
        state = state_of(reason)
        if state is None or number not in fitting:
            continue
        i = fitting[number]
        trial = trials[i]
        reported = bool(
            np.isfinite([trial.value, *trial.curve.values()]).any()
        )
        by_model = trial.origin is Origin.MODEL
        found[number] = WithoutResult(
            state, X[i], trial.origin, by_model, reported
        )
    return found
