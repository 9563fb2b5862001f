"""A space of ConfigSpace as a search space."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import Domain, is_among, parameter_of, plain
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.phrases import join_names, listed
from hpo_explain.space import (
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Parameter,
    Range,
    SearchSpace,
)

_DRAWN = 1000  # configurations that tell how often a hyperparameter is active
_LAWS = ("Uniform", "Normal", "Beta")

Values = dict[str, list[Any] | Range]
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
    if not hasattr(configspace, "conditions") or not hasattr(configspace, "forbidden_clauses"):
        kind = type(configspace).__name__
        problem = f"must be a ConfigSpace.ConfigurationSpace, but was a {kind!r}"
        remedy = "Give the one that the configurations come from."
        raise InputError("configspace", problem, kind, remedy)
    domains = {str(one.name): _domain(one) for one in configspace.values()}
    return space_of(
        domains,
        [_condition(condition) for condition in configspace.conditions],
        [_written(clause) for clause in configspace.forbidden_clauses],
        partial(_shares, configspace),
    )


def space_of(
    domains: Mapping[str, Domain],
    conditions: Sequence[Condition],
    forbidden: Sequence[str],
    shares: Callable[[Sequence[str]], Mapping[str, float]],
) -> tuple[SearchSpace, list[Fact]]:
    """Return the search space of what ConfigSpace says, and what it does not say there.

    Parameters
    ----------
    domains : mapping of str to Domain
        The hyperparameters.
    conditions : sequence of Condition
        When they are active; several about one hyperparameter must all be met.
    forbidden : sequence of str
        What is forbidden, in words.
    shares : callable
        Returns in which share of the space hyperparameters are active.
    """
    found: dict[str, Parameter] = {}
    notes: list[Fact] = []
    for name, domain in domains.items():
        found[name], about = parameter_of(name, domain)
        notes += about
    children: dict[str, list[Condition]] = {}
    for condition in conditions:
        children.setdefault(condition.child, []).append(condition)
    unstated = []
    for name, of_child in children.items():
        try:
            found[name] = replace(found[name], active_when=_all_of(of_child, found))
        except _UnstatedError:
            unstated.append(name)
    if unstated:
        for name, share in shares(unstated).items():
            found[name] = replace(found[name], optional=share or 1.0)
        text = (
            f"conditions: when {join_names(unstated)} is active cannot be said by values of single "
            "hyperparameters; it counts as active at the frequency of configurations drawn at "
            "random"
        )
        notes.append(fact(text))
    if forbidden:
        text = (
            f"forbidden: the space rules out {listed(forbidden, most=3)}, which the search space "
            "here does not: averages and advice may take in such configurations; "
        )
        notes.append(fact(text, Option("background"), " takes an array without them"))
    return SearchSpace([*found.values()]), notes


def _written(clause: Any) -> str:
    """Return what a clause forbids, as ConfigSpace writes it."""
    return str(clause).replace("Forbidden: ", "").replace(" && ", " and ").strip("()")


def _domain(given: Any) -> Domain:
    """Return the domain of a hyperparameter of ConfigSpace."""
    name, kind = str(given.name), type(given).__name__
    if kind == "Constant":
        return Domain(choices=[given.value])
    if kind == "OrdinalHyperparameter":
        return Domain(choices=given.sequence, ordered=True)
    if kind == "CategoricalHyperparameter":
        weighed = len({*np.asarray(given.probabilities).tolist()}) > 1
        return Domain(choices=given.choices, weighed=weighed)
    law = next((law for law in _LAWS if kind.startswith(law)), "")
    if not law or not kind.endswith(("FloatHyperparameter", "IntegerHyperparameter")):
        problem = f"holds {name!r}, which is a {kind}"
        remedy = ("Give a ", Option("space"), "SearchSpace([...]).")
        raise InputError("configspace", problem, kind, remedy)
    whole, shown = (kind.endswith("IntegerHyperparameter"), "" if law == "Uniform" else law.lower())
    return Domain(given.lower, given.upper, bool(given.log), whole, law=shown)


def _shares(configspace: Any, names: Sequence[str]) -> dict[str, float]:
    """Return in which share of configurations drawn at random hyperparameters are active."""
    own = copy.deepcopy(configspace)  # drawing changes its state
    own.seed(0)
    drawn = own.sample_configuration(_DRAWN)
    return {name: sum(name in config for config in drawn) / _DRAWN for name in names}


# ---------------------------------------------------------------------- conditions


@dataclass(frozen=True)
class Condition:
    """When a hyperparameter is active.

    Attributes
    ----------
    kind : {"and", "or", "in", "not", "less", "greater"}
        What it asks; the last four of a value of the parent.
    child, parent : str
        Whose activity depends on whom.
    values : tuple
        The values that it compares with.
    components : tuple of Condition
        The conditions that "and" and "or" join.
    """

    kind: str
    child: str
    parent: str = ""
    values: tuple[Any, ...] = ()
    components: tuple[Condition, ...] = ()


_KINDS = {
    "AndConjunction": "and",
    "OrConjunction": "or",
    "InCondition": "in",
    "EqualsCondition": "in",
    "NotEqualsCondition": "not",
    "LessThanCondition": "less",
    "GreaterThanCondition": "greater",
}


def _condition(condition: Any) -> Condition:
    """Return a condition of ConfigSpace."""
    kind = _KINDS[type(condition).__name__]
    if kind in ("and", "or"):
        components = tuple(map(_condition, condition.components))
        return Condition(kind, components[0].child, components=components)
    given = condition.values if hasattr(condition, "values") else [condition.value]
    return Condition(
        kind,
        str(condition.child.name),
        str(condition.parent.name),
        tuple(plain(value) for value in given),
    )


class _UnstatedError(Exception):
    """A condition that values of parents cannot state: "or" over several, or over ranges."""


def _all_of(conditions: Sequence[Condition], parameters: Mapping[str, Parameter]) -> Values:
    """Return when a child is active that has some conditions, all of which must be met.

    Raises
    ------
    _UnstatedError
        If values of parents cannot state it.
    """
    found: Values = {}
    for condition in conditions:
        for parent, values in _values(condition, parameters).items():
            found[parent] = _both(found.get(parent, values), values)
    return found


def _both(one: list[Any] | Range, other: list[Any] | Range) -> Any:
    """Return the values that two conditions on the same parent allow."""
    both: Any
    if isinstance(one, Range) and isinstance(other, Range):
        both = one.common(other)
    elif isinstance(one, Range) or isinstance(other, Range):
        raise _UnstatedError
    else:
        both = [v for v in other if is_among(one, v)]
    if not both:
        raise _UnstatedError
    return both


def _values(condition: Condition, parameters: Mapping[str, Parameter]) -> Values:
    if condition.kind == "and":
        return _all_of(condition.components, parameters)
    if condition.kind == "or":
        return _any_of(condition.components, parameters)
    if condition.kind == "in":
        return {condition.parent: [*condition.values]}
    (value,) = condition.values
    if isinstance(parameters[condition.parent], FloatParameter):
        return {condition.parent: _beyond(condition.kind, value)}
    every = _every(parameters[condition.parent])
    if condition.kind == "not":
        others = [v for v in every if not is_among([value], v)]
        return {condition.parent: others}
    # of an ordinal hyperparameter: in its order
    at = next((i for i, v in enumerate(every) if is_among([value], v)), -1)
    if at < 0:
        raise _UnstatedError
    is_less = condition.kind == "less"
    return {condition.parent: every[:at] if is_less else every[at + 1 :]}


def _beyond(kind: str, bound: float) -> Range:
    """Return the real numbers below or above a bound."""
    if kind == "less":
        return Range(high=bound)
    if kind == "greater":
        return Range(math.nextafter(bound, math.inf))
    raise _UnstatedError


def _any_of(conditions: Sequence[Condition], parameters: Mapping[str, Parameter]) -> Values:
    parts = [_values(part, parameters) for part in conditions]
    parents = {name for part in parts for name in part}
    if len(parents) > 1:
        raise _UnstatedError
    (parent,) = parents
    once: list[Any] = []
    for values in (part[parent] for part in parts):
        if isinstance(values, Range):
            raise _UnstatedError
        once += [v for v in values if not is_among(once, v)]
    return {parent: once}


def _every(parameter: Parameter) -> list[Any]:
    if isinstance(parameter, IntParameter):
        return list(range(parameter.low, parameter.high + 1, parameter.step))
    if isinstance(parameter, CategoricalParameter):
        return list(parameter.choices)
    raise _UnstatedError
