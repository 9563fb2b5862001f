"""The configuration of a sweep of W&B as a search space."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpo_explain.adapters._domain import Domain, listed, normal, parameter_of
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Direction
from hpo_explain.space import Parameter


@dataclass(frozen=True)
class Sweep:
    """What the configuration of a sweep says.

    Attributes
    ----------
    parameters : tuple of hyperparameters
        The hyperparameters that vary.
    objective : str or None
        The metric.
    direction : {"minimize", "maximize"}
        Its goal.
    notes : tuple of Fact
        What was assumed.
    """

    parameters: tuple[Parameter, ...]
    objective: str | None
    direction: Direction
    notes: tuple[Fact, ...]


def read_sweep(config: Mapping[str, Any], tried: Mapping[str, Sequence[Any]]) -> Sweep:
    """Return what the configuration of a sweep says, or its `parameters` alone.

    Parameters
    ----------
    config : mapping
        As in ``wandb.sweep(config)`` or the YAML file of a sweep.
    tried : mapping of str to sequence
        The values of the trials by hyperparameter: those of distributions without bounds are in
        the range.

    Raises
    ------
    InputError
        If a hyperparameter has a distribution that is not known, or none varies.

    Examples
    --------
    >>> sweep = read_sweep(
    ...     {
    ...         "metric": {"name": "acc", "goal": "maximize"},
    ...         "parameters": {
    ...             "lr": {"distribution": "log_uniform_values", "min": 1e-4, "max": 0.1},
    ...             "layers": {"min": 1, "max": 5},
    ...             "seed": {"value": 7},
    ...         },
    ...     },
    ...     {},
    ... )
    >>> [parameter.name for parameter in sweep.parameters], sweep.parameters[0].log
    (['lr', 'layers'], True)
    """
    metric = config.get("metric")
    metric = metric if isinstance(metric, Mapping) else {}
    whole = "parameters" in config and isinstance(config["parameters"], Mapping)
    found: list[Parameter] = []
    notes: list[Fact] = []
    for name, entry in _flat(config["parameters"] if whole else config).items():
        if (domain := _domain(name, entry, tried.get(name, ()))) is not None:
            parameter, about = parameter_of(name, domain)
            found.append(parameter)
            notes += about
    if not found:
        problem = "is a mapping in which no hyperparameter varies"
        remedy = "Give the configuration of a sweep of W&B, or SearchSpace([...])."
        raise InputError("space", problem, dict(config), remedy)
    goal: Direction = "maximize" if metric.get("goal") == "maximize" else "minimize"
    return Sweep(tuple(found), metric.get("name"), goal, tuple(notes))


def _flat(entries: Mapping[str, Any], prefix: str = "") -> dict[str, Mapping[str, Any]]:
    """Return nested parameters by their path, as W&B names them."""
    found: dict[str, Mapping[str, Any]] = {}
    for name, entry in entries.items():
        if not isinstance(entry, Mapping):
            problem = (
                "must be a SearchSpace or the configuration of a sweep, "
                f"but says of {name!r} only {entry!r}"
            )
            remedy = (
                "Make one: hpo_explain.SearchSpace([FloatParameter(...), ...]); in a sweep each "
                'has {"values": [...]} or {"min": ..., "max": ...}.'
            )
            raise InputError("space", problem, entry, remedy)
        if isinstance(entry.get("parameters"), Mapping):
            found |= _flat(entry["parameters"], f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = entry
    return found


def _domain(name: str, entry: Mapping[str, Any], tried: Sequence[Any]) -> Domain | None:
    """Return the domain of a hyperparameter; None for one that does not vary."""
    law = str(entry.get("distribution") or _law(entry))
    if law == "constant":
        return None
    if law in ("categorical", "categorical_w_probabilities"):
        return listed(entry["values"]) if len(entry["values"]) > 1 else None
    step = float(entry.get("q", 1.0)) if law.startswith("q_") else None
    law = law.removeprefix("q_").removeprefix("inv_")
    if law in ("normal", "log_normal"):
        log = law == "log_normal"
        mean, sd = float(entry.get("mu", 0.0)), float(entry.get("sigma", 1.0))
        return Domain(*normal(mean, sd, tried, log=log), log, law=law.replace("_", "-"))
    if law == "beta":
        return Domain(0.0, 1.0, law=law)
    if law not in ("int_uniform", "uniform", "log_uniform", "log_uniform_values"):
        problem = f"has the distribution {law!r} for {name!r}, which is not known"
        raise InputError("space", problem, law, "Give SearchSpace([...]).")
    low, high, log = (float(entry["min"]), float(entry["max"]), law.startswith("log"))
    if law == "log_uniform":
        low, high = math.exp(low), math.exp(high)
    if step is None:
        return Domain(low, high, log, law == "int_uniform")
    low, high = (round(end / step) * step for end in (low, high))
    if log and step.is_integer():
        low = low if low >= 1 else step
    return Domain(low, high, log, step.is_integer(), step)


def _law(entry: Mapping[str, Any]) -> str:
    """Return the distribution that W&B takes where none is named."""
    if "values" in entry:
        return "categorical"
    if "value" in entry:
        return "constant"
    if "mu" in entry or "sigma" in entry:
        return "normal"
    ends = [entry.get("min"), entry.get("max")]
    return "int_uniform" if all(isinstance(end, int) for end in ends) else "uniform"
