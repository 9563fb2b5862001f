"""What FLAML's tune.run returns, turned into a Run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.adapters.ray import flat, read_domains
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace

_DIRECTIONS: dict[str, Direction] = {"min": "minimize", "max": "maximize"}
_REASONS = {
    "ERROR": fact("failed"),
    "PENDING": fact("waiting"),
    "RUNNING": fact("running"),
    "PAUSED": fact("running"),
}


def from_flaml(
    analysis: Any,
    *,
    space: Mapping[str, Any] | SearchSpace | None = None,
    metric: str | None = None,
    optimizer: str | None = None,
) -> Run:
    """Read what ``flaml.tune.run`` returned.

    Trial numbers are positions in ``analysis.trials``. Read with FLAML 2.7.

    Parameters
    ----------
    analysis : flaml.tune.ExperimentAnalysis
        What ``tune.run`` returned.
    space : dict or SearchSpace, optional
        The `config` of ``tune.run``, where the analysis does not record it: ranges, scales and
        choices. By default they are inferred from the values.
    metric : str, optional
        The objective; by default that of ``tune.run``.
    optimizer : str, optional
        What chose the trials by a model. By default no trial counts as a proposal: FLAML's own
        search goes on from the best trial without a model.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    InputError
        If it is something else, or there is no such metric.
    NothingToExplain
        If no trial has a result.

    Examples
    --------
    >>> run = hx.from_flaml(tune.run(objective, config=space))  # doctest: +SKIP
    """
    trials = getattr(analysis, "trials", None)
    if trials is None or not hasattr(analysis, "default_mode"):
        kind = type(analysis).__name__
        problem = f"must be what tune.run of FLAML returned, but was a {kind!r}"
        remedy = "For an AutoML object give a table of its config_history to from_frame."
        raise InputError("analysis", problem, kind, remedy)
    if not trials:
        raise NothingToExplain(fact("analysis_empty"))
    reported = sorted({key for trial in trials for key in trial.last_result or {}})
    name = metric or analysis.default_metric
    if name not in reported:
        problem = f"must be a metric that trials reported, but was {name!r}"
        raise InputError("metric", problem, name, f"Reported: {', '.join(reported)}.")
    configs = [{k: _plain(v) for k, v in flat(trial.config or {}).items()} for trial in trials]
    given = getattr(analysis, "search_space", None) if space is None else space
    own, notes = None, list[Fact]()
    if isinstance(given, SearchSpace):
        own = given
    elif given:
        tried: dict[str, list[Any]] = {}
        for config in configs:
            for key, value in config.items():
                tried.setdefault(key, []).append(value)
        parameters, computed, notes = read_domains(given, tried)
        configs = [{k: v for k, v in c.items() if k in parameters} for c in configs]
        if computed:
            notes.append(fact("computed_left_out", names=computed))
        own = SearchSpace([*parameters.values()])
    direction = _DIRECTIONS.get(str(analysis.default_mode), "minimize")
    evaluations = {
        i: _evaluation(trial, config, name, Origin.UNKNOWN if optimizer is None else Origin.MODEL)
        for i, (trial, config) in enumerate(zip(trials, configs, strict=True))
    }
    if optimizer is None:
        notes.append(fact("flaml_without_model"))
    source = Source("analysis", optimizer or "FLAML", direction, name)
    return run_of(evaluations, own, source, notes=notes)


def _evaluation(trial: Any, config: Mapping[str, Any], metric: str, origin: Origin) -> Evaluation:
    value = (trial.last_result or {}).get(metric)
    reason = _REASONS.get(str(trial.status))
    if reason is None and value is None:
        reason = fact("no_value")
    start, end = (getattr(trial, at, None) for at in ("start_time", "last_update_time"))
    return Evaluation(
        config,
        np.nan if value is None else float(value),
        reason,
        origin,
        np.nan if start is None else float(start),
        np.nan if end is None else float(end),
    )


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
