"""A space of ConfigSpace as a search space."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.adapters._reading import whole_numbers
from hpo_explain.adapters.configspace._conditions import UnstatedError, condition_of
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import CategoricalParameter, FloatParameter, Parameter, SearchSpace

_DRAWN = 1000  # configurations that tell how often a hyperparameter is active
_LAWS = ("Uniform", "Normal", "Beta")


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
    found: dict[str, Parameter] = {}
    notes: list[Fact] = []
    for given in configspace.values():
        found[str(given.name)], about = _parameter(given)
        notes += about
    children: dict[str, list[Any]] = {}
    for condition in configspace.conditions:
        children.setdefault(_child(condition), []).append(condition)
    unstated = []
    for name, conditions in children.items():
        try:
            found[name] = replace(found[name], active_when=condition_of(conditions, found))
        except UnstatedError:
            unstated.append(name)
    for name, share in _shares(configspace, unstated).items():
        found[name] = replace(found[name], optional=share if 0.0 < share < 1.0 else None)
    if unstated:
        notes.append(fact("condition_as_frequency", names=unstated))
    if configspace.forbidden_clauses:
        clauses = [_plain(clause) for clause in configspace.forbidden_clauses]
        notes.append(fact("forbidden_clauses", clauses=tuple(clauses)))
    return SearchSpace([*found.values()]), notes


def _plain(clause: Any) -> str:
    """Return what a clause forbids, as ConfigSpace writes it."""
    return str(clause).replace("Forbidden: ", "").replace(" && ", " and ").strip("()")


def _child(condition: Any) -> str:
    """Return the name of the hyperparameter that a condition is about."""
    while not hasattr(condition, "child"):
        condition = condition.components[0]
    return str(condition.child.name)


def _parameter(given: Any) -> tuple[Parameter, list[Fact]]:
    name, kind = str(given.name), type(given).__name__
    if kind == "Constant":
        return CategoricalParameter(name, [given.value]), []
    if kind == "OrdinalHyperparameter":
        note = fact("order_left_out", names=[name])
        return CategoricalParameter(name, given.sequence), [note]
    if kind == "CategoricalHyperparameter":
        weighed = len({*np.asarray(given.probabilities).tolist()}) > 1
        notes = [fact("choices_weighed", names=[name])] if weighed else []
        return CategoricalParameter(name, given.choices), notes
    law = next((law for law in _LAWS if kind.startswith(law)), None)
    if law is None or not kind.endswith(("FloatHyperparameter", "IntegerHyperparameter")):
        problem = f"holds {name!r}, which is a {kind}"
        remedy = ("Give a ", Option("space"), "SearchSpace([...]).")
        raise InputError("configspace", problem, kind, remedy)
    notes = []
    if law != "Uniform":
        notes = [fact("distribution_as_range", names=[name], law=law.lower(), log=given.log)]
    if kind.endswith("IntegerHyperparameter"):
        parameter, about = whole_numbers(
            name, int(given.lower), int(given.upper), log=bool(given.log)
        )
        return parameter, notes + about
    return FloatParameter(name, float(given.lower), float(given.upper), log=bool(given.log)), notes


def _shares(configspace: Any, names: Sequence[str]) -> dict[str, float]:
    """Return in which share of configurations drawn at random hyperparameters are active."""
    if not names:
        return {}
    own = copy.deepcopy(configspace)  # drawing changes its state
    own.seed(0)
    drawn = own.sample_configuration(_DRAWN)
    return {name: sum(name in config for config in drawn) / _DRAWN for name in names}
