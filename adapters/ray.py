"""Ray Tune's ResultGrid, turned into a Run; its `param_space` as a search space."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import (
    Domain,
    listed,
    normal,
    parameter_of,
    tried_values,
)
from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.base.checks import check_option
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin
from hpo_explain.base.options import Direction
from hpo_explain.base.text import declared_fact
from hpo_explain.run import FAILED, RUNNING, WAITING, Run
from hpo_explain.space import Parameter, SearchSpace

_ITERATION = "training_iteration"
DIRECTIONS: dict[str, Direction] = {"min": "minimize", "max": "maximize"}
_DRAWN = "basic-variant-state-*.json"  # what Ray's own generator of grids and random draws leaves
UNDER_WAY = {"PENDING": WAITING, "RUNNING": RUNNING, "PAUSED": RUNNING}
_GRID = "grid_search"

_EMPTY = declared_fact(
    "results_empty", "result grid has no trial. Call fit first."
)
_SEARCHER = declared_fact(
    "searcher_not_recorded",
    "proposals: Ray does not record which search algorithm chose the trials, so that none counts "
    "as a proposal; {optimizer=} tells it",
)
_COMPUTED = declared_fact(
    "computed_left_out",
    "{names}: computed from others (sample_from), and left out; {space=}SearchSpace([...]) takes "
    "it in",
)


def from_ray(
    results: Any,
    *,
    space: Mapping[str, Any] | SearchSpace | None = None,
    metric: str | None = None,
    mode: str | None = None,
    level: float | None = None,
    optimizer: str | None = None,
    bounds: tuple[float, float] | None = None,
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
    bounds : tuple of (float, float), optional
        The objective's natural range; by default that of the metric by its name, if it has one.

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
        raise InputError(
            "results", problem, kind, "Give what Tuner.fit returned."
        )
    every = list(results)
    if not every:
        raise NothingToExplain(_EMPTY())
    name = checked_metric(
        metric or analysis.default_metric, [r.metrics for r in every]
    )
    better = check_option(
        "mode", mode or analysis.default_mode or "min", tuple(DIRECTIONS)
    )
    settings = [
        _settings(r.config, t)
        for r, t in zip(every, analysis.trials, strict=True)
    ]
    own, configs, notes = read_space(space, settings)
    origin, about = _origin(results, optimizer)
    statuses = [str(trial.status) for trial in analysis.trials]
    evaluations = {
        i: _evaluation(result, config, name, origin, status)
        for i, (result, config, status) in enumerate(
            zip(every, configs, statuses, strict=True)
        )
    }
    reached = {
        e.fidelity for e in evaluations.values() if np.isfinite(e.value)
    }
    fidelity = _ITERATION if len(reached) > 1 else ""
    direction = DIRECTIONS[better]
    source = Source(
        "result grid",
        optimizer or "Ray Tune",
        direction,
        name,
        fidelity,
        _ITERATION,
    )
    return run_of(
        evaluations,
        own,
        source,
        level=level,
        bounds=bounds,
        notes=[*about, *notes],
    )


def checked_metric(
    name: str | None, results: Sequence[Mapping[str, Any] | None]
) -> str:
    """Return a metric.

    Raises
    ------
    InputError
        If no trial reported it.
    """
    reported = sorted({key for metrics in results for key in metrics or {}})
    if name is None or name not in reported:
        problem = f"must be a metric that trials reported, but was {name!r}"
        raise InputError(
            "metric", problem, name, f"Reported: {', '.join(reported)}."
        )
    return name


def _settings(config: Any, trial: Any) -> dict[str, Any]:
    """Return the hyperparameters of a trial: what varies among its settings, where Ray knows it."""
    settings = flat(config or {})
    varied = getattr(trial, "evaluated_params", None)
    return (
        {k: v for k, v in settings.items() if k in varied}
        if varied
        else settings
    )


def _origin(results: Any, optimizer: str | None) -> tuple[Origin, list[Fact]]:
    if optimizer is not None:
        return Origin.MODEL, []
    path = getattr(results, "experiment_path", None)
    if path and Path(path).is_dir() and [*Path(path).glob(_DRAWN)]:
        return Origin.INITIAL, []
    return Origin.UNKNOWN, [_SEARCHER()]


def _evaluation(
    result: Any,
    config: Mapping[str, Any],
    metric: str,
    origin: Origin,
    status: str,
) -> Evaluation:
    metrics = result.metrics or {}
    end = float(metrics.get("timestamp", np.nan))
    value = metrics.get(metric)
    return Evaluation(
        config,
        np.nan if value is None else float(value),
        FAILED if result.error is not None else UNDER_WAY.get(status),
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
    return {
        float(step): float(value) for step, value in zip(*columns, strict=True)
    }


# ---------------------------------------------------------------------- the space


def flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings by their path, as Ray names them.

    Examples
    --------
    >>> flat({"lr": 0.1, "layer": {"width": 8, "kind": {"grid_search": ["a", "b"]}}})
    {'lr': 0.1, 'layer/width': 8, 'layer/kind': {'grid_search': ['a', 'b']}}
    """
    found: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, Mapping) and [*value] != [_GRID]:
            found |= flat(value, f"{prefix}{name}/")
        else:
            found[f"{prefix}{name}"] = value
    return found


def read_space(
    given: Mapping[str, Any] | SearchSpace | None,
    configs: Sequence[Mapping[str, Any]],
) -> tuple[SearchSpace | None, Sequence[Mapping[str, Any]], list[Fact]]:
    """Return the space of a `param_space`, configurations without what is computed, and notes.

    Where it is a SearchSpace, or None, it and the configurations are as they were.
    """
    if given is None or isinstance(given, SearchSpace):
        return given, configs, []
    found: dict[str, Parameter] = {}
    computed: list[str] = []
    notes: list[Fact] = []
    tried = tried_values(configs)
    for name, entry in flat(given).items():
        if (domain := _domain(entry, tried.get(name, ()))) is not None:
            found[name], about = parameter_of(name, domain)
            notes += about
        elif hasattr(entry, "func"):
            computed.append(name)
    if computed:
        notes.append(_COMPUTED(names=computed))
    known = [
        {k: v for k, v in config.items() if k in found} for config in configs
    ]
    return SearchSpace([*found.values()]), known, notes


def _domain(entry: Any, tried: Sequence[Any]) -> Domain | None:
    """Return the domain of an entry; None for a constant and for what is computed."""
    if isinstance(entry, Mapping):
        return listed(entry[_GRID])
    if hasattr(entry, "categories"):
        return Domain(choices=entry.categories)
    if not (hasattr(entry, "lower") and hasattr(entry, "sampler")):
        return None
    sampler, step = entry.sampler, None
    if type(sampler).__name__ == "Quantized":
        sampler, step = sampler.sampler, sampler.q
    law = type(sampler).__name__.strip("_").lower()
    whole = type(entry).__name__ == "Integer"
    low, high = float(entry.lower), float(entry.upper)
    if law == "normal":
        first, last = normal(float(sampler.mean), float(sampler.sd), tried)
        low, high = max(low, first), min(high, last)
    if step is not None and step != 1:
        low, high = (
            math.ceil(low / step - 1e-9) * step,
            math.floor(high / step + 1e-9) * step,
        )
    elif whole and step is None:
        high -= 1.0  # which Ray leaves out, unless values are rounded
    shown = law if law == "normal" else ""
    return Domain(low, high, law == "loguniform", whole, step, law=shown)
