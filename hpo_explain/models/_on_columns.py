"""What the surrogates of this package share: the columns that they were fitted on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hpo_explain.base import Fact, InputError
from hpo_explain.space import Array, Ints, SearchSpace


class OnColumns:
    """A fitted model of scikit-learn, with the columns of encoded rows that it was fitted on."""

    notes: tuple[Fact, ...] = ()
    """What has to be known of it, such as that it learned from some of the trials."""

    def __init__(
        self,
        space: SearchSpace,
        model: Any,
        argument: str,
        width: int,
        columns: Callable[[Array], Array] | None,
        negated: bool,
    ) -> None:
        self._space = space
        self._columns = columns
        self._sign = -1.0 if negated else 1.0
        n_columns = self.to_columns(np.zeros((1, len(space)))).shape[1]
        if n_columns != width:
            raise InputError(
                argument,
                f"was fitted on {width} columns, but the space gives {n_columns}",
                model,
                "Pass columns=, the function from encoded rows to the columns it was fitted on.",
            )

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the model receives."""
        return self._space

    def to_columns(self, X: Array) -> Array:
        """Return the columns of encoded rows (n, d) that the model predicts from, (n, p)."""
        return X if self._columns is None else self._columns(X)

    def _owners(self) -> Ints | None:
        """Return for each column the hyperparameter that it belongs to; None if unknown."""
        if self._columns is None:
            return np.arange(len(self._space))
        return getattr(self._columns, "owners", None)
