"""What hpbandster (BOHB, Hyperband) logged: results.json and configs.json, or its Result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.adapters.formats import Opened
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.facts import Origin
from hpo_explain.base.text import declared_fact
from hpo_explain.run import FAILED, Run
from hpo_explain.space import SearchSpace

_BY_MODEL = "model_based_pick"

_EMPTY = declared_fact(
    "hpbandster_empty", "result has no evaluation yet. Wait for one to finish."
)


@dataclass
class LoggedConfiguration:
    """A configuration with its evaluations: of each budget when it ran, and the result."""

    config: Mapping[str, Any]
    config_info: Any
    time_stamps: dict[float, Any] = field(default_factory=dict)
    results: dict[float, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class LoggedResults:
    """The configurations in the order in which hpbandster made them, as its Result has them."""

    data: Mapping[tuple[int, ...], LoggedConfiguration]


@contextmanager
def opened(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open the folder of a ``json_result_logger``."""
    folder = Path(path)
    data: dict[tuple[int, ...], LoggedConfiguration] = {}
    for number, config, *info in _lines(folder / "configs.json"):
        data[tuple(number)] = LoggedConfiguration(
            config, info[0] if info else {}
        )
    for number, budget, times, result, _ in _lines(folder / "results.json"):
        logged = data[tuple(number)]
        logged.time_stamps[budget] = times
        logged.results[budget] = result
    yield Opened(LoggedResults(data))


def _lines(file: Path) -> Iterator[Any]:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def read_result(
    result: Any,
    *,
    space: SearchSpace | None = None,
    level: float | None = None,
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read what hpbandster logged, or the Result that ``optimizer.run`` returned.

    Parameters
    ----------
    result : LoggedResults or hpbandster.core.result.Result
        What was logged. Trial numbers are positions in the order of the configurations.
    space : SearchSpace, optional
        The search space, which is not on record; by default it is inferred from the trials.
    level : float, optional
        The budget at which results are compared; by default the highest.
    bounds : tuple of (float, float), optional
        The loss's natural range.

    Returns
    -------
    Run
        The run, minimized. Proposals are the configurations that the model picked.

    Raises
    ------
    NothingToExplain
        If nothing was evaluated.
    """
    logged = {
        i: one for i, one in enumerate(result.data.values()) if one.results
    }
    if not logged:
        raise NothingToExplain(_EMPTY())
    budgets = {float(b) for one in logged.values() for b in one.results}
    source = Source(
        "result",
        "hpbandster",
        objective_name="loss",
        fidelity="budget" if len(budgets) > 1 or level is not None else "",
        step_name="budget",
    )
    at = max(budgets) if level is None else level
    evaluations = {i: _evaluation(one, at) for i, one in logged.items()}
    return run_of(evaluations, space, source, level=level, bounds=bounds)


def _evaluation(logged: Any, level: float) -> Evaluation:
    """Return a configuration at a budget; where it has no result there, at its highest."""
    curve = {float(b): _loss(result) for b, result in logged.results.items()}
    at = level if level in curve else max(curve)
    times = {float(b): stamps for b, stamps in logged.time_stamps.items()}
    stamps = times.get(at) or {}
    info = logged.config_info if isinstance(logged.config_info, dict) else {}
    origin = Origin.UNKNOWN
    if _BY_MODEL in info:
        origin = Origin.MODEL if info[_BY_MODEL] else Origin.INITIAL
    return Evaluation(
        logged.config,
        curve[at],
        FAILED if np.isnan(curve[at]) else None,
        origin,
        float(stamps.get("started", np.nan)),
        float(stamps.get("finished", np.nan)),
        at,
        {budget: loss for budget, loss in curve.items() if np.isfinite(loss)},
    )


def _loss(result: Mapping[str, Any] | None) -> float:
    """Return the loss of an evaluation; NaN of one that failed."""
    loss = (result or {}).get("loss")
    return np.nan if loss is None else float(loss)
