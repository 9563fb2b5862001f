"""A space of ConfigSpace as a search space."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import Domain, parameter_of, plain
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import listed
from hpo_explain.base.text import declared_fact
from hpo_explain.space import (
    CategoricalParameter,
    IntParameter,
    Parameter,
    SearchSpace,
    category_index,
)

_DRAWN = 1000  # configurations that tell how often a hyperparameter is active
_LAWS = ("Uniform", "Normal", "Beta")
_SHOWN = 3

_AT_FREQUENCY = declared_fact(
    "condition_as_frequency",
    "conditions: when {names} is active cannot be said by values of single hyperparameters; it "
    "counts as active at the frequency of configurations drawn at random",
)
_FORBIDDEN = declared_fact(
    "forbidden_clauses",
    "forbidden: the space rules out {clauses}, which the search space here does not: averages and "
    "advice may take in such configurations; {background=} takes an array without them",
    clauses=lambda fact: listed(fact["clauses"], _SHOWN),
)

Values = dict[str, list[Any]]
"""By parent the values for which a child is active; several parents mean *and*."""


def from_configspace(configspace: Any) -> SearchSpace:
    """Return a space of ConfigSpace; see `SearchSpace.from_configspace`."""
    return read_configspace(configspace)[0]


def read_configspace(configspace: Any) -> tuple[SearchSpace, list[Fact]]:
    """Return a space of ConfigSpace as a search space, and what it does not say there.

    Raises
    ------
    InputError
        If it is no ConfigurationSpace, is empty, or holds a kind that is not known.
    """
    if not hasattr(configspace, "conditions") or not hasattr(
        configspace, "forbidden_clauses"
    ):
        kind = type(configspace).__name__
        problem = (
            f"must be a ConfigSpace.ConfigurationSpace, but was a {kind!r}"
        )
        remedy = "Give the one that the configurations come from."
        raise InputError("configspace", problem, kind, remedy)
    found: dict[str, Parameter] = {}
    notes: list[Fact] = []
    for given in configspace.values():
        found[str(given.name)], about = parameter_of(
            str(given.name), _domain(given)
        )
        notes += about
    children: dict[str, list[Any]] = {}
    for condition in configspace.conditions:
        children.setdefault(_child(condition), []).append(condition)
    unstated = []
    for name, conditions in children.items():
        try:
            found[name] = replace(
                found[name], active_when=_condition_of(conditions, found)
            )
        except _UnstatedError:
            unstated.append(name)
    for name, share in _shares(configspace, unstated).items():
        found[name] = replace(
            found[name], optional=share if 0.0 < share < 1.0 else None
        )
    if unstated:
        notes.append(_AT_FREQUENCY(names=unstated))
    if configspace.forbidden_clauses:
        clauses = [
            _written(clause) for clause in configspace.forbidden_clauses
        ]
        notes.append(_FORBIDDEN(clauses=tuple(clauses)))
    return SearchSpace([*found.values()]), notes


def _written(clause: Any) -> str:
    """Return what a clause forbids, as ConfigSpace writes it."""
    return (
        str(clause)
        .replace("Forbidden: ", "")
        .replace(" && ", " and ")
        .strip("()")
    )


def _child(condition: Any) -> str:
    """Return the name of the hyperparameter that a condition is about."""
    while not hasattr(condition, "child"):
        condition = condition.components[0]
    return str(condition.child.name)


def _domain(given: Any) -> Domain:
    name, kind = str(given.name), type(given).__name__
    if kind == "Constant":
        return Domain(choices=[given.value])
    if kind == "OrdinalHyperparameter":
        return Domain(choices=given.sequence, ordered=True)
    if kind == "CategoricalHyperparameter":
        weighed = len({*np.asarray(given.probabilities).tolist()}) > 1
        return Domain(choices=given.choices, weighed=weighed)
    law = next((law for law in _LAWS if kind.startswith(law)), None)
    if law is None or not kind.endswith(
        ("FloatHyperparameter", "IntegerHyperparameter")
    ):
        problem = f"holds {name!r}, which is a {kind}"
        remedy = ("Give a ", Option("space"), "SearchSpace([...]).")
        raise InputError("configspace", problem, kind, remedy)
    whole, shown = (
        kind.endswith("IntegerHyperparameter"),
        "" if law == "Uniform" else law.lower(),
    )
    return Domain(given.lower, given.upper, bool(given.log), whole, law=shown)


# ---------------------------------------------------------------------- conditions


def _shares(configspace: Any, names: Sequence[str]) -> dict[str, float]:
    """Return in which share of configurations drawn at random hyperparameters are active."""
    if not names:
        return {}
    own = copy.deepcopy(configspace)  # drawing changes its state
    own.seed(0)
    drawn = own.sample_configuration(_DRAWN)
    return {
        name: sum(name in config for config in drawn) / _DRAWN
        for name in names
    }


class _UnstatedError(Exception):
    """A condition that values of parents cannot state: "or" over several, a bound of a float."""


def _condition_of(
    conditions: Sequence[Any], parameters: Mapping[str, Parameter]
) -> Values:
    """Return when a child is active that has some conditions, all of which must be met.

    Raises
    ------
    _UnstatedError
        If values of parents cannot state it.
    """
    found: Values = {}
    for condition in conditions:
        for parent, values in _values(condition, parameters).items():
            kept = found.get(parent, values)
            found[parent] = [
                value
                for value in values
                if category_index(kept, value) is not None
            ]
    if any(not values for values in found.values()):
        raise _UnstatedError
    return found


def _values(condition: Any, parameters: Mapping[str, Parameter]) -> Values:
    kind = type(condition).__name__
    if kind == "AndConjunction":
        return _condition_of(condition.components, parameters)
    if kind == "OrConjunction":
        parts = [_values(part, parameters) for part in condition.components]
        parents = {name for part in parts for name in part}
        if len(parents) > 1:
            raise _UnstatedError
        (parent,) = parents
        joined = [value for part in parts for value in part[parent]]
        once = [
            v
            for i, v in enumerate(joined)
            if category_index(joined[:i], v) is None
        ]
        return {parent: once}
    parent = str(condition.parent.name)
    if kind == "InCondition":
        return {parent: [plain(value) for value in condition.values]}
    value = plain(condition.value)
    if kind == "EqualsCondition":
        return {parent: [value]}
    every = _every(parameters[parent])
    if kind == "NotEqualsCondition":
        return {
            parent: [v for v in every if category_index([value], v) is None]
        }
    # of an ordinal hyperparameter: in its order
    at = category_index(every, value)
    if at is None:
        raise _UnstatedError
    return {
        parent: every[:at] if kind == "LessThanCondition" else every[at + 1 :]
    }


def _every(parameter: Parameter) -> list[Any]:
    if isinstance(parameter, IntParameter):
        return list(range(parameter.low, parameter.high + 1, parameter.step))
    if isinstance(parameter, CategoricalParameter):
        return list(parameter.choices)
    raise _UnstatedError
