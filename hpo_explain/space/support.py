"""Support: where trials were made, and so where a statement about the space is extrapolation.

A value of a hyperparameter is *tried* if at least three trials have one near it: the same category
(or the same value of a hyperparameter with few), or a number in a window of the hyperparameter's
own scale around it, which is moved inwards at the ends. The window is 10 % of the scale; for fewer
than 60 trials it is so wide that six would lie in it if all were spread evenly, at most 20 %. Only
trials in which the hyperparameter is active count, those of its branch.
No model takes part in any of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base import set_fields
from hpo_explain.space._values import POSITION_TOLERANCE, Array, Bools, Ints
from hpo_explain.space.search_space import SearchSpace

FEW = 3
"""Fewer trials near a value do not count as having tried it."""
_EVEN = 6.0  # trials in a window if all are spread evenly


@dataclass(frozen=True, eq=False)
class Support:
    """Where trials were made.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    tried : ndarray of shape (n, d)
        Encoded configurations of the trials.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 10.0)])
    >>> support = Support(space, np.linspace(0.0, 0.5, 60)[:, None])
    >>> support.at("x", [2.0, 9.0]).tolist()
    [True, False]
    """

    space: SearchSpace
    tried: Array

    def __post_init__(self) -> None:
        tried = self.space.check_rows("tried", self.tried)
        set_fields(self, tried=np.array(tried))

    def branch(self, name: str) -> Bools:
        """Return in which trials a hyperparameter is active, (n,)."""
        return ~np.isnan(self.tried[:, self.space.index(name)])

    def near(self, name: str, values: Sequence[Any]) -> Ints:
        """Return how many trials have a value near each of some values in the user's units."""
        return self._near(name, self.space[name].encode(values))

    def at(self, name: str, values: Sequence[Any]) -> Bools:
        """Return which of some values in the user's units were tried."""
        return self.near(name, values) >= FEW

    def at_pairs(
        self, names: tuple[str, str], values: tuple[Sequence[Any], Sequence[Any]]
    ) -> Bools:
        """Return which pairs of values of two hyperparameters were tried, (G1, G2).

        Both values must have been, and at least one trial must have both near: in a rectangle in
        which six trials would lie if all were spread evenly.
        """
        n = max(int(np.all([self.branch(name) for name in names], axis=0).sum()), 1)
        tried = []
        inside = []
        for name, of_one in zip(names, values, strict=True):
            encoded = self.space[name].encode(of_one)
            low, high = self._window(name, encoded, float(np.sqrt(_EVEN / n)))
            column = self.tried[:, self.space.index(name)]
            inside.append((column >= low[:, None]) & (column <= high[:, None]))
            tried.append(self._near(name, encoded) >= FEW)
        together = inside[0].astype(int) @ inside[1].T.astype(int) > 0
        return together & tried[0][:, None] & tried[1][None, :]

    def _near(self, name: str, encoded: Array) -> Ints:
        column = np.sort(self.tried[self.branch(name), self.space.index(name)])
        width = min(_EVEN / max(len(column), 1), 0.2)
        low, high = self._window(name, encoded, width)
        after = np.searchsorted(column, high, side="right")
        return after - np.searchsorted(column, low, side="left")

    def _window(self, name: str, encoded: Array, width: float) -> tuple[Array, Array]:
        """Return the ends of what is near encoded values, for a width as a share of the scale."""
        middle = encoded
        parameter = self.space[name]
        half = POSITION_TOLERANCE
        # so few values count each for itself
        few = parameter.size is not None and parameter.size <= 10
        if not parameter.is_category and not few:
            part = 0.5 * min(max(width, 0.1), 1.0)
            middle = np.clip(middle, part, 1.0 - part)
            half += part
        return middle - half, middle + half


def supported_at(
    support: Support | None, names: Sequence[str], axes: Sequence[Sequence[Any]]
) -> Bools:
    """Return which places of a grid were tried, (G,) or (G1, G2); all where that is unknown.

    Parameters
    ----------
    support : Support or None
        Where trials were made.
    names : sequence of str
        One or two hyperparameters.
    axes : sequence of sequence
        Values of each, in the user's units.
    """
    if support is None:
        return np.ones([len(axis) for axis in axes], dtype=bool)
    if len(names) == 1:
        return support.at(names[0], axes[0])
    return support.at_pairs((names[0], names[1]), (axes[0], axes[1]))
