"""What holds in a part of the space, in the user's units and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpo_explain.base import among, format_in_range
from hpo_explain.space import category_index


@dataclass(frozen=True, eq=False)
class Condition:
    """What a region says about one hyperparameter, in the user's units.

    Attributes
    ----------
    name : str
        The hyperparameter.
    above, up_to : float or None
        Numeric values are above the one and at most the other; None where there is no bound.
    categories : tuple or None
        The categories, of a categorical hyperparameter.
    extent : float
        The width of a number's range: bounds are told with the digits that it needs.

    Examples
    --------
    >>> condition = Condition("batch_size", up_to=96)
    >>> str(condition), condition.holds({"batch_size": 128})
    ('batch_size ≤ 96', False)
    """

    name: str
    above: float | None = None
    up_to: float | None = None
    categories: tuple[Any, ...] | None = None
    extent: float = 0.0

    def holds(self, config: Mapping[str, Any]) -> bool:
        """Return whether a configuration meets the condition; not where it is inactive."""
        if self.name not in config:
            return False
        value = config[self.name]
        if self.categories is not None:
            return category_index(self.categories, value) is not None
        above = self.above is None or value > self.above
        return bool(above and (self.up_to is None or value <= self.up_to))

    def __str__(self) -> str:
        if self.categories is not None:
            return among(self.name, self.categories)
        above, up_to = (
            format_in_range(bound, 0.0, self.extent) for bound in (self.above, self.up_to)
        )
        if self.above is None:
            return f"{self.name} ≤ {up_to}"
        return (
            f"{self.name} > {above}" if self.up_to is None else f"{above} < {self.name} ≤ {up_to}"
        )
