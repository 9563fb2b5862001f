"""The database of an experiment of NNI, nni.sqlite: its search space, trials and results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import Domain, normal, parameter_of
from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.adapters._sqlite import connect
from hpo_explain.adapters.formats import Opened
from hpo_explain.base.errors import InputError, NothingToExplain, Option
from hpo_explain.base.facts import Fact, Origin
from hpo_explain.base.options import Direction
from hpo_explain.base.text import declared_fact
from hpo_explain.run import FAILED, NO_VALUE, RUNNING, WAITING, WAS_PRUNED, Run
from hpo_explain.space import Parameter, SearchSpace

_REASONS = {
    "WAITING": WAITING,
    "ADD_CUSTOMIZED": WAITING,
    "RUNNING": RUNNING,
    "FAILED": FAILED,
    "USER_CANCELED": FAILED,
    "SYS_CANCELED": FAILED,
    "EARLY_STOPPED": WAS_PRUNED(readable=False),
}
_ENDS = (
    "SUCCEEDED",
    "FAILED",
    "USER_CANCELED",
    "SYS_CANCELED",
    "EARLY_STOPPED",
)
_DIRECTIONS: dict[str, Direction] = {
    "minimize": "minimize",
    "maximize": "maximize",
}
_WITHOUT_MODEL = ("random", "gridsearch", "batch", "hyperband", "evolution")
_NAME = "_name"  # of a choice with hyperparameters of its own
_OBJECTIVE = (
    "default"  # what NNI calls the metric of several that it optimizes
)

_EMPTY = declared_fact(
    "nni_empty", "experiment has no trial yet. Wait for one to finish."
)
_ADVICE = declared_fact(
    "nni_tuner",
    "proposals: every trial of NNI's {tuner} counts as chosen by its model, as it is not on "
    "record which came first",
)


@dataclass(frozen=True)
class StoredTrial:
    """A trial: its settings, what became of it, seconds since the epoch, and its metrics."""

    settings: Mapping[str, Any]
    status: str
    started: float
    finished: float
    final: Any
    curve: Mapping[float, Any]


@dataclass(frozen=True, eq=False)
class StoredExperiment:
    """An experiment of NNI."""

    trials: Sequence[StoredTrial]
    search_space: Mapping[str, Any]
    tuner: str
    mode: str


@contextmanager
def opened(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open the database of an experiment."""
    with closing(connect(Path(path))) as database:
        profile = database.execute(
            "SELECT params FROM ExperimentProfile ORDER BY revision DESC"
        ).fetchone()
        events = database.execute(
            "SELECT trialJobId, event, timestamp, data FROM TrialJobEvent ORDER BY timestamp"
        ).fetchall()
        metrics = database.execute(
            "SELECT trialJobId, parameterId, type, sequence, data FROM MetricData "
            "ORDER BY timestamp"
        ).fetchall()
    about = json.loads(profile[0]) if profile else {}
    tuner = about.get("tuner") or about.get("advisor") or {}
    given = tuner.get("classArgs") or {}
    space = about.get("searchSpace") or {}
    yield Opened(
        StoredExperiment(
            _trials(events, metrics),
            json.loads(space) if isinstance(space, str) else space,
            str(tuner.get("name") or tuner.get("builtinTunerName") or ""),
            str(given.get("optimize_mode", "")),
        )
    )


def _trials(
    events: Sequence[tuple[Any, ...]], metrics: Sequence[tuple[Any, ...]]
) -> list[StoredTrial]:
    """Return the trials in the order in which they were made, from what happened to them.

    Jobs that start together may get each other's settings: which ones a job ran with its metric
    says, not the event of its start.
    """
    status: dict[str, str] = {}
    times: dict[str, list[float]] = {}
    settings: dict[str, Mapping[str, Any]] = {}
    job_of: dict[str, str] = {}
    for job, event, time, data in events:
        if not job:
            continue
        seconds = np.nan if time is None else time / 1000.0
        start_and_end = times.setdefault(job, [np.nan, np.nan])
        if event == "RUNNING":
            start_and_end[0] = seconds
        if event in _ENDS:
            start_and_end[1] = seconds
        if event != "ADD_HYPERPARAMETER":
            status[job] = event
        if data and data.strip():
            made = json.loads(data)
            number = str(made.get("parameter_id", job))
            settings.setdefault(number, made.get("parameters", {}))
            job_of.setdefault(number, job)
    final: dict[str, Any] = {}
    curves: dict[str, dict[float, Any]] = {}
    reported_by: dict[str, str] = {}
    for job, number, kind, step, data in metrics:
        if number not in settings:
            continue
        reported_by[number] = job
        if kind == "FINAL":
            final.setdefault(number, _decoded(data))
        elif kind == "PERIODICAL":
            curves.setdefault(number, {})[float(step)] = _decoded(data)
    # a job whose own settings another one reported ran with the settings that job was made for
    left = [job for job in times if job not in {*reported_by.values()}]
    trials = []
    for number, values in settings.items():
        job = reported_by.get(number, job_of[number])
        if number not in reported_by and job not in left:
            job = left[0] if left else job
        if job in left:
            left.remove(job)
        trials.append(
            StoredTrial(
                values,
                status.get(job, "WAITING"),
                times[job][0],
                times[job][1],
                final.get(number),
                curves.get(number, {}),
            )
        )
    return trials


