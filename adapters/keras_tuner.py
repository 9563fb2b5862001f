"""A tuner of KerasTuner, turned into a Run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import Domain, parameter_of
from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.adapters._reading import with_default
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin
from hpo_explain.base.options import Direction
from hpo_explain.base.text import declared_fact
from hpo_explain.run import FAILED, NO_VALUE, RUNNING, WAITING, Run
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
_WITHOUT_MODEL = ("RandomSearchOracle", "GridSearchOracle", "HyperbandOracle")
_MODELLED = "BayesianOptimizationOracle"

_EMPTY = declared_fact(
    "tuner_empty", "tuner has no trial yet. Call search first."
)
_CONDITION = declared_fact(
    "condition_not_read",
    "conditions: when {names} is active depends on different hyperparameters; it counts as active "
    "half of the time",
)
_LINEAR = declared_fact(
    "sampling_as_linear",
    "{names}: sampling {sampling!r} is read as a linear scale",
)
_SEQUENCE = declared_fact(
    "keras_sequence",
    "proposals: trials count as chosen by the model from when its initial points were completed, "
    "as of trials that ran one after the other",
)


def from_keras_tuner(
    tuner: Any,
    *,
    level: float | None = None,
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read a tuner of KerasTuner: its hyperparameters, their conditions, and its trials.

    Trial numbers are positions in the order in which the trials began. Read with KerasTuner 1.4.

    Parameters
    ----------
    tuner : keras_tuner.Tuner or Oracle
        The tuner, or its oracle.
    level : float, optional
        The epochs at which results of Hyperband are compared; by default the most.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default that of the metric by its name, if it has one.

    Returns
    -------
    Run
        The run, of the score of each trial. Proposals are the trials that BayesianOptimization
        chose after its initial points; those of the other tuners are not.

    Raises
    ------
    InputError
        If it is something else, or has several objectives or no such level.
    NothingToExplain
        If no trial is completed.

    Examples
    --------
    >>> run = hx.from_keras_tuner(tuner)  # doctest: +SKIP
    """
    oracle = getattr(tuner, "oracle", tuner)
    if not hasattr(oracle, "trials") or not hasattr(oracle, "get_space"):
        kind = type(tuner).__name__
        problem = (
            f"must be a tuner of KerasTuner or its oracle, but was a {kind!r}"
        )
        raise InputError(
            "tuner", problem, kind, "Give the tuner whose search was called."
        )
    objective = oracle.objective
    if isinstance(objective, list) or hasattr(objective, "objectives"):
        problem = "has several objectives, which KerasTuner adds up"
        raise InputError(
            "tuner", problem, None, "Give a table of its trials to from_frame."
        )
    given = list(oracle.get_space().space)
    trials = [
        oracle.trials[key]
        for key in getattr(oracle, "start_order", oracle.trials)
    ]
    if not trials:
        raise NothingToExplain(_EMPTY())
    space, notes = read_space(given)
    origins, about = _origins(oracle, trials, len(given))
    evaluations = {
        i: _evaluation(trial, space, origin)
        for i, (trial, origin) in enumerate(zip(trials, origins, strict=True))
    }
    reached = {
        e.fidelity for e in evaluations.values() if np.isfinite(e.fidelity)
    }
    source = Source(
        "tuner",
        f"KerasTuner's {type(oracle).__name__.removesuffix('Oracle')}",
        _DIRECTIONS.get(str(objective.direction), "minimize"),
        str(objective.name),
        "epochs" if len(reached) > 1 else "",
    )
    run = run_of(
        evaluations,
        space,
        source,
        level=level,
        bounds=bounds,
        notes=[*notes, *about],
    )
    return with_default(
        run, {p.name: getattr(p, "default", None) for p in given}
    )


def _origins(
    oracle: Any, trials: list[Any], dimensions: int
) -> tuple[list[Origin], list[Fact]]:
    """Return who chose each trial: a Gaussian process as soon as there are enough results."""
    kind = type(oracle).__name__
    if kind in _WITHOUT_MODEL:
        return [Origin.INITIAL] * len(trials), []
    if kind != _MODELLED:
        return [Origin.UNKNOWN] * len(trials), []
    initial = oracle.num_initial_points or max(3 * dimensions, 3)
    origins, completed = [], 0
    for trial in trials:
        origins.append(
            Origin.MODEL if completed >= initial else Origin.INITIAL
        )
        completed += trial.status == "COMPLETED"
    return origins, [_SEQUENCE()]


def _evaluation(trial: Any, space: SearchSpace, origin: Origin) -> Evaluation:
    values = trial.hyperparameters.values
    config: dict[str, Any] = {}
    for name in space.names:
        if name in values and _is_active(space, name, values):
            config[name] = values[name]
    reason = _REASONS.get(str(trial.status))
    return Evaluation(
        config,
        np.nan if trial.score is None else float(trial.score),
        NO_VALUE if reason is None and trial.score is None else reason,
        origin,
        fidelity=float(values.get(_EPOCHS, np.nan)),
    )


def _is_active(
    space: SearchSpace, name: str, values: Mapping[str, Any]
) -> bool:
    """Say whether a hyperparameter is used: KerasTuner may record the value of one that is not."""
    return all(
        values.get(parent) in allowed and _is_active(space, parent, values)
        for parent, allowed in (space[name].active_when or {}).items()
    )


# ---------------------------------------------------------------------- the space


def read_space(given: Sequence[Any]) -> tuple[SearchSpace, list[Fact]]:
    """Return the hyperparameters of ``oracle.get_space().space``, and what was assumed.

    Of several with the same name, as under different conditions, the first counts, and it is active
    under the conditions of each.
    """
    found: dict[str, Parameter] = {}
    when: dict[str, list[dict[str, tuple[Any, ...]]]] = {}
    notes: list[Fact] = []
    for entry in given:
        name = str(entry.name)
        if name.startswith(_OWN) or type(entry).__name__ == "Fixed":
            continue
        when.setdefault(name, []).append(
            {str(c.name): tuple(c.values) for c in entry.conditions or ()}
        )
        if name not in found:
            sampling = getattr(entry, "sampling", None)
            if sampling not in (None, "linear", "log"):
                notes.append(_LINEAR(names=[name], sampling=str(sampling)))
            found[name], about = parameter_of(name, _domain(entry))
            notes += about
    unstated = []
    for name, conditions in when.items():
        parents = {*conditions[0]}
        known = all(parent in found for parent in parents)
        if not parents or any(not condition for condition in conditions):
            continue
        if len(conditions) > 1 and (
            len(parents) > 1 or any({*c} != parents for c in conditions)
        ):
            unstated.append(name)
        elif known:
            values = {
                p: [v for c in conditions for v in c[p]] for p in parents
            }
            found[name] = replace(found[name], active_when=values)
    for name in unstated:
        found[name] = replace(found[name], optional=0.5)
    if unstated:
        notes.append(_CONDITION(names=unstated))
    return SearchSpace([*found.values()]), notes


def _domain(entry: Any) -> Domain:
    kind = type(entry).__name__
    if kind == "Boolean":
        return Domain(choices=[True, False])
    if kind == "Choice":
        values = list(entry.values)
        return Domain(
            choices=values, ordered=entry.ordered and len(values) > 2
        )
    log = entry.sampling == "log"  # its steps are factors then
    low, high, step = (
        entry.min_value,
        entry.max_value,
        None if log else entry.step,
    )
    if step is not None:
        high = low + np.floor((high - low) / step + 1e-9) * step
    return Domain(low, high, log, kind == "Int", step)
