"""The `param_space` of Ray Tune as hyperparameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hpo_explain.adapters._reading import whole_numbers
from hpo_explain.adapters._scales import scale_of
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import CategoricalParameter, FloatParameter, Parameter

_GRID = "grid_search"
_TAIL = 3.0902323061678132  # standard deviations beyond which a normal value lies in 0.1 %, a side


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


def read_domains(
    given: Mapping[str, Any], tried: Mapping[str, Sequence[Any]]
) -> tuple[dict[str, Parameter], list[str], list[Fact]]:
    """Return what a `param_space` says of hyperparameters.

    Parameters
    ----------
    given : mapping
        The `param_space`.
    tried : mapping of str to sequence
        The values of the trials, by path.

    Returns
    -------
    dict of str to Parameter
        The hyperparameters whose range or choices it says.
    list of str
        Those that are computed (`sample_from`), whose range it does not say.
    list of Fact
        What was assumed.
    """
    found: dict[str, Parameter] = {}
    computed: list[str] = []
    notes: list[Fact] = []
    for name, domain in flat(given).items():
        if isinstance(domain, Mapping):
            found[name], about = _grid(name, domain[_GRID])
            notes += about
        elif hasattr(domain, "categories"):
            found[name] = CategoricalParameter(name, domain.categories)
        elif hasattr(domain, "lower") and hasattr(domain, "sampler"):
            found[name], about = _range(name, domain, tried.get(name, ()))
            notes += about
        elif hasattr(domain, "func"):
            computed.append(name)
    return found, computed, notes


def _grid(name: str, values: Sequence[Any]) -> tuple[Parameter, list[Fact]]:
    kinds = (int, float, np.integer, np.floating)
    numeric = all(isinstance(v, kinds) and not isinstance(v, bool) for v in values)
    if not numeric or len(values) < 2:
        return CategoricalParameter(name, values), []
    note = fact("grid_as_range", names=[name])
    log = scale_of([float(value) for value in values]).log
    if all(isinstance(value, (int, np.integer)) for value in values):
        parameter, about = whole_numbers(name, int(min(values)), int(max(values)), log=log)
        return parameter, [note, *about]
    return FloatParameter(name, float(min(values)), float(max(values)), log=log), [note]


def _range(name: str, domain: Any, tried: Sequence[Any]) -> tuple[Parameter, list[Fact]]:
    sampler, step = domain.sampler, None
    if type(sampler).__name__ == "Quantized":
        sampler, step = sampler.sampler, sampler.q
    law = type(sampler).__name__.strip("_").lower()
    log, whole = law == "loguniform", type(domain).__name__ == "Integer"
    low, high, notes = float(domain.lower), float(domain.upper), list[Fact]()
    if law == "normal":
        numbers = [float(value) for value in tried]
        mean, sd = float(sampler.mean), float(sampler.sd)
        low = max(low, min([mean - _TAIL * sd, *numbers]))
        high = min(high, max([mean + _TAIL * sd, *numbers]))
        notes.append(fact("distribution_as_range", names=[name], law=law, log=False))
    if step is not None and step != 1:
        low, high = math.ceil(low / step - 1e-9) * step, math.floor(high / step + 1e-9) * step
    elif whole and step is None:
        high -= 1.0  # which Ray leaves out, unless values are rounded
    if whole and (not log or step in (None, 1)):
        parameter, about = whole_numbers(
            name, int(low), int(high), log=log, step=1 if log else int(step or 1)
        )
        return parameter, notes + about
    if log and step is not None:
        notes.append(fact("grid_left_out", names=[name], step=step))
    return FloatParameter(name, low, high, log=log, step=None if log else step), notes