def _decoded(data: str) -> Any:
    """Return a metric, which is JSON in a string of JSON."""
    value: Any = data
    while isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    return value


def read_experiment(
    experiment: StoredExperiment,
    *,
    objective: str | None = None,
    direction: Direction | None = None,
    space: SearchSpace | None = None,
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read an experiment of NNI.

    Parameters
    ----------
    experiment : StoredExperiment
        The experiment. Trial numbers are positions in the order in which trials were made.
    objective : str, optional
        The metric, where trials reported several by name; by default the one that is optimized.
    direction : {"minimize", "maximize"}, optional
        Which way it is better; by default that of the tuner.
    space : SearchSpace, optional
        The search space; by default that of the experiment.
    bounds : tuple of (float, float), optional
        The objective's natural range.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    InputError
        If the direction is neither given nor on record.
    NothingToExplain
        If no trial has a result.
    """
    if not experiment.trials:
        raise NothingToExplain(_EMPTY())
    better = direction or _DIRECTIONS.get(experiment.mode)
    if better is None:
        raise InputError(
            "direction",
            "was not given, and is not on record",
            None,
            (
                "Give ",
                Option("direction", "minimize"),
                " or ",
                Option("direction", "maximize"),
                ".",
            ),
        )
    notes: list[Fact] = []
    if space is None:
        space, notes = read_space(experiment)
    by_model = not experiment.tuner.lower().startswith(_WITHOUT_MODEL)
    origin = Origin.MODEL if by_model else Origin.INITIAL
    if by_model:
        notes.append(_ADVICE(tuner=experiment.tuner or "tuner"))
    wanted = objective or _OBJECTIVE
    evaluations = {
        i: _evaluation(trial, wanted, origin)
        for i, trial in enumerate(experiment.trials)
    }
    source = Source(
        "experiment",
        f"NNI's {experiment.tuner}" if experiment.tuner else "NNI",
        better,
        objective or "metric",
    )
    return run_of(evaluations, space, source, bounds=bounds, notes=notes)


def _evaluation(
    trial: StoredTrial, objective: str, origin: Origin
) -> Evaluation:
    value = _number(trial.final, objective)
    reason = _REASONS.get(trial.status)
    if reason is None and np.isnan(value):
        reason = NO_VALUE
    is_running = reason is RUNNING
    return Evaluation(
        _flat(trial.settings),
        value,
        reason,
        origin,
        trial.started,
        np.inf if is_running else trial.finished,
        curve={
            step: _number(value, objective)
            for step, value in trial.curve.items()
        },
    )


def _number(value: Any, objective: str) -> float:
    given: Any = value.get(objective) if isinstance(value, Mapping) else value
    try:
        return float(given)
    except (TypeError, ValueError):
        return np.nan


def _flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings by their path: a choice may have hyperparameters of its own."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            found[f"{prefix}{name}"] = value.get(_NAME)
            inner = {k: v for k, v in value.items() if k != _NAME}
            found |= _flat(inner, f"{prefix}{name}/")
        else:
            found[f"{prefix}{name}"] = value
    return found


# ---------------------------------------------------------------------- the space


def read_space(
    experiment: StoredExperiment,
) -> tuple[SearchSpace | None, list[Fact]]:
    """Return the search space of an experiment, and what was assumed; None where it has none."""
    tried: dict[str, list[Any]] = {}
    for trial in experiment.trials:
        for name, value in _flat(trial.settings).items():
            tried.setdefault(name, []).append(value)
    parameters, notes = _parameters(experiment.search_space, tried)
    return (SearchSpace(parameters) if parameters else None), notes


def _parameters(
    space: Mapping[str, Any],
    tried: Mapping[str, Sequence[Any]],
    prefix: str = "",
) -> tuple[list[Parameter], list[Fact]]:
    found: list[Parameter] = []
    notes: list[Fact] = []
    for key, entry in space.items():
        if key == _NAME:
            continue
        name = f"{prefix}{key}"
        kind, values = str(entry["_type"]), list(entry["_value"])
        nested = [v for v in values if isinstance(v, Mapping)]
        if kind == "choice" and nested:
            domain = Domain(choices=[v[_NAME] for v in values])
        else:
            domain = _domain(kind, values, tried.get(name, ()))
        parameter, about = parameter_of(name, domain)
        found.append(parameter)
        notes += about
        for choice in nested:
            inner, about = _parameters(choice, tried, f"{name}/")
            found += [
                child
                if child.active_when
                else replace(child, active_when={name: [choice[_NAME]]})
                for child in inner
            ]
            notes += about
    return found, notes


def _domain(kind: str, values: list[Any], tried: Sequence[Any]) -> Domain:
    """Return the domain of a type of NNI's search spaces."""
    if kind == "choice":
        return Domain(choices=values)
    if kind == "randint":  # the upper end is left out
        return Domain(values[0], values[1] - 1, whole=True)
    log = "log" in kind
    if "normal" in kind:
        low, high = normal(float(values[0]), float(values[1]), tried, log=log)
        return Domain(low, high, log, law=kind)
    low, high = float(values[0]), float(values[1])
    if not kind.startswith("q"):
        return Domain(low, high, log)
    step = float(values[2])
    # multiples of the step, clipped to ends that may be none
    is_grid = all(float(end / step).is_integer() for end in (low, high))
    return Domain(
        low,
        high,
        log,
        is_grid and step.is_integer(),
        step if is_grid else None,
    )
