"""A study's trials as columns, and Optuna's distributions as hyperparameters of a search space.

Studies have up to millions of values, so nothing costs more than a look-up per value.
"""

from __future__ import annotations

import marshal
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial

from hpo_explain.adapters._domain import FINEST_GRID, Domain, parameter_of
from hpo_explain.adapters._reading import outside_space, positions
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.phrases import quoted
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    CategoryIndex,
    IntParameter,
    Parameter,
    SearchSpace,
    asked_as,
    different,
    values_text,
)

_ORDERS = 200  # orders of suggestion looked at, of which every activity pattern has one
_CHANCE = math.log(0.01)


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one hyperparameter, and what its trials say about its range.

    `rows` (the trials that have it, as indices) and `values` stand side by side; `distributions`
    holds the different ones, in the order in which they appeared.
    """

    name: str
    rows: npt.NDArray[np.int64]
    values: list[Any]
    distributions: tuple[BaseDistribution, ...]


@dataclass(frozen=True, eq=False)
class Columns:
    """Every hyperparameter in the order of its first suggestion, and the orders there were."""

    columns: tuple[Column, ...]
    orders: tuple[dict[str, int], ...]

    def precedes(self, parent: str, child: str) -> bool:
        """Say whether `parent` was suggested before `child` wherever a trial has both."""
        return all(
            order[parent] < order[child]
            for order in self.orders
            if parent in order and child in order
        )


def read_columns(trials: Sequence[FrozenTrial]) -> Columns:
    """Return the values and distributions of all trials, hyperparameter by hyperparameter."""
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = {}
    for i, trial in enumerate(trials):
        alike.setdefault((tuple(trial.params), tuple(trial.distributions)), []).append(i)
    rows: dict[str, list[int]] = {}
    values: dict[str, list[Any]] = {}
    distributions: dict[str, dict[Hashable, BaseDistribution]] = {}
    for (names, described), members in alike.items():
        of_params = zip(*[trials[i].params.values() for i in members], strict=True)
        for name, column in zip(names, of_params, strict=True):
            rows.setdefault(name, []).extend(members)
            values.setdefault(name, []).extend(column)
        of_kinds = zip(*[trials[i].distributions.values() for i in members], strict=True)
        for name, kinds in zip(described, of_kinds, strict=True):
            known = distributions.setdefault(name, {})
            for key, kind in _by_key(kinds).items():
                known.setdefault(key, kind)
    columns = tuple(
        Column(name, np.array(rows[name]), values[name], tuple(distributions[name].values()))
        for name in rows
    )
    orders = list(dict.fromkeys(names for names, _ in alike))[:_ORDERS]
    return Columns(columns, tuple({name: k for k, name in enumerate(o)} for o in orders))


def order_of(trials: Sequence[FrozenTrial], names: Sequence[str]) -> tuple[str, ...]:
    """Return hyperparameters in an order that agrees with those in which trials suggested them.

    Where no order does, it is that of the latest trials.

    Examples
    --------
    >>> import optuna
    >>> def trial_with(names):
    ...     distribution = optuna.distributions.FloatDistribution(0.0, 1.0)
    ...     return optuna.create_trial(
    ...         params=dict.fromkeys(names, 0.5),
    ...         distributions=dict.fromkeys(names, distribution),
    ...         value=0.0,
    ...     )
    >>> order_of([trial_with("ac"), trial_with("abc")], ["a", "b", "c"])
    ('a', 'b', 'c')
    """
    orders = list(dict.fromkeys(tuple(n for n in t.params if n in names) for t in trials))
    found: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(names, ()))
    for order in orders:
        for one, next_ in pairwise(order):
            found.add(next_, one)
    try:
        return tuple(found.static_order())
    except CycleError:
        return tuple(dict.fromkeys(name for order in orders[::-1] for name in (*order, *names)))


def identity(value: Any) -> Hashable:
    """Return a key that only a value of the same type and content has (True is not 1)."""
    kind = type(value)
    if kind is str or kind is int or kind is float or kind is bool or value is None:
        return kind, value
    try:
        # from version 3 on, equal values may differ in their bytes
        return marshal.dumps(value, 2)
    except ValueError:
        if isinstance(value, tuple):
            return tuple(map(identity, value))
        # the trials keep it alive, so no other object can have its id
        return id(value)


def _by_key(kinds: Iterable[BaseDistribution]) -> dict[Hashable, BaseDistribution]:
    # A storage may make a new object per value: equal ones are found by what they hold.
    different = {id(kind): kind for kind in kinds}.values()
    return {
        identity(kind.choices)
        if isinstance(kind, CategoricalDistribution)
        else (type(kind), kind.low, kind.high, kind.step, kind.log): kind  # type: ignore[attr-defined]
        for kind in different
    }


def read_parameter(column: Column) -> tuple[Parameter, list[Fact]]:
    """Return a hyperparameter as all of its distributions describe it, and what was assumed.

    Raises
    ------
    InputError
        If it is categorical in some trials and numeric in others.
    """
    kinds = column.distributions
    categorical = [kind for kind in kinds if isinstance(kind, CategoricalDistribution)]
    floats = [kind for kind in kinds if isinstance(kind, FloatDistribution)]
    ints = [kind for kind in kinds if isinstance(kind, IntDistribution)]
    if len(categorical) == len(kinds):
        return _categorical(column.name, categorical)
    if len(ints) == len(kinds):
        return _int(column.name, ints)
    if len(floats) + len(ints) == len(kinds):
        return _float(column.name, kinds)
    found = ", ".join(sorted({type(kind).__name__ for kind in kinds}))
    problem = (
        f"has hyperparameter {column.name!r} with distributions that cannot be read as one: {found}"
    )
    remedy = (
        "State the space yourself with ",
        Option("space"),
        "SearchSpace([...]), or read the trials of each kind from a study of their own.",
    )
    raise InputError("study", problem, found, remedy)


def read_parts(
    column: Column, columns: Columns, trials: Sequence[FrozenTrial]
) -> tuple[list[Parameter], list[Fact]]:
    """Return a hyperparameter for each range of one whose range depends on a category.

    None where it has one range, or no category explains which it has. By chance a category would
    with at most 1 %: each of its v values that were tried has one of k ranges, in one of k^v ways.
    """
    kinds = column.distributions
    if len(kinds) < 2 or not all(map(_is_number, kinds)):
        return [], []
    which = {id_of_range(kind): k for k, kind in enumerate(kinds)}
    ranges = [which[id_of_range(trials[i].distributions[column.name])] for i in column.rows]
    used = sorted({*ranges})
    ways = math.lgamma(len(ranges) + 1) - sum(math.lgamma(ranges.count(k) + 1) for k in used)
    for parent in columns.columns:
        of_value = _ranges_by_value(parent, column, ranges)
        if len(used) < 2 or not of_value:
            continue
        if len(of_value) * math.log(len(used)) - ways > _CHANCE:
            continue
        parts: list[Parameter] = []
        for k in used:
            values = " or ".join(v for v, own in of_value.items() if own == k)
            one = replace(column, distributions=(kinds[k],))
            parameter: Any = read_parameter(one)[0]
            name = f"{column.name} ({parent.name} = {values})"
            parts.append(replace(parameter, name=name, part_of=column.name))
        ranges_of = ", ".join(f"{p.name}: {values_text(p)}" for p in parts)
        depends = f"{column.name}: its range depends on {parent.name}"
        return parts, [fact(f"{depends}; read as a hyperparameter for each range ({ranges_of})")]
    return [], []


def encode_columns(
    parameters: Sequence[Parameter], columns: Columns, trials: Sequence[FrozenTrial]
) -> tuple[Array, dict[int, Fact]]:
    """Return trials as encoded rows, and for those with a value outside its range the reason."""
    X = np.full((len(trials), len(parameters)), np.nan)
    outside: dict[int, Fact] = {}
    of_name = {column.name: column for column in columns.columns}
    for j, parameter in enumerate(parameters):
        column = of_name.get(asked_as(parameter))
        if column:
            if column.name != parameter.name:
                column = _with_range_of(parameter, column, trials)
            X[column.rows, j], reasons = encode(parameter, column.values)
            for i, reason in reasons.items():
                outside.setdefault(int(column.rows[i]), outside_space(reason))
    return X, outside


def _with_range_of(parameter: Parameter, column: Column, trials: Sequence[FrozenTrial]) -> Column:
    """Return the values of those trials that had the range of a hyperparameter."""
    wanted = id_of_range(distribution_of(parameter))
    places = [
        k
        for k, i in enumerate(column.rows.tolist())
        if id_of_range(trials[i].distributions[column.name]) == wanted
    ]
    values = [column.values[k] for k in places]
    return replace(column, rows=column.rows[places], values=values)


def _is_number(kind: BaseDistribution) -> bool:
    return not isinstance(kind, CategoricalDistribution)


def id_of_range(kind: Any) -> Hashable:
    """Return what tells ranges of numbers apart."""
    return type(kind), kind.low, kind.high, kind.step, kind.log


def _ranges_by_value(parent: Column, column: Column, ranges: Sequence[int]) -> dict[str, int]:
    """Return which range a hyperparameter has for each value of a category; none if not one."""
    if any(map(_is_number, parent.distributions)):
        return {}
    of_row = dict(zip(parent.rows.tolist(), parent.values, strict=True))
    found: dict[str, int] = {}
    for i, k in zip(column.rows.tolist(), ranges, strict=True):
        if i not in of_row or found.setdefault(str(of_row[i]), k) != k:
            return {}
    return found


def distribution_of(parameter: Parameter) -> BaseDistribution:
    """Return a hyperparameter as Optuna describes it.

    Examples
    --------
    >>> from hpo_explain import IntParameter
    >>> distribution_of(IntParameter("layers", 1, 5))
    IntDistribution(high=5, log=False, low=1, step=1)
    """
    if isinstance(parameter, CategoricalParameter):
        return CategoricalDistribution(parameter.choices)
    if parameter.values:
        return CategoricalDistribution(parameter.values)
    if isinstance(parameter, IntParameter):
        return IntDistribution(
            parameter.low, parameter.high, log=parameter.log, step=parameter.step
        )
    return FloatDistribution(parameter.low, parameter.high, log=parameter.log, step=parameter.step)


def to_optuna(space: SearchSpace) -> dict[str, BaseDistribution]:
    """Return a search space as Optuna describes it: a distribution by hyperparameter.

    Examples
    --------
    >>> from hpo_explain import FloatParameter
    >>> to_optuna(SearchSpace([FloatParameter("lr", 1e-4, 1.0, log=True)]))
    {'lr': FloatDistribution(high=1.0, log=True, low=0.0001, step=None)}
    """
    found: dict[str, Any] = {}
    for parameter in space:
        name, distribution = asked_as(parameter), distribution_of(parameter)
        if name in found:
            both: Any = (found[name], distribution)
            low, high = min(d.low for d in both), max(d.high for d in both)
            parameter = replace(parameter, low=low, high=high)
            distribution = distribution_of(parameter)
        found[name] = distribution
    return found


def encode(parameter: Parameter, values: Sequence[Any]) -> tuple[Array, dict[int, Fact]]:
    """Return the positions of values, and for those outside the range (NaN) the reason."""
    try:
        return _encode(parameter, values), {}
    except ValueError:
        return positions(parameter, values)


def _encode(parameter: Parameter, values: Sequence[Any]) -> Array:
    if not isinstance(parameter, CategoricalParameter):
        return parameter.encode(values)
    keys = [identity(value) for value in values]
    # as few as there are choices
    distinct = dict(zip(keys, values, strict=True))
    position = dict(zip(distinct, parameter.encode(distinct.values()), strict=True))
    return np.array([position[key] for key in keys])


def _categorical(
    name: str, kinds: Sequence[CategoricalDistribution]
) -> tuple[Parameter, list[Fact]]:
    choices = different(choice for kind in kinds for choice in kind.choices)
    notes = []
    distinct = [len(_distinct(kind.choices)) for kind in kinds]
    if any(n < len(kind.choices) for n, kind in zip(distinct, kinds, strict=True)):
        notes.append(fact(f"{name}: a choice is listed twice; it is read as one choice"))
    if len(choices) > min(distinct):
        changed = "its choices changed during the study; read as all of them together"
        notes.append(fact(f"{name}: {changed}"))
    for first, second in _taken_for_equal(choices):
        equal = f"Optuna does not tell its choices {quoted(first)} and {quoted(second)} apart"
        read = "trials with either are read as they are recorded"
        notes.append(fact(f"{name}: {equal} and records the one listed first; {read}"))
    return CategoricalParameter(name, choices), notes


def _distinct(choices: Sequence[Any]) -> list[Any]:
    index = CategoryIndex(choices)
    return [c for i, c in enumerate(choices) if index(c) == i]


def _taken_for_equal(choices: Sequence[Any]) -> list[tuple[Any, Any]]:
    # `optuna.distributions.CategoricalDistribution.to_internal_repr` looks a choice up by ==
    numbers: dict[Any, Any] = {}
    pairs = []
    for choice in choices:
        if isinstance(choice, (bool, int, float)):
            if choice in numbers:
                pairs.append((numbers[choice], choice))
            numbers.setdefault(choice, choice)
    return pairs


def _int(name: str, kinds: Sequence[IntDistribution]) -> tuple[Parameter, list[Fact]]:
    low, high = (min(kind.low for kind in kinds), max(kind.high for kind in kinds))
    log, notes = _scale(name, kinds, low)
    step = 1 if log else _common_step(kinds, low, high)
    parameter, about = parameter_of(name, Domain(low, high, log=log, whole=True, step=step))
    return parameter, notes + about + _changed(name, kinds, low, high)


def _float(name: str, kinds: Sequence[BaseDistribution]) -> tuple[Parameter, list[Fact]]:
    numeric = [kind for kind in kinds if isinstance(kind, (FloatDistribution, IntDistribution))]
    low = float(min(kind.low for kind in numeric))
    high = float(max(kind.high for kind in numeric))
    log, notes = _scale(name, numeric, low)
    step = None if log else _common_step(numeric, low, high)
    if len({type(kind) for kind in numeric}) > 1:
        both = "real-valued in some trials, whole in others; read as real-valued"
        notes.append(fact(f"{name}: {both}"))
    if step is None and not log and low < high and all(kind.step for kind in numeric):
        notes.append(fact(f"{name}: its grid is so fine that it is read as continuous"))
    parameter, _ = parameter_of(name, Domain(low, high, log=log, step=step))
    return parameter, notes + _changed(name, numeric, low, high)


def _scale(
    name: str, kinds: Sequence[FloatDistribution | IntDistribution], low: float
) -> tuple[bool, list[Fact]]:
    log = kinds[-1].log and low > 0
    if len({kind.log for kind in kinds}) == 1:
        return log, []
    scale = "logarithmic" if log else "linear"
    return log, [fact(f"{name}: its scale changed during the study; read as {scale}")]


def _common_step(
    kinds: Sequence[FloatDistribution | IntDistribution], low: float, high: float
) -> float | None:
    """Return the coarsest step from `low` that meets the grids of all distributions."""
    # one value is on any grid
    steps = {kind.step for kind in kinds if kind.low < kind.high}
    if None in steps:
        return None
    # in decimals, as Optuna adjusts a range to its step: 0.3 is three steps of 0.1
    start, common = Fraction(str(low)), Fraction(0)
    for step in steps:
        common = _gcd(common, Fraction(str(step)))
    # a range may differ from trial to trial, but few ranges begin differently
    for first in {kind.low for kind in kinds}:
        common = _gcd(common, Fraction(str(first)) - start)
    if not common or (isinstance(low, float) and (high - low) / common > FINEST_GRID):
        return None
    return float(common)


def _gcd(a: Fraction, b: Fraction) -> Fraction:
    scale = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(int(a * scale), int(b * scale)), scale)


def _changed(
    name: str, kinds: Sequence[FloatDistribution | IntDistribution], low: float, high: float
) -> list[Fact]:
    ranges = {(kind.low, kind.high, kind.step) for kind in kinds}
    if len(ranges) == 1:
        return []
    changed = f"its range changed during the study ({len(ranges)} different ones)"
    return [fact(f"{name}: {changed}; read as the widest, [{low:.6g}, {high:.6g}]")]
