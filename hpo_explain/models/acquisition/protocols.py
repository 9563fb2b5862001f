"""What an acquisition function is, and a Protocol for each further ability."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array, SearchSpace


@runtime_checkable
class Acquisition(Protocol):
    """A utility over the search space, the sum of named terms; larger is more desirable."""

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        ...

    @property
    def label(self) -> str:
        """Name of the criterion with its settings, for captions."""
        ...

    @property
    def term_names(self) -> tuple[str, ...]:
        """The names of the terms, in the order in which they are shown."""
        ...

    def terms(self, X: Array) -> dict[str, Array]:
        """Return the additive terms, each (n,), at encoded rows (n, d)."""
        ...


@runtime_checkable
class SurrogateBased(Acquisition, Protocol):
    """An acquisition function that looks through a surrogate of the objective."""

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate."""
        ...

    @property
    def direction(self) -> str:
        """Whether the objective is minimized or maximized."""
        ...


@runtime_checkable
class OfPredictions(SurrogateBased, Protocol):
    """One of mean and standard deviation at one configuration alone."""

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective, each of their shape."""
        ...


@runtime_checkable
class SupportsAnotherModel(Protocol):
    """A criterion that can be seen through another surrogate."""

    def through(self, surrogate: Surrogate) -> Acquisition:
        """Return the same criterion of a surrogate's predictions."""
        ...
