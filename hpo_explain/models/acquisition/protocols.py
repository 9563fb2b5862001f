"""What an acquisition function is, and a Protocol for each further ability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
class OfPredictions(SurrogateBased, Protocol):
    """One of mean and standard deviation at one configuration alone."""

    def terms_of(self, mean: Array, std: Array) -> dict[str, Array]:
        """Return the terms at given predictions of the objective, each of their shape."""
        ...


@dataclass(frozen=True, eq=False)
class TermBlock:
    """The terms for some background rows in every coalition asked for.

    Attributes
    ----------
    rows : slice
        The background rows.
    terms : dict of str to ndarray of shape (number of rows, number of coalitions)
        The terms for each background row and coalition.

    Examples
    --------
    >>> import numpy as np
    >>> TermBlock(slice(0, 2), {"mean": np.zeros((2, 8))}).terms["mean"].shape
    (2, 8)
    """

    rows: slice
    terms: dict[str, Array]


@runtime_checkable
class SupportsTermCoalitions(Protocol):
    """An acquisition that computes the coalitions of a Shapley game without composed rows."""

    def coalition_terms(
        self, x: Array, background: Array, players: Ints, coalitions: Bools
    ) -> Iterator[TermBlock]:
        """Return the terms in coalitions, block by block of background rows.

        Arguments are as in :meth:`SupportsCoalitions.predict_coalitions`.
        """
        ...


@runtime_checkable
class SupportsWalks(Acquisition, Protocol):
    """An acquisition that follows players who join one by one without composed rows."""

    def walk_terms(self, x: Array, background: Array, orders: Ints) -> dict[str, Array]:
        """Return the terms while players take the values of `x` one by one.

        Parameters
        ----------
        x : ndarray of shape (d,)
            The explained row, encoded.
        background : ndarray of shape (n, d)
            Latent rows from which the players start.
        orders : ndarray of int, shape (n, w, p)
            The orders of each background row: players by their columns.

        Returns
        -------
        dict of str to ndarray of shape (n, w, p + 1)
            The terms before the first player joins, and after each.
        """
        ...


@runtime_checkable
class SupportsParts(Protocol):
    """An acquisition that is a sum of acquisitions, each of a few hyperparameters or one model.

    Shapley values are linear: those of the parts, which are simpler games, add up to those of the
    whole.
    """

    def parts(self) -> tuple[Acquisition, ...]:
        """Return the parts, over the same space and with the same terms."""
        ...


@runtime_checkable
class SupportsWeight(Protocol):
    """An acquisition whose term ``uncertainty`` is the standard deviation times a weight."""

    @property
    def kappa(self) -> float:
        """The weight κ."""
        ...


@runtime_checkable
class SupportsMarginals(Protocol):
    """An acquisition made of densities of trials, which may be drawn anew."""

    def bootstrap_terms(self, X: Array, draws: int, *, seed: int = 0) -> dict[str, Array]:
        """Return the terms, each (n, draws), at encoded rows (n, d) by trials drawn anew."""
        ...

    def marginal(self, j: int, positions: Array) -> tuple[Array, Array]:
        """Return how common values of a hyperparameter are among good and among other trials.

        As multiples of chance, each (n,).
        """
        ...


@runtime_checkable
class SupportsCandidates(Protocol):
    """An acquisition that can draw the candidates among which the optimizer chooses."""

    def candidates(self, n: int, *, seed: int = 0) -> Array:
        """Draw `n` latent rows, (n, d), as the optimizer draws its candidates."""
        ...


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Trials that a draw with replacement left out.

    Attributes
    ----------
    cost : ndarray of shape (n,)
        Their objectives, smaller is better; NaN where there is none.
    utility : ndarray of shape (n,)
        How desirable they are by what was learned from the others.

    Examples
    --------
    >>> import numpy as np
    >>> len(LeftOut(np.array([3.0]), np.array([0.5])).cost)
    1
    """

    cost: Array
    utility: Array


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws with replacement of the trials that an acquisition function was learned from.

    Attributes
    ----------
    trials : int
        How many trials with an objective there are.
    left : iterator of LeftOut
        What each draw left out.

    Examples
    --------
    >>> Draws(10, iter([])).trials
    10
    """

    trials: int
    left: Iterator[LeftOut]


@runtime_checkable
class SupportsBootstrap(Protocol):
    """An acquisition that can be learned again from draws of its trials."""

    def bootstrap(self, draws: int, *, seed: int = 0) -> Draws | None:
        """Return draws of the trials with replacement; None where the trials are not known."""
        ...
