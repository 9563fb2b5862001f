"""A tuner of KerasTuner, turned into a Run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.adapters.keras_tuner._space import OWN, read_space
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace

_EPOCHS = f"{OWN}epochs"
_DIRECTIONS: dict[str, Direction] = {"min": "minimize", "max": "maximize"}
_REASONS = {
    "FAILED": fact("failed"),
    "INVALID": fact("failed"),
    "RUNNING": fact("running"),
    "IDLE": fact("waiting"),
    "STOPPED": fact("waiting"),
}
_WITHOUT_MODEL = ("RandomSearchOracle", "GridSearchOracle", "HyperbandOracle")
_MODELLED = "BayesianOptimizationOracle"


def from_keras_tuner(tuner: Any, *, level: float | None = None) -> Run:
    """Read a tuner of KerasTuner: its hyperparameters, their conditions, and its trials.

    Trial numbers are positions in the order in which the trials began. Read with KerasTuner 1.4.

    Parameters
    ----------
    tuner : keras_tuner.Tuner or Oracle
        The tuner, or its oracle.
    level : float, optional
        The epochs at which results of Hyperband are compared; by default the most.

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
        problem = f"must be a tuner of KerasTuner or its oracle, but was a {kind!r}"
        raise InputError("tuner", problem, kind, "Give the tuner whose search was called.")
    objective = oracle.objective
    if isinstance(objective, list) or hasattr(objective, "objectives"):
        problem = "has several objectives, which KerasTuner adds up"
        raise InputError("tuner", problem, None, "Give a table of its trials to from_frame.")
    given = list(oracle.get_space().space)
    trials = [oracle.trials[key] for key in getattr(oracle, "start_order", oracle.trials)]
    if not trials:
        raise NothingToExplain(fact("tuner_empty"))
    space, notes = read_space(given)
    origins, about = _origins(oracle, trials, len(given))
    evaluations = {
        i: _evaluation(trial, space, origin)
        for i, (trial, origin) in enumerate(zip(trials, origins, strict=True))
    }
    reached = {e.fidelity for e in evaluations.values() if np.isfinite(e.fidelity)}
    source = Source(
        "tuner",
        f"KerasTuner's {type(oracle).__name__.removesuffix('Oracle')}",
        _DIRECTIONS.get(str(objective.direction), "minimize"),
        str(objective.name),
        "epochs" if len(reached) > 1 else "",
    )
    return run_of(evaluations, space, source, level=level, notes=[*notes, *about])


def _origins(oracle: Any, trials: list[Any], dimensions: int) -> tuple[list[Origin], list[Fact]]:
    """Return who chose each trial: a Gaussian process as soon as there are enough results."""
    kind = type(oracle).__name__
    if kind in _WITHOUT_MODEL:
        return [Origin.INITIAL] * len(trials), []
    if kind != _MODELLED:
        return [Origin.UNKNOWN] * len(trials), []
    initial = oracle.num_initial_points or max(3 * dimensions, 3)
    origins, completed = [], 0
    for trial in trials:
        origins.append(Origin.MODEL if completed >= initial else Origin.INITIAL)
        completed += trial.status == "COMPLETED"
    return origins, [fact("keras_sequence")]


def _evaluation(trial: Any, space: SearchSpace, origin: Origin) -> Evaluation:
    values = trial.hyperparameters.values
    config: dict[str, Any] = {}
    for name in space.names:
        if name in values and _is_active(space, name, values):
            config[name] = values[name]
    reason = _REASONS.get(str(trial.status))
    if reason is None and trial.score is None:
        reason = fact("no_value")
    return Evaluation(
        config,
        np.nan if trial.score is None else float(trial.score),
        reason,
        origin,
        fidelity=float(values.get(_EPOCHS, np.nan)),
    )


def _is_active(space: SearchSpace, name: str, values: Mapping[str, Any]) -> bool:
    """Say whether a hyperparameter is used: KerasTuner may record the value of one that is not."""
    return all(
        values.get(parent) in allowed and _is_active(space, parent, values)
        for parent, allowed in (space[name].active_when or {}).items()
    )
