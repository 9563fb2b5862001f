"""Ray Tune's ResultGrid, turned into a Run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.adapters.ray._space import flat, read_domains
from hpo_explain.base.checks import check_option
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace

_ITERATION = "training_iteration"
_DIRECTIONS: dict[str, Direction] = {"min": "minimize", "max": "maximize"}
_DRAWN = "basic-variant-state-*.json"  # what Ray's own generator of grids and random draws leaves
_FAILED = fact("failed")
_UNDER_WAY = {"PENDING": fact("waiting"), "RUNNING": fact("running"), "PAUSED": fact("running")}


def from_ray(
    results: Any,
    *,
    space: Mapping[str, Any] | SearchSpace | None = None,
    metric: str | None = None,
    mode: str | None = None,
    level: float | None = None,
    optimizer: str | None = None,
) -> Run:
    """Read the results of Ray Tune.

    Trial numbers are positions in `results`; nested settings are named by their path, such as
    "layer/width". The objective is the last one that a trial reported. Read with Ray 2.60.

    Parameters
    ----------
    results : ray.tune.ResultGrid
        What ``Tuner.fit`` returned.
    space : dict or SearchSpace, optional
        The `param_space` of the tuner, which the results do not record: ranges, scales and
        choices. By default they are inferred from the values.
    metric, mode : str, optional
        The objective, and whether "min" or "max" is better; by default those of the tuner.
    level : float, optional
        The `training_iteration` at which results are compared, where trials reached different
        ones; by default the highest. Trials that were stopped at another one are left out.
    optimizer : str, optional
        What chose the trials by a model: the search algorithm, which is not on record. By default
        no trial counts as a proposal.

    Returns
    -------
    Run
        The run. Trials that failed are left out.

    Raises
    ------
    InputError
        If it is something else, or there is no such metric or level.
    NothingToExplain
        If no trial has a result.

    Examples
    --------
    >>> run = hx.from_ray(tuner.fit(), space=param_space)  # doctest: +SKIP
    """
    analysis = getattr(results, "_experiment_analysis", None)
    if analysis is None:
        kind = type(results).__name__
        problem = f"must be a ResultGrid of Ray Tune, but was a {kind!r}"
        raise InputError("results", problem, kind, "Give what Tuner.fit returned.")
    listed = list(results)
    if not listed:
        raise NothingToExplain(fact("results_empty"))
    name = metric or analysis.default_metric
    reported = sorted({key for result in listed for key in result.metrics or {}})
    if name is None or name not in reported:
        problem = f"must be a metric that trials reported, but was {name!r}"
        raise InputError("metric", problem, name, f"Reported: {', '.join(reported)}.")
    better = check_option("mode", mode or analysis.default_mode or "min", tuple(_DIRECTIONS))
    configs = [_settings(r.config, t) for r, t in zip(listed, analysis.trials, strict=True)]
    own, notes = None, list[Fact]()
    if isinstance(space, SearchSpace):
        own = space
    elif space is not None:
        tried: dict[str, list[Any]] = {}
        for config in configs:
            for key, value in config.items():
                tried.setdefault(key, []).append(value)
        parameters, computed, notes = read_domains(space, tried)
        configs = [{k: v for k, v in c.items() if k in parameters} for c in configs]
        if computed:
            notes.append(fact("computed_left_out", names=computed))
        own = SearchSpace([*parameters.values()])
    origin, about = _origin(results, optimizer)
    statuses = [str(trial.status) for trial in analysis.trials]
    evaluations = {
        i: _evaluation(result, config, name, origin, status)
        for i, (result, config, status) in enumerate(zip(listed, configs, statuses, strict=True))
    }
    reached = {e.fidelity for e in evaluations.values() if np.isfinite(e.value)}
    source = Source(
        "result grid",
        optimizer or "Ray Tune",
        _DIRECTIONS[better],
        name,
        _ITERATION if len(reached) > 1 else "",
        _ITERATION,
    )
    return run_of(evaluations, own, source, level=level, notes=[*about, *notes])


def _settings(config: Any, trial: Any) -> dict[str, Any]:
    """Return the hyperparameters of a trial: what varies among its settings, where Ray knows it."""
    settings = flat(config or {})
    varied = getattr(trial, "evaluated_params", None)
    return {k: v for k, v in settings.items() if k in varied} if varied else settings


def _origin(results: Any, optimizer: str | None) -> tuple[Origin, list[Fact]]:
    if optimizer is not None:
        return Origin.MODEL, []
    path = getattr(results, "experiment_path", None)
    if path and Path(path).is_dir() and [*Path(path).glob(_DRAWN)]:
        return Origin.INITIAL, []
    return Origin.UNKNOWN, [fact("searcher_not_recorded")]


def _evaluation(
    result: Any, config: Mapping[str, Any], metric: str, origin: Origin, status: str
) -> Evaluation:
    metrics = result.metrics or {}
    end = float(metrics.get("timestamp", np.nan))
    value = metrics.get(metric)
    return Evaluation(
        config,
        np.nan if value is None else float(value),
        _FAILED if result.error is not None else _UNDER_WAY.get(status),
        origin,
        end - float(metrics.get("time_total_s", np.nan)),
        end,
        float(metrics.get(_ITERATION, np.nan)),
        _curve(result, metric),
    )


def _curve(result: Any, metric: str) -> dict[float, float]:
    """Return the metric at each iteration."""
    table = getattr(result, "metrics_dataframe", None)
    if table is None or metric not in table or _ITERATION not in table:
        return {}
    columns = (table[_ITERATION].tolist(), table[metric].tolist())
    return {float(step): float(value) for step, value in zip(*columns, strict=True)}
