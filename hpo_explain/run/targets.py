"""A run about what was measured beside the objective: how long trials took, and which failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeGuard

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    Fact,
    InputError,
    Measured,
    NothingToExplain,
    Option,
    check_option,
    counted,
    counted_trials,
    fact,
    shorten,
    spans,
)
from hpo_explain.base.options import MEASURED
from hpo_explain.run.run import Run
from hpo_explain.run.subsets import of_trials, some_rows
from hpo_explain.space import Ints

_OF_OBJECTIVE = (
    "direction_assumed",
    "direction_by_name",
    "direction_of_layout",
    "direction_of_objective",
    "diverged",
    "infeasible_counted",
    "one_of_several_objectives",
    "overflow_clipped",
    "pruned_counted",
    "run_without_acquisition",
    "sampler",
)
"""Notes on the objective itself, which say nothing of another one."""

_NAMES = {
    "duration": "duration in seconds",
    "failed": "probability of failure",
    "infeasible": "probability of infeasibility",
}


_UNTIMED = fact("it is not recorded how long it took")
_DOES = {"failed": "fails", "infeasible": "fails or breaks a constraint"}


def optimized_another(objective: str) -> Fact:
    """Return that the optimizer saw another objective."""
    return fact(
        f"no trial was chosen for its {shorten(objective, 200)}: the optimizer saw another "
        "objective. Leave ",
        Option("target"),
        " out to explain its proposals, or name a trial with ",
        Option("acquisition", "lcb"),
        ".",
    )


def _no_failure(run: Run, target: Measured, unread: Sequence[int]) -> Fact:
    if unread:
        return fact(
            f"the configurations of the trials that failed ({spans(unread)}) cannot be read, so "
            "there is nothing to compare with the others"
        )
    did = "failed" if target == "failed" else "failed or broke a constraint"
    return fact(f"none of the run's trials {did}: {counted(len(run), 'trial')} finished")


def is_measured(target: object) -> TypeGuard[Measured]:
    """Say whether a target is what is measured of any run: "duration", "failed", "infeasible"."""
    return isinstance(target, str) and target in MEASURED


def measured(run: Run, target: Measured) -> Run:
    """Return a run whose objective is how long its trials took, or which failed.

    No trial of it counts as a proposal: the optimizer chose them for another objective.

    Parameters
    ----------
    run : Run
        The run.
    target : {"duration", "failed", "infeasible"}
        "duration" is ``run.durations``, in seconds, of the finished trials. "failed" is 1 for
        trials that failed and 0 for those that finished or were pruned; of "infeasible" those that
        broke a constraint are 1 as well. Surrogates of both are forests, which predict the
        probability.

    Returns
    -------
    Run
        The run, to be minimized.

    Raises
    ------
    InputError
        If no trial's duration is known.
    NothingToExplain
        If no trial failed (or broke a constraint), or none of which the configuration can be read.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> from hpo_explain.run import WithoutResult, measured
    >>> space = hx.SearchSpace([hx.IntParameter("batch", 1, 64)])
    >>> run = hx.Run(
    ...     space,
    ...     space.encode([{"batch": 8}, {"batch": 32}]),
    ...     [0.3, 0.2],
    ...     "minimize",
    ...     started=[0.0, 5.0],
    ...     finished=[5.0, 25.0],
    ...     excluded={2: "out of memory"},
    ...     without_result={2: WithoutResult("failed", space.encode([{"batch": 64}])[0])},
    ... )
    >>> measured(run, "duration").objective.tolist(), measured(run, "failed").objective.tolist()
    ([5.0, 20.0], [0.0, 0.0, 1.0])
    """
    check_option("target", target, MEASURED)
    if target == "duration":
        return _of_duration(run)
    return _of_failure(run, target)


def _of_duration(run: Run) -> Run:
    durations = run.durations
    if not np.isfinite(durations).any():
        problem = "was 'duration', but it is not recorded how long the trials took"
        remedy = (
            "For a table, name its column with ",
            Option("duration"),
            ", or those of start and finish with ",
            Option("time"),
            ".",
        )
        raise InputError("target", problem, "duration", remedy)
    is_timed = np.isfinite(durations)
    untimed = run.trials[~is_timed].tolist()
    return about(
        run,
        np.flatnonzero(is_timed),
        durations[is_timed],
        _NAMES["duration"],
        "duration",
        excluded={**run.excluded, **dict.fromkeys(untimed, _UNTIMED)},
    )


def _of_failure(run: Run, target: Measured) -> Run:
    ended = {
        t: trial for t, trial in run.without_result.items() if trial.state in ("failed", "pruned")
    }
    rows = np.array([trial.x for trial in ended.values()])
    rows = rows.reshape(-1, len(run.space))
    is_complete = run.space.is_valid(rows)
    added = np.array([*ended], dtype=np.int64)[is_complete].tolist()
    failed = [t for t in added if ended[t].state == "failed"]
    all_failed = {t for t, why in run.excluded.items() if why.kind == "failed"} | {
        t for t, trial in ended.items() if trial.state == "failed"
    }
    unread = sorted(all_failed - {*failed})
    lost = len(failed)
    if target == "infeasible":
        failed += run.trials[~run.feasible].tolist()
    if not failed:
        raise NothingToExplain(_no_failure(run, target, unread))
    numbers = np.array([*run.trials, *added], dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    times = [run.excluded_times.get(t, (np.nan, np.nan)) for t in added]
    late = np.array(times).reshape(-1, 2)
    others = {*run.excluded, *run.without_result} - {*added}
    all_trials = replace(
        run,
        X=np.concatenate([run.X, rows[is_complete]])[order],
        objective=np.zeros(len(order)),
        trials=numbers[order],
        proposals=[],
        origins={int(t): run.origin(int(t)) for t in numbers},
        excluded=of_trials(run.excluded, others),
        excluded_times=of_trials(run.excluded_times, others),
        without_result=of_trials(run.without_result, others),
        feasible=np.empty(0, dtype=bool),
        started=np.append(run.started, late[:, 0])[order],
        finished=np.append(run.finished, late[:, 1])[order],
        durations=np.empty(0),
        instances=None,
        record=None,
        model=None,
    )
    beside = counted(len(run) - len(failed) + lost, "finished trial")
    beside += f" and {len(added) - lost} pruned" if len(added) > lost else ""
    left_out = (
        f". Left out, as the configuration cannot be read: {spans(unread)}, so the probability is "
        "too low"
    )
    note = fact(
        f"{'failures' if target == 'failed' else 'failed or infeasible'}: "
        f"{counted_trials(sorted(failed))} beside {beside}; the model predicts the probability "
        f"that a trial {_DOES[target]}{left_out if unread else ''}",
        trials=sorted(failed),
    )
    return about(
        all_trials,
        np.arange(len(order)),
        np.isin(numbers[order], failed).astype(float),
        _NAMES[target],
        target,
        notes=[note],
    )


def within(run: Run, bounds: tuple[float, float] | None) -> Run:
    """Return a run whose objective has a natural range; the run itself where none is given."""
    return run if bounds is None else replace(run, bounds=bounds)


def counting(run: Run, epsilon: float | Mapping[str, float]) -> Run:
    """Return a run in which a configuration counts as better from so much on."""
    if isinstance(epsilon, Mapping):
        return replace(run, epsilon=epsilon.get(run.objective_name))
    return replace(run, epsilon=epsilon)


def about(
    run: Run,
    rows: Ints,
    objective: npt.NDArray[np.float64],
    name: str,
    measured: Measured | Literal["joined"],
    **changes: Any,
) -> Run:
    """Return some rows of a run with another objective, of which less is better.

    No trial counts as a proposal for it, and nothing is said of the objective that was.
    """
    numbers = run.trials[rows]
    notes = [note for note in run.notes if note.kind not in _OF_OBJECTIVE]
    return some_rows(
        run,
        rows,
        objective=objective,
        direction="minimize",
        objective_name=name,
        measured=measured,
        bounds=None,
        epsilon=None,
        origins={int(t): run.origin(int(t)) for t in numbers},
        proposals=[],
        reviewed={},
        notes=[*changes.pop("notes", ()), *notes],
        record=None,
        model=None,
        **changes,
    )
