"""The `param_space` of Ray Tune as a search space; FLAML's is alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hpo_explain.adapters._domain import Domain, listed, normal, parameter_of, tried_values
from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.phrases import join_names
from hpo_explain.space import Parameter, SearchSpace

_GRID = "grid_search"


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
    given: Mapping[str, Any] | SearchSpace | None, configs: Sequence[Mapping[str, Any]]
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
        text = f"{join_names(computed)}: computed from others (sample_from), and left out; "
        notes.append(fact(text, Option("space"), "SearchSpace([...]) takes it in"))
    known = [{k: v for k, v in config.items() if k in found} for config in configs]
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
        low, high = (math.ceil(low / step - 1e-9) * step, math.floor(high / step + 1e-9) * step)
    elif whole and step is None:
        high -= 1.0  # which Ray leaves out, unless values are rounded
    shown = law if law == "normal" else ""
    return Domain(low, high, law == "loguniform", whole, step, law=shown)
