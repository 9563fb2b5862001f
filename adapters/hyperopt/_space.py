"""The space of Hyperopt's `fmin`, a graph of expressions, as a search space."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import Domain, choices_weighed, is_among, normal, parameter_of
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.phrases import join_names
from hpo_explain.space import Parameter, Range, SearchSpace, category_index

_MOST_CASES = 10_000  # of the choices above a hyperparameter that are looked at

Condition = dict[str, tuple[int, ...]]
"""Which options of the choices above a hyperparameter lead to it, by the choice's label."""


def _allows(values: Sequence[Any] | Range, value: Any) -> bool:
    """Return whether a value of a parent is one of those that make others active."""
    return value in values if isinstance(values, Range) else is_among(values, value)


@dataclass
class _Found:
    """A hyperparameter of the graph: its distribution, and where it stands.

    Attributes
    ----------
    law : str
        The distribution: "uniform", "quniform", "randint", "categorical" and so on.
    arguments : list of float
        Its arguments; of "categorical" the probabilities.
    whole : bool
        Whether it is made an integer.
    options : list
        What a choice chooses from; empty for others.
    paths : list of dict
        The conditions of each place at which it stands.
    """

    law: str
    arguments: list[float]
    whole: bool
    options: list[Any] = field(default_factory=list)
    paths: list[Condition] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Graph:
    """The hyperparameters of a graph.

    Attributes
    ----------
    space : SearchSpace
        The search space; ranges of unbounded distributions hold the values tried.
    options : dict of str to tuple
        The choices of each `hp.choice`, in the order of the indices that Hyperopt records.
    notes : list of Fact
        What was assumed.
    """

    space: SearchSpace
    options: dict[str, tuple[Any, ...]]
    notes: list[Fact]

    def active(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a trial that are active, with the choices in place of indices.

        Points that a user gave hold values of all hyperparameters.
        """
        config: dict[str, Any] = {}
        for j in self.space.parents_first:
            parameter = self.space.parameters[j]
            rules = (parameter.active_when or {}).items()
            if parameter.name not in values or any(
                parent not in config or not _allows(chosen, config[parent])
                for parent, chosen in rules
            ):
                continue
            name, value = parameter.name, values[parameter.name]
            config[name] = self.options[name][int(value)] if name in self.options else value
        unknown = {name: value for name, value in values.items() if name not in self.space.names}
        return config | unknown


def read_graph(given: Any, tried: Mapping[str, Sequence[Any]]) -> Graph:
    """Return the search space of a graph.

    Parameters
    ----------
    given : pyll expression, dict, list or tuple
        What was given to `fmin` as its space.
    tried : mapping of str to sequence
        The values that trials have, as Hyperopt recorded them, by label.

    Raises
    ------
    InputError
        If it holds no hyperparameter, or a distribution that is not known.
    """
    found: dict[str, _Found] = {}
    _walk(given, {}, found, whole=False)
    if not found:
        problem = "holds no hyperparameter (hp.uniform, hp.choice, ...)"
        raise InputError("space", problem, given, "Give what fmin was given as its space.")
    options = {name: _choices(entry.options) for name, entry in found.items() if entry.options}
    parameters: list[Parameter] = []
    notes: list[Fact] = []
    for name, entry in found.items():
        domain = _domain(entry, options.get(name, ()), tried.get(name, ()))
        parameter, about = parameter_of(name, domain)
        condition, share = _condition(entry.paths, options)
        parameters.append(replace(parameter, active_when=condition or None, optional=share))
        notes += about
        if share < 1.0:
            text = (
                f"{name}: stands below several choices; no values of single hyperparameters say "
                "when it is active, so that it counts as active at its frequency"
            )
            notes.append(fact(text))
    numbered = [n for n in options if options[n] == tuple(range(len(options[n])))]
    numbered = [n for n in numbered if not all(_is_constant(o) for o in found[n].options)]
    if numbered:
        text = (
            f"choices: those of {join_names(numbered)} have no word of their own and are called "
            "by their numbers, from 0"
        )
        notes.append(fact(text))
    weighed = [n for n, entry in found.items() if len({*entry.arguments}) > 1 and n in options]
    weighed = [n for n in weighed if found[n].law == "categorical"]
    if weighed:
        notes.append(choices_weighed(weighed))
    return Graph(SearchSpace(parameters), options, notes)


# ---------------------------------------------------------------------- the graph


def _walk(node: Any, path: Condition, found: dict[str, _Found], *, whole: bool) -> None:
    """Collect the hyperparameters below a node, with the choices that lead to them."""
    name = getattr(node, "name", None)
    if name == "switch" and _is_expression(node):
        chosen, *options = node.pos_args
        label = _add(chosen, path, found, whole=True)
        if label is None:
            raise _unknown("switch")
        found[label].options = options
        for i, option in enumerate(options):
            _walk(option, {**path, label: (i,)}, found, whole=False)
    elif name == "hyperopt_param" and _is_expression(node):
        _add(node, path, found, whole=whole)
    else:
        inside = name in ("int", "float") and _is_expression(node)
        for below in _below(node):
            _walk(below, path, found, whole=name == "int" or (whole and inside))


def _is_expression(node: Any) -> bool:
    return hasattr(node, "pos_args") and hasattr(node, "named_args")


def _below(node: Any) -> Iterator[Any]:
    if isinstance(node, Mapping):
        yield from node.values()
    elif isinstance(node, (list, tuple)):
        yield from node
    elif _is_expression(node):
        yield from node.pos_args
        yield from (value for _, value in node.named_args)


def _add(node: Any, path: Condition, found: dict[str, _Found], *, whole: bool) -> str | None:
    """Add one place of a hyperparameter; return its label, None if it is no hyperparameter."""
    if getattr(node, "name", None) != "hyperopt_param":
        return None
    label, law = node.pos_args
    name = str(label.obj)
    arguments = [_number(argument, law.name) for argument in _flat(law)]
    entry = found.setdefault(name, _Found(str(law.name), arguments, whole))
    entry.paths.append(path)
    return name


def _flat(law: Any) -> Iterator[Any]:
    """Return the arguments of a distribution, lists in it one by one, those by name last."""
    for argument in _below(law):
        if getattr(argument, "name", "") == "pos_args":
            yield from argument.pos_args
        else:
            yield argument


def _number(node: Any, law: str) -> float:
    value = getattr(node, "obj", node)
    if isinstance(value, (int, float, np.number)):
        return float(value)
    raise _unknown(law)


def _unknown(law: str) -> InputError:
    problem = f"holds a {law} that is computed, or is of a kind that is not known"
    return InputError("space", problem, law, ("Give ", Option("space"), "SearchSpace([...])."))


# ---------------------------------------------------------------------- choices


def _is_constant(option: Any) -> bool:
    """Say whether an option is a value, rather than something made of hyperparameters."""
    if hasattr(option, "obj"):
        return True
    return not _is_expression(option) and not isinstance(option, (Mapping, list, tuple))


def _choices(options: Sequence[Any]) -> tuple[Any, ...]:
    """Return what the options of a choice are called.

    Values are themselves; dicts and lists that hold a word of their own at the same place are
    called by it; others by their number.
    """
    if all(_is_constant(option) for option in options):
        values = [getattr(option, "obj", option) for option in options]
        if _are_different(values):
            return tuple(values)
    entries = [_entries(option) for option in options]
    for key in entries[0]:
        words = [entry.get(key) for entry in entries]
        if all(isinstance(word, str) for word in words) and _are_different(words):
            return tuple(words)
    return tuple(range(len(options)))


def _are_different(values: Sequence[Any]) -> bool:
    try:
        return all(category_index(values, value) == i for i, value in enumerate(values))
    except (TypeError, ValueError):  # arrays, say
        return False


def _entries(option: Any) -> dict[Any, Any]:
    """Return the constants that an option holds, by key or position."""
    if _is_constant(option):
        return {None: getattr(option, "obj", option)}
    if isinstance(option, Mapping):
        pairs = list(option.items())
    elif isinstance(option, (list, tuple)):
        pairs = list(enumerate(option))
    else:
        pairs = [*enumerate(option.pos_args), *option.named_args]
    found = {key: getattr(value, "obj", value) for key, value in pairs if _is_constant(value)}
    return {**found, None: found.get(0)}


# ---------------------------------------------------------------------- hyperparameters


def _domain(entry: _Found, choices: tuple[Any, ...], tried: Sequence[Any]) -> Domain:
    law, arguments = entry.law, entry.arguments
    if choices or law == "categorical":
        return Domain(choices=choices or range(len(arguments)))
    if law == "randint":
        low, high = (0.0, arguments[0]) if len(arguments) == 1 else arguments[:2]
        return Domain(low, high - 1.0, whole=True)
    log, kind = "log" in law, law.removeprefix("q").removeprefix("log")
    if kind not in ("uniform", "normal"):
        raise _unknown(law)
    low, high = arguments[:2]
    if kind == "normal":
        low, high = normal(low, high, tried, log=log)
    elif log:
        low, high = math.exp(low), math.exp(high)
    named = law if kind == "normal" else ""
    if not law.startswith("q"):
        return Domain(low, high, log, law=named)
    step = arguments[2]  # Hyperopt rounds values to its multiples
    low, high = (math.floor(low / step + 0.5) * step, math.ceil(high / step - 0.5) * step)
    log = log and low > 0
    whole = (entry.whole or log) and float(step).is_integer()
    return Domain(low, high, log, whole, step, law=named)


# ---------------------------------------------------------------------- conditions


def _condition(
    paths: Sequence[Condition], options: Mapping[str, tuple[Any, ...]]
) -> tuple[dict[str, list[Any]], float]:
    """Return when a hyperparameter is active, and in which share of the cases that meet it.

    One that stands at several places is active where one of them is chosen: the options of the
    choices that all places have in common are joined.
    """
    shared = [label for label in paths[0] if all(label in path for path in paths)]
    joined = {label: sorted({i for path in paths for i in path[label]}) for label in shared}
    chosen = {
        label: joined.get(label, range(len(options[label]))) for path in paths for label in path
    }
    cases = islice(product(*chosen.values()), _MOST_CASES)
    leads = [
        any(all(case[label] in path[label] for label in path) for path in paths)
        for case in (dict(zip(chosen, values, strict=True)) for values in cases)
    ]
    condition = {
        label: [options[label][i] for i in ids]
        for label, ids in joined.items()
        if len(ids) < len(options[label])
    }
    return condition, sum(leads) / len(leads)
