"""A study's trials turned into columns: one list of values per hyperparameter.

Studies have up to millions of values, so nothing here costs more than a look-up per value.
"""

from __future__ import annotations

import marshal
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.trial import FrozenTrial

_ORDERS = 200  # orders of suggestion looked at, of which every activity pattern has one


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
        return marshal.dumps(value, 2)  # from version 3 on, equal values may differ in their bytes
    except ValueError:
        if isinstance(value, tuple):
            return tuple(map(identity, value))
        return id(value)  # the trials keep it alive, so no other object can have its id


def _by_key(kinds: Iterable[BaseDistribution]) -> dict[Hashable, BaseDistribution]:
    # A storage may make a new object per value: equal ones are found by what they hold.
    different = {id(kind): kind for kind in kinds}.values()
    return {
        identity(kind.choices)
        if isinstance(kind, CategoricalDistribution)
        else (type(kind), kind.low, kind.high, kind.step, kind.log): kind  # type: ignore[attr-defined]
        for kind in different
    }
