"""What an acquisition function is, and a Protocol for each further ability."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import Array, Bools, Ints, SearchSpace


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
class SurrogateBased(Protocol):
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
class OfPredictions(Acquisition, SurrogateBased, Protocol):
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


@runtime_checkable
class SupportsCoalitions(Protocol):
    """An acquisition that computes the coalitions of a Shapley game without composed rows."""

    def coalition_terms(
        self, x: Array, background: Array, players: Ints, coalitions: Bools
    ) -> dict[str, Array] | None:
        """Return the terms, each (n, m), or None where they have to be composed.

        `x` is the explained row (d,), `background` holds latent rows (n, d), `players` are the
        columns that take part, `coalitions` says which of them have the value of `x`, (m, number of
        players).
        """
        ...


@runtime_checkable
class SupportsCandidates(Protocol):
    """An acquisition from which an optimizer draws the candidates that it chooses from."""

    def candidates(self, n: int, *, seed: int = 0) -> Array:
        """Return latent rows drawn as the optimizer draws them, (n, d)."""
        ...


@runtime_checkable
class SupportsParts(Protocol):
    """An acquisition that is a sum of acquisitions, each of a few hyperparameters or one model.

    Shapley values are linear: those of the parts, which are simpler games, add up to those of the
    whole.
    """

    def parts(self) -> tuple[Acquisition, ...]:
        """Return the parts, over the same space and each with some of the terms."""
        ...
