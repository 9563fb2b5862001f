"""A client of Ax, turned into a Run."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import Domain, parameter_of
from hpo_explain.adapters._evaluations import (
    Evaluation,
    Source,
    objective_among,
    outcome,
    run_of,
    seconds,
)
from hpo_explain.adapters.ax._models import AxRecord
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Option, Origin, fact
from hpo_explain.base.options import Direction
from hpo_explain.base.phrases import listed
from hpo_explain.run import FAILED, PRUNED, RUNNING, WAITING, Run
from hpo_explain.space import Parameter, SearchSpace

_WITHOUT_MODEL = ("Sobol", "CenterOfSearchSpace", "Uniform", "Factorial", "Thompson")
REASONS = {
    "FAILED": FAILED,
    "ABANDONED": FAILED,
    "EARLY_STOPPED": PRUNED,
    "RUNNING": RUNNING,
    "STAGED": RUNNING,
    "CANDIDATE": WAITING,
}

_MODELS = fact(
    "models: for each proposal Ax's Gaussian process is fitted again by Ax's own code to the "
    "trials completed by then; where no trial is asked about, to all"
)


def from_ax(
    client: Any, *, objective: str | None = None, bounds: tuple[float, float] | None = None
) -> Run:
    """Read a client of Ax: its search space, its trials and what generated each of them.

    Trial numbers are Ax's `trial_index`. Tested with Ax 1.3.

    Parameters
    ----------
    client : ax.Client, AxClient or Experiment
        The client, or its experiment (without Ax's model). All functions of this package also
        read the JSON file of either client.
    objective : str, optional
        The metric to explain, if the objective has several.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric.

    Returns
    -------
    Run
        The run. Proposals are the trials that one of Ax's models generated, not the center of the
        space, Sobol points or attached trials. It uses Ax's own Gaussian process, that of the
        client's current generation node, if this models one objective over numbers, ordered
        choices or binary choices.

    Raises
    ------
    InputError
        If `client` is something else or not configured, or has several objectives and none is
        chosen.
    NothingToExplain
        If no trial is completed.

    Examples
    --------
    >>> run = hx.from_ax(client)  # doctest: +SKIP
    """
    experiment = getattr(client, "_experiment", client)
    config = getattr(experiment, "optimization_config", None)
    if config is None or not hasattr(experiment, "search_space"):
        kind = type(client).__name__
        problem = f"must be a client of Ax with an objective, but was a {kind!r}"
        raise InputError("client", problem, kind, "Call its configure_optimization.")
    if not experiment.trials:
        raise NothingToExplain(fact("client has no trial yet. Complete some first."))
    names = list(config.objective.metric_names)
    name = objective_among(names, objective, "metric")
    space, notes = _space(experiment.search_space)
    data = experiment.lookup_data()
    rows = data.df[data.df["metric_name"] == name]
    if "step" in rows:  # of a learning curve the last value
        rows = rows.sort_values("step", kind="stable")
    values = dict(zip(rows["trial_index"].tolist(), rows["mean"].tolist(), strict=True))
    trials = {int(i): _evaluation(t, values.get(i)) for i, t in experiment.trials.items()}
    valued = {t for t, trial in trials.items() if np.isfinite(trial.value)}
    record = AxRecord.of(client, space, data, experiment.metrics[name].signature, valued)
    if record:
        notes.append(_MODELS)
    if (rows["sem"] > 0).any():
        used = "left out; the surrogate estimates the noise from the values"
        if record:
            used = (
                "known to Ax's own model; models that are fitted here, as for importance, "
                "estimate the noise from the values"
            )
        notes.append(fact(f"noise: the standard errors that {name} was told with are {used}"))
    source = Source("client", "Ax", _direction(config, name), name)
    return run_of(trials, space, source, bounds=bounds, notes=notes, record=record)


def several_objectives(client: Any) -> list[str]:
    """Return the metrics of the objective where there are several, else nothing."""
    experiment = getattr(client, "_experiment", client)
    config = getattr(experiment, "optimization_config", None)
    names = list(config.objective.metric_names) if config else []
    return names if len(names) > 1 else []


def _direction(config: Any, name: str) -> Direction:
    """Return which way a metric is better: Ax maximizes the terms of its expression."""
    expression = str(config.objective.expression).replace(" ", "")
    negative = re.search(rf"-(?:[\d.]+\*)?{re.escape(name)}(?![\w.])", expression)
    return "minimize" if negative else "maximize"


def _space(given: Any) -> tuple[SearchSpace, list[Fact]]:
    parameters: list[Parameter] = []
    notes: list[Fact] = []
    for entry in given.parameters.values():
        if hasattr(entry, "lower"):
            whole = entry.parameter_type.name == "INT"
            domain = Domain(entry.lower, entry.upper, bool(entry.log_scale), whole)
        else:
            domain = Domain(choices=entry.values if hasattr(entry, "values") else [entry.value])
        parameter, about = parameter_of(entry.name, domain)
        parameters.append(parameter)
        notes += about
    constraints = [_plain(entry) for entry in getattr(given, "parameter_constraints", None) or ()]
    if constraints:
        text = (
            f"constraints: Ax keeps to {listed(constraints, most=3)}, and the search space here "
            "does not: averages and advice may take in other configurations; "
        )
        notes.append(fact(text, Option("background"), " takes an array without them"))
    return SearchSpace(parameters), notes


def _plain(constraint: Any) -> str:
    """Return a linear constraint as a formula."""
    terms = [f"{weight:g}·{name}" for name, weight in constraint.constraint_dict.items()]
    return f"{' + '.join(terms)} <= {constraint.bound:g}"


def _evaluation(trial: Any, value: float | None) -> Evaluation:
    return Evaluation(
        dict(trial.arm.parameters) if trial.arm else {},
        *outcome(value, REASONS.get(trial.status.name)),
        _origin(trial.generation_method_str),
        seconds(trial.time_run_started),
        np.inf if trial.status.name == "RUNNING" else seconds(trial.time_completed),
    )


def _origin(method: str | None) -> Origin:
    if not method or method == "Manual":
        return Origin.ENQUEUED
    return Origin.INITIAL if method.startswith(_WITHOUT_MODEL) else Origin.MODEL
