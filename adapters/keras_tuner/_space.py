"""The hyperparameters of KerasTuner as a search space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.adapters._reading import whole_numbers
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import CategoricalParameter, FloatParameter, Parameter, SearchSpace

OWN = "tuner/"  # what tuners write beside the hyperparameters


def read_space(given: Sequence[Any]) -> tuple[SearchSpace, list[Fact]]:
    """Return the hyperparameters of ``oracle.get_space().space``, and what was assumed.

    Of several with the same name, as under different conditions, the first counts, and it is active
    under the conditions of each.
    """
    found: dict[str, Parameter] = {}
    when: dict[str, list[dict[str, tuple[Any, ...]]]] = {}
    notes: list[Fact] = []
    for entry in given:
        name = str(entry.name)
        if name.startswith(OWN) or type(entry).__name__ == "Fixed":
            continue
        when.setdefault(name, []).append(
            {str(c.name): tuple(c.values) for c in entry.conditions or ()}
        )
        if name not in found:
            found[name], about = _parameter(entry)
            notes += about
    unstated = []
    for name, conditions in when.items():
        parents = {*conditions[0]}
        known = all(parent in found for parent in parents)
        if not parents or any(not condition for condition in conditions):
            continue
        if len(conditions) > 1 and (len(parents) > 1 or any({*c} != parents for c in conditions)):
            unstated.append(name)
        elif known:
            values = {p: [v for c in conditions for v in c[p]] for p in parents}
            found[name] = replace(found[name], active_when=values)
    for name in unstated:
        found[name] = replace(found[name], optional=0.5)
    if unstated:
        notes.append(fact("condition_not_read", names=unstated))
    return SearchSpace([*found.values()]), notes


def _parameter(entry: Any) -> tuple[Parameter, list[Fact]]:
    name, kind = str(entry.name), type(entry).__name__
    if kind == "Boolean":
        return CategoricalParameter(name, [True, False]), []
    if kind == "Choice":
        values = list(entry.values)
        note = [fact("order_left_out", names=[name])] if entry.ordered and len(values) > 2 else []
        return CategoricalParameter(name, values), note
    log = entry.sampling == "log"
    notes = [] if entry.sampling in (None, "linear", "log") else [_as_linear(entry)]
    low, high, step = entry.min_value, entry.max_value, entry.step
    if kind == "Int":
        step = 1 if step is None or log else int(step)
        high = low + (high - low) // step * step
        parameter, about = whole_numbers(name, int(low), int(high), log=log, step=step)
        return parameter, notes + about
    if step is not None and not log:
        high = low + np.floor((high - low) / step + 1e-9) * step
        return FloatParameter(name, float(low), float(high), step=float(step)), notes
    return FloatParameter(name, float(low), float(high), log=log), notes


def _as_linear(entry: Any) -> Fact:
    return fact("sampling_as_linear", names=[str(entry.name)], sampling=str(entry.sampling))
