"""A tuner of KerasTuner, turned into a Run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import parameter_of
from hpo_explain.adapters._evaluations import Evaluation, Source, outcome, run_of
from hpo_explain.adapters._reading import with_default
from hpo_explain.adapters.keras_tuner._loops import with_conditions
from hpo_explain.adapters.keras_tuner._search import Entry, Search, Trial
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.base.phrases import join_names, quoted
from hpo_explain.run import FAILED, RUNNING, WAITING, Run
from hpo_explain.space import Parameter, SearchSpace

_OWN = "tuner/"  # what tuners write beside the hyperparameters
_EPOCHS = f"{_OWN}epochs"
_DIRECTIONS: dict[str, Direction] = {"min": "minimize", "max": "maximize"}
_REASONS = {
    "FAILED": FAILED,
    "INVALID": FAILED,
    "RUNNING": RUNNING,
    "IDLE": WAITING,
    "STOPPED": WAITING,
}
_WITHOUT_MODEL = ("RandomSearch", "GridSearch", "Hyperband")
_MODELLED = "BayesianOptimization"
_ATTRIBUTES = ("default", "values", "ordered", "min_value", "max_value", "step", "sampling")


def from_keras_tuner(
    tuner: Any, *, level: float | None = None, bounds: tuple[float, float] | None = None
) -> Run:
    """Read a tuner of KerasTuner: its hyperparameters, their conditions, and its trials.

    Trials are numbered in the order in which they started. Tested with KerasTuner 1.4.

    Parameters
    ----------
    tuner : keras_tuner.Tuner or Oracle
        The tuner, or its oracle. All functions of this package also read its project folder.
    level : float, optional
        The number of epochs at which Hyperband's results are compared; by default the largest.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric.

    Returns
    -------
    Run
        The run. Its objective is the score of each trial. Proposals are the trials that
        BayesianOptimization chose after its initial points; other tuners make no proposals.

    Raises
    ------
    InputError
        If `tuner` is something else or has several objectives, or the level does not exist.
    NothingToExplain
        If no trial is completed.

    Examples
    --------
    >>> run = hx.from_keras_tuner(tuner)  # doctest: +SKIP
    """
    search = tuner if isinstance(tuner, Search) else _search_of(tuner)
    if not search.trials:
        raise NothingToExplain(fact("tuner has no trial yet. Call search first."))
    space, notes = read_space(search.entries)
    space, about_loops = with_conditions(space, [trial.values for trial in search.trials])
    origins, about = _origins(search)
    evaluations = {
        i: _evaluation(trial, space, origin)
        for i, (trial, origin) in enumerate(zip(search.trials, origins, strict=True))
    }
    reached = {e.fidelity for e in evaluations.values() if np.isfinite(e.fidelity)}
    source = Source(
        "tuner",
        f"KerasTuner's {search.tuner}" if search.tuner else "KerasTuner",
        _DIRECTIONS.get(search.direction, "minimize"),
        search.objective,
        "epochs" if len(reached) > 1 else "",
    )
    run = run_of(
        evaluations, space, source, level=level, bounds=bounds, notes=[*notes, *about_loops, *about]
    )
    defaults = {e.name: e.about.get("default") for e in search.entries}
    return with_default(run, defaults)


def _search_of(tuner: Any) -> Search:
    """Return what a tuner or its oracle knows.

    Raises
    ------
    InputError
        If it is something else, or has several objectives.
    """
    oracle = getattr(tuner, "oracle", tuner)
    if not hasattr(oracle, "trials") or not hasattr(oracle, "get_space"):
        kind = type(tuner).__name__
        problem = f"must be a tuner of KerasTuner or its oracle, but was a {kind!r}"
        raise InputError("tuner", problem, kind, "Give the tuner whose search was called.")
    objective = oracle.objective
    if isinstance(objective, list) or hasattr(objective, "objectives"):
        problem = "has several objectives, which KerasTuner adds up"
        raise InputError("tuner", problem, None, "Give a table of its trials to from_frame.")
    order = getattr(oracle, "start_order", oracle.trials)
    trials = [oracle.trials[key] for key in order]
    return Search(
        type(oracle).__name__.removesuffix("Oracle"),
        str(objective.name),
        str(objective.direction),
        [entry_of(entry) for entry in oracle.get_space().space],
        [Trial(t.hyperparameters.values, t.score, str(t.status)) for t in trials],
        getattr(oracle, "num_initial_points", None),
    )


def entry_of(entry: Any) -> Entry:
    """Return a hyperparameter of KerasTuner as the adapter knows it."""
    about = {name: getattr(entry, name) for name in _ATTRIBUTES if hasattr(entry, name)}
    conditions = [(str(c.name), tuple(c.values)) for c in entry.conditions or ()]
    return Entry(type(entry).__name__, str(entry.name), about, conditions)


def _origins(search: Search) -> tuple[list[Origin], list[Fact]]:
    """Return who chose each trial: a Gaussian process as soon as there are enough results."""
    trials = search.trials
    if search.tuner in _WITHOUT_MODEL:
        return [Origin.INITIAL] * len(trials), []
    if search.tuner != _MODELLED:
        return [Origin.UNKNOWN] * len(trials), []
    initial = search.initial or max(3 * len(search.entries), 3)
    origins, completed = [], 0
    for trial in trials:
        origins.append(Origin.MODEL if completed >= initial else Origin.INITIAL)
        completed += trial.status == "COMPLETED"
    text = (
        "proposals: trials count as chosen by the model from when its initial points were "
        "completed, as of trials that ran one after the other"
    )
    return origins, [fact(text)]


def _evaluation(trial: Trial, space: SearchSpace, origin: Origin) -> Evaluation:
    values = trial.values
    config: dict[str, Any] = {}
    for name in space.names:
        if name in values and _is_active(space, name, values):
            config[name] = values[name]
    return Evaluation(
        config,
        *outcome(trial.score, _REASONS.get(trial.status)),
        origin,
        fidelity=float(values.get(_EPOCHS, np.nan)),
    )


def _is_active(space: SearchSpace, name: str, values: Mapping[str, Any]) -> bool:
    """Say whether a hyperparameter is used: KerasTuner may record the value of one that is not."""
    return all(
        values.get(parent) in allowed and _is_active(space, parent, values)
        for parent, allowed in (space[name].active_when or {}).items()
    )


# ---------------------------------------------------------------------- the space


def read_space(given: Sequence[Entry]) -> tuple[SearchSpace, list[Fact]]:
    """Return the space of some hyperparameters, and what was assumed.

    Of several with the same name, as under different conditions, the first counts, and it is active
    under the conditions of each.
    """
    found: dict[str, Parameter] = {}
    when: dict[str, list[dict[str, tuple[Any, ...]]]] = {}
    notes: list[Fact] = []
    for entry in given:
        name = entry.name
        if name.startswith(_OWN) or entry.kind == "Fixed":
            continue
        when.setdefault(name, []).append(dict(entry.conditions))
        if name not in found:
            if entry.sampling not in (None, "linear", "log"):
                sampling = quoted(str(entry.sampling))
                notes.append(fact(f"{name}: sampling {sampling} is read as a linear scale"))
            found[name], about = parameter_of(name, entry.domain())
            notes += about
    unstated = []
    for name, conditions in when.items():
        parents = {*conditions[0]}
        known = all(parent in found for parent in parents)
        if not parents or any(not condition for condition in conditions):
            continue
        if len(conditions) > 1 and (len(parents) > 1 or any({*c} != parents for c in conditions)):
            unstated.append(name)
        elif known:
            values = {p: [v for c in conditions for v in c[p]] for p in parents}
            found[name] = replace(found[name], active_when=values)
    for name in unstated:
        found[name] = replace(found[name], optional=0.5)
    if unstated:
        text = (
            f"conditions: when {join_names(unstated)} is active depends on different "
            "hyperparameters; it counts as active half of the time"
        )
        notes.append(fact(text))
    return SearchSpace([*found.values()]), notes
