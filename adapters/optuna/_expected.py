"""Which hyperparameters a trial will ask for, and in which order, for all that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial

from hpo_explain.space import SearchSpace


@dataclass(frozen=True, eq=False)
class Expected:
    """The hyperparameters of the next trial.

    Attributes
    ----------
    space : SearchSpace
        The search space, with its conditions.
    order : tuple of str
        The hyperparameters in the order in which a trial suggests them.
    distributions : mapping of str to BaseDistribution
        Their distributions.
    """

    space: SearchSpace
    order: tuple[str, ...]
    distributions: Mapping[str, BaseDistribution]

    def active(self, config: Mapping[str, Any]) -> Iterator[str]:
        """Yield the hyperparameters that are active, while their values are added to `config`.

        One that is active by the objective's own choice is not known before.
        """
        row = np.full((1, len(self.space)), np.nan)
        for name in self.order:
            j = self.space.index(name)
            parameter = self.space[name]
            if parameter.optional is not None or not self.space.allowed(row, j)[0]:
                continue
            yield name
            row[0, j] = parameter.encode([config[name]])[0]


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
