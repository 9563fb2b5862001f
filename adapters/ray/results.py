"""Results of Ray Tune, turned into a Run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hpo_explain.adapters._evaluations import Source, run_of
from hpo_explain.adapters.ray._experiment import ITERATION, Experiment, Trial
from hpo_explain.adapters.ray.space import read_space
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Option, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace

DRAWN = "basic-variant-state-*.json"
"""What Ray's own generator of grids and random draws leaves in an experiment's folder."""


def from_ray(
    results: Any,
    *,
    space: Mapping[str, Any] | SearchSpace | None = None,
    objective: str | None = None,
    direction: Direction | None = None,
    level: float | None = None,
    optimizer: str | None = None,
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read the results of Ray Tune.

    Trial numbers are positions in `results`. Nested settings are named by their path, such as
    "layer/width". The objective is the last one that a trial reported. Tested with Ray 2.60.

    Parameters
    ----------
    results : ray.tune.ResultGrid or ExperimentAnalysis
        The result of ``Tuner.fit`` or ``tune.run``.
    space : dict or SearchSpace, optional
        The `param_space` of the tuner, which the results do not record. By default ranges, scales
        and choices are inferred from the values.
    objective : str, optional
        The metric to explain; by default that of the tuner.
    direction : {"minimize", "maximize"}, optional
        Direction of the optimization; by default that of the tuner, or derived from the metric's
        name.
    level : float, optional
        The `training_iteration` at which results are compared; by default the highest. Trials
        that stopped at another one are excluded.
    optimizer : str, optional
        Name of the search algorithm, if it chose the trials by a model; the results do not record
        it. By default no trial counts as a proposal.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric.

    Returns
    -------
    Run
        The run. Failed trials are excluded.

    Raises
    ------
    InputError
        If `results` is something else, or the metric or level does not exist.
    NothingToExplain
        If no trial has a result.

    Examples
    --------
    >>> run = hx.from_ray(tuner.fit(), space=param_space)  # doctest: +SKIP
    """
    experiment = results if isinstance(results, Experiment) else _experiment_of(results)
    if not experiment.trials:
        raise NothingToExplain(fact("result grid has no trial. Call fit first."))
    name = experiment.objective(objective)
    settings = [trial.settings for trial in experiment.trials]
    own, configs, notes = read_space(space, settings)
    origin, about = _origin(experiment, optimizer)
    evaluations = {
        i: trial.evaluation(config, name, origin)
        for i, (trial, config) in enumerate(zip(experiment.trials, configs, strict=True))
    }
    reached = {e.fidelity for e in evaluations.values() if np.isfinite(e.value)}
    source = Source(
        "result grid",
        optimizer or "Ray Tune",
        experiment.direction(direction, name),
        name,
        ITERATION if len(reached) > 1 else "",
        ITERATION,
    )
    return run_of(evaluations, own, source, level=level, bounds=bounds, notes=[*about, *notes])


def _experiment_of(results: Any) -> Experiment:
    """Return what a ResultGrid or an ExperimentAnalysis knows.

    Raises
    ------
    InputError
        If it is something else.
    """
    analysis = getattr(results, "_experiment_analysis", results)
    if not hasattr(analysis, "trials") or not hasattr(analysis, "default_metric"):
        kind = type(results).__name__
        problem = f"must be a ResultGrid of Ray Tune, but was a {kind!r}"
        raise InputError("results", problem, kind, "Give what Tuner.fit returned.")
    path = getattr(results, "experiment_path", None) or ""
    trials = (
        [_of_analysis(analysis, trial) for trial in analysis.trials]
        if analysis is results
        else [
            _of_result(result, trial)
            for result, trial in zip(results, analysis.trials, strict=True)
        ]
    )
    return Experiment(
        trials,
        analysis.default_metric,
        analysis.default_mode,
        bool(path) and _is_drawn(Path(path)),
    )


def _of_result(result: Any, trial: Any) -> Trial:
    table = getattr(result, "metrics_dataframe", None)
    return Trial(
        result.config or {},
        "ERROR" if result.error else str(trial.status),
        result.metrics or {},
        () if table is None else table.to_dict("records"),
        getattr(trial, "evaluated_params", None),
    )


def _of_analysis(analysis: Any, trial: Any) -> Trial:
    tables = getattr(analysis, "trial_dataframes", None) or {}
    table = tables.get(trial.trial_id)
    return Trial(
        trial.config or {},
        str(trial.status),
        trial.last_result or {},
        () if table is None else table.to_dict("records"),
        getattr(trial, "evaluated_params", None),
    )


def _is_drawn(folder: Path) -> bool:
    return any(folder.glob(DRAWN))


def _origin(experiment: Experiment, optimizer: str | None) -> tuple[Origin, list[Fact]]:
    """Return who chose the trials."""
    if optimizer is not None:
        return Origin.MODEL, []
    if experiment.drawn:
        return Origin.INITIAL, []
    text = (
        "proposals: Ray does not record which search algorithm chose the trials, so that none "
        "counts as a proposal; "
    )
    return Origin.UNKNOWN, [fact(text, Option("optimizer"), " tells it")]
