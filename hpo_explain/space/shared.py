"""What several search spaces have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hpo_explain.space.number_parameters import IntParameter
from hpo_explain.space.parameter import Parameter
from hpo_explain.space.search_space import SearchSpace


@dataclass(frozen=True, eq=False)
class Shared:
    """What several search spaces have in common.

    Attributes
    ----------
    space : SearchSpace or None
        The hyperparameters that all have, in the values that all allow; None if there is none.
        Where the spaces differ it has no conditions.
    same : bool
        Whether the spaces are the same.
    narrowed : tuple of str
        Hyperparameters whose values are fewer than in some space.
    """

    space: SearchSpace | None
    same: bool
    narrowed: tuple[str, ...] = ()

    @classmethod
    def of(cls, spaces: Sequence[SearchSpace]) -> Shared:
        """Return what spaces have in common.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, IntParameter
        >>> one = SearchSpace([FloatParameter("lr", 0.0, 1.0), IntParameter("depth", 1, 9)])
        >>> other = SearchSpace([FloatParameter("lr", 0.5, 2.0)])
        >>> found = Shared.of([one, other])
        >>> found.space["lr"].low, found.space["lr"].high, found.narrowed
        (0.5, 1.0, ('lr',))
        """
        first = spaces[0]
        if all(space.parameters == first.parameters for space in spaces):
            # draws go through it in one order, whichever space comes first
            return cls(min(spaces, key=lambda one: one.order_key), same=True)
        names = [name for name in first.names if all(name in space.names for space in spaces)]
        joined = {name: _joined([space[name] for space in spaces]) for name in names}
        shared = [parameter for parameter in joined.values() if parameter is not None]
        narrowed = tuple(
            p.name for p in shared if any(_values(p) != _values(space[p.name]) for space in spaces)
        )
        return cls(SearchSpace(shared) if shared else None, same=False, narrowed=narrowed)


def values_of(parameter: Parameter) -> tuple[Any, ...]:
    """Return what a sub-space of a hyperparameter is given by: its ends, whole numbers, choices."""
    if parameter.is_category:
        return tuple(parameter.choices)
    if isinstance(parameter, IntParameter):
        return tuple(parameter.values or range(parameter.low, parameter.high + 1, parameter.step))
    return parameter.low, parameter.high


def _values(parameter: Parameter) -> Any:
    if parameter.is_category:
        return {*map(repr, parameter.choices)}
    return parameter.low, parameter.high, parameter.step, parameter.values


def _joined(parameters: Sequence[Any]) -> Any:
    """Return a hyperparameter with the values that all allow; None if there are fewer than two."""
    first = parameters[0]
    if any(type(p) is not type(first) for p in parameters):
        return None
    if first.is_category:
        others = [{*map(repr, p.choices)} for p in parameters]
        choices = [c for c in first.choices if all(repr(c) in theirs for theirs in others)]
        if len(choices) < 2:
            return None
        return replace(first, choices=choices, active_when=None, optional=1.0)
    if any(p.log != first.log for p in parameters):
        return None
    stepped = any(p.values or p.step not in (None, 1) for p in parameters)
    if stepped and any(_values(p) != _values(first) for p in parameters):
        return None
    low = max(p.low for p in parameters)
    high = min(p.high for p in parameters)
    if not low < high:
        return None
    return replace(first, low=low, high=high, active_when=None, optional=1.0)
