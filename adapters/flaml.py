"""What FLAML's tune.run returns, turned into a Run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpo_explain.adapters._domain import number, plain
from hpo_explain.adapters._evaluations import Evaluation, Source, outcome, run_of
from hpo_explain.adapters.ray._experiment import DIRECTIONS, REASONS, checked_objective, reported_by
from hpo_explain.adapters.ray.space import flat, read_space
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Option, Origin, fact
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace

_WITHOUT_MODEL = fact(
    "proposals: FLAML's own search goes on from the best trial without a model, so that no trial "
    "counts as a proposal; ",
    Option("optimizer"),
    " names another one",
)


def from_flaml(
    analysis: Any,
    *,
    space: Mapping[str, Any] | SearchSpace | None = None,
    objective: str | None = None,
    optimizer: str | None = None,
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read the result of ``flaml.tune.run``.

    Trial numbers are positions in ``analysis.trials``. Tested with FLAML 2.7.

    Parameters
    ----------
    analysis : flaml.tune.ExperimentAnalysis
        The result of ``tune.run``.
    space : dict or SearchSpace, optional
        The `config` of ``tune.run``, if the analysis does not record it. By default ranges, scales
        and choices are inferred from the values.
    objective : str, optional
        The metric to explain; by default that of ``tune.run``.
    optimizer : str, optional
        Name of the optimizer, if it chose the trials by a model. By default no trial counts as a
        proposal, because FLAML's own search has no model.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    InputError
        If `analysis` is something else, or the metric does not exist.
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
        empty = "analysis has no trial. Give tune.run a larger budget."
        raise NothingToExplain(fact(empty))
    name = checked_objective(
        objective or analysis.default_metric, reported_by([t.last_result for t in trials])
    )
    given = (getattr(analysis, "search_space", None) or None) if space is None else space
    settings = [{k: plain(v) for k, v in flat(trial.config or {}).items()} for trial in trials]
    own, configs, notes = read_space(given, settings)
    origin = Origin.UNKNOWN if optimizer is None else Origin.MODEL
    evaluations = {
        i: _evaluation(trial, config, name, origin)
        for i, (trial, config) in enumerate(zip(trials, configs, strict=True))
    }
    if optimizer is None:
        notes.append(_WITHOUT_MODEL)
    direction = DIRECTIONS.get(str(analysis.default_mode), "minimize")
    source = Source("analysis", optimizer or "FLAML", direction, name)
    return run_of(evaluations, own, source, bounds=bounds, notes=notes)


def _evaluation(trial: Any, config: Mapping[str, Any], metric: str, origin: Origin) -> Evaluation:
    value = (trial.last_result or {}).get(metric)
    start, end = (getattr(trial, at, None) for at in ("start_time", "last_update_time"))
    return Evaluation(
        config,
        *outcome(value, REASONS.get(str(trial.status))),
        origin,
        number(start),
        number(end),
    )
