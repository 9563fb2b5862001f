"""Conditions that KerasTuner does not record: layers of a loop, and what is inside of an `if`.

A model that is built for the first time with `units_3` adds it to the space. Trials before lack it,
as their models did not use it; all trials after have a value of it, used or not. So there is no
telling from values alone. What is known are the trials that lack a hyperparameter, in which it was
not used, and the first that has it, in which it was.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.phrases import join_names
from hpo_explain.space import IntParameter, Parameter, SearchSpace
from hpo_explain.space.shared import values_of

_INDEXED = re.compile(r"(.*?)(\d+)(\D*)")


@dataclass(frozen=True)
class _Evidence:
    """The values of trials that lack a hyperparameter, and of the first that has it."""

    lacking: Sequence[Mapping[str, Any]]
    first: Mapping[str, Any]
    share: float
    """The share of trials that have it."""


def with_conditions(
    space: SearchSpace, values: Sequence[Mapping[str, Any]]
) -> tuple[SearchSpace, list[Fact]]:
    """Return a space with the conditions that explain which trials lack which hyperparameter.

    Parameters
    ----------
    space : SearchSpace
        The space, with the conditions on record.
    values : sequence of mapping
        The values of each trial, in the order in which they began.
    """
    evidence = _evidence(space, values)
    if not evidence:
        return space, []
    found = {p.name: p for p in space}
    notes: list[Fact] = []
    explained: set[str] = set()
    for loop in _loops(space):
        lacked = [name for name in loop if name in evidence]
        name, first = _count_of(loop, found, evidence) if lacked else ("", 0)
        if not name:
            continue
        for child, index in loop.items():
            count = found[name]
            if isinstance(count, IntParameter) and index + first > count.low:
                used = [v for v in values_of(count) if v >= index + first]
                found[child] = replace(found[child], active_when={name: used})
                explained.add(child)
        layers = join_names([n for n in loop if n in explained])
        text = (
            f"{layers}: active from a value of {name} on, a layer each, inferred from the first "
            "trial that has it and from those that lack it"
        )
        notes.append(fact(text))
    for name in evidence:
        if name not in explained:
            found[name], about = _explained(found, name, evidence[name])
            notes += about
    return SearchSpace([*found.values()]), notes


def _evidence(space: SearchSpace, values: Sequence[Mapping[str, Any]]) -> dict[str, _Evidence]:
    """Return what is known of the hyperparameters without a condition that some trials lack."""
    evidence = {}
    for parameter in space:
        having = [v for v in values if parameter.name in v]
        lacking = [v for v in values if parameter.name not in v]
        if not parameter.active_when and having and lacking:
            evidence[parameter.name] = _Evidence(lacking, having[0], len(having) / len(values))
    return evidence


# ---------------------------------------------------------------------- loops


def _loops(space: SearchSpace) -> list[dict[str, int]]:
    """Return the hyperparameters that differ by a number in their names, with that number."""
    groups: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for name in space.names:
        match = _INDEXED.fullmatch(name)
        if match:
            groups[match[1], match[3]][name] = int(match[2])
    return [group for group in groups.values() if len(group) > 1]


def _count_of(
    loop: Mapping[str, int], parameters: Mapping[str, Parameter], evidence: Mapping[str, _Evidence]
) -> tuple[str, int]:
    """Return the number of layers that a loop is over, and from which value on layer 0 is there.

    Its name is empty where there is none.

    A layer is used from the value `first` + its number on: more than all trials have that lack it,
    and at most what the first has that has it.
    """
    narrowest, best = np.inf, ("", 0)
    for name, parameter in parameters.items():
        if not isinstance(parameter, IntParameter) or name in loop:
            continue
        low, high = _range_of_first(name, loop, parameter, evidence)
        if low <= high and high - low < narrowest:
            usual = parameter.step - min(loop.values())
            narrowest, best = high - low, (name, int(np.clip(usual, low, high)))
    return best


def _range_of_first(
    parent: str, loop: Mapping[str, int], parameter: IntParameter, evidence: Mapping[str, _Evidence]
) -> tuple[int, int]:
    """Return between which numbers `first` must be; the first is larger where there is none."""
    low, high = -(10**9), 10**9
    for child, index in loop.items():
        if child not in evidence:  # every trial has it
            high = min(high, parameter.low - index)
            continue
        about = evidence[child]
        below = [v[parent] for v in about.lacking if parent in v]
        if parent not in about.first or not below:
            return 1, 0
        low = max(low, max(below) + 1 - index)
        high = min(high, about.first[parent] - index)
    return low, high


# ---------------------------------------------------------------------- what is inside of an `if`


def _explained(
    parameters: Mapping[str, Parameter], name: str, evidence: _Evidence
) -> tuple[Parameter, list[Fact]]:
    """Return a hyperparameter with the condition that the evidence about it suggests."""
    rows = [*evidence.lacking, evidence.first]
    child = parameters[name]
    others = [
        p
        for p in parameters.values()
        if p.name != name and not p.active_when and all(p.name in row for row in rows)
    ]
    columns = [p.encode([row[p.name] for row in rows]) for p in others]
    used = child.encode([evidence.first[name]])[0]
    X = np.column_stack([*columns, [np.nan] * len(evidence.lacking) + [used]])
    inferred, notes = infer_conditions([*others, child], X, range(len(rows)))
    if inferred[-1].optional == 1.0:
        return inferred[-1], notes
    unexplained = replace(child, optional=evidence.share)
    text = (
        f"{name}: some trials lack it, and no other hyperparameter explains which; counts as "
        f"active with the probability {evidence.share:.2g}, that of a trial that has it"
    )
    return unexplained, [fact(text)]
