"""The configuration of a sweep of Weights & Biases as hyperparameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.adapters._reading import whole_numbers
from hpo_explain.adapters._scales import scale_of
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import Direction
from hpo_explain.space import CategoricalParameter, FloatParameter, Parameter

_TAIL = 3.0902323061678132  # standard deviations beyond which a normal value lies in 0.1 %, a side


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
        parameter, about = _parameter(name, entry, tried.get(name, ()))
        found += [] if parameter is None else [parameter]
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


def _parameter(
    name: str, entry: Mapping[str, Any], tried: Sequence[Any]
) -> tuple[Parameter | None, list[Fact]]:
    law = str(entry.get("distribution") or _law(entry))
    if law == "constant":
        return None, []
    if law in ("categorical", "categorical_w_probabilities"):
        return _choices(name, entry["values"])
    step = float(entry.get("q", 1.0)) if law.startswith("q_") else None
    law = law.removeprefix("q_").removeprefix("inv_")
    if law in ("normal", "log_normal"):
        return _normal(name, entry, tried, log=law == "log_normal")
    known = ("int_uniform", "uniform", "log_uniform", "log_uniform_values", "beta")
    if law not in known:
        problem = f"has the distribution {law!r} for {name!r}, which is not known"
        raise InputError("space", problem, law, "Give SearchSpace([...]).")
    if law == "beta":
        return FloatParameter(name, 0.0, 1.0), [_as_range(name, law)]
    low, high, log = float(entry["min"]), float(entry["max"]), law.startswith("log")
    if law == "log_uniform":
        low, high = math.exp(low), math.exp(high)
    if law == "int_uniform":
        return whole_numbers(name, int(low), int(high))
    if step is None:
        return FloatParameter(name, low, high, log=log), []
    low, high = (round(end / step) * step for end in (low, high))
    if step.is_integer():
        if log and low < 1:
            low = step
        parameter, notes = whole_numbers(
            name, int(low), int(high), log=log, step=1 if log else int(step)
        )
        return parameter, notes
    notes = [fact("grid_left_out", names=[name], step=step)] if log else []
    return FloatParameter(name, low, high, log=log, step=None if log else step), notes


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


def _choices(name: str, values: Sequence[Any]) -> tuple[Parameter | None, list[Fact]]:
    """Return choices; several numbers are a range, as those of a grid."""
    if len(values) < 2:
        return None, []
    kinds = (int, float)
    if not all(isinstance(v, kinds) and not isinstance(v, bool) for v in values):
        return CategoricalParameter(name, values), []
    note = fact("grid_as_range", names=[name])
    low, high, log = min(values), max(values), scale_of([float(value) for value in values]).log
    if all(isinstance(value, int) for value in values):
        parameter, about = whole_numbers(name, low, high, log=log)
        return parameter, [note, *about]
    return FloatParameter(name, float(low), float(high), log=log), [note]


def _normal(
    name: str, entry: Mapping[str, Any], tried: Sequence[Any], *, log: bool
) -> tuple[Parameter, list[Fact]]:
    mean, sd = float(entry.get("mu", 0.0)), float(entry.get("sigma", 1.0))
    ends = np.array([mean - _TAIL * sd, mean + _TAIL * sd])
    seen = np.array([*tried], dtype=float)
    numbers = [*(np.exp(ends) if log else ends), *seen[np.isfinite(seen)]]
    law = "log-normal" if log else "normal"
    low, high = float(min(numbers)), float(max(numbers))
    return FloatParameter(name, low, high, log=log), [_as_range(name, law)]


def _as_range(name: str, law: str) -> Fact:
    return fact("distribution_as_range", names=[name], law=law, log=False)
